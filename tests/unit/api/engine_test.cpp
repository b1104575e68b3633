// Kernels from text and einsum, and their calls on the CPU.
#include "tilewright/engine.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "raised.h"

namespace tilewright {
namespace {

Engine engine() {
  return Engine::open("cpu", {.disk_cache = false});
}

const Tensor& left() {
  static const Tensor tensor = Tensor::copy_of({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3});
  return tensor;
}
const Tensor& right() {
  static const Tensor tensor = Tensor::copy_of({1.0F, 0.0F, 0.0F, 1.0F, 10.0F, 100.0F}, {3, 2});
  return tensor;
}

void expect_elements(const Tensor& tensor, const std::vector<float>& expected) {
  const auto elements = tensor.elements<float>();
  EXPECT_EQ(std::vector<float>(elements.begin(), elements.end()), expected);
}

TEST(Kernel, says_what_it_reads_and_computes) {
  const Kernel kernel = Kernel::parse("c[i,j]++=a[i,k]*b[k,j] then c[i,j]+bias[j]");
  EXPECT_EQ(kernel.name(), "c");
  EXPECT_EQ(kernel.operand_names(), (std::vector<std::string>{"a", "b", "bias"}));
  EXPECT_EQ(kernel.result_names(), std::vector<std::string>{"c"});
  EXPECT_EQ(kernel.text(), "c[i, j] ++= a[i, k] * b[k, j] then c[i, j] + bias[j]\n");
}

TEST(Kernel, programs_print_as_they_parse) {
  const std::string text =
      "program two(a, b) -> (d, c):\n"
      "  example: a = f32 4, b = f32 4\n"
      "  c[i] = a[i] + b[i] do:\n"
      "    schedule:\n"
      "      tile(i, 2)\n"
      "  d[] ++= c[i]\n";
  const Kernel kernel = Kernel::parse(text);
  EXPECT_EQ(kernel.name(), "two");
  EXPECT_EQ(kernel.operand_names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(kernel.result_names(), (std::vector<std::string>{"d", "c"}));
  EXPECT_EQ(kernel.text(), text);
}

TEST(Kernel, errors_have_their_place) {
  const auto kernel = Kernel::try_parse("c[i] = a[i] +\nd[i] = ", "two.tw");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().front().source, "two.tw");
  const auto unknown = Kernel::try_parse("o[i] = a[i] + sine(b[i])", "f.tw");
  ASSERT_FALSE(unknown);
  const Diagnostic& first = unknown.error().front();
  EXPECT_EQ(first.code, "L017");
  EXPECT_EQ(first.line, 1U);
  EXPECT_EQ(first.column, 15U);
  EXPECT_EQ(first.text.substr(0, 43), "f.tw:1:15: error[L017]: 'sine' is no functi");
  EXPECT_EQ(code_of([] { Kernel::parse("a[i] = b[i]\nc[i] = d[i]"); }), "R070");
  EXPECT_EQ(Kernel::parse_all("a[i] = b[i]\nc[i] = d[i]").at(1).name(), "c");
  EXPECT_EQ(code_of([] { Kernel::einsum("ij,jk->ii", {2, 2}); }), "L074");
}

TEST(Engine, evaluates_text) {
  const Kernel kernel = Kernel::parse("c[i, j] ++= a[i, k] * b[k, j] then c[i, j] + bias[j]");
  const Tensor bias = Tensor::copy_of({0.5F, -0.5F}, {2});
  const Tensor result = engine().eval(kernel, {{"bias", bias}, {"b", right()}, {"a", left()}});
  EXPECT_EQ(result.shape(), (Shape{2, 2}));
  expect_elements(result, {31.5F, 301.5F, 64.5F, 604.5F});
  expect_elements(engine().eval(kernel, {left(), right(), bias}), {31.5F, 301.5F, 64.5F, 604.5F});
}

TEST(Engine, evaluates_einsum) {
  const Tensor result = engine().eval(Kernel::einsum("ij,jk->ki", {2, 2}), {left(), right()});
  expect_elements(result, {31, 64, 302, 605});
  expect_elements(engine().einsum("ij->j", {left()}), {5, 7, 9});
}

TEST(Engine, writes_into_existing_memory_of_any_strides) {
  const Kernel kernel = Kernel::parse("c[i, j] ++= a[i, k] * b[k, j]");
  std::vector<float> memory(8, -1.0F);
  const Tensor columns =
      Tensor::borrow(Memory{.data = memory.data(), .dtype = DType::f32, .shape = {2, 2}, .strides = Strides{1, 4}});
  engine().eval_into(kernel, {{"a", left()}, {"b", right()}}, columns);
  EXPECT_EQ(memory, (std::vector<float>{31, 64, -1, -1, 302, 605, -1, -1}));
}

TEST(Engine, runs_programs) {
  const Kernel program =
      Kernel::parse("program soft(x) -> (y, m):\n  m[] max= x[i]\n  e[i] = x[i] - m[]\n  y[i] = e[i] * 2.0\n");
  const Tensor x = Tensor::copy_of({1.0F, 4.0F, 2.0F}, {3});
  const auto results = engine().run(program, {{"x", x}});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].name, "y");
  expect_elements(results[0].tensor, {-6, 0, -4});
  EXPECT_EQ(results[1].name, "m");
  expect_elements(results[1].tensor, {4});
}

TEST(Engine, errors_leave_the_output_alone) {
  const Kernel kernel = Kernel::parse("c[i] = a[i] + b[i]");
  const Tensor a = Tensor::zeros(DType::f32, {3});
  const Tensor four = Tensor::zeros(DType::f32, {4});
  const Tensor output = Tensor::full(DType::f32, {3}, 7);
  const auto code = [&](const std::vector<Operand>& operands) {
    return code_of([&] { engine().eval_into(kernel, operands, output); });
  };
  EXPECT_EQ(code({{"a", a}, {"b", four}}), "B010");
  EXPECT_EQ(code({{"a", a}, {"b", Tensor::zeros(DType::f64, {3})}}), "B020");
  EXPECT_EQ(code({{"a", a}}), "R076");
  EXPECT_EQ(code({{"a", a}, {"x", a}}), "R076");
  EXPECT_EQ(code({a}), "R076");
  EXPECT_EQ(code({{"a", a}, a}), "A020");
  EXPECT_EQ(code({{"a", a}, {"b", output}}), "R060");
  EXPECT_EQ(code_of([&] { engine().eval_into(kernel, {a, a}, four); }), "R074");
  EXPECT_EQ(code_of([] { Engine::open("cuda:7"); }), "R072");
  expect_elements(output, {7, 7, 7});
}

TEST(Engine, says_what_programs_are_not_for) {
  const Kernel program = Kernel::parse("program p(x) -> (y, z):\n  y[i] = x[i] + 1.0\n  z[i] = x[i] - 1.0\n");
  const Tensor x = Tensor::zeros(DType::f32, {3});
  EXPECT_EQ(code_of([&] { engine().eval(program, {{"x", x}}); }), "R075");
  EXPECT_EQ(code_of([&] { engine().eval_into(program, {{"x", x}}, x); }), "R077");
}

TEST(Engine, keeps_to_its_workspace_limit) {
  const Kernel kernel = Kernel::parse("s[] ++= x[k] do:\n  schedule:\n    split(k, 4)\n");
  const Tensor x = Tensor::full(DType::f32, {1000}, 1);
  EngineOptions options;
  options.disk_cache = false;
  options.workspace_limit = 15;  // four partial sums of 4 bytes are more
  EXPECT_EQ(code_of([&] { Engine::open("cpu", options).eval(kernel, {{"x", x}}); }), "R078");
  options.workspace_limit = 4096;
  expect_elements(Engine::open("cpu", options).eval(kernel, {{"x", x}}), {1000});
}

TEST(Engine, serves_threads_at_once) {
  const Engine shared = engine();
  const Kernel kernel = Kernel::parse("o[i] = x[i] * x[i]");
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] {
      const auto size = static_cast<std::int64_t>(t + 1);
      const Tensor x = Tensor::full(DType::f32, {size}, static_cast<double>(t + 2));
      const Tensor squares = shared.eval(kernel, {x});
      const auto elements = squares.elements<float>();
      results[t].assign(elements.begin(), elements.end());
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t)
    EXPECT_EQ(results[t], std::vector<float>(t + 1, static_cast<float>((t + 2) * (t + 2))));
}

TEST(Error, carries_every_diagnostic) {
  try {
    Kernel::parse("o[i] = a[i] + sine(b[i])\np[i] = q[i] + r[j]", "f.tw");
    FAIL() << "parsed";
  } catch (const Error& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U);
    EXPECT_EQ(error.diagnostics()[1].code, "L032");
    EXPECT_EQ(std::string(error.what()), error.diagnostics()[0].text + error.diagnostics()[1].text);
  }
}

TEST(Engine, moves_nothing_on_the_host) {
  const Engine engine = Engine::open("cpu");
  const Tensor x = Tensor::copy_of({1.0F, 2.0F}, {2});
  EXPECT_EQ(engine.to_device(x).data(), x.data());
  EXPECT_EQ(engine.to_host(x).data(), x.data());
}

TEST(Engine, takes_a_stream_only_where_there_are_some) {
  const Kernel kernel = Kernel::parse("y[i, j] = x[i, j]");
  const Tensor out = Tensor::zeros(DType::f32, {2, 3});
  EXPECT_EQ(code_of([&] { engine().eval_into(kernel, {left()}, out, {.stream = nullptr}); }), "R082");
  engine().eval_into(kernel, {left()}, out, {});
  expect_elements(out, {1, 2, 3, 4, 5, 6});
}

}  // namespace
}  // namespace tilewright
