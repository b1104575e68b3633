// Boxes of tensors that the copy engine loads and stores: which bytes go where, at the tensor's edges and in the
// swizzle; and what the engine does not take.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>

#include "litmus.h"

namespace tilewright::kernel {
namespace {

/// One thread loads a box at coordinates that are the last parameters, into `bytes` bytes that all threads then copy to
/// y as they lie there.
std::string boxed(int rank, int bytes) {
  std::string parameters, coordinates;
  for (int axis = 0; axis < rank; ++axis) {
    parameters += fmt::format(", %c{}: i32", axis);
    coordinates += fmt::format(", %c{}", axis);
  }
  return fmt::format(
      "kernel boxed(%m: ptr tensormap, %y: ptr noalias align 16{0}) gpu threads 32 {{\n"
      "  %zero = constant i64 0\n"
      "  %phase = constant i32 0\n"
      "  %bytes = constant i32 {2}\n"
      "  %n16 = constant i64 16\n"
      "  %total = constant i64 {2}\n"
      "  %step = constant i64 512\n"
      "  %box = shared ptr_shared bytes {2} align 1024\n"
      "  %full = shared ptr_shared bytes 8\n"
      "  %thread = special thread i64\n"
      "  %first = cmp eq i64 %thread, %zero\n"
      "  if %first {{\n"
      "    mbarrier_init %full count 1\n"
      "    fence_mbarrier\n"
      "    mbarrier_expect %full, %bytes\n"
      "    tensor_load %box, %m, %full{1} rank {3}\n"
      "  }}\n"
      "  barrier\n"
      "  mbarrier_wait %full, %phase\n"
      "  %own = mul i64 %thread, %n16\n"
      "  for %at = %own to %total step %step {{\n"
      "    %p = offset ptr_shared %box, %at\n"
      "    %q = offset ptr %y, %at\n"
      "    %v = load i32x4 %p align 16\n"
      "    store i32x4 %v, %q align 16\n"
      "  }}\n"
      "}}\n",
      parameters, coordinates, bytes, rank);
}

/// A matrix of 16-bit elements, 37 to a row, of 10 rows, 48 elements apart. Row y has 100 y + x at x, and what is
/// behind a row's end is no part of the tensor, nor, behind the last one, of memory.
struct Matrix {
  static constexpr std::int64_t columns = 37, rows = 10, pitch = 48;
  std::vector<std::int16_t> elements = std::vector<std::int16_t>(pitch * rows, 7777);
  std::vector<std::uint8_t> states = std::vector<std::uint8_t>(pitch * rows * 2);
  TensorMap map;

  explicit Matrix(std::vector<std::int64_t> box) {
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x) {
        elements[static_cast<std::size_t>(y * pitch + x)] = static_cast<std::int16_t>(100 * y + x);
        for (std::int64_t i = 0; i < 2; ++i) states[static_cast<std::size_t>((y * pitch + x) * 2 + i)] = 1;
      }
    map = {pointer_to(elements), 2, {columns, rows}, {pitch * 2}, std::move(box), false};
  }
  SimulatedRange range(bool writable) {
    return {map.address, (pitch * (rows - 1) + columns) * 2, writable, true, states.data()};
  }
  static int at(std::int64_t x, std::int64_t y) {
    return x < 0 || y < 0 || x >= columns || y >= rows ? 0 : static_cast<int>(100 * y + x);
  }
};

Result<SimulationCounters> load_box(const Kernel& kernel, const SimulationOptions& options, Matrix& matrix,
                                    std::int64_t x, std::int64_t y, std::vector<std::int16_t>& to) {
  const std::vector<Argument> arguments = {pointer_to(matrix.map), pointer_to(to), x, y};
  const std::vector<SimulatedRange> memory = {matrix.range(false), range_of(to, true, false)};
  return simulate(kernel, 1, arguments, memory, options);
}

/// The box of 16 × 4 at (x, y), checked element by element, in all orders, with and without full checks.
void expect_box(std::int64_t x, std::int64_t y) {
  SCOPED_TRACE(fmt::format("{}, {}", x, y));
  const Kernel kernel = read_kernel(boxed(2, 128));
  for (SimulationOptions options : all_orders())
    for (const bool full : {true, false}) {
      options.full_checks = full;
      Matrix matrix({16, 4});
      std::vector<std::int16_t> box(64, 5555);
      ASSERT_EQ(codes(load_box(kernel, options, matrix, x, y, box)), "");
      for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 16; ++i)
          ASSERT_EQ(box[static_cast<std::size_t>(16 * j + i)], Matrix::at(x + i, y + j)) << i << ", " << j;
    }
}

TEST(SimulateTensorCopies, LoadsABoxAndZerosAroundTheTensor) {
  expect_box(8, 3);
  expect_box(32, 8);   // five elements of each of two rows
  expect_box(-8, -2);  // over the first corner
  expect_box(24, -3);  // 13 elements of one row
  expect_box(0, 10);   // nothing
  expect_box(40, 0);   // nothing
  expect_box(-16, 0);  // nothing
  expect_box(-2147483648, 2147483647);
}

TEST(SimulateTensorCopies, ReadsOnlyWhatIsInside) {
  const Kernel kernel = read_kernel(boxed(2, 128));
  for (const bool full : {true, false}) {
    SimulationOptions options;
    options.full_checks = full;
    std::vector<std::int16_t> box(64);
    Matrix matrix({16, 4});
    matrix.states[(9 * 48 + 36) * 2] = 0;  // of the last element
    EXPECT_EQ(codes(load_box(kernel, options, matrix, 32, 5, box)), "");
    EXPECT_EQ(codes(load_box(kernel, options, matrix, 16, 8, box)), "");
    EXPECT_EQ(codes(load_box(kernel, options, matrix, 32, 8, box)), "K104");
    // A map of more rows than memory has.
    Matrix long_matrix({16, 4});
    long_matrix.map.extents[1] = 11;
    EXPECT_EQ(codes(load_box(kernel, options, long_matrix, 0, 6, box)), "");
    EXPECT_EQ(codes(load_box(kernel, options, long_matrix, 0, 7, box)), "K101 K202");
  }
}

/// Where the 16 bytes that a dense box has at 16 n lie: of each eight rows of eight pieces, in row r piece c is at
/// c xor r.
int swizzled_piece(int n) {
  const int row = n / 8 % 8;
  const int column = n % 8;
  return n / 8 * 8 + ((row & 4) ^ (column & 4)) + ((row & 2) ^ (column & 2)) + ((row & 1) ^ (column & 1));
}

TEST(SimulateTensorCopies, SwizzlesRowsOf128Bytes) {
  // By hand, of the second row of a box of 64 elements a row: piece 0 is at 1, piece 5 at 4.
  ASSERT_EQ(swizzled_piece(8), 9);
  ASSERT_EQ(swizzled_piece(13), 12);
  ASSERT_EQ(swizzled_piece(64 + 3 * 8 + 6), 64 + 3 * 8 + 5);
  std::vector<std::int16_t> x(100 * 20);
  std::iota(x.begin(), x.end(), std::int16_t{1});
  struct Case {
    int row, rows;
  };
  for (const auto [row, rows] : {Case{64, 16}, Case{32, 32}, Case{64, 5}}) {
    SCOPED_TRACE(row);
    const int bytes = row * rows * 2;
    TensorMap map{pointer_to(x), 2, {100, 20}, {192}, {row, rows}, true};  // rows overlap
    const Kernel kernel = read_kernel(boxed(2, bytes));
    std::vector<std::int16_t> y(static_cast<std::size_t>(bytes) / 2);
    for (const SimulationOptions& options : all_orders()) {
      const std::vector<Argument> arguments = {pointer_to(map), pointer_to(y), std::int64_t{16}, std::int64_t{2}};
      const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
      ASSERT_EQ(codes(simulate(kernel, 1, arguments, memory, options)), "");
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < row; ++i) {
          const int dense = j * row + i;
          const auto at = static_cast<std::size_t>(8 * swizzled_piece(dense / 8) + dense % 8);
          const bool inside = 16 + i < 100 && 2 + j < 20;
          ASSERT_EQ(y[at], inside ? 96 * (2 + j) + 16 + i + 1 : 0) << i << ", " << j;
        }
    }
  }
}

TEST(SimulateTensorCopies, RoundsToTf32) {
  const Kernel kernel = read_kernel(boxed(1, 32));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> from{1.0F, 0x1.002p0F, 0x1.002002p0F, 0x1.006p0F, -0x1.ffdp3F, -0x1.fffp3F, infinity};
  TensorMap map{pointer_to(from), 4, {7}, {}, {8}, false, true};
  std::vector<float> to(8, 5.0F);
  const std::vector<Argument> arguments = {pointer_to(map), pointer_to(to), std::int64_t{0}};
  const std::vector<SimulatedRange> memory = {range_of(from, false, true), range_of(to, true, false)};
  ASSERT_EQ(codes(simulate(kernel, 1, arguments, memory, {})), "");
  EXPECT_EQ(to, (std::vector<float>{1.0F, 1.0F, 0x1.004p0F, 0x1.008p0F, -0x1.ffcp3F, -0x1p4F, infinity, 0.0F}));
}

TEST(SimulateTensorCopies, LoadsBoxesOfThreeAxes) {
  // 8 × 5 × 4 elements of 4 bytes; neighbours along the axes are 4, 48 and 256 bytes apart.
  std::vector<std::int32_t> x(256);
  std::iota(x.begin(), x.end(), 1000);
  TensorMap map{pointer_to(x), 4, {8, 5, 4}, {48, 256}, {4, 2, 3}, false};
  const Kernel kernel = read_kernel(boxed(3, 96));
  for (const SimulationOptions& options : all_orders()) {
    std::vector<std::int32_t> y(24, -1);
    const std::vector<Argument> arguments = {pointer_to(map), pointer_to(y), std::int64_t{4}, std::int64_t{4},
                                             std::int64_t{2}};
    const std::vector<SimulatedRange> memory = {range_of(x, false), range_of(y, true, false)};
    ASSERT_EQ(codes(simulate(kernel, 1, arguments, memory, options)), "");
    // Of two rows the second is outside, of three planes the last.
    const std::vector<std::int32_t> expected = {1180, 1181, 1182, 1183, 0, 0, 0, 0, 1244, 1245, 1246, 1247,
                                                0,    0,    0,    0,    0, 0, 0, 0, 0,    0,    0,    0};
    EXPECT_EQ(y, expected);
  }
}

/// The reports of `boxed` with something in it replaced.
void expect_load_report(std::string_view from, std::string_view to, std::initializer_list<std::string_view> any_of,
                        bool swizzled = false) {
  SCOPED_TRACE(to);
  expect_report(read_kernel(replaced(boxed(2, 2048), from, to)), any_of,
                [&](const Kernel& kernel, const SimulationOptions& options) {
                  Matrix matrix({64, 16});
                  matrix.map.swizzled = swizzled;
                  std::vector<std::int16_t> box(1024);
                  return load_box(kernel, options, matrix, 8, 3, box);
                });
}

TEST(SimulateTensorCopies, ReportsLoadsThatNothingCountsOrAwaits) {
  expect_load_report("    mbarrier_expect %full, %bytes\n", "", {"K202"});
  expect_load_report("    mbarrier_expect %full, %bytes\n", "    mbarrier_arrive %full\n", {"K204", "K206"});
  expect_load_report("  mbarrier_wait %full, %phase\n", "", {"K206", "K204", "K104"});
  expect_load_report("    fence_mbarrier\n", "", {"K209"});
  expect_load_report("    mbarrier_init %full count 1\n    fence_mbarrier\n", "", {"K104"});
  // What is outside of the tensor counts, too: of 16 rows of 64 elements 7 rows of 29 are inside.
  expect_load_report("%bytes = constant i32 2048", "%bytes = constant i32 406", {"K202"});
}

TEST(SimulateTensorCopies, ReportsWhatTheEngineDoesNotTake) {
  constexpr std::string_view load = "    tensor_load %box,";
  const std::string at_64 = "    %n64 = constant i64 64\n    %to = offset ptr_shared %box, %n64\n    tensor_load %to,";
  const std::string at_128 = replaced(replaced(at_64, "%n64", "%n128"), "i64 64", "i64 128");
  const std::string aside = replaced(at_128, "ptr_shared %box, %n64", "ptr_shared %box, %n128");
  expect_load_report(load, at_64, {"K102"});
  expect_load_report(load, aside, {"K101"});  // begins right, and ends outside of its buffer
  expect_load_report(load, aside, {"K102"}, true);
  expect_load_report("%m, %full, %c0, %c1", "%m, %full, %c1, %c0", {"K102"});  // three elements of two bytes
  expect_load_report("%box = shared ptr_shared bytes 2048", "%box = shared ptr_shared bytes 1024", {"K101"});
}

TEST(SimulateTensorCopies, RefusesMapsThatTheEngineDoesNotTake) {
  const auto refused = [](auto&& change) {
    Matrix matrix({64, 16});
    change(matrix.map);
    std::vector<std::int16_t> box(1024);
    const Kernel kernel = read_kernel(boxed(2, 2048));
    return codes(load_box(kernel, {}, matrix, 8, 3, box));
  };
  EXPECT_EQ(refused([](TensorMap&) {}), "");
  EXPECT_EQ(refused([](TensorMap& map) { map.swizzled = true; }), "");
  EXPECT_EQ(refused([](TensorMap& map) { map.extents.pop_back(); }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.box.pop_back(); }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.strides.clear(); }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.extents[1] = 0; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.strides[0] = 0; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.strides[0] = -96; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.strides[0] = 74; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.box = {4, 256}; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.box[1] = 257; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.box = {128, 8}; }), "");
  EXPECT_EQ(refused([](TensorMap& map) { map.box = {128, 8}, map.swizzled = true; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.address += 8; }), "K106");
  EXPECT_EQ(refused([](TensorMap& map) { map.address = nullptr; }), "K106");
}

/// The threads fill 2048 bytes with the numbers of their elements, which one of them stores as a box.
constexpr const char* stored_box =
    "kernel stored_box(%m: ptr tensormap, %c0: i32, %c1: i32) gpu threads 128 {\n"
    "  %zero = constant i64 0\n"
    "  %n16 = constant i64 16\n"
    "  %n8 = constant i64 8\n"
    "  %box = shared ptr_shared bytes 2048 align 1024\n"
    "  %thread = special thread i64\n"
    "  %own = mul i64 %thread, %n16\n"
    "  %number = mul i64 %thread, %n8\n"
    "  %start = trunc i16 %number\n"
    "  %all = splat i16x8 %start\n"
    "  %steps = iota i16x8\n"
    "  %v = add i16x8 %all, %steps\n"
    "  %p = offset ptr_shared %box, %own\n"
    "  store i16x8 %v, %p align 16\n"
    "  fence_async\n"
    "  barrier\n"
    "  %first = cmp eq i64 %thread, %zero\n"
    "  if %first {\n"
    "    tensor_store %m, %box, %c0, %c1 rank 2\n"
    "    commit_bulk\n"
    "    wait_bulk_reads pending 0\n"
    "  }\n"
    "  barrier\n"
    "  store i16x8 %steps, %p align 16\n"
    "}\n";

/// The box at (x, y) of a tensor of which nothing else may change.
Result<SimulationCounters> store_box(const Kernel& kernel, const SimulationOptions& options, std::int64_t x,
                                     std::int64_t y, bool swizzled = false, bool writable = true) {
  Matrix matrix({64, 16});
  matrix.map.swizzled = swizzled;
  const std::vector<std::int16_t> before = matrix.elements;
  const std::vector<Argument> arguments = {pointer_to(matrix.map), x, y};
  const std::vector<SimulatedRange> memory = {matrix.range(writable)};
  auto result = simulate(kernel, 1, arguments, memory, options);
  if (!result) return result;
  for (int j = 0; j < Matrix::rows; ++j)
    for (int i = 0; i < Matrix::pitch; ++i) {
      const auto at = static_cast<std::size_t>(Matrix::pitch * j + i);
      const bool stored = i >= x && i < x + 64 && j >= y && j < y + 16 && i < Matrix::columns;
      const int dense = static_cast<int>(64 * (j - y) + (i - x));
      const int number = swizzled ? 8 * swizzled_piece(dense / 8) + dense % 8 : dense;
      EXPECT_EQ(matrix.elements[at], stored ? number : before[at]) << i << ", " << j;
    }
  return result;
}

TEST(SimulateTensorCopies, StoresWhatIsInside) {
  const Kernel kernel = read_kernel(stored_box);
  for (const SimulationOptions& options : all_orders())
    for (const bool swizzled : {false, true}) {
      ASSERT_EQ(codes(store_box(kernel, options, 0, 0, swizzled)), "");
      ASSERT_EQ(codes(store_box(kernel, options, 24, 7, swizzled)), "");
      ASSERT_EQ(codes(store_box(kernel, options, -40, -11, swizzled)), "");
      ASSERT_EQ(codes(store_box(kernel, options, 40, 0, swizzled)), "");
    }
}

TEST(SimulateTensorCopies, ReportsStores) {
  const Kernel kernel = read_kernel(stored_box);
  const auto run = [](const Kernel& changed, const SimulationOptions& options) {
    return store_box(changed, options, 8, 3);
  };
  expect_report(without(kernel, Opcode::fence_async, 0), {"K209"}, run);
  expect_report(without(kernel, Opcode::barrier, 0), {"K204", "K104"}, run);
  expect_report(without(kernel, Opcode::barrier, 1), {"K204", "K207"}, run);
  expect_report(without(kernel, Opcode::wait_bulk_reads, 0), {"K207"}, run);
  expect_report(without(kernel, Opcode::commit_bulk, 0), {"K207"}, run);
  expect_report(without(kernel, Opcode::store, 0), {"K104"}, run);
  for (const SimulationOptions& options : all_orders()) {
    EXPECT_EQ(codes(store_box(kernel, options, 8, 3, false, false)), "K103");
    EXPECT_EQ(codes(store_box(kernel, options, 4, 3)), "K102");
  }
}

}  // namespace
}  // namespace tilewright::kernel
