// einsum strings. The expected statements follow NumPy's documentation of einsum, not this parser.
#include <gtest/gtest.h>

#include "statements.h"

namespace tilewright::lang {
namespace {

std::string of(std::string_view equation, const std::vector<std::size_t>& ranks) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranks.size(); ++i) names.push_back(fmt::format("x{}", i));
  auto statement = parse_einsum(equation, ranks, names, "out");
  if (statement) return skeleton(*statement);
  std::string errors;
  for (const Diagnostic& d : statement.error())
    errors += fmt::format("{}{} {}-{}", errors.empty() ? "" : ", ", d.code, d.span.begin, d.span.end);
  return errors;
}

const std::string product = "out i k sum (mul (read x0 <1*i 0> <1*j 0>) (read x1 <1*j 0> <1*k 0>))";

TEST(Einsum, explicit_output) {
  EXPECT_EQ(of("ij,jk->ik", {2, 2}), product);
  EXPECT_EQ(of(" i j , jk - > ik", {2, 2}), "L070 10-11");
  EXPECT_EQ(of("  ij , j k -> i  k ", {2, 2}), product);
  EXPECT_EQ(of("ij->ji", {2}), "out j i plain (read x0 <1*i 0> <1*j 0>)");
  EXPECT_EQ(of("ij->", {2}), "out sum (read x0 <1*i 0> <1*j 0>)");
  EXPECT_EQ(of("i,j->ij", {1, 1}), "out i j plain (mul (read x0 <1*i 0>) (read x1 <1*j 0>))");
  EXPECT_EQ(of("ik,jkl,il->ij", {2, 3, 2}),
            "out i j sum (mul (mul (read x0 <1*i 0> <1*k 0>) (read x1 <1*j 0> <1*k 0> <1*l 0>)) "
            "(read x2 <1*i 0> <1*l 0>))");
  EXPECT_EQ(of(",i->i", {0, 1}), "out i plain (mul (read x0) (read x1 <1*i 0>))");
  EXPECT_EQ(of("->", {0}), "out plain (read x0)");
}

TEST(Einsum, numpys_types) {
  const auto text = [](std::string_view equation, DType element) {
    const auto statement = parse_einsum(equation, {2, 2}, {"x", "y"}, "out", element);
    return statement ? to_text(*statement) : render(statement.error());
  };
  EXPECT_EQ(text("ij,jk->ik", DType::boolean), "out[i, k] max= x[i, j] and y[j, k]\n");
  EXPECT_EQ(text("ij,ij->ij", DType::boolean), "out[i, j] = x[i, j] and y[i, j]\n");
  EXPECT_EQ(text("ij,jk->ik", DType::i8), "out:i8[i, k] ++= x[i, j] * y[j, k]\n");
  EXPECT_EQ(text("ij,ij->ij", DType::u8), "out:u8[i, j] = x[i, j] * y[i, j]\n");
  EXPECT_EQ(text("ij,jk->ik", DType::f16), "out[i, k] ++= x[i, j] * y[j, k]\n");
}

TEST(Einsum, implicit_output_is_alphabetical) {
  EXPECT_EQ(of("ij,jk", {2, 2}), product);
  EXPECT_EQ(of("ba", {2}), "out a b plain (read x0 <1*b 0> <1*a 0>)");
  EXPECT_EQ(of("i,i", {1, 1}), "out sum (mul (read x0 <1*i 0>) (read x1 <1*i 0>))");
  EXPECT_EQ(of("bA", {2}), "out A b plain (read x0 <1*b 0> <1*A 0>)");
  EXPECT_EQ(of("ij,jh", {2, 2}), "out h i sum (mul (read x0 <1*i 0> <1*j 0>) (read x1 <1*j 0> <1*h 0>))");
}

TEST(Einsum, repeated_letters_are_diagonals) {
  EXPECT_EQ(of("ii->i", {2}), "out i plain (read x0 <1*i 0> <1*i 0>)");
  EXPECT_EQ(of("ii", {2}), "out sum (read x0 <1*i 0> <1*i 0>)");
  EXPECT_EQ(of("iij->j", {3}), "out j sum (read x0 <1*i 0> <1*i 0> <1*j 0>)");
}

TEST(Einsum, ellipsis_aligns_at_the_last_axes) {
  EXPECT_EQ(of("...ij,...jk->...ik", {4, 3}),
            "out e0 e1 i k sum (mul (read x0 <1*e0 0> <1*e1 0> <1*i 0> <1*j 0>) (read x1 <1*e1 0> <1*j 0> <1*k 0>))");
  EXPECT_EQ(of("...j,j", {3, 1}), "out e0 e1 sum (mul (read x0 <1*e0 0> <1*e1 0> <1*j 0>) (read x1 <1*j 0>))");
  EXPECT_EQ(of("i...->...i", {2}), "out e0 i plain (read x0 <1*i 0> <1*e0 0>)");
  EXPECT_EQ(of("...i->i", {1}), "out i plain (read x0 <1*i 0>)");
  EXPECT_EQ(of("b...a", {3}), "out e0 a b plain (read x0 <1*b 0> <1*e0 0> <1*a 0>)");
}

TEST(Einsum, letters_give_way_to_names) {
  const auto s = parse_einsum("ij,jk->ik", {2, 2}, {"i", "j"}, "k");
  ASSERT_TRUE(s) << render(s.error());
  EXPECT_EQ(skeleton(*s), "k i_ k_ sum (mul (read i <1*i_ 0> <1*j_ 0>) (read j <1*j_ 0> <1*k_ 0>))");
  const auto square = parse_einsum("ik,jk->ij", {2, 2}, {"x", "x"}, "o");
  ASSERT_TRUE(square) << render(square.error());
  EXPECT_EQ(square->tensors_read(), (std::vector<std::string>{"x"}));
}

TEST(Einsum, errors_point_into_the_string) {
  EXPECT_EQ(of("ij->jij", {2}), "L074 6-7");
  EXPECT_EQ(of("ij->ik", {2}), "L075 5-6");
  EXPECT_EQ(of("ij,jk->ik", {2}), "L071 0-9");
  EXPECT_EQ(of("ij->i", {3}), "L073 0-2");
  EXPECT_EQ(of("ij,j->i", {2, 2}), "L073 3-4");
  EXPECT_EQ(of("...ij->i", {1}), "L073 0-5");
  EXPECT_EQ(of("..ij->i", {3}), "L072 0-2");
  EXPECT_EQ(of("...i...->i", {3}), "L072 4-7");
  EXPECT_EQ(of("....i->i", {3}), "L072 3-4");
  EXPECT_EQ(of("...i->i", {2}), "L076 6-7");
  EXPECT_EQ(of("i1->i", {2}), "L070 1-2");
  EXPECT_EQ(of("i->i->i", {1}), "L070 4-5");
  EXPECT_EQ(of("i->i,j", {1}), "L070 4-5");
  EXPECT_EQ(of("i-i", {2}), "L070 1-2");
  EXPECT_EQ(of("i\xC3\xA9", {2}), "L070 1-2");
  EXPECT_EQ(of("abcdefghi->a", {9}), "L022 0-9");
  EXPECT_EQ(of("abcde,fghij->abcdefghij", {5, 5}).substr(0, 4), "L022");
}

}  // namespace
}  // namespace tilewright::lang
