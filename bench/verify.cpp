#include "verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "nest/evaluate.h"

namespace tilewright::bench {
namespace {

constexpr std::uint64_t point_seed = 20;
constexpr int points = 64;
constexpr std::int64_t longest_reference = std::int64_t{1} << 22;  ///< terms
constexpr double bound = 8 * 0x1p-24;                              ///< times Σ|terms|

std::vector<std::vector<std::int64_t>> sample_points(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> first(shape.size(), 0), last = shape;
  for (std::int64_t& index : last) --index;
  std::vector<std::vector<std::int64_t>> sample{first};
  if (shape.empty()) return sample;
  sample.push_back(last);
  std::mt19937_64 random(point_seed);
  for (int p = 0; p < points; ++p) {
    std::vector<std::int64_t> point;
    for (std::int64_t extent : shape)
      point.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)));
    sample.push_back(std::move(point));
  }
  return sample;
}

std::string compare(double received, double expected, double tolerance, const std::vector<std::int64_t>& point) {
  if (std::abs(received - expected) <= tolerance) return {};
  std::string place;
  for (std::int64_t index : point) place += (place.empty() ? "" : ", ") + std::to_string(index);
  return fmt::format("[{}] is {}, the reference has {} ± {}", place, received, expected, tolerance);
}

/// A full sum of products of contiguous operands of one size.
std::string verify_long_sum(const std::vector<Operand>& operands, const Tensor& result) {
  double sum = 0, magnitude = 0;
  const std::int64_t count = operands.front().tensor.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    double term = 1;
    for (const Operand& operand : operands) term *= reinterpret_cast<const float*>(operand.tensor.data())[i];
    sum += term;
    magnitude += std::abs(term);
  }
  return compare(result.get({}).as_double(), sum, bound * magnitude, {});
}

}  // namespace

std::string verify(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands,
                   const Tensor& result) {
  if (result.rank() == 0 && operands.front().tensor.element_count() > longest_reference)
    return verify_long_sum(operands, result);
  std::vector<nest::NamedView> views;
  for (const Operand& operand : operands) views.push_back({operand.name, operand.tensor.view()});
  const Result<Compilation> compilation = engine.compile(kernel, views, false);
  if (!compilation) return render(compilation.error());
  const std::vector<std::vector<std::int64_t>> sample = sample_points(result.shape());
  const Result<nest::ReferenceResult> reference = nest::evaluate_points(compilation->reference, views, sample);
  if (!reference) return render(reference.error());
  const bool is_sum = std::ranges::any_of(compilation->reference.iterators, [](const nest::Iterator& iterator) {
    return iterator.role == nest::IteratorRole::reduction;
  });
  for (std::size_t p = 0; p < sample.size(); ++p) {
    const double tolerance = is_sum ? bound * reference->magnitude[p] : 0.0;
    const std::string difference =
        compare(result.view().get(sample[p]).as_double(), reference->rounded[p].as_double(), tolerance, sample[p]);
    if (!difference.empty()) return difference;
  }
  return {};
}

}  // namespace tilewright::bench
