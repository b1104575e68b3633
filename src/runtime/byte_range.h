// The bytes that a tensor touches: what overlap checks and the validation of borrowed memory reason about.
#pragma once

#include <cstdint>
#include <optional>

#include "support/tensor_view.h"

namespace tilewright {

/// Half-open range of addresses. Empty (begin == end) for a tensor without elements.
struct ByteRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  std::uintptr_t size() const { return end - begin; }
  bool is_empty() const { return begin == end; }
  bool overlaps(const ByteRange& other) const {
    return !is_empty() && !other.is_empty() && begin < other.end && other.begin < end;
  }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// From the first byte of the lowest element to past the last byte of the highest one; strides of either sign, and
/// those of axes of extent 1 (any value) do not count. nullopt where shape and strides differ in length, an extent is
/// negative, or the range leaves the 64-bit address space or spans more than 2⁶⁰ bytes. No machine maps that much, and
/// below it extent × stride of every axis is representable, also of reshaped views.
std::optional<ByteRange> byte_range(const TensorView& view);

}  // namespace tilewright
