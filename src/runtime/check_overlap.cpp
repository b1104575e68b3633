// Overlap checks. See check_overlap.h.
#include "runtime/check_overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runtime/byte_range.h"

namespace tilewright {

namespace {

struct Axis {
  std::int64_t stride;    ///< positive
  std::int64_t most;      ///< the largest difference between two of its coordinates
  std::int64_t rest = 0;  ///< how far the axes after it reach together
};

/// Looks for differences d of the coordinates, |d| at most `most` on each axis, not all 0, with Σ d·stride =
/// −`distance`. Axes come by descending stride, so `rest` leaves few candidates on each.
class CoincidenceSearch {
 public:
  explicit CoincidenceSearch(const std::vector<Axis>& axes) : axes_(axes) {}

  bool found(std::size_t axis, std::int64_t distance, bool any_difference) {
    if (axis == axes_.size()) return distance == 0 && any_difference;
    const auto [stride, most, rest] = axes_[axis];
    // |distance + d·stride| must be within reach of the axes that follow.
    const std::int64_t lowest = std::max(-most, ceil_quotient(-distance - rest, stride));
    const std::int64_t highest = std::min(most, floor_quotient(-distance + rest, stride));
    for (std::int64_t d = lowest; d <= highest; ++d) {
      if (--budget_ < 0) return true;
      if (found(axis + 1, distance + d * stride, any_difference || d != 0)) return true;
    }
    return false;
  }

 private:
  static std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
  static std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

  const std::vector<Axis>& axes_;
  int budget_ = 100'000;
};

std::unexpected<Diagnostics> outside(const NamedView& operand) {
  return fail("R063", fmt::format("'{}' reaches outside of the address space", operand.name));
}

}  // namespace

bool overlaps_itself(const TensorView& view) {
  std::vector<Axis> axes;
  for (std::size_t axis = 0; axis < view.rank(); ++axis) {
    if (view.shape[axis] == 0) return false;
    if (view.shape[axis] == 1) continue;
    const std::int64_t stride = view.strides[axis];
    axes.push_back({stride < 0 ? -stride : stride, view.shape[axis] - 1});
  }
  std::ranges::sort(axes, std::ranges::greater{}, &Axis::stride);
  std::int64_t reach = 0;
  bool nested = true;  // each stride clears all that the smaller ones reach, which is how tensors are laid out
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (axes[i].stride == 0) return true;
    axes[i].rest = reach;
    nested = nested && axes[i].stride > reach;
    reach += axes[i].stride * axes[i].most;
  }
  return !nested && CoincidenceSearch(axes).found(0, 0, false);
}

Result<void> check_overlap(std::span<const NamedView> outputs, std::span<const NamedView> inputs) {
  std::vector<ByteRange> input_ranges;
  for (const NamedView& input : inputs) {
    const std::optional<ByteRange> range = byte_range(*input.view);
    if (!range) return outside(input);
    input_ranges.push_back(*range);
  }
  Diagnostics problems;
  const auto add = [&](std::unexpected<Diagnostics> problem) { problems.push_back(problem.error().front()); };
  std::vector<ByteRange> output_ranges;
  for (const NamedView& output : outputs) {
    const std::optional<ByteRange> range = byte_range(*output.view);
    if (!range) return outside(output);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (range->overlaps(input_ranges[i]))
        add(fail("R060", fmt::format("output '{}' overlaps input '{}' in memory", output.name, inputs[i].name),
                 "give the output memory of its own"));
    for (std::size_t i = 0; i < output_ranges.size(); ++i)
      if (range->overlaps(output_ranges[i]))
        add(fail("R061", fmt::format("output '{}' overlaps output '{}' in memory", output.name, outputs[i].name),
                 "give each output memory of its own"));
    if (overlaps_itself(*output.view))
      add(fail("R062",
               fmt::format("output '{}' overlaps itself: strides [{}] put several elements in one place", output.name,
                           fmt::join(output.view->strides, ", ")),
               "an output's elements must be distinct in memory"));
    output_ranges.push_back(*range);
  }
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return {};
}

}  // namespace tilewright
