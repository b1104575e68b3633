// Walks rows: runs along the last axis that is longer than 1. See row_major_copy.h.
#include "runtime/cuda/row_major_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/tensor.h"
#include "runtime/thread_pool.h"

namespace tilewright::cuda {
namespace {

/// Elements that are worth a thread of their own.
constexpr std::int64_t grain = std::int64_t{1} << 16;

/// Axes of extent 1 left out, and those merged that follow one another without a gap, outermost first.
struct Rows {
  std::array<std::int64_t, max_rank> shape{};
  std::array<std::int64_t, max_rank> strides{};
  std::size_t rank = 0;
};

Rows merged(const TensorView& view) {
  Rows rows;
  for (std::size_t axis = 0; axis < view.rank(); ++axis) {
    const std::int64_t extent = view.shape[axis];
    const std::int64_t stride = view.strides[axis];
    if (extent == 1) continue;
    const std::size_t outer = rows.rank - 1;
    if (rows.rank > 0 && rows.strides[outer] == extent * stride) {
      rows.shape[outer] *= extent;
      rows.strides[outer] = stride;
    } else {
      rows.shape[rows.rank] = extent;
      rows.strides[rows.rank] = stride;
      ++rows.rank;
    }
  }
  if (rows.rank == 0) rows = {.shape = {1}, .strides = {1}, .rank = 1};
  return rows;
}

/// Calls run(offset in elements, position from `first`, length) for each run of [first, first + count) along the last
/// axis.
template <class Run>
void for_each_run(const Rows& rows, std::int64_t first, std::int64_t count, Run&& run) {
  const std::size_t last = rows.rank - 1;
  std::array<std::int64_t, max_rank> index{};
  std::int64_t rest = first;
  std::int64_t offset = 0;
  for (std::size_t axis = rows.rank; axis-- > 0;) {
    index[axis] = rest % rows.shape[axis];
    rest /= rows.shape[axis];
    offset += index[axis] * rows.strides[axis];
  }
  for (std::int64_t position = 0; position < count;) {
    const std::int64_t length = std::min(rows.shape[last] - index[last], count - position);
    run(offset, position, length);
    position += length;
    offset += length * rows.strides[last];
    index[last] += length;
    for (std::size_t axis = last; axis > 0 && index[axis] == rows.shape[axis]; --axis) {
      index[axis] = 0;
      ++index[axis - 1];
      offset += rows.strides[axis - 1] - rows.shape[axis] * rows.strides[axis];
    }
  }
}

/// Calls run in parallel, with positions from `first` and offsets of `view`.
template <class Run>
void for_each_run_of(const TensorView& view, std::int64_t first, std::int64_t count, Run&& run) {
  const Rows rows = merged(view);
  parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
    for_each_run(rows, first + begin, end - begin,
                 [&](std::int64_t offset, std::int64_t position, std::int64_t length) {
                   run(offset, begin + position, length, rows.strides[rows.rank - 1]);
                 });
  });
}

/// Copies `length` elements of Size bytes; strides in elements.
template <std::size_t Size>
void copy_run(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
              std::int64_t length) {
  constexpr auto size = static_cast<std::int64_t>(Size);
  for (std::int64_t n = 0; n < length; ++n) std::memcpy(to + n * to_stride * size, from + n * from_stride * size, Size);
}

void copy_run(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
              std::int64_t length, std::size_t size) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(length) * size);
    return;
  }
  switch (size) {
    case 1:
      return copy_run<1>(to, to_stride, from, from_stride, length);
    case 2:
      return copy_run<2>(to, to_stride, from, from_stride, length);
    case 4:
      return copy_run<4>(to, to_stride, from, from_stride, length);
    default:
      return copy_run<8>(to, to_stride, from, from_stride, length);
  }
}

}  // namespace

void gather_elements(const TensorView& from, std::int64_t first, std::int64_t count, std::byte* to) {
  const std::size_t size = size_of(from.dtype);
  const auto bytes = static_cast<std::int64_t>(size);
  for_each_run_of(from, first, count,
                  [&](std::int64_t offset, std::int64_t position, std::int64_t length, std::int64_t stride) {
                    copy_run(to + position * bytes, 1, from.data + offset * bytes, stride, length, size);
                  });
}

void scatter_elements(const std::byte* from, const TensorView& to, std::int64_t first, std::int64_t count) {
  const std::size_t size = size_of(to.dtype);
  const auto bytes = static_cast<std::int64_t>(size);
  for_each_run_of(to, first, count,
                  [&](std::int64_t offset, std::int64_t position, std::int64_t length, std::int64_t stride) {
                    copy_run(to.data + offset * bytes, stride, from + position * bytes, 1, length, size);
                  });
}

}  // namespace tilewright::cuda
