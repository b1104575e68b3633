// language.md, Extents: where an iterator's extent comes from, and every way in which indices contradict one another.
#include "bind_fixture.h"

namespace tilewright::lang {
namespace {

using enum DType;

struct Extent {
  std::string_view iterator;
  std::int64_t extent;
  std::string_view expr;
};

void expect_extents(std::string_view text, const std::vector<OperandType>& operands,
                    const std::vector<Extent>& expected) {
  SCOPED_TRACE(text);
  const auto bound = bind_text(text, operands);
  ASSERT_TRUE(bound->typed) << render(bound->typed.error());
  ASSERT_EQ(bound->typed->iterators.size(), expected.size());
  for (std::size_t index = 0; index < expected.size(); ++index) {
    const TypedIterator& iterator = bound->typed->iterators[index];
    EXPECT_EQ(iterator.name, expected[index].iterator);
    EXPECT_EQ(iterator.extent, expected[index].extent) << iterator.name;
    EXPECT_EQ(to_text(iterator.extent_expr), expected[index].expr);
    const auto by_symbol = evaluate(iterator.extent_expr, [&](std::string_view symbol) -> std::optional<std::int64_t> {
      for (const OperandType& one : operands)
        for (std::size_t axis = 0; axis < one.shape.size(); ++axis)
          if (symbol == one.name + "." + std::to_string(axis)) return one.shape[axis];
      return std::nullopt;
    });
    EXPECT_EQ(by_symbol, iterator.extent) << "the symbolic extent of " << iterator.name;
  }
}

TEST(BindExtents, BareSlotsDecide) {
  expect_extents("mm[i, j] ++= a[i, k] * b[k, j]", {operand("a", f32, {2, 3}), operand("b", f32, {3, 5})},
                 {{"i", 2, "a.0"}, {"j", 5, "b.1"}, {"k", 3, "a.1"}});
  expect_extents("d[i] = a[i, i]", {operand("a", f32, {4, 4})}, {{"i", 4, "a.0"}});
}

TEST(BindExtents, RangesDecideWhereNothingReads) {
  expect_extents("o[i, j] ++= 2.0 | (i in 0 ..< 4, j in 0 ..< 8)", {}, {{"i", 4, "4"}, {"j", 8, "8"}});
  expect_extents("o[i] = a[i - 1] else 0 | (i in 0 ..< 9)", {operand("a", f32, {3})}, {{"i", 9, "9"}});
}

TEST(BindExtents, AnAffineIteratorTakesTheValidWindow) {
  // 10 - 3 + 1 positions of a window of 3.
  expect_extents("y[i] ++= x[i + r] * w[r]", {operand("x", f32, {10}), operand("w", f32, {3})},
                 {{"i", 8, "x.0 - w.0 + 1"}, {"r", 3, "w.0"}});
  // Stride 2: (10 - 3) / 2 + 1 = 4, the last window at 6..8.
  expect_extents("y[i] ++= x[2*i + r] * w[r]", {operand("x", f32, {10}), operand("w", f32, {3})},
                 {{"i", 4, "(x.0 - w.0 + 2) / 2"}, {"r", 3, "w.0"}});
  // Dilation 2: the window reaches 4 further, 10 - 4 positions.
  expect_extents("y[i] ++= x[i + 2*r] * w[r]", {operand("x", f32, {10}), operand("w", f32, {3})},
                 {{"i", 6, "x.0 - 2 * w.0 + 2"}, {"r", 3, "w.0"}});
  // Reversed: indices 4, 3, …, 0.
  expect_extents("y[i] = x[-i + 4]", {operand("x", f32, {7})}, {{"i", 5, "5"}});
  // Every third element of 7: 0, 3, 6.
  expect_extents("y[i] = x[3*i]", {operand("x", f32, {7})}, {{"i", 3, "(x.0 + 2) / 3"}});
  // The smaller of two windows: 2*i + 1 <= 6 allows 3, i + 1 <= 2 allows 2.
  expect_extents("y[i] = x[2*i + 1] + z[i + 1]", {operand("x", f32, {7}), operand("z", f32, {3})},
                 {{"i", 2, "min(x.0 / 2, z.0 - 1)"}});
}

TEST(BindExtents, ZeroExtentsAreLegal) {
  expect_extents("o[i, j] ++= a[i, k] * b[k, j]", {operand("a", f32, {3, 0}), operand("b", f32, {0, 4})},
                 {{"i", 3, "a.0"}, {"j", 4, "b.1"}, {"k", 0, "a.1"}});
  expect_extents("o[i] = a[i + 5] else 0 + b[i]", {operand("a", f32, {0}), operand("b", f32, {0})}, {{"i", 0, "b.0"}});
}

TEST(BindExtents, ThenReadsSetAndCheckExtents) {
  expect_extents("o[i] = 1.0 then o[i] * s[i]", {operand("s", f32, {6})}, {{"i", 6, "s.0"}});
  expect_error({"o[i] ++= a[i, k] then o[i] * s[i]",
                {operand("a", f32, {2, 2}), operand("s", f32, {3})},
                "B010",
                "i",
                "extents of 'i' differ: axis 0 of 'a' is 2, axis 0 of 's' is 3"});
}

TEST(BindExtents, Contradictions) {
  const OperandType a = operand("a", f32, {2, 3});
  expect_error({"o[i, j] ++= a[i, k] * b[k, j]",
                {a, operand("b", f32, {4, 5})},
                "B010",
                "k",
                "extents of 'k' differ: axis 1 of 'a' is 3, axis 0 of 'b' is 4"});
  // An extent of 1 does not stretch, to 0 or to anything.
  expect_error({"o[i] = x[i] + y[i]",
                {operand("x", f32, {1}), operand("y", f32, {0})},
                "B010",
                "i",
                "extents of 'i' differ: axis 0 of 'x' is 1, axis 0 of 'y' is 0"});
  expect_error({"o[i] = a[i, i]", {a}, "B010", "i", "extents of 'i' differ: axis 0 of 'a' is 2, axis 1 of 'a' is 3"});
  expect_error({"o[i] = x[i] | (i in 0 ..< 4)",
                {operand("x", f32, {5})},
                "B011",
                "i",
                "extents of 'i' differ: the range of 'i' is 4, axis 0 of 'x' is 5"});
  expect_error({"s[] ++= a[i, 3] | (i)", {a}, "B013", "3", "index 1 of 'a' is 3, outside its extent 3"});
  expect_error({"s[] ++= a[i, -1] | (i)", {a}, "B013", "-1", "index 1 of 'a' is -1, outside its extent 3"});
  expect_error({"o[i] = x[i] + y[i + 1]",
                {operand("x", f32, {5}), operand("y", f32, {5})},
                "B013",
                "i + 1",
                "index 0 of 'y' runs from 1 to 5, outside its extent 5"});
  expect_error({"o[i] ++= x[i + r]",
                {operand("x", f32, {5})},
                "B014",
                "i + r",
                "index 0 of 'x' holds 2 iterators of unknown extent: i, r"});
  expect_error({"o[i] = x[i + 5]",
                {operand("x", f32, {5})},
                "B015",
                "i + 5",
                "'i' has no legal value: at 0, index 0 of 'x' runs from 5 to 5, and the axis has extent 5"});
  expect_error({"o[i] ++= x[i + r] * w[r]",
                {operand("x", f32, {2}), operand("w", f32, {3})},
                "B015",
                "i + r",
                "'i' has no legal value: at 0, index 0 of 'x' runs from 0 to 2, and the axis has extent 2"});
}

TEST(BindExtents, AnIteratorWithoutExtent) {
  // The parser reports this in a text; a statement built in C++ meets it here.
  const auto bound = bind_text("o[i] = x[i] else 0 | (i in 0 ..< 5)", {operand("x", f32, {5})});
  Statement statement = bound->statement();
  statement.binding->front().extent.reset();
  const auto typed = bind(statement, {operand("x", f32, {5})});
  ASSERT_FALSE(typed);
  ASSERT_EQ(typed.error().size(), 1U);
  EXPECT_EQ(typed.error()[0].code, "B012");
  EXPECT_EQ(typed.error()[0].message, "nothing gives the extent of 'i'");
}

TEST(BindExtents, NothingOverflows) {
  // Large constants in affine form. 2³¹ + 64 · 5793 is past 2³¹ and inside this extent.
  expect_extents("o[i] = x[64*i + 2147483648] | (i in 0 ..< 5794)", {operand("x", f32, {3000000000})},
                 {{"i", 5794, "5794"}});
  expect_error({"o[i] = x[4611686018427387904*i] | (i in 0 ..< 5)",
                {operand("x", f32, {3})},
                "B013",
                "4611686018427387904*i",
                "index 0 of 'x' runs from 0 to 9223372036854775807, outside its extent 3"});
  // 4 · 2⁶² is 0 modulo 2⁶⁴: computed carelessly, the last read would be inside.
  expect_error({"o[i] = x[4611686018427387904*i] else 0 | (i in 0 ..< 5)",
                {operand("x", f32, {3})},
                "B016",
                "4611686018427387904*i",
                "an index of 'x' overflows 64 bits"});
  expect_error({"o[i, j] = 1 | (i in 0 ..< 4294967296, j in 0 ..< 4294967296)",
                {},
                "B006",
                "o",
                "the output of shape 4294967296x4294967296 needs more than 2⁶³ bytes"});
}

TEST(BindExtents, Operands) {
  const OperandType a = operand("a", f32, {2});
  expect_error({"o[i] = a[i] + b[i]", {a}, "B001", "o", "operand 'b' of 'o' is missing"});
  expect_error({"o[i] = a[i]", {a, operand("c", f32, {2})}, "B002", "o", "'c' is no operand of 'o'"});
  expect_error({"o[i] = a[i]", {a, a}, "B003", "o", "operand 'a' is given twice"});
  expect_error({"o[i] = a[i]", {operand("a", f32, {2, 2})}, "B004", "a[i]", "'a' has rank 2 and is read with 1 index"});
  expect_error({"o[i] = a[i]", {operand("a", f32, {-2})}, "B005", "o", "operand 'a' has the negative extent -2"});
}

TEST(BindExtents, TheOutputsShapeIsTheTargets) {
  const auto bound = bind_text("o[j, i] = a[i, j]", {operand("a", f32, {2, 3})});
  ASSERT_TRUE(bound->typed);
  EXPECT_EQ(bound->typed->output_shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(bound->typed->operands.size(), 1U);
}

}  // namespace
}  // namespace tilewright::lang
