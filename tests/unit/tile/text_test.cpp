// Printing and reading tile programs: what is printed reads back as the same text, and broken text is an error at its
// place.
#include "programs.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

/// Every construct once; the printer writes exactly this.
constexpr const char* everything = R"(tile all.kinds placed
  tensor a : f32 rank 2 strides (other, one) align 64
  tensor flag : bool rank 0 align 1
  tensor b : f16 rank 3 strides (zero, other, one) align 2
  tensor out : f32 rank 2 strides (other, one) align 32 output
  tensor sum : f32 rank 2 strides (other, one) align 32 output
  iter i extent a.0
  iter j extent min(a.1, 100)
  iter k extent ceil(b.1 / 2) * 3
  buffer p : f32 task [k 8 inner 1 strides (6, 0), i ceil(a.0 / 6) * 6 inner 6 strides (48, 1)] elements a.0 * 48 + 288
  buffer q : f16 task [] elements 1
  grid i by 96, j by 16
  allocate p
  copy a[i + 1, 2*k - 3] otherwise -inf -> p
  %zero = fill -0 : f32 [i 6, j 16 lanes]
  %n = extent a.0 * 2 : i64
  %at = iota j : i64 [j 16]
  %flag = load flag[] : bool
  for i by 6 {
    %acc, %count = for k by 1 carry %c = %zero, %d = %n {
      %x = load_buffer p : f32 [i 6]
      %y = load a[-i, -9223372036854775808*k + 7] otherwise 0.1 : f32 [j 16 lanes]
      %y.0 = mask %y outside (j, k) with nan : f32 [j 16 lanes]
      %z = contract %c, %x, %y.0 : f32 [i 6, j 16 lanes]
      %e = map add %d, %d : i64
      yield %z, %e
    }
    %t = convert_layout %acc : f32 [j 16, i 6]
    %r = if first (i, k) {
      yield %t
    } else {
      %u = map select %flag, %t, %t : f32 [j 16, i 6]
      yield %u
    }
    %h = cast %r : bf16 [i 6, j 16]
    %w = reduce max %r : f32 [j 16]
    store out[i, j], %acc nontemporal
    store sum[k / (ceil(a.1 / 4)), i], %r
    if last (k) {
      store sum[k / 4096, j / q], %zero
    }
    store_buffer p, %x
  }
)";

TEST(TileText, PrintsWhatItRead) {
  const Result<Program> program = parse_program(text_source(everything));
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(to_text(*program), everything);
}

TEST(TileText, ReadsIntoTheFieldsNamed) {
  const Result<Program> program = parse_program(text_source(everything));
  ASSERT_TRUE(program) << render(program.error());
  EXPECT_EQ(program->phase, Phase::placed);
  const Tensor& b = program->tensors[TensorId{2}];
  EXPECT_EQ(b.strides, (std::vector{StrideClass::zero, StrideClass::other, StrideClass::one}));
  EXPECT_FALSE(b.output);
  EXPECT_TRUE(program->tensors[TensorId{3}].output);
  const Buffer& p = program->buffers[BufferId{0}];
  EXPECT_EQ(p.axes[1].iter, IterId{0});
  EXPECT_EQ(p.axes[1].inner, 6);
  EXPECT_EQ(p.axes[1].outer_stride, IntExpr(48));
  EXPECT_EQ(p.axes[0].inner_stride, 0);
  std::vector<std::string> names;
  walk(program->body, [&](const Op& op) { names.emplace_back(op_name(op)); });
  EXPECT_EQ(names[1], "copy");
  EXPECT_EQ(names[6], "for");
  EXPECT_EQ(names[7], "for");
  EXPECT_EQ(names[8], "load_buffer");
  EXPECT_EQ(names.size(), 23u);
}

TEST(TileText, NamesValuesApart) {
  Program program = program_of(ragged_matmul);
  for (Value& value : program.values) value.name = value.name == "zero" ? "" : "v";
  const std::string text = to_text(program);
  EXPECT_NE(text.find("%0 = fill 0"), std::string::npos) << text;
  EXPECT_NE(text.find("%v.1 = load a[i, k]"), std::string::npos) << text;
  const Result<Program> again = parse_program(text_source(text));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(to_text(*again), text);
}

TEST(TileText, QuotesOneOp) {
  const Program program = program_of(ragged_matmul);
  EXPECT_EQ(to_text(program, program.body.ops[1]), "%acc = for k by 1 carry %c = %zero {");
  EXPECT_EQ(to_text(program, program.body.ops[2]), "store mm[i, j], %acc");
}

struct Broken {
  const char* name;
  const char* body;
  const char* code;
  std::uint32_t line;
  const char* message;
};

class TileTextErrors : public testing::TestWithParam<Broken> {};

TEST_P(TileTextErrors, AreFoundAtTheirPlace) {
  const Broken& broken = GetParam();
  const SourcePtr source = text_source(std::string("tile t\ntensor a : f32 rank 1 strides (one) align 4\n"
                                                   "iter i extent 4\n") +
                                       broken.body);
  const Result<Program> program = parse_program(source);
  ASSERT_FALSE(program);
  const Diagnostic& error = program.error()[0];
  EXPECT_EQ(error.code, broken.code);
  EXPECT_EQ(error.message, broken.message);
  EXPECT_EQ(source->position(error.span.begin).line, broken.line);
}

INSTANTIATE_TEST_SUITE_P(
    All, TileTextErrors,
    testing::Values(
        Broken{"UnknownIterator", "grid j by 2", "T020", 4, "no iterator is named 'j'"},
        Broken{"UnknownValue", "\nstore a[i], %x", "T020", 5, "no value before is named '%x'"},
        Broken{"RepeatedValue", "%x = fill 0 : f32\n%x = fill 1 : f32", "T021", 5, "a second value is named 'x'"},
        Broken{"RepeatedTensor", "tensor a : f32 rank 0 align 4", "T021", 4, "a second tensor is named 'a'"},
        Broken{"UnknownOp", "%x = fold 0 : f32", "X001", 4, "'fold' is no op that has a result"},
        Broken{"UnknownOperator", "%x = map plus %y, %y : f32", "X001", 4, "'plus' is no scalar operator"},
        Broken{"FractionForInteger", "%x = fill 1.5 : i32", "X002", 4, "'1.5' is no value of i32"},
        Broken{"PastTheRange", "%x = fill 300 : u8", "X002", 4, "'300' is no value of u8"},
        Broken{"TwiceInASlot", "%x = load a[i + 2*i] : f32", "X001", 4, "an iterator stands twice in one slot"},
        Broken{"RankAndStrides", "tensor b : f32 rank 2 strides (one) align 4", "X001", 4, "rank 2, but 1 strides"},
        Broken{"OpenBlock", "for i by 1 {", "X001", 4, "expected '}', found the end of the text"},
        Broken{"NoStatement", "launch a", "X001", 4, "expected an op or the end of the text"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(TileText, DeepNestingIsAnErrorValue) {
  std::string text = "tile t\niter i extent 4\n";
  for (int depth = 0; depth < 100000; ++depth) text += "for i by 1 {\n";
  const Result<Program> program = parse_program(text_source(text));
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error()[0].message, "blocks nested more than 64 deep");
}

}  // namespace
}  // namespace tilewright::tile
