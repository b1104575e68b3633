// Byte ranges of strided tensors, in arithmetic that reports overflow.
#include "runtime/byte_range.h"

#include <cstddef>

namespace tilewright {

namespace {
constexpr std::uintptr_t largest_span = std::uintptr_t{1} << 60;
}

std::optional<ByteRange> byte_range(const TensorView& view) {
  if (view.shape.size() != view.strides.size()) return std::nullopt;
  const auto element = static_cast<std::int64_t>(size_of(view.dtype));
  bool has_elements = true;
  for (std::int64_t extent : view.shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) has_elements = false;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(view.data);
  if (!has_elements) return ByteRange{base, base};

  std::int64_t lowest = 0;  // byte offsets of the lowest and the highest element from `data`
  std::int64_t highest = 0;
  for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] == 1) continue;
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(view.shape[axis] - 1, view.strides[axis], &reach) ||
        __builtin_mul_overflow(reach, element, &reach))
      return std::nullopt;
    std::int64_t& side = reach < 0 ? lowest : highest;
    if (__builtin_add_overflow(side, reach, &side)) return std::nullopt;
  }
  ByteRange range;
  if (__builtin_add_overflow(highest, element, &highest) || __builtin_add_overflow(base, lowest, &range.begin) ||
      __builtin_add_overflow(base, highest, &range.end))
    return std::nullopt;
  if (range.size() > largest_span) return std::nullopt;
  return range;
}

}  // namespace tilewright
