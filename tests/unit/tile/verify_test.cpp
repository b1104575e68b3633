// Every invariant of a tile program, broken once: the code and the message of what the verifier finds first.
#include "programs.h"

namespace tilewright::tile {
namespace {

struct Broken {
  const char* name;
  const char* body;  ///< of the program below, which verifies without it
  const char* code;
  const char* message;  ///< without "tile t: "
};

constexpr const char* declarations = R"(
  tensor x : f32 rank 1 strides (one) align 4
  tensor n : i32 rank 2 strides (other, one) align 4
  tensor f : bool rank 1 strides (one) align 1
  tensor o : f32 rank 1 strides (one) align 4 output
  iter i extent x.0
  iter j extent 4
)";

Diagnostics errors_of(const std::string& text) {
  const Result<Program> program = parse_program(text_source(text));
  if (!program) {
    ADD_FAILURE() << render(program.error());
    return {};
  }
  const Result<void> verified = verify(*program);
  return verified ? Diagnostics{} : verified.error();
}

class TileVerify : public testing::TestWithParam<Broken> {};

TEST_P(TileVerify, Finds) {
  const Broken& broken = GetParam();
  const bool placed = std::string(broken.name).starts_with("Placed");
  const std::string head = std::string("tile t") + (placed ? " placed" : "") + declarations;
  const Diagnostics errors = errors_of(head + broken.body);
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors[0].code, broken.code);
  EXPECT_EQ(errors[0].message, std::string("tile t: ") + broken.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, TileVerify,
    testing::Values(
        Broken{"Alignment", "tensor y : f32 rank 0 align 12", "T002", "tensor y: align 12 is not a power of two"},
        Broken{"AxisTwice", "%a = fill 0 : f32 [i 2, i 2]", "T002", "%a has two axes of iterator i"},
        Broken{"AxisSize", "%a = fill 0 : f32 [i 0]", "T002", "%a: axis i has size 0; a size is 1 to 2^22"},
        Broken{"TileSize", "%a = fill 0 : f32 [i 4096, j 2048]", "T002", "%a has more than 2^22 elements"},
        Broken{"OutOfScope", "for i by 1 {\n%a = fill 0 : f32\n}\nstore o[i], %a", "T003",
               "`store o[i], %a`: %a is not defined before this op"},
        Broken{"TopYield", "%a = fill 0 : f32\nyield %a", "T004",
               "the program's own block has no arguments and yields nothing"},
        Broken{"TwoResults", "%a, %b = fill 0 : f32", "T004", "`%a, %b = fill 0 : f32`: 2 results; a fill has 1"},
        Broken{"IotaType", "%a = iota i : i32 [i 2]", "T005", "`%a = iota i : i32 [i 2]`: an iota is i64"},
        Broken{"LoadType", "%a = load x[i] : f16", "T005",
               "`%a = load x[i] : f16`: the result is f16, the tensor is f32"},
        Broken{"MapArity", "%a = fill 0 : f32\n%b = map add %a : f32", "T005",
               "`%b = map add %a : f32`: 1 operands; add takes 2"},
        Broken{"MapAxes", "%a = fill 0 : f32 [i 2]\n%b = map neg %a : f32 [j 2]", "T005",
               "`%b = map neg %a : f32 [j 2]`: an operand has an axis that the result lacks"},
        Broken{"MapMixed", "%a = fill 0 : f32\n%b = fill 0 : i32\n%c = map add %a, %b : f32", "T005",
               "`%c = map add %a, %b : f32`: an operand is i32, the one before is f32"},
        Broken{"MapClass", "%a = fill 0 : i32\n%b = map exp %a : i32", "T005",
               "`%b = map exp %a : i32`: exp does not take i32"},
        Broken{"MapBool", "%a = fill true : bool\n%b = map lt %a, %a : bool", "T005",
               "`%b = map lt %a, %a : bool`: lt does not take bool"},
        Broken{"CompareResult", "%a = fill 0 : f32\n%b = map lt %a, %a : f32", "T005",
               "`%b = map lt %a, %a : f32`: the result is f32, what the operator gives is bool"},
        Broken{"SelectCondition", "%a = fill 0 : f32\n%b = map select %a, %a, %a : f32", "T005",
               "`%b = map select %a, %a, %a : f32`: the condition is f32, a condition is bool"},
        Broken{"SumOfBools", "%a = fill true : bool [i 2]\n%b = reduce sum %a : bool", "T005",
               "`%b = reduce sum %a : bool`: a sum or product of bools"},
        Broken{"ReduceAxes", "%a = fill 0 : f32 [i 2]\n%b = reduce sum %a : f32 [j 2]", "T005",
               "`%b = reduce sum %a : f32 [j 2]`: the result has an axis that the operand lacks"},
        Broken{"ContractSizes",
               "%a = fill 0 : f32 [i 2]\n%b = fill 0 : f32 [i 3]\n%c = contract %a, %b, %a : f32 [i 2]", "T005",
               "`%c = contract %a, %b, %a : f32 [i 2]`: axis i has sizes 3 and 2"},
        Broken{"ContractClasses", "%a = fill 0 : f32\n%b = fill 0 : i32\n%c = contract %a, %b, %b : f32", "T005",
               "`%c = contract %a, %b, %b : f32`: i32 times i32 into f32"},
        Broken{"Coverage", "for i by 8 {\n%a = load x[i] : f32 [i 4]\n}", "T006",
               "`%a = load x[i] : f32 [i 4]`: axis i has size 4, but the innermost step over i is 8"},
        Broken{"Slots", "%a = load n[i] : i32", "T007", "`%a = load n[i] : i32`: 1 index slots; n has rank 2"},
        Broken{"StoreOperand", "%a = fill 0 : f32\nstore x[i], %a", "T007", "`store x[i], %a`: x is no output"},
        Broken{"StoreAxis", "%a = fill 0 : f32 [j 4]\nstore o[i], %a", "T007",
               "`store o[i], %a`: no slot holds the value's axis j"},
        Broken{"StoreBlockAxis", "%a = fill 0 : f32 [i 4]\nstore o[i / 4], %a", "T007",
               "`store o[i / 4], %a`: no slot holds the value's axis i"},
        Broken{"PhaseBuffer", "buffer p : f32 task [i 6 inner 6 strides (6, 1)] elements 6", "T008",
               "packed buffers belong to the placed phase"},
        Broken{"PhaseLanes", "%a = fill 0 : f32 [i 4 lanes]", "T008", "%a: lanes belong to the placed phase"},
        Broken{"PhaseLayout", "%a = fill 0 : f32\n%b = convert_layout %a : f32", "T008",
               "`%b = convert_layout %a : f32`: convert_layout belongs to the placed phase"},
        Broken{"YieldType", "%a = fill 0 : f32\n%b = for i by 1 carry %c = %a {\n%d = fill 0 : i32\nyield %d\n}",
               "T009", "`%b = for i by 1 carry %c = %a {`: the types of yields and initial tiles number 0 differ"},
        Broken{"YieldCount", "%a = fill 0 : f32\n%b = for i by 1 carry %c = %a {\n}", "T009",
               "`%b = for i by 1 carry %c = %a {`: 0 yields for 1 initial tiles"},
        Broken{"ElseYields", "%b = if first (i) {\n%a = fill 0 : f32\nyield %a\n}", "T009",
               "`%b = if first (i) {`: 0 yields of the else block for 1 results"},
        Broken{"Step", "for i by 0 {\n}", "T010", "`for i by 0 {`: the step is 0; it must be positive"},
        Broken{"PlacedCapacity", "buffer p : f32 task [i 7 inner 2 strides (2, 1)] elements 8", "T010",
               "buffer p, axis i: capacity 7 is not a multiple of the inner length 2"},
        Broken{"PlacedUnallocated", "buffer p : f32 task [] elements 1\n%a = load_buffer p : f32", "T011",
               "`%a = load_buffer p : f32`: the buffer is not allocated before this op"},
        Broken{"PlacedTwice", "buffer p : f32 task [] elements 1\nallocate p\nallocate p", "T011",
               "`allocate p`: the buffer is allocated at another place too"},
        Broken{"PlacedBufferAxis", "buffer p : f32 task [] elements 1\nallocate p\n%a = load_buffer p : f32 [i 4]",
               "T007", "`%a = load_buffer p : f32 [i 4]`: the buffer has no axis i"},
        Broken{"PlacedLanes", "%a = fill 0 : f32 [i 4 lanes]\n%b = map neg %a : f32 [i 4]", "T012",
               "`%b = map neg %a : f32 [i 4]`: axis i runs along lanes in one tile and not in another"},
        Broken{"PlacedNoStages", "for i by 4 stages 0 {\n}", "T014",
               "`for i by 4 stages 0 {`: 0 stages, 0 steps in place"},
        Broken{"PlacedStagesWithoutCopies", "threads i 4 by 1\nfor j by 4 stages 2 {\n%a = fill 0 : f32\n}", "T014",
               "`for j by 4 stages 2 {`: the body does not open with copies to shared memory"},
        Broken{"PlacedStagesWithoutThreads", "for i by 4 stages 2 {\n%a = fill 0 : f32\n}", "T014",
               "`for i by 4 stages 2 {`: stages are of a placed loop of threads with a constant step"},
        Broken{"PlacedBarrierAlone", "barrier", "T013", "`barrier`: a barrier without threads"},
        Broken{"PlacedUnitThreads", "threads i 4 by 1\n%a = fill 0 : f32\n%b = contract %a, %a, %a by warpgroup : f32",
               "T015",
               "`%b = contract %a, %a, %a by warpgroup : f32`: the block has no whole warpgroups of 128 threads"},
        Broken{"PlacedUnitFactors",
               "threads i 128 by 1\n%a = fill 0 : f32\n%b = contract %a, %a, %a by warpgroup : f32", "T015",
               "`%b = contract %a, %a, %a by warpgroup : f32`: a factor of a matrix unit is no load from a swizzled "
               "buffer"},
        Broken{"PlacedWarps", "threads i 48 by 1\n%a = fill 0 : f32\n%b = contract %a, %a, %a by warp : f32", "T015",
               "`%b = contract %a, %a, %a by warp : f32`: the block has no whole warps of 32 threads"},
        Broken{"PlacedWarpFactors", "threads i 64 by 1\n%a = fill 0 : f32\n%b = contract %a, %a, %a by warp : f32",
               "T015",
               "`%b = contract %a, %a, %a by warp : f32`: a factor of a matrix unit is no load from a shared buffer"},
        Broken{
            "PlacedWarpElements",
            "buffer p : u8 shared [] elements 1\nthreads i 64 by 1\nallocate p\n%c = fill 0 : i32\n%a = load_buffer p "
            ": u8\n%b = contract %c, %a, %a by warp : i32",
            "T015", "`%b = contract %c, %a, %a by warp : i32`: no matrix unit sums u8 in i32"},
        Broken{"PlacedSwizzled",
               "buffer p : f32 shared [] elements 1 swizzled\nthreads i 128 by 1\nallocate p\n%a = load_buffer p : "
               "f32\n%b = map neg %a : f32",
               "T015", "`%b = map neg %a : f32`: a load from a swizzled buffer is used by other than a matrix unit"},
        Broken{"PlacedSwizzledTask", "buffer p : f32 task [] elements 1 swizzled", "T008",
               "buffer p: only shared memory is swizzled"},
        Broken{"PlacedEngineAlone",
               "buffer p : f32 shared [] elements 1 swizzled\nthreads i 128 by 1\nallocate p\ncopy x[i] -> p by engine",
               "T016", "`copy x[i] -> p by engine`: a copy by the engine does not open a loop with stages"},
        Broken{
            "PlacedEngineRows",
            "buffer p : f32 shared [i 32 inner 1 strides (1, 1)] elements 32 swizzled\nthreads i 128 by 1\nfor j by 1 "
            "stages 2 {\nallocate p\ncopy x[i] -> p by engine\n}",
            "T016", "`for j by 1 stages 2 {`: the copy engine does not fill these stages"},
        Broken{"PlacedEngineOddParts",
               "tensor a : f16 rank 2 strides (other, one) align 64, 64\niter k extent 4096\nbuffer p : f16 shared [k "
               "64 inner 1 strides (1, 1), i 64 inner 1 strides (64, 1)] elements 4096 swizzled\ngrid k by "
               "100\nthreads i 128 by 1\nfor k by 64 stages 2 {\nallocate p\ncopy a[i, k] -> p by engine\n}",
               "T016", "`for k by 64 stages 2 {`: the copy engine does not fill these stages"},
        Broken{"PlacedEngineBesideOthers",
               "tensor a : f16 rank 2 strides (other, one) align 64, 64\niter k extent 4096\nbuffer p : f16 shared [k "
               "64 inner 1 strides (1, 1), i 64 inner 1 strides (64, 1)] elements 4096 swizzled\nbuffer q : f32 shared "
               "[] elements 1\nthreads i 128 by 1\nfor k by 64 stages 2 {\nallocate p\ncopy a[i, k] -> p by engine\n}",
               "T016", "`for k by 64 stages 2 {`: the copy engine does not fill these stages"},
        Broken{
            "PlacedStoreThroughTask",
            "buffer p : f32 task [] elements 1\nthreads i 128 by 1\n%a = fill 0 : f32 [i 1]\nallocate p\nstore o[i], "
            "%a through p",
            "T018", "`store o[i], %a through p`: the engine stores from shared memory that is used for nothing else"},
        Broken{
            "PlacedStoreWithoutEngine",
            "buffer p : f32 shared [i 32 inner 1 strides (1, 1)] elements 32 swizzled\ngrid i by 32\nthreads i 32 by "
            "1\n%a = fill 0 : f32 [i 1]\nallocate p\nstore o[i], %a through p",
            "T018", "`store o[i], %a through p`: the copy engine does not store so"},
        Broken{"PlacedClusterOfSymbols",
               "tensor a : f16 rank 2 strides (other, one) align 64, 64\nbuffer p : f16 shared [j x.0 inner 1 strides "
               "(1, 1)] elements 64 swizzled\ngrid i by 64 band 8 cluster 2\nthreads i 128 by 1\nfor j by 1 stages 2 "
               "{\nallocate p\ncopy a[j, j, j] -> p by engine\n}",
               "T015", "buffer p is swizzled and its strides are not constant"},
        Broken{"PlacedBandOfOddClusters", "grid i by 4 band 8 cluster 3\nthreads i 4 by 1", "T017",
               "band 8 in clusters of 3"},
        Broken{"PlacedTwoBands", "grid i by 4 band 8, j by 4 band 8\nthreads i 4 by 1", "T017",
               "band 8 in clusters of 1"},
        Broken{"PlacedClusterOfNothing", "grid i by 4 band 8 cluster 2\nthreads i 4 by 1", "T017",
               "blocks along i share no copies by the engine"},
        Broken{"PlacedTwoLanes", "%a = fill 0 : f32 [i 4 lanes, j 4 lanes]", "T012",
               "%a has 2 axes of lanes; at most one"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TileVerifyTables, IdsOutsideTheirTablesAreFoundFirst) {
  Program program = program_of(ragged_matmul);
  std::get<Store>(program.body.ops[2].node).value = ValueId{99};
  Result<void> verified = verify(program);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error()[0].code, "T002");
  EXPECT_EQ(verified.error()[0].message, "tile mm: an op names a value that does not exist");
}

TEST(TileVerifyTables, NamesAreUniqueAndThere) {
  Program program = program_of(ragged_matmul);
  program.iters[IterId{1}].name = "i";
  program.tensors[TensorId{0}].name = "";
  const Result<void> verified = verify(program);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error()[0].code, "T001");
  EXPECT_EQ(verified.error()[0].message, "tile mm: a tensor has no name");
  EXPECT_EQ(verified.error()[1].message, "tile mm: two iterators are named 'i'");
}

}  // namespace
}  // namespace tilewright::tile
