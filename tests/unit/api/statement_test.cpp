// Statements and programs written in C++: their text, their values, and where their errors point.
#include "tilewright/statement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "raised.h"
#include "tilewright/engine.h"

namespace tilewright {
namespace {

std::string text(const Kernel& kernel) {
  return kernel.text();
}

TEST(Statement, says_what_the_text_says) {
  Index i("i"), j("j"), k("k");
  TensorName a("a"), b("b"), mm("mm"), bias("bias");
  EXPECT_EQ(text((mm[i, j] += a[i, k] * b[k, j])
                     .then(relu(mm[i, j] + bias[j]))
                     .over({i, j, k.below(64)})
                     .result_type(DType::f16)
                     .precision(Precision::tf32)
                     .example({{a, DType::f32, {8, 64}}, {b, DType::f32, {64, 4}}, {bias, DType::f32, {4}}})
                     .tile(i, 128)
                     .tile(i.inner(), 8)
                     .tile(k)
                     .cache(a, b)
                     .threads(256)
                     .parallel(i)
                     .reorder(j, i)
                     .vectorize(j, 4)
                     .unroll(i.inner().inner(), 2)
                     .split(k, 2)
                     .split(k, 4, atomics)
                     .stages(3)
                     .warps(2, 4)
                     .warps(2, 4, 1)
                     .variant("wide")
                     .automatic()),
            "mm:f16[i, j] ++= a[i, k] * b[k, j] | (i, j, k in 0 ..< 64) then relu(mm[i, j] + bias[j]) do:\n"
            "  precision: tf32\n"
            "  example: a = f32 8x64, b = f32 64x4, bias = f32 4\n"
            "  schedule:\n"
            "    tile(i, 128)\n"
            "    tile(i.in, 8)\n"
            "    tile(k)\n"
            "    cache(a, b)\n"
            "    threads = 256\n"
            "    parallel(i)\n"
            "    reorder(j, i)\n"
            "    vectorize(j, 4)\n"
            "    unroll(i.in.in, 2)\n"
            "    split(k, 2)\n"
            "    split(k, 4, atomics)\n"
            "    stages = 3\n"
            "    warps(2, 4)\n"
            "    warps(2, 4, 1)\n"
            "    variant = wide\n"
            "    auto\n");
}

TEST(Statement, has_every_operator_and_function) {
  Index i("i");
  TensorName x("x"), o("o"), alpha("alpha");
  EXPECT_EQ(text(o[i] = x[i]), "o[i] = x[i]\n");
  EXPECT_EQ(text(o[] += x[i]), "o[] ++= x[i]\n");
  EXPECT_EQ(text(o[] *= x[i]), "o[] *= x[i]\n");
  EXPECT_EQ(text(o[].max_reduce(x[i])), "o[] max= x[i]\n");
  EXPECT_EQ(text(o[].min_reduce(x[i])), "o[] min= x[i]\n");
  EXPECT_EQ(text(o[i] = -x[i] + 2 * x[i] - x[i] / alpha[]), "o[i] = -x[i] + 2 * x[i] - x[i] / alpha[]\n");
  EXPECT_EQ(text(o[i] = (x[i] - 1.0) - (x[i] - 1)), "o[i] = x[i] - 1.0 - (x[i] - 1)\n");
  EXPECT_EQ(text(o[i] = select((x[i] < 1 && x[i] <= 2) || !(x[i] > 3), x[i] >= 4, x[i] == 5 && x[i] != 6)),
            "o[i] = select(x[i] < 1 and x[i] <= 2 or not x[i] > 3, x[i] >= 4, x[i] == 5 and x[i] != 6)\n");
  EXPECT_EQ(text(o[i] = min(x[i], max(0, abs(x[i])))), "o[i] = min(x[i], max(0, abs(x[i])))\n");
  EXPECT_EQ(text(o[i] = relu(exp(log(sqrt(rsqrt(tanh(sin(cos(erf(x[i])))))))))),
            "o[i] = relu(exp(log(sqrt(rsqrt(tanh(sin(cos(erf(x[i])))))))))\n");
  EXPECT_EQ(text(o[i] = pow(sigmoid(gelu(silu(x[i]))), 2)), "o[i] = pow(sigmoid(gelu(silu(x[i]))), 2)\n");
  EXPECT_EQ(text(o[i] = cast<double>(x[i]) + cast(DType::bf16, x[i]) + cast<bool>(x[i])),
            "o[i] = cast(f64, x[i]) + cast(bf16, x[i]) + cast(bool, x[i])\n");
  EXPECT_EQ(text(o[i] = x[i] * cast<float>(i) + cast<float>(extent(i))),
            "o[i] = x[i] * cast(f32, i) + cast(f32, extent(i))\n");
}

TEST(Statement, literals_keep_their_kind_and_value) {
  Index i("i");
  TensorName x("x"), o("o");
  EXPECT_EQ(text(o[i] = x[i] * 3.0 + -3), "o[i] = x[i] * 3.0 + -3\n");
  EXPECT_EQ(text(o[i] = -Expr(3) + x[i]), "o[i] = -(3) + x[i]\n");
  EXPECT_EQ(text(o[i] = x[i] + 0.1F), "o[i] = x[i] + 0.10000000149011612\n");
  EXPECT_EQ(text(o[i] = x[i] + std::numeric_limits<std::int64_t>::min()), "o[i] = x[i] + -9223372036854775808\n");
  EXPECT_EQ(text(o[i] = x[i] + std::uint8_t{7}), "o[i] = x[i] + 7\n");
}

TEST(Statement, folds_affine_indices) {
  Index i("i"), r("r");
  TensorName x("x"), o("o");
  EXPECT_EQ(text((o[i] += x[2 * i + r - 1].otherwise(0)).over({i.below(4), r.below(3)})),
            "o[i] ++= x[2*i + r - 1] else 0 | (i in 0 ..< 4, r in 0 ..< 3)\n");
  EXPECT_EQ(text((o[i] += x[2 * (i + r) - (r - i) * 3, -i + 16, 3, i]).over({i, r.below(2)})),
            "o[i] ++= x[5*i - r, -i + 16, 3, i] | (i, r in 0 ..< 2)\n");
  EXPECT_EQ(text(o[i] = x[i + r - r]), "o[i] = x[i]\n");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(text((o[i].max_reduce(x[i + r].otherwise(-infinity))).over({i.below(4), r.below(2)})),
            "o[i] max= x[i + r] else -inf | (i in 0 ..< 4, r in 0 ..< 2)\n");
}

TEST(Statement, names_what_has_no_name) {
  Index p, q, r;
  TensorName left, right, out;
  EXPECT_EQ(text(out[p, q] += left[p, r] * right[r, q]), "c[i, j] ++= a[i, k] * b[k, j]\n");
  // Given texts are left alone, whichever kind they name.
  Index named("j");
  TensorName i("i");
  EXPECT_EQ(text(out[named, p] = left[named, p] + i[]), "b[j, k] = a[j, k] + i[]\n");
  const Index copy = p;
  EXPECT_EQ(text(out[p] = left[copy, p]), "b[i] = a[i, i]\n");
}

TEST(Statement, has_one_kernel) {
  Index i;
  TensorName x, y;
  const Statement statement = (y[i] = x[i] * 2.0);
  EXPECT_EQ(&statement.kernel().text(), &statement.kernel().text());
  EXPECT_EQ(text(statement.tile(i, 4)), "b[i] = a[i] * 2.0 do:\n  schedule:\n    tile(i, 4)\n");
  EXPECT_EQ(text(statement), "b[i] = a[i] * 2.0\n");
}

TEST(Statement, is_evaluated) {
  const Engine engine = Engine::open("cpu", {.disk_cache = false});
  Index i, j, k;
  TensorName a("a"), b("b"), c("c"), bias;
  const auto kernel = (c[i, j] += a[i, k] * b[k, j]).then(relu(c[i, j] + bias[j])).tile(i, 2).tile(j, 2);
  const Tensor left = Tensor::copy_of({1.0F, 2.0F, 3.0F, 4.0F}, {2, 2});
  const Tensor right = Tensor::copy_of({1.0F, -10.0F, 1.0F, 1.0F}, {2, 2});
  const Tensor offset = Tensor::copy_of({0.5F, 1.0F}, {2});
  const Tensor result = engine.eval(kernel, {{"a", left}, {b, right}, {bias, offset}});
  EXPECT_EQ(result.at<float>(0, 0), 3.5F);
  EXPECT_EQ(result.at<float>(0, 1), 0.0F);  // 1 · −10 + 2 · 1 + 1 = −7
  EXPECT_EQ(result.at<float>(1, 0), 7.5F);
  EXPECT_EQ(result.at<float>(1, 1), 0.0F);
  TensorName stranger;
  EXPECT_EQ(code_of([&] { engine.eval(kernel, {{"a", left}, {b, right}, {stranger, offset}}); }), "R076");
}

/// The only diagnostic of a statement, which must fail.
Diagnostic only_error(const Result<Kernel>& kernel) {
  EXPECT_FALSE(kernel);
  if (kernel) return {};
  EXPECT_EQ(kernel.error().size(), 1U) << kernel.error().front().text;
  return kernel.error().front();
}

TEST(Statement, errors_point_into_the_program) {
  Index i("i"), j("j");
  TensorName a("a"), o("o");
  const unsigned line = __LINE__ + 1;
  const Diagnostic error = only_error((o[i] = a[i, j]).try_kernel());
  EXPECT_EQ(error.code, "L032");
  EXPECT_EQ(error.source, std::string(__FILE__) + ":" + std::to_string(line));
  EXPECT_EQ(error.line, 1U);
  EXPECT_EQ(error.column, 13U);
  EXPECT_EQ(error.text, error.source +
                            ":1:13: error[L032]: '=' reduces nothing, but the iterator 'j' is not in the target\n"
                            "    o[i] = a[i, j]\n"
                            "                ^\n"
                            "    = help: reduce with '++=', '*=', 'max=' or 'min=', or add 'j' to the target\n");
  const Diagnostic schedule = only_error((o[i] = a[i]).tile(i, 4).tile(i, 0).try_kernel());
  EXPECT_EQ(schedule.code, "L052");
  EXPECT_EQ(schedule.line, 4U);
}

TEST(Statement, what_only_cpp_can_say_wrong_is_an_error_too) {
  Index i("i"), j("j");
  TensorName a("a"), b("b"), o("o");
  const auto error = [](const Statement& statement) { return only_error(statement.try_kernel()); };
  EXPECT_EQ(error(o[i] = a[i * j]).message, "an index multiplies iterators with one another");
  EXPECT_EQ(error(o[i] = a[i / 2]).code, "L023");
  EXPECT_EQ(error(o[i] = a[i + 1.5]).code, "L023");
  EXPECT_EQ(error(o[i] = a[max(i, 0)]).message, "an index calls 'max'");
  EXPECT_EQ(error(o[i] = a[b[i]]).code, "L027");
  EXPECT_EQ(error(o[i] = a[i * std::numeric_limits<std::int64_t>::max() * 2]).code, "L024");
  EXPECT_EQ(error(o[i + 1] = a[i]).code, "L020");
  EXPECT_EQ(error(o[i + 1] = a[i]).text.find("    i + 1\n    ^^^^^\n") != std::string::npos, true);
  EXPECT_EQ(error(o[i] = a[i] * std::nan("")).code, "A031");
  EXPECT_EQ(error(o[i] = a[i] * std::numeric_limits<std::uint64_t>::max()).code, "A031");
  EXPECT_EQ(error((o[i] = a[i]).then(o[i]).then(o[i])).code, "A032");
  EXPECT_EQ(error((o[i] = a[i]).variant("a b")).code, "A033");
  EXPECT_EQ(error(o[i] = TensorName("a + b")[i]).code, "A030");
  EXPECT_EQ(error(o[Index("then")] = 1.0).code, "L012");
  EXPECT_EQ(error(o[i] = a[i, i, i, i, i, i, i, i, i]).code, "L022");
}

TEST(Statement, large_trees_are_an_error_and_no_crash) {
  Index i("i");
  TensorName a("a"), o("o");
  Expr chain = a[i];
  for (int n = 0; n < 10'000; ++n) chain = chain + a[i];
  EXPECT_EQ(only_error((o[i] = chain).try_kernel()).code, "L014");
  Expr doubled = a[i];
  for (int n = 0; n < 64; ++n) doubled = doubled * doubled;
  EXPECT_EQ(only_error((o[i] = doubled).try_kernel()).code, "L014");
}

TEST(Program, runs_statement_after_statement) {
  Index i("i"), j("j");
  TensorName x("x"), top("top"), e("e"), sum("sum"), y("y");
  const Kernel softmax = Program("softmax", {x}, {y},
                                 {top[i].max_reduce(x[i, j]), e[i, j] = exp(x[i, j] - top[i]), sum[i] += e[i, j],
                                  (y[i, j] = e[i, j] / sum[i]).tile(i, 2)})
                             .example({{x, DType::f32, {4, 4}}});
  EXPECT_EQ(softmax.text(),
            "program softmax(x) -> (y):\n"
            "  example: x = f32 4x4\n"
            "  top[i] max= x[i, j]\n"
            "  e[i, j] = exp(x[i, j] - top[i])\n"
            "  sum[i] ++= e[i, j]\n"
            "  y[i, j] = e[i, j] / sum[i] do:\n"
            "    schedule:\n"
            "      tile(i, 2)\n");
  const Engine engine = Engine::open("cpu", {.disk_cache = false});
  const Tensor result = engine.eval(softmax, {Tensor::full(DType::f32, {2, 4}, 3.0)});
  EXPECT_EQ(result.at<float>(1, 3), 0.25F);
}

TEST(Program, errors_have_the_place_of_their_statement) {
  Index i("i");
  TensorName x("x"), y("y"), z("z");
  const Statement first = (y[i] = x[i] * 2.0);
  const unsigned line = __LINE__ + 1;
  const Statement second = (y[i] = x[i] + 1.0);
  const Diagnostic error = only_error(Program("twice", {x}, {y}, {first, second}).try_kernel());
  EXPECT_EQ(error.code, "L061");
  EXPECT_EQ(error.source, std::string(__FILE__) + ":" + std::to_string(line));
  EXPECT_EQ(error.column, 1U);
  const unsigned program_line = __LINE__ + 1;
  const Diagnostic result = only_error(Program("gone", {x}, {z}, {first}).try_kernel());
  EXPECT_EQ(result.code, "L063");
  EXPECT_EQ(result.source, std::string(__FILE__) + ":" + std::to_string(program_line));
  EXPECT_EQ(only_error(Program("no name", {x}, {y}, {first}).try_kernel()).code, "A030");
}

TEST(Program, errors_of_operands_have_the_place_of_their_statement) {
  Index i("i");
  TensorName x("x"), y("y"), z("z");
  const unsigned line = __LINE__ + 1;
  const Statement sum = (z[i] = x[i] + y[i]);
  const Kernel kernel = Program("add", {x, y}, {z}, {sum});
  const Engine engine = Engine::open("cpu", {.disk_cache = false});
  const auto result = engine.try_eval(kernel, {Tensor::zeros(DType::f32, {2}), Tensor::zeros(DType::f32, {3})});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().front().code, "B010");
  EXPECT_EQ(result.error().front().source, std::string(__FILE__) + ":" + std::to_string(line));
}

}  // namespace
}  // namespace tilewright
