// What the pieces of an f32 are: values that the copies' nests give, by the reference.
#include "nest/passes/split_factors.h"

#include <cmath>
#include <limits>

#include "nest_fixture.h"

namespace tilewright::nest {
namespace {

/// In f64, of lhs: [number][place] with the pieces in the order of the products.
std::vector<std::vector<double>> pieces_of(const std::vector<double>& numbers, std::size_t side) {
  constexpr std::int64_t terms = 4096;
  const std::vector<lang::OperandType> types{{"a", DType::f32, {4096, terms}}, {"b", DType::f32, {terms, 4096}}};
  Nest nest = nest_of("c[i, j] ++= a[i, k] * b[k, j] do:\n  precision: tf32x3", types);
  nest.schedule.automatic = true;
  std::vector<TensorView> views;
  for (const lang::OperandType& type : types)
    views.push_back({nullptr, type.dtype, type.shape, row_major_strides(type.shape)});
  const TensorView output{nullptr, DType::f32, {4096, 4096}, row_major_strides(std::vector<std::int64_t>{4096, 4096})};
  Facts facts = gather_facts(nest, views, output, VectorLoads::aligned);
  const OperandCopies copies = split_factors(nest, facts, *gpu_target_named("sm_90a"));
  EXPECT_TRUE(verify(nest)) << to_text(nest);
  if (copies.operands.size() != 2) {
    ADD_FAILURE() << "there are no pieces: " << copies.reasons.at(0);
    return {};
  }
  const Nest& copy = copies.operands[side].nest;
  const TestTensor operand(DType::f32, {1, static_cast<std::int64_t>(numbers.size())}, numbers);
  const auto result = evaluate(copy, {{side == 0 ? "a" : "b", operand.view}});
  if (!result) {
    ADD_FAILURE() << render(result.error());
    return {};
  }
  std::vector<std::vector<double>> pieces(numbers.size());
  for (std::size_t i = 0; i < result->rounded.size(); ++i) pieces[i / 6].push_back(result->rounded[i].as_double());
  return pieces;
}

double sum_of_products(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t place = 0; place < x.size(); ++place) sum += x[place] * y[place];
  return sum;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<float>::max();

TEST(SplitFactors, PiecesInTheOrderOfTheProducts) {
  // 1, what is next to the rest, and the rest.
  const double x = 1 + 0x1p-9 + 0x1p-18;
  const std::vector<double> lhs = pieces_of({x}, 0).at(0);
  EXPECT_EQ(lhs, (std::vector<double>{0x1p-18, 1, 0x1p-9, 0x1p-9, 1, 1}));
  const std::vector<double> rhs = pieces_of({x}, 1).at(0);
  EXPECT_EQ(rhs, (std::vector<double>{1, 0x1p-18, 0x1p-9, 1, 0x1p-9, 1}));
}

TEST(SplitFactors, ProductsAreThoseOfTheNumbers) {
  const std::vector<double> numbers{1.5,       -0.333333343267440796, 100.7,   127.99999,     129.00001,    -255.99998,
                                    1e30,      -7.0000005e-20,        3.14159, 0x1.fffffep-3, 0x1.fffffep9, 4095.9998,
                                    -1.0000001};
  const auto xs = pieces_of(numbers, 0);
  const auto ys = pieces_of(numbers, 1);
  for (std::size_t i = 0; i < xs.size(); ++i)
    for (std::size_t j = 0; j < ys.size(); ++j) {
      const double product =
          static_cast<double>(static_cast<float>(numbers[i])) * static_cast<double>(static_cast<float>(numbers[j]));
      const bool are_small = std::fabs(numbers[i]) < 128 && std::fabs(numbers[j]) < 128;
      EXPECT_NEAR(sum_of_products(xs[i], ys[j]), product, (are_small ? 0x1p-23 : 0x1p-21) * std::fabs(product))
          << numbers[i] << " * " << numbers[j];
    }
}

// Numbers of 16 bits have no third piece, and exact products.
TEST(SplitFactors, ShortNumbersHaveExactProducts) {
  const std::vector<double> numbers{256, 257, 65535, 40000, -129, 0x1.fffep60};
  const auto xs = pieces_of(numbers, 0);
  const auto ys = pieces_of(numbers, 1);
  for (std::size_t i = 0; i < xs.size(); ++i)
    for (std::size_t j = 0; j < ys.size(); ++j) EXPECT_EQ(sum_of_products(xs[i], ys[j]), numbers[i] * numbers[j]);
}

// So that products that overflow have one sign.
TEST(SplitFactors, PiecesOfLargeNumbersHaveOneSign) {
  for (const double number : {128.0, 129.00001, 200.51234, 0x1.fffffep100, largest})
    for (const double x : {number, -number})
      for (const std::vector<double>& pieces : pieces_of({x}, 0))
        for (const double piece : pieces) {
          EXPECT_TRUE(std::isfinite(piece));
          EXPECT_GE(piece * x, 0) << x << " " << piece;
        }
}

TEST(SplitFactors, NumbersThatAreNone) {
  const std::vector<double> numbers{infinity, -infinity, std::nan(""), 0, 2.5, -1e30, 0x1p-149, -0x1p-140, largest};
  const auto xs = pieces_of(numbers, 0);
  const auto ys = pieces_of(numbers, 1);
  for (std::size_t i = 0; i < xs.size(); ++i)
    for (std::size_t j = 0; j < ys.size(); ++j) {
      const double product = numbers[i] * numbers[j];
      if (std::isfinite(product)) continue;
      const double received = sum_of_products(xs[i], ys[j]);
      EXPECT_TRUE(std::isnan(product) ? std::isnan(received) : received == product)
          << numbers[i] << " * " << numbers[j] << " is " << received;
    }
}

}  // namespace
}  // namespace tilewright::nest
