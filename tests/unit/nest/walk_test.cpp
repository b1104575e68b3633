// The walk, the rewrite and the copy over expressions.
#include "nest/walk.h"

#include "nest/print.h"
#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

Nest sample() {
  return nest_of("o[i] = (a[i] + 1.0) * (a[i] + 2.0)", {{"a", DType::f32, {4}}});
}

TEST(Walk, VisitsOperandsBeforeUsersAndNothingElse) {
  Nest nest = sample();
  nest.exprs.add({Constant{Scalar::of(9.0)}, DType::f32});  // belongs to nothing
  std::vector<std::string> seen;
  walk(nest.exprs, nest.value, [&](ExprId id, const Expr&) { seen.push_back(to_text(nest, id)); });
  const std::vector<std::string> expected = {"%r0",
                                             "(const f32 1)",
                                             "(add f32 %r0 (const f32 1))",
                                             "%r0",
                                             "(const f32 2)",
                                             "(add f32 %r0 (const f32 2))",
                                             "(mul f32 (add f32 %r0 (const f32 1)) (add f32 %r0 (const f32 2)))"};
  EXPECT_EQ(seen, expected);
}

TEST(Walk, RewriteReplacesAndKeepsWhatDidNotChange) {
  Nest nest = sample();
  const ExprId before = nest.value;
  const std::size_t size = nest.exprs.size();
  const ExprId after = rewrite(nest.exprs, nest.value, [](Expr& expr) {
    Constant* constant = std::get_if<Constant>(&expr.node);
    if (!constant || constant->value.as_double() != 2) return false;
    constant->value = Scalar::of(5.0);
    return true;
  });
  EXPECT_EQ(to_text(nest, after), "(mul f32 (add f32 %r0 (const f32 1)) (add f32 %r0 (const f32 5)))");
  EXPECT_EQ(to_text(nest, before), "(mul f32 (add f32 %r0 (const f32 1)) (add f32 %r0 (const f32 2)))");
  EXPECT_EQ(nest.exprs.size(), size + 3) << "the constant, its sum and the product; the other sum is shared";
}

TEST(Walk, CopySharesPartsAndReplacesLeaves) {
  Nest nest = sample();
  const ExprId square = nest.exprs.add({ApplyExpr{ScalarOp::mul, {nest.value, nest.value}}, DType::f32});
  Nest to = sample();
  const std::size_t before = to.exprs.size();
  int leaves = 0;
  const ExprId copied = copy(nest.exprs, square, to.exprs, [&](const Expr& leaf) {
    ++leaves;
    return std::holds_alternative<ReadValue>(leaf.node) ? to.value : to.exprs.add(leaf);
  });
  EXPECT_EQ(leaves, 4);
  EXPECT_EQ(to.exprs.size(), before + 6) << "two constants, two sums, the product and its square";
  const std::string value = to_text(to, to.value);
  const std::string product = "(mul f32 (add f32 " + value + " (const f32 1)) (add f32 " + value + " (const f32 2)))";
  EXPECT_EQ(to_text(to, copied), "(mul f32 " + product + " " + product + ")");
}

TEST(Walk, RewriteOfNothingIsItself) {
  Nest nest = sample();
  EXPECT_EQ(rewrite(nest.exprs, nest.value, [](Expr&) { return false; }), nest.value);
}

}  // namespace
}  // namespace tilewright::nest
