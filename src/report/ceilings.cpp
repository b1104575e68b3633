// Ceilings of this machine. See ceilings.h.
#include "report/ceilings.h"

#include <algorithm>

#include "report/timing.h"
#include "runtime/fill.h"

namespace tilewright::report {
namespace {

constexpr TimingEffort effort{.seconds = 0.25, .least_calls = 5};

/// What is measured, large enough to occupy the device: the streams are more than its caches hold.
struct Sizes {
  std::int64_t streamed;  ///< f32 elements
  std::int64_t square;    ///< of the matrix product
};
constexpr Sizes on_host{std::int64_t{1} << 25U, 512};
constexpr Sizes on_gpu{std::int64_t{1} << 26U, 4096};

/// Fastest quarter of calls a second, of one kernel's text.
Result<double> calls_a_second(const Engine& engine, const std::string& text, const std::vector<Operand>& operands,
                              const Shape& output) {
  const Result<Kernel> kernel = Kernel::parse(text, "<ceiling>");
  if (!kernel) return std::unexpected(kernel.error());
  const Result<Tensor> result = engine.allocate(DType::f32, output);
  if (!result) return std::unexpected(result.error());
  std::vector<Operand> placed;
  for (const Operand& operand : operands) {
    Result<Tensor> tensor = engine.to_device(operand.tensor);
    if (!tensor) return std::unexpected(std::move(tensor.error()));
    placed.push_back({operand.name, std::move(*tensor)});
  }
  auto calls = engine.time_into(*kernel, placed, *result, effort);
  if (!calls) return std::unexpected(std::move(calls.error()));
  return 1 / summarize(std::move(*calls)).low;
}

}  // namespace

double Ceilings::bandwidth(const Cost& cost) const {
  if (cost.bytes_written == 0) return read;
  if (cost.bytes_read == 0) return write;
  // Reading and writing in the kernel's own proportion: what is not copied is only read, or only written.
  const double copied = 2 * std::min(cost.bytes_read, cost.bytes_written);
  const double more = cost.bytes() - copied;
  return cost.bytes() / (copied / copy + more / (cost.bytes_read > cost.bytes_written ? read : write));
}

double Ceilings::floor(const Cost& cost) const {
  const double moving = cost.bytes() > 0 ? cost.bytes() / bandwidth(cost) : 0;
  return std::max(moving, cost.flops / flops);
}

Result<Ceilings> measure_ceilings(const Engine& engine) {
  const auto [streamed, square] = engine.device_name() == "cpu" ? on_host : on_gpu;
  const Result<Tensor> stream = full(DType::f32, {streamed}, Scalar::of(1.0));
  if (!stream) return std::unexpected(stream.error());
  const Result<Tensor> matrix = random_data(DType::f32, {square, square}, 1);
  if (!matrix) return std::unexpected(matrix.error());
  const double bytes = 4.0 * static_cast<double>(streamed);
  const std::string range = "(i in 0 ..< " + std::to_string(streamed) + ")";
  const auto copy = calls_a_second(engine, "y[i] = x[i]", {{"x", *stream}}, {streamed});
  if (!copy) return std::unexpected(copy.error());
  const auto read = calls_a_second(engine, "y[] ++= x[i]", {{"x", *stream}}, {});
  if (!read) return std::unexpected(read.error());
  const auto write = calls_a_second(engine, "y[i] = 1.0 | " + range, {}, {streamed});
  if (!write) return std::unexpected(write.error());
  const auto product =
      calls_a_second(engine, "y[i, j] ++= a[i, k] * b[k, j]", {{"a", *matrix}, {"b", *matrix}}, {square, square});
  if (!product) return std::unexpected(product.error());
  const double operations = 2.0 * static_cast<double>(square * square * square);
  return Ceilings{2 * bytes * *copy, bytes * *read, bytes * *write, operations * *product};
}

}  // namespace tilewright::report
