// Parts of a strided host tensor to and from a dense, row-major buffer: what stands between a tensor and a chunk of
// pinned memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "support/tensor_view.h"

namespace tilewright::cuda {

/// Copies elements [first, first + count) of `from`, counted in row-major order, to `to`. On several threads where it
/// is worth it. Requires first ≥ 0, count ≥ 0 and first + count ≤ the tensor's elements.
void gather_elements(const TensorView& from, std::int64_t first, std::int64_t count, std::byte* to);
/// The reverse: dense `from` into those elements of `to`.
void scatter_elements(const std::byte* from, const TensorView& to, std::int64_t first, std::int64_t count);

}  // namespace tilewright::cuda
