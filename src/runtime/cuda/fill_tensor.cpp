// Strided fills as rectangles. See fill_tensor.h.
//
// The driver sets a rectangle: rows of 1-, 2- or 4-byte units without gaps, a pitch apart. So axes are turned to
// positive strides, ordered by them and merged; the innermost dense axis is the rectangle's row, the next axis its
// column, and the axes outside of those are walked. Elements of 8 bytes are two units of 4; where those differ (an f64
// infinity), each half is filled by itself, as a tensor whose strides are twice as long.
#include "runtime/cuda/fill_tensor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace tilewright::cuda {
namespace {

struct Axis {
  std::int64_t extent;
  std::int64_t stride;  ///< in units
};

/// Units of `size` bytes, all set to `bits`.
struct Units {
  DevicePointer start = 0;
  std::size_t size = 0;
  std::uint32_t bits = 0;
  std::vector<Axis> axes;  ///< innermost first, strides positive
};

/// The axes that matter, innermost first; moves `start` to the lowest element.
std::vector<Axis> ordered_axes(const TensorView& view, std::int64_t units, DevicePointer& start) {
  const auto unit_bytes = static_cast<std::int64_t>(size_of(view.dtype)) / units;
  std::vector<Axis> axes;
  if (units > 1) axes.push_back({units, 1});
  for (std::size_t axis = 0; axis < view.rank(); ++axis) {
    if (view.shape[axis] == 1) continue;
    std::int64_t stride = view.strides[axis] * units;
    if (stride < 0) {
      start += static_cast<DevicePointer>((view.shape[axis] - 1) * stride * unit_bytes);
      stride = -stride;
    }
    axes.push_back({view.shape[axis], stride});
  }
  std::ranges::sort(axes, {}, &Axis::stride);
  std::vector<Axis> merged;
  for (const Axis& axis : axes) {
    if (!merged.empty() && merged.back().stride * merged.back().extent == axis.stride)
      merged.back().extent *= axis.extent;
    else
      merged.push_back(axis);
  }
  return merged;
}

/// Takes the innermost axis off where `fits` says so; {1, 0} else.
template <class Fits>
Axis take_inner(std::vector<Axis>& axes, Fits&& fits) {
  if (axes.empty() || !fits(axes.front())) return {1, 0};
  const Axis inner = axes.front();
  axes.erase(axes.begin());
  return inner;
}

Outcome fill_rectangle(const DriverCalls& calls, const Units& units, DevicePointer to, const Axis& row,
                       const Axis& column, StreamHandle stream) {
  const auto width = static_cast<std::size_t>(row.extent);
  const auto height = static_cast<std::size_t>(column.extent);
  const std::size_t pitch = static_cast<std::size_t>(std::max(column.stride, row.extent)) * units.size;
  switch (units.size) {
    case 1:
      return calls.cuMemsetD2D8Async(to, pitch, static_cast<unsigned char>(units.bits), width, height, stream);
    case 2:
      return calls.cuMemsetD2D16Async(to, pitch, static_cast<unsigned short>(units.bits), width, height, stream);
    default:
      return calls.cuMemsetD2D32Async(to, pitch, units.bits, width, height, stream);
  }
}

Result<void> fill_units(const Stream& stream, Units units) {
  // A pitch that the driver takes (CU_DEVICE_ATTRIBUTE_MAX_PITCH is 2^31 - 1).
  constexpr std::int64_t pitch_end = std::int64_t{1} << 31;
  const auto size = static_cast<std::int64_t>(units.size);
  const Axis row = take_inner(units.axes, [](const Axis& axis) { return axis.stride == 1; });
  const Axis column = take_inner(units.axes, [&](const Axis& axis) { return axis.stride * size < pitch_end; });
  return stream.context().call([&](const DriverCalls& calls) {
    std::vector<std::int64_t> index(units.axes.size(), 0);
    while (true) {
      DevicePointer to = units.start;
      for (std::size_t axis = 0; axis < index.size(); ++axis)
        to += static_cast<DevicePointer>(index[axis] * units.axes[axis].stride * size);
      if (const Outcome filled = fill_rectangle(calls, units, to, row, column, stream.handle()); !filled.ok())
        return filled;
      std::size_t axis = 0;
      while (axis < index.size() && ++index[axis] == units.axes[axis].extent) index[axis++] = 0;
      if (axis == index.size()) return Outcome{};
    }
  });
}

}  // namespace

Result<void> fill_tensor(const Stream& stream, const TensorView& view, Scalar value) {
  if (view.element_count() == 0) return {};
  std::array<std::byte, 8> bytes{};
  store_scalar(view.dtype, value, bytes.data());
  std::array<std::uint32_t, 2> halves{};
  std::memcpy(halves.data(), bytes.data(), bytes.size());

  const auto address = reinterpret_cast<DevicePointer>(view.data);
  const std::size_t size = size_of(view.dtype);
  Units units{.start = address, .size = std::min<std::size_t>(size, 4), .bits = halves[0], .axes = {}};
  if (size <= 4 || halves[0] == halves[1]) {
    units.axes = ordered_axes(view, size == 8 ? 2 : 1, units.start);
    return fill_units(stream, std::move(units));
  }
  for (std::size_t half = 0; half < 2; ++half) {
    TensorView strided = view;
    strided.dtype = DType::u32;
    for (std::int64_t& stride : strided.strides) stride *= 2;
    units.start = address + 4 * half;
    units.bits = halves[half];
    units.axes = ordered_axes(strided, 1, units.start);
    if (auto filled = fill_units(stream, units); !filled) return filled;
  }
  return {};
}

}  // namespace tilewright::cuda
