// Inputs that broke other systems, with the answer written by hand: at every level where it is small enough for that,
// and through the engine. Those that are errors of the language have their tests at its layer.
#include <cmath>
#include <limits>

#include "agrees.h"
#include "engine_call.h"

namespace tilewright::differential {
namespace {

/// A case whose operands' contents are given.
OperandSpec given(std::string name, DType dtype, Extents shape, Numbers data) {
  return {std::move(name), dtype, std::move(shape), {}, Values::normal, 0, std::move(data)};
}

/// The values that all levels agree on.
Numbers everywhere(Case each) {
  each.gpu_levels = each.simulated = true;
  const Outcome outcome = run_everywhere(each);
  EXPECT_EQ(outcome.difference + outcome.rejection, "") << to_text(each);
  Numbers values;
  for (const Scalar& value : outcome.values) values.push_back(value.as_double());
  return values;
}

std::string scheduled(const std::string& statement, const std::vector<std::string>& lines) {
  std::string text = statement + " do:\n  schedule:\n";
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text;
}

Numbers identity_matrix(std::int64_t n) {
  Numbers result(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i) result[static_cast<std::size_t>(i * (n + 1))] = 1;
  return result;
}

TEST(EdgeCases, nothing_to_add) {
  EXPECT_EQ(everywhere({"o[i] ++= a[i, j] * b[j]", {given("a", DType::f32, {0, 3}, {}), {"b", DType::f32, {3}}}}),
            Numbers{});
  EXPECT_EQ(everywhere({"o[i, j] ++= a[i, k] * b[k, j]", {{"a", DType::f32, {3, 0}}, {"b", DType::f32, {0, 4}}}}),
            Numbers(12, 0.0));
  EXPECT_EQ(everywhere({"o[] ++= a[i] * b[i]", {{"a", DType::f32, {0}}, {"b", DType::f32, {0}}}}), Numbers{0.0});
}

TEST(EdgeCases, reads_whose_distance_is_past_64_bits_are_outside) {
  const OperandSpec x = given("x", DType::f32, {3}, {1, 2, 3});
  EXPECT_EQ(everywhere({"y[i] = x[i + 4611686018427387904] else 7.0 | (i in 0 ..< 4)", {x}}), Numbers(4, 7));
  EXPECT_EQ(everywhere({"y[i] = x[4611686018427387904*i] else 7.0 | (i in 0 ..< 2)", {x}}), (Numbers{1, 7}));
  EXPECT_EQ(everywhere({"y[i] = x[i - 9223372036854775800] else 7.0 | (i in 0 ..< 2)", {x}}), Numbers(2, 7));
  EXPECT_EQ(everywhere({"y[i, j] = z[2305843009213693952*i + j, i] else -1.0 | (i in 0 ..< 2, j in 0 ..< 3)",
                        {given("z", DType::f64, {2, 2}, {1, 2, 3, 4})}}),
            (Numbers{1, 3, -1, -1, -1, -1}));
}

TEST(EdgeCases, bytes_accumulate_in_thirty_two_bits) {
  EXPECT_EQ(everywhere({"o[i, j] ++= a[i, k] * b[k, j]",
                        {given("a", DType::i8, {2, 2}, {-44, -20, -126, 6}),
                         given("b", DType::i8, {2, 2}, {24, -75, 127, -101})}}),
            (Numbers{-3596, 5320, -2262, 8844}));
}

TEST(EdgeCases, integers_repeated_as_floats) {
  const std::vector<OperandSpec> bytes{given("a", DType::i8, {}, {3}), given("b", DType::i8, {}, {-7})};
  EXPECT_EQ(everywhere({"o:f64[k] = (a[] + b[]) | (k in 0 ..< 2)", bytes}), Numbers(2, -4));
  EXPECT_EQ(everywhere({"o:f16[k] = (a[] + b[]) | (k in 0 ..< 40)", bytes}), Numbers(40, -4));
  EXPECT_EQ(everywhere({"o:i32[k] = a[] | (k in 0 ..< 40)", {given("a", DType::f32, {}, {2.75})}}), Numbers(40, 2));
}

TEST(EdgeCases, a_thousand_ones) {
  for (const std::int64_t columns : {1, 3, 40})
    EXPECT_EQ(
        everywhere({"o[j] ++= a[i, j] * b[i, j]",
                    {given("a", DType::u8, {1000, columns}, Numbers(static_cast<std::size_t>(1000 * columns), 1)),
                     given("b", DType::u8, {1000, columns}, Numbers(static_cast<std::size_t>(1000 * columns), 1))}}),
        Numbers(static_cast<std::size_t>(columns), 1000));
}

TEST(EdgeCases, exact_keeps_every_bit) {
  const Numbers numbers = counting(46 * 46);
  const Numbers result =
      everywhere({"o[i, j] ++= a[i, k] * b[k, j]",
                  {given("a", DType::f32, {46, 46}, identity_matrix(46)), given("b", DType::f32, {46, 46}, numbers)}});
  ASSERT_EQ(result.size(), numbers.size());
  EXPECT_EQ(result[2049], 2049);
  EXPECT_EQ(result, numbers);
}

TEST(EdgeCases, a_nan_is_the_maximum_wherever_it_stands) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Numbers& order : {Numbers{nan, 6, 8}, Numbers{6, nan, 8}, Numbers{6, 8, nan}})
    for (const std::string op : {"max=", "min="})
      EXPECT_TRUE(std::isnan(everywhere({"o[] " + op + " a[i]", {given("a", DType::f32, {3}, order)}}).at(0)));
  // In every lane of a vector, in whole vectors and in the ragged end.
  for (std::size_t at = 0; at < 75; ++at) {
    Numbers values = counting(75);
    values[at] = nan;
    EXPECT_TRUE(std::isnan(evaluated("o[] max= a[i]", {{"a", tensor_of(DType::f32, {75}, values)}}).at(0))) << at;
  }
}

TEST(EdgeCases, calls_in_a_row_do_not_add_up) {
  GuardedTensor output(DType::f32, {2, 2}, {2, 1}, {1e30, std::nan(""), -7, 3});
  const std::vector<Operand> operands{{"a", tensor_of(DType::f32, {2, 3}, counting(6, 1))},
                                      {"b", tensor_of(DType::f32, {3, 2}, counting(6, 1))}};
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(written("c[i, j] ++= a[i, k] * b[k, j]", operands, output.tensor()), "");
    EXPECT_EQ(values_of(output.tensor()), (Numbers{22, 28, 49, 64}));
  }
  // Where a reduction accumulates in the output itself: 600 terms in blocks.
  const Tensor tall = tensor_of(DType::f32, {600, 2}, Numbers(1200, 1));
  const GuardedTensor sums(DType::f32, {2}, {1}, {5, 5});
  for (int call = 0; call < 3; ++call) {
    EXPECT_EQ(written("s[j] ++= x[i, j]", {{"x", tall}}, sums.tensor()), "");
    EXPECT_EQ(values_of(sums.tensor()), (Numbers{600, 600}));
  }
}

TEST(EdgeCases, every_second_column) {
  const Tensor base = tensor_of(DType::f32, {2, 6}, counting(12));
  const Tensor columns = base.slice(1, {.step = 2}).value();  // [[0, 2, 4], [6, 8, 10]]
  const Tensor ones = tensor_of(DType::f32, {3, 2}, {1, 0, 0, 1, 1, 1});
  EXPECT_EQ(evaluated("o[i, j] ++= x[i, k] * y[k, j]", {{"x", columns}, {"y", ones}}), (Numbers{4, 6, 16, 18}));
  const Tensor backwards = base.slice(1, {.step = -2}).value();  // [[5, 3, 1], [11, 9, 7]]
  EXPECT_EQ(evaluated("o[i, j] ++= x[i, k] * y[k, j]", {{"x", backwards}, {"y", ones}}), (Numbers{6, 4, 18, 16}));
}

TEST(EdgeCases, strides_of_an_axis_of_one_do_not_matter) {
  for (const std::int64_t stride : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{-5},
                                    std::int64_t{1} << 61, -(std::int64_t{1} << 61)}) {
    OperandSpec row = given("a", DType::f32, {1, 3}, {1, 2, 3});
    row.strides = {stride, 1};
    EXPECT_EQ(everywhere({"o[i, j] = a[i, j] * 2", {row}}), (Numbers{2, 4, 6})) << stride;
    EXPECT_EQ(everywhere({"o[j, i] = a[i, j]", {row}}), (Numbers{1, 2, 3})) << stride;
    OperandSpec column = given("b", DType::f32, {3, 1}, {4, 5, 6});
    column.strides = {1, stride};
    EXPECT_EQ(everywhere({"o[i, j] ++= a[i, k] * b[k, j]", {row, column}}), Numbers{32}) << stride;
    Case output{"o[i, j] = a[i, j] + 1", {row}};
    output.output_strides = {stride, 1};
    EXPECT_EQ(everywhere(output), (Numbers{2, 3, 4})) << stride;
  }
}

TEST(EdgeCases, borrowed_memory_begins_at_its_offset) {
  std::vector<float> memory{9, 9, 1, 2, 3, 4};
  const Tensor tensor =
      Tensor::borrow({.data = memory.data(), .byte_offset = 8, .dtype = DType::f32, .shape = {2, 2}}).value();
  EXPECT_EQ(evaluated("o[j, i] = a[i, j]", {{"a", tensor}}), (Numbers{1, 3, 2, 4}));
  const Tensor empty = Tensor::borrow({.dtype = DType::f32, .shape = {1, 8, 0, 128}}).value();
  EXPECT_EQ(evaluated("o[i, j, l] max= a[i, j, k, l]", {{"a", empty}}),
            Numbers(1024, -std::numeric_limits<double>::infinity()));
  EXPECT_EQ(evaluated("o[] ++= a[i, j, k, l]", {{"a", empty}}), Numbers{0});
}

TEST(EdgeCases, a_batch_of_65536) {
  constexpr std::int64_t batch = 65536;
  const Tensor a = tensor_of(DType::i32, {batch, 2, 2}, counting(4 * batch));
  const Tensor b = tensor_of(DType::i32, {batch, 2, 1}, Numbers(2 * batch, 1));
  const Numbers result = evaluated("o[n, i, j] ++= a[n, i, k] * b[n, k, j]", {{"a", a}, {"b", b}});
  ASSERT_EQ(result.size(), 2U * batch);
  for (std::size_t n = 0; n < result.size(); ++n) ASSERT_EQ(result[n], static_cast<double>(4 * n + 1)) << n;
}

/// Products of small whole numbers are exact in f32: the right answer is that of integers.
void expect_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto a_at = [](std::int64_t i, std::int64_t l) { return (3 * i + 5 * l) % 7 - 3; };
  const auto b_at = [](std::int64_t l, std::int64_t j) { return (2 * l + 3 * j) % 5 - 2; };
  Numbers a;
  Numbers b;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t l = 0; l < k; ++l) a.push_back(static_cast<double>(a_at(i, l)));
  for (std::int64_t l = 0; l < k; ++l)
    for (std::int64_t j = 0; j < n; ++j) b.push_back(static_cast<double>(b_at(l, j)));
  const Numbers result = evaluated("c[i, j] ++= a[i, k] * b[k, j]",
                                   {{"a", tensor_of(DType::f32, {m, k}, a)}, {"b", tensor_of(DType::f32, {k, n}, b)}});
  ASSERT_EQ(result.size(), static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      std::int64_t sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += a_at(i, l) * b_at(l, j);
      ASSERT_EQ(result[static_cast<std::size_t>(i * n + j)], static_cast<double>(sum)) << i << ", " << j;
    }
}

TEST(EdgeCases, sizes_that_no_tile_divides) {
  expect_product(514, 500, 130);
  expect_product(457, 514, 330);
}

TEST(EdgeCases, a_tile_of_100_of_101_columns_is_initialised_once) {
  const OperandSpec ones = given("a", DType::f32, {7, 101}, Numbers(707, 1));
  const OperandSpec across = given("a", DType::f32, {101, 7}, Numbers(707, 1));
  // 7 rows of ones a column; the reduction inside of the tile, outside of it, and both split.
  for (const std::vector<std::string>& lines : {std::vector<std::string>{"tile(j, 100)"},
                                                {"tile(j, 100)", "reorder(j, j.in, i)"},
                                                {"tile(j, 100)", "reorder(j, i, j.in)"},
                                                {"tile(j, 100)", "reorder(i, j, j.in)"},
                                                {"split(i, 2)", "tile(j, 100)"},
                                                {"tile(j, 100)", "tile(i, 4)", "cache(a)"}})
    EXPECT_EQ(everywhere({scheduled("s[j] ++= a[i, j]", lines), {ones}}), Numbers(101, 7));
  // 101 terms a row, cut after 100 of them.
  for (const std::vector<std::string>& lines : {std::vector<std::string>{"tile(i, 100)"},
                                                {"tile(i, 100)", "tile(i.in, 16)"},
                                                {"split(i, 2)"},
                                                {"split(i, 100)"},
                                                {"split(i, 101)"},
                                                {"tile(i, 100)", "split(i, 2)"}})
    EXPECT_EQ(everywhere({scheduled("s[j] ++= a[i, j]", lines), {across}}), Numbers(7, 101));
}

TEST(EdgeCases, stages_of_a_staged_buffer_change_nothing) {
  const Numbers numbers = counting(46 * 46);
  Numbers doubled = numbers;
  for (double& value : doubled) value *= 2;
  for (const std::string stages : {"1", "2", "3", "4"})
    EXPECT_EQ(
        everywhere(
            {scheduled("c[i, j] ++= a[i, k] * b[k, j] then c[i, j] * 2",
                       {"tile(i, 16)", "tile(j, 16)", "tile(k, 8)", "cache(a)", "cache(b)", "stages = " + stages}),
             {given("a", DType::f32, {46, 46}, identity_matrix(46)), given("b", DType::f32, {46, 46}, numbers)}}),
        doubled)
        << stages;
}

// Scores q · k of 4092 keys 0, 1, 2, …: those of a query q < 0 fall off by e^q from the first key on, those of q > 0
// towards the last, and q = 0 weighs all alike. Exponentials of the scores themselves would overflow.
TEST(EdgeCases, attention_over_4092_keys) {
  constexpr std::int64_t keys = 4092;
  const Numbers queries{-4000, -80, -3, -1, 0, 1, 3, 80, 4000};
  const auto count = static_cast<std::int64_t>(queries.size());
  Numbers values;
  for (std::int64_t j = 0; j < keys; ++j)
    for (const std::int64_t column : {std::int64_t{1}, j, keys - 1 - j}) values.push_back(static_cast<double>(column));
  const auto program = Kernel::parse(
      "program attention(q, k, v) -> (o):\n"
      "  s[i, j] = q[i] * k[j]\n"
      "  m[i] max= s[i, j]\n"
      "  e[i, j] = exp(s[i, j] - m[i])\n"
      "  z[i] ++= e[i, j]\n"
      "  o[i, d] ++= e[i, j] * v[j, d] then o[i, d] / z[i]\n");
  ASSERT_TRUE(program) << render(program.error());
  const std::vector<Operand> operands{{"q", tensor_of(DType::f32, {count}, queries)},
                                      {"k", tensor_of(DType::f32, {keys}, counting(keys))},
                                      {"v", tensor_of(DType::f32, {keys, 3}, values)}};
  // Two sums of positive terms with chains of at most 2¹² additions, exponentials within 4 ulp in both, a product and a
  // quotient.
  const double bound = (2 * 4096 + 2 * 8 + 2) * std::ldexp(1.0, -24);
  Numbers first;
  for (int run = 0; run < 3; ++run) {
    const auto results = tested_device().run(*program, operands);
    ASSERT_TRUE(results) << render(results.error());
    const Numbers output = values_of(results->at(0).tensor);
    ASSERT_EQ(output.size(), 3 * queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      // The mean distance from the favoured end: a geometric series, which 4092 terms exhaust.
      const double far = queries[i] == 0 ? (keys - 1) / 2.0 : 1 / std::expm1(std::fabs(queries[i]));
      const double from_first = queries[i] > 0 ? keys - 1 - far : far;
      const double from_last = queries[i] > 0 ? far : keys - 1 - far;
      EXPECT_NEAR(output[3 * i], 1, bound) << queries[i];
      EXPECT_NEAR(output[3 * i + 1], from_first, bound * from_first) << queries[i];
      EXPECT_NEAR(output[3 * i + 2], from_last, bound * from_last) << queries[i];
    }
    if (run == 0) first = output;
    EXPECT_EQ(output, first);
  }
}

TEST(EdgeCases, constants_past_31_bits_in_affine_indices) {
  // 5794² is past 2²⁵ and 5794 · 370728 past 2³¹. The axis has stride 0, so that its element exists once.
  float five = 5;
  const Tensor broad =
      Tensor::borrow(
          {.data = &five, .dtype = DType::f32, .shape = {3'000'000'000}, .strides = std::vector<std::int64_t>{0}})
          .value();
  EXPECT_EQ(evaluated("o[i] = a[370728*i + 2147483648] + cast(f32, 2147483648 * i) | (i in 0 ..< 3)", {{"a", broad}}),
            (Numbers{5, 2147483648, 4294967296}));
  // Constants that cancel: 2³¹ · i + (7 − 2³¹) · i − 6 · i is i.
  EXPECT_EQ(
      everywhere({"o[i] = a[2147483648*i + 7*i - 2147483648*i - 6*i]", {given("a", DType::f32, {5}, {1, 2, 3, 4, 5})}}),
      (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(everywhere({"o[i] = a[i + 4294967297 - 4294967296] | (i in 0 ..< 4)",
                        {given("a", DType::f32, {5}, {1, 2, 3, 4, 5})}}),
            (Numbers{2, 3, 4, 5}));
  // Indices far outside give the padding, on either side.
  EXPECT_EQ(everywhere({"o[i] = a[4294967296*i] else -1 | (i in 0 ..< 3)", {given("a", DType::f32, {2}, {8, 9})}}),
            (Numbers{8, -1, -1}));
  EXPECT_EQ(everywhere({"o[i] = a[-2147483649*i + 1] else -1 | (i in 0 ..< 3)", {given("a", DType::f32, {2}, {8, 9})}}),
            (Numbers{9, -1, -1}));
  EXPECT_EQ(everywhere({"o[i] = 2147483648 * i * 4 | (i in 0 ..< 3)", {}}), (Numbers{0, 8589934592.0, 17179869184.0}));
}

}  // namespace
}  // namespace tilewright::differential
