// The operator tables: spellings, names, forms.
#include "support/scalar_op.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(ScalarOp, FunctionsAreFoundBySpellingAndOperatorsAreNot) {
  EXPECT_EQ(function_from_spelling("gelu"), ScalarOp::gelu);
  EXPECT_EQ(function_from_spelling("select"), ScalarOp::select);
  EXPECT_EQ(function_from_spelling("+"), std::nullopt);
  EXPECT_EQ(function_from_spelling("and"), std::nullopt);
  EXPECT_EQ(function_from_spelling("cast"), std::nullopt);
}

TEST(ScalarOp, UniqueNamesTellMinusFromNegation) {
  EXPECT_EQ(scalar_op_from_name("sub"), ScalarOp::sub);
  EXPECT_EQ(scalar_op_from_name("neg"), ScalarOp::neg);
  EXPECT_EQ(info(ScalarOp::sub).spelling, info(ScalarOp::neg).spelling);
  EXPECT_EQ(info(ScalarOp::sub).arity, 2);
  EXPECT_EQ(info(ScalarOp::neg).arity, 1);
  EXPECT_EQ(scalar_op_from_name("-"), std::nullopt);
}

TEST(ScalarOp, FormsAndOperands) {
  EXPECT_EQ(info(ScalarOp::logical_not).form, OpForm::prefix);
  EXPECT_EQ(info(ScalarOp::logical_not).operands, OpOperands::logical);
  EXPECT_EQ(info(ScalarOp::select).arity, 3);
  EXPECT_EQ(info(ScalarOp::max).operands, OpOperands::ordered);
  EXPECT_EQ(info(ScalarOp::silu).operands, OpOperands::floating);
}

TEST(Monoid, NamesAndCombiningOperators) {
  EXPECT_EQ(monoid_from_name("product"), Monoid::product);
  EXPECT_EQ(monoid_from_name("prod"), std::nullopt);
  EXPECT_EQ(name(Monoid::min), "min");
  EXPECT_EQ(combine(Monoid::sum), ScalarOp::add);
  EXPECT_EQ(combine(Monoid::product), ScalarOp::mul);
  EXPECT_EQ(combine(Monoid::max), ScalarOp::max);
  EXPECT_EQ(combine(Monoid::min), ScalarOp::min);
}

TEST(Precision, Names) {
  EXPECT_EQ(name(Precision::tf32x3), "tf32x3");
  EXPECT_EQ(precision_from_name("exact"), Precision::exact);
  EXPECT_EQ(precision_from_name("fast"), std::nullopt);
}

}  // namespace
}  // namespace tilewright
