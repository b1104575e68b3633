// Views of a tensor: the same memory under another shape and other strides.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "runtime/tensor.h"

namespace tilewright {

namespace {

std::unexpected<Diagnostics> no_such_axis(std::size_t axis, const Shape& shape) {
  return fail("R009", fmt::format("axis {} of a tensor of shape {}", axis, shape_text(shape)),
              shape.empty() ? "a tensor of rank 0 has no axes"
                            : fmt::format("axes are 0 to {}", static_cast<std::int64_t>(shape.size()) - 1));
}

/// A bound as an index, clamped to [lowest, highest].
std::int64_t clamp_bound(std::int64_t bound, std::int64_t extent, std::int64_t lowest, std::int64_t highest) {
  if (bound < 0) bound += extent;  // cannot overflow: the extent is not negative
  return std::clamp(bound, lowest, highest);
}

/// The strides of `target` over the elements that `shape` and `strides` walk in row-major order, or nullopt. Both have
/// the same element count, not 0. The axes fall into runs of equal products on both sides, from the left: within a run
/// the source must be one stretch of even spacing, and the target splits it anew.
///   [4, 6] with strides [12, 2] -> [2, 2, 3, 2]: runs 4 = 2·2 and 6 = 3·2, strides [24, 12, 4, 2].
std::optional<std::vector<std::int64_t>> reshape_strides(const Shape& shape, const std::vector<std::int64_t>& strides,
                                                         const Shape& target) {
  Shape extents;  // without the axes of extent 1, which say nothing about spacing
  std::vector<std::int64_t> steps;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    extents.push_back(shape[axis]);
    steps.push_back(strides[axis]);
  }
  std::vector<std::int64_t> result(target.size(), 1);
  std::size_t from = 0;
  std::size_t to = 0;
  while (from < extents.size()) {
    std::size_t from_end = from;
    std::size_t to_end = to;
    std::int64_t from_product = extents[from_end++];
    std::int64_t to_product = target[to_end++];
    while (from_product != to_product) {
      if (from_product < to_product)
        from_product *= extents[from_end++];
      else
        to_product *= target[to_end++];
    }
    for (std::size_t axis = from; axis + 1 < from_end; ++axis)
      if (steps[axis] != extents[axis + 1] * steps[axis + 1]) return std::nullopt;
    std::int64_t step = steps[from_end - 1];
    for (std::size_t axis = to_end; axis-- > to;) {
      result[axis] = step;
      step *= target[axis];
    }
    from = from_end;
    to = to_end;
  }
  return result;
}

}  // namespace

void Tensor::advance(std::int64_t elements) {
  if (element_count() == 0) return;
  // Unsigned wrap-around adds a negative distance; a valid view's sum never leaves the memory.
  byte_offset_ += static_cast<std::uint64_t>(elements) * size_of(dtype_);
}

Result<Tensor> Tensor::slice(std::size_t axis, Slice slice) const {
  if (axis >= rank()) return no_such_axis(axis, shape_);
  const std::int64_t step = slice.step;
  if (step == 0) return fail("R010", "a slice with step 0", "a step is positive or negative");
  const std::int64_t extent = shape_[axis];
  const bool forward = step > 0;
  // Walking back, -1 stands for "past the first element".
  const std::int64_t lowest = forward ? 0 : -1;
  const std::int64_t highest = forward ? extent : extent - 1;
  const std::int64_t start =
      slice.start ? clamp_bound(*slice.start, extent, lowest, highest) : (forward ? lowest : highest);
  const std::int64_t stop =
      slice.stop ? clamp_bound(*slice.stop, extent, lowest, highest) : (forward ? highest : lowest);

  const std::int64_t distance = forward ? stop - start : start - stop;
  // |step| of the most negative integer does not exist; as unsigned it does.
  const std::uint64_t magnitude =
      forward ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  Tensor result = *this;
  result.shape_[axis] =
      distance <= 0 ? 0 : static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / magnitude) + 1;
  // An axis of extent 1 keeps its stride: the product with a large step need not be representable.
  if (result.shape_[axis] > 1) result.strides_[axis] *= step;
  if (result.shape_[axis] > 0) result.advance(start * strides_[axis]);
  return result;
}

Result<Tensor> Tensor::transpose(const std::vector<std::size_t>& permutation) const {
  std::vector<bool> seen(rank(), false);
  bool legal = permutation.size() == rank();
  for (std::size_t axis : permutation) {
    legal = legal && axis < rank() && !seen[axis];
    if (legal) seen[axis] = true;
  }
  if (!legal)
    return fail(
        "R011",
        fmt::format("[{}] does not permute the axes of shape {}", fmt::join(permutation, ", "), shape_text(shape_)),
        fmt::format("each of the {} axes once", rank()));
  Tensor result = *this;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    result.shape_[axis] = shape_[permutation[axis]];
    result.strides_[axis] = strides_[permutation[axis]];
  }
  return result;
}

Result<Tensor> Tensor::broadcast_to(Shape shape) const {
  if (Result<std::int64_t> size = checked_byte_size(dtype_, shape); !size)
    return std::unexpected(std::move(size.error()));
  bool fits = shape.size() >= rank();
  const std::size_t added = fits ? shape.size() - rank() : 0;
  Tensor result = *this;
  result.strides_.assign(shape.size(), 0);
  for (std::size_t axis = 0; fits && axis < rank(); ++axis) {
    const std::int64_t extent = shape[added + axis];
    fits = shape_[axis] == extent || shape_[axis] == 1;
    if (shape_[axis] == extent) result.strides_[added + axis] = strides_[axis];
  }
  if (!fits)
    return fail("R012", fmt::format("shape {} does not broadcast to {}", shape_text(shape_), shape_text(shape)),
                "from the right, each extent is equal or 1");
  result.shape_ = std::move(shape);
  result.read_only_ = read_only_ || result.element_count() != element_count();
  return result;
}

Result<Tensor> Tensor::reshape(Shape shape) const {
  if (Result<std::int64_t> size = checked_byte_size(dtype_, shape); !size)
    return std::unexpected(std::move(size.error()));
  Tensor result = *this;
  result.shape_ = std::move(shape);
  if (result.element_count() != element_count())
    return fail("R013",
                fmt::format("shape {} with {} elements cannot become {} with {}", shape_text(shape_), element_count(),
                            shape_text(result.shape_), result.element_count()),
                "both shapes must have the same element count");
  if (element_count() == 0) {
    result.strides_.assign(result.rank(), 1);
    return result;
  }
  std::optional<std::vector<std::int64_t>> strides = reshape_strides(shape_, strides_, result.shape_);
  if (!strides)
    return fail("R014",
                fmt::format("shape {} with strides {} cannot become {} without a copy", shape_text(shape_),
                            shape_text(strides_), shape_text(result.shape_)),
                "make it contiguous first");
  result.strides_ = std::move(*strides);
  return result;
}

Result<Tensor> Tensor::squeeze(std::size_t axis) const {
  if (axis >= rank()) return no_such_axis(axis, shape_);
  if (shape_[axis] != 1)
    return fail("R015", fmt::format("axis {} of shape {} cannot be removed", axis, shape_text(shape_)),
                "only an axis of extent 1 can");
  return select(axis, 0);
}

Result<Tensor> Tensor::unsqueeze(std::size_t axis) const {
  if (axis > rank()) return no_such_axis(axis, shape_);
  if (rank() == max_rank)
    return fail("R001", fmt::format("a tensor of shape {} cannot have one more axis", shape_text(shape_)),
                fmt::format("ranks 0 to {} are supported", max_rank));
  Tensor result = *this;
  const auto place = static_cast<std::ptrdiff_t>(axis);
  const std::int64_t stride = axis < rank() && shape_[axis] > 0 && strides_[axis] == 1 ? shape_[axis] : 1;
  result.shape_.insert(result.shape_.begin() + place, 1);
  result.strides_.insert(result.strides_.begin() + place, stride);
  return result;
}

Result<Tensor> Tensor::select(std::size_t axis, std::int64_t index) const {
  if (axis >= rank()) return no_such_axis(axis, shape_);
  const std::int64_t extent = shape_[axis];
  if (index < -extent || index >= extent)
    return fail("R016", fmt::format("index {} of axis {} of shape {}", index, axis, shape_text(shape_)),
                fmt::format("an index is at least {} and below {}", -extent, extent));
  Tensor result = *this;
  const auto place = static_cast<std::ptrdiff_t>(axis);
  result.shape_.erase(result.shape_.begin() + place);
  result.strides_.erase(result.strides_.begin() + place);
  const std::int64_t position = index < 0 ? index + extent : index;
  // The stride of an axis of extent 1 may be any number: it must not be multiplied by.
  if (position != 0) result.advance(position * strides_[axis]);
  return result;
}

}  // namespace tilewright
