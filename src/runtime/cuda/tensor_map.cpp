// The rules of cuTensorMapEncodeTiled (CUDA Driver API, "Tensor Map Object Management"), each with a message of its
// own: the driver only says "invalid argument". See tensor_map.h.
#include "runtime/cuda/tensor_map.h"

#include <fmt/format.h>

#include <array>

namespace tilewright::cuda {
namespace {

constexpr std::size_t most_axes = 5;
constexpr std::int64_t alignment = 16;
constexpr std::int64_t most_extent = std::int64_t{1} << 32;
constexpr std::int64_t stride_end = std::int64_t{1} << 40;
constexpr std::int64_t most_box = 256;
constexpr std::array<std::int64_t, 12> type_bytes{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4};
/// By TensorMapSwizzle; the first stands for no limit.
constexpr std::array<std::int64_t, 4> swizzle_bytes{0, 32, 64, 128};

bool is_float(TensorMapType type) {
  return type >= TensorMapType::f16;
}

std::unexpected<Diagnostics> illegal(std::string what, std::string legal) {
  return fail("R095", "a tensor map " + std::move(what), std::move(legal));
}

Result<void> check_tensor(const TensorMapRequest& request) {
  const std::size_t rank = request.extents.size();
  if (rank < 1 || rank > most_axes)
    return illegal(fmt::format("of {} axes", rank), fmt::format("1 to {} axes", most_axes));
  if (request.strides.size() + 1 != rank || request.box.size() != rank)
    return illegal(fmt::format("of {} axes with {} strides and a box of {} axes", rank, request.strides.size(),
                               request.box.size()),
                   "one stride for each axis but the innermost, and a box of all axes");
  if (request.address == 0 || request.address % alignment != 0)
    return illegal(fmt::format("of memory at address 0x{:x}", request.address),
                   fmt::format("a multiple of {} bytes", alignment));
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (request.extents[axis] < 1 || request.extents[axis] > most_extent)
      return illegal(fmt::format("of extent {} along axis {}", request.extents[axis], axis),
                     fmt::format("1 to {}", most_extent));
  for (std::size_t axis = 1; axis < rank; ++axis) {
    const std::int64_t stride = request.strides[axis - 1];
    if (stride < 0 || stride >= stride_end || stride % alignment != 0)
      return illegal(fmt::format("with a stride of {} bytes along axis {}", stride, axis),
                     fmt::format("a multiple of {} bytes, below {}", alignment, stride_end));
  }
  return {};
}

Result<void> check_box(const TensorMapRequest& request) {
  for (std::size_t axis = 0; axis < request.box.size(); ++axis)
    if (request.box[axis] < 1 || request.box[axis] > most_box)
      return illegal(fmt::format("with a box of {} elements along axis {}", request.box[axis], axis),
                     fmt::format("1 to {}", most_box));
  const std::int64_t row = request.box[0] * size_of(request.type);
  if (row % alignment != 0)
    return illegal(fmt::format("with rows of {} bytes in its box", row), fmt::format("a multiple of {}", alignment));
  const std::int64_t pattern = swizzle_bytes[static_cast<std::size_t>(request.swizzle)];
  if (pattern != 0 && row > pattern)
    return illegal(fmt::format("with rows of {} bytes in its box and a swizzle of {}", row, pattern),
                   "rows no longer than the swizzle's pattern");
  if (request.fill == TensorMapFill::nan && !is_float(request.type))
    return illegal("of integers that fills with NaN", "fill integers with zero");
  return {};
}

}  // namespace

std::int64_t size_of(TensorMapType type) {
  return type_bytes[static_cast<std::size_t>(type)];
}

Result<TensorMap> encode_tensor_map(Context& context, const TensorMapRequest& request) {
  if (!context.device().has_tensor_maps)
    return fail("R094", fmt::format("{} has no tensor maps", context.device().text()),
                "compute capability 9.0 or later has");
  if (auto legal = check_tensor(request); !legal) return std::unexpected(std::move(legal.error()));
  if (auto legal = check_box(request); !legal) return std::unexpected(std::move(legal.error()));
  std::array<std::uint64_t, most_axes> extents{};
  std::array<std::uint64_t, most_axes> strides{};
  std::array<std::uint32_t, most_axes> box{};
  std::array<std::uint32_t, most_axes> element_strides{};
  for (std::size_t axis = 0; axis < request.extents.size(); ++axis) {
    extents[axis] = static_cast<std::uint64_t>(request.extents[axis]);
    if (axis > 0) strides[axis - 1] = static_cast<std::uint64_t>(request.strides[axis - 1]);
    box[axis] = static_cast<std::uint32_t>(request.box[axis]);
    element_strides[axis] = 1;
  }
  TensorMap map;
  constexpr int no_interleave = 0;
  auto encoded = context.call([&](const DriverCalls& calls) {
    return calls.cuTensorMapEncodeTiled(&map, request.type, static_cast<std::uint32_t>(request.extents.size()),
                                        reinterpret_cast<void*>(request.address), extents.data(), strides.data(),
                                        box.data(), element_strides.data(), no_interleave, request.swizzle,
                                        request.promotion, request.fill);
  });
  if (!encoded) return std::unexpected(std::move(encoded.error()));
  return map;
}

}  // namespace tilewright::cuda
