// Tensor maps: what the copy engine is told of a tensor and of the boxes of it that it moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::kernel {

/// Axes are innermost first. A box begins at any coordinates, one an axis, also outside of the extents: what is outside
/// is loaded as 0 and not stored. In shared memory it is dense.
struct TensorMap {
  std::byte* address = nullptr;  ///< of element (0, …, 0), a multiple of 16
  std::int64_t element_bytes = 1;
  std::vector<std::int64_t> extents;  ///< 1 to 5 axes; elements, at least 1
  std::vector<std::int64_t> strides;  ///< bytes, positive multiples of 16; of all axes but the first, which is dense
  std::vector<std::int64_t> box;      ///< elements, 1 to 256 along an axis
  /// In each 1024 bytes of shared memory, eight rows of 128, the 16 bytes number c of row r stand at c xor r. A box's
  /// innermost axis is at most such a row.
  bool swizzled = false;
  bool tf32 = false;  ///< of f32: rounded to 10 bits of mantissa on the way in, to nearest, ties to even
};

}  // namespace tilewright::kernel
