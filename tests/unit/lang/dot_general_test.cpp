// dot_general in the language: the statement that it stands for, its layout, and what binding says of it. The errors of
// its form are in tests/diag/dot_general.tw, its values in tests/unit/api.
#include "bind_fixture.h"
#include "statements.h"

namespace tilewright::lang {
namespace {

TEST(DotGeneral, stands_for_a_sum_of_products) {
  EXPECT_EQ(skeleton(parse_one("c[i, j] = dot_general(a[:, :], b[:, :], contracting = [1] x [0])")),
            "c i j sum (mul (read a <1*i 0> <1*k0 0>) (read b <1*k0 0> <1*j 0>))");
  // The batch in the order of the left list, then the free axes of each side in theirs.
  EXPECT_EQ(skeleton(parse_one("c[p, q, r, s, t, u] = dot_general(a[:, :, :, :, :], b[:, :, :, :, :], "
                               "batch = [4, 0] x [1, 3], contracting = [3] x [2])")),
            "c p q r s t u sum (mul (read a <1*q 0> <1*r 0> <1*s 0> <1*k0 0> <1*p 0>) "
            "(read b <1*t 0> <1*p 0> <1*k0 0> <1*q 0> <1*u 0>))");
}

TEST(DotGeneral, sums_nothing_without_contracting_axes) {
  EXPECT_EQ(skeleton(parse_one("c[i, j] = dot_general(a[:], b[:])")),
            "c i j plain (mul (read a <1*i 0>) (read b <1*j 0>))");
  EXPECT_EQ(skeleton(parse_one("c[i] = dot_general(a[:], b[:], contracting = [] x [], batch = [0] x [0])")),
            "c i plain (mul (read a <1*i 0>) (read b <1*i 0>))");
  EXPECT_EQ(skeleton(parse_one("c[i] = dot_general(a[], b[:])")), "c i plain (mul (read a) (read b <1*i 0>))");
  EXPECT_EQ(skeleton(parse_one("c[] = dot_general(a[:], a[:], contracting = [0] x [0])")),
            "c sum (mul (read a <1*k0 0>) (read a <1*k0 0>))");
}

TEST(DotGeneral, takes_all_that_a_statement_has) {
  EXPECT_EQ(to_text(parse_one("c:f16[i, j] = dot_general(a[:, :], b[:, :], contracting = [1] x [1]) | (j, i, k0) then "
                              "relu(c[i, j] / cast(f32, extent(k0)) + bias[j]) do:\n"
                              "  precision: tf32\n"
                              "  schedule:\n"
                              "    tile(k0, 32)\n")),
            "c:f16[i, j] ++= a[i, k0] * b[j, k0] | (j, i, k0) then relu(c[i, j] / cast(f32, extent(k0)) + bias[j]) "
            "do:\n"
            "  precision: tf32\n"
            "  schedule:\n"
            "    tile(k0, 32)\n");
  // A tensor of that name is read as any other.
  EXPECT_EQ(skeleton(parse_one("contracting[x] = dot_general[x] + batch[x]")),
            "contracting x plain (add (read dot_general <1*x 0>) (read batch <1*x 0>))");
  EXPECT_EQ(skeleton(parse_one("x[batch] = dot_general(contracting[:, :], dot_general[:], contracting = [1] x [0])")),
            "x batch sum (mul (read contracting <1*batch 0> <1*k0 0>) (read dot_general <1*k0 0>))");
}

TEST(DotGeneral, made_up_iterators_give_way_to_names) {
  const std::string axes = "contracting = [1, 2] x [0, 1])";
  EXPECT_EQ(skeleton(parse_one("c[k0] = dot_general(k1[:, :, :], b[:, :], " + axes + " then c[k0] + k0_[k0]")),
            "c k0 sum (mul (read k1 <1*k0 0> <1*k0__ 0> <1*k1_ 0>) (read b <1*k0__ 0> <1*k1_ 0>)) then "
            "(add (read c <1*k0 0>) (read k0_ <1*k0 0>))");
  const File file = parse_file(
      "program p(a, b, k0) -> (c):\n"
      "  k1[i] = k0[i]\n"
      "  c[i] = dot_general(a[:, :, :], b[:, :], " +
      axes + " then c[i] + k1[i]\n");
  EXPECT_EQ(skeleton(std::get<Program>(file.items.at(0)).statements.at(1)),
            "c i sum (mul (read a <1*i 0> <1*k0_ 0> <1*k1_ 0>) (read b <1*k0_ 0> <1*k1_ 0>)) then "
            "(add (read c <1*i 0>) (read k1 <1*i 0>))");
  // The names of one program are nothing to what follows it.
  const File two =
      parse_file("program p(k0) -> (c):\n  c[i] = k0[i]\nd[] = dot_general(a[:], b[:], contracting = [0] x [0])");
  EXPECT_EQ(skeleton(std::get<Statement>(two.items.at(1))), "d sum (mul (read a <1*k0 0>) (read b <1*k0 0>))");
}

TEST(DotGeneral, is_laid_out_in_one_way) {
  const auto formatted = [](const std::string& text) {
    const auto result = format(source_of(text));
    return result ? *result : render(result.error());
  };
  const std::string one =
      "c[n, i, j] = dot_general(x[:, :, :], b[:, :, :], contracting = [2] x [1], batch = [0] x [0])\n";
  EXPECT_EQ(formatted(one), one);
  EXPECT_EQ(formatted("c *[ n,i,j ]=dot_general( x[:,:,:],b [ : , : ,:],contracting=[2]x[1] , batch=[ 0 ] x[ 0 ] )\n"),
            one);
  EXPECT_EQ(formatted("program p(x,w,bias)->(y):\n y[i,j]=dot_general(\nx[:,:],# rows\n w[:,:],\ncontracting=[1]x[0],"
                      "\nbatch=[]x[])then relu(y[i,j]+bias[j])\n"),
            "program p(x, w, bias) -> (y):\n"
            "  y[i, j] = dot_general(\n"
            "      x[:, :],  # rows\n"
            "      w[:, :],\n"
            "      contracting = [1] x [0],\n"
            "      batch = [] x []) then relu(y[i, j] + bias[j])\n");
}

constexpr std::string_view batched =
    "c[n, i, j] = dot_general(a[:, :, :], b[:, :, :], contracting = [2] x [1], batch = [0] x [0])";

std::vector<OperandType> operands(DType lhs, DType rhs, std::int64_t batch, std::int64_t inner) {
  return {operand("a", lhs, {2, 3, 4}), operand("b", rhs, {batch, inner, 5})};
}

TEST(DotGeneral, binds_as_a_sum_does) {
  const auto bound = bind_text(batched, operands(DType::f16, DType::f16, 2, 4));
  ASSERT_TRUE(bound->typed) << render(bound->typed.error());
  EXPECT_EQ(bound->typed->output_shape, (std::vector<std::int64_t>{2, 3, 5}));
  EXPECT_EQ(name(bound->typed->accumulate), "f32");
  EXPECT_EQ(name(bound->typed->output), "f16");
}

TEST(DotGeneral, pairs_of_axes_have_one_extent) {
  expect_error({batched, operands(DType::f32, DType::f32, 2, 6), "B010", "1",
                "extents of contracting axes differ: axis 2 of 'a' is 4, axis 1 of 'b' is 6"});
  expect_error({batched, operands(DType::f32, DType::f32, 7, 4), "B010", "0",
                "extents of batch axes differ: axis 0 of 'a' is 2, axis 0 of 'b' is 7"});
  expect_error({"c[i, j] = dot_general(a[:, :], b[:, :], contracting = [1] x [0]) then c[i, j] + d[j]",
                {operand("a", DType::f32, {2, 3}), operand("b", DType::f32, {3, 4}), operand("d", DType::f32, {5})},
                "B010",
                "j",
                "extents of 'j' differ: axis 1 of 'b' is 4, axis 0 of 'd' is 5"});
}

TEST(DotGeneral, operands_have_the_rank_that_is_written) {
  expect_error({batched,
                {operand("a", DType::f32, {2, 3, 4}), operand("b", DType::f32, {4, 5})},
                "B004",
                "b[:, :, :]",
                "'b' has rank 2 and is an operand of rank 3 of 'dot_general'"});
}

TEST(DotGeneral, operands_have_one_type_of_numbers) {
  const std::string_view call = batched.substr(batched.find("dot_general"));
  expect_error({batched, operands(DType::f16, DType::f32, 2, 4), "B020", call,
                "operands of 'dot_general' have different types: 'a' is f16, 'b' is f32"});
  expect_error({batched, operands(DType::i8, DType::u8, 2, 4), "B020", call,
                "operands of 'dot_general' have different types: 'a' is i8, 'b' is u8"});
  expect_error({batched, operands(DType::boolean, DType::boolean, 2, 4), "B021", call,
                "'dot_general' takes numbers and received bool"});
  expect_error({std::string(batched) + " do:\n  precision: tf32", operands(DType::f16, DType::f16, 2, 4), "B026",
                "tf32", "precision tf32 takes f32 operands, and the value is f16"});
}

}  // namespace
}  // namespace tilewright::lang
