// Launching: limits are checked here, with figures, because the driver only says "invalid value". See module.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "runtime/cuda/module.h"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t default_shared_bytes = 48 << 10;  ///< that a block may have without asking
constexpr std::int64_t portable_cluster = 8;             ///< blocks; more must be asked for
constexpr std::int64_t largest_cluster = 16;
constexpr int hopper = 9;  ///< the first compute capability with programmatic dependent launch

std::int64_t product(const std::array<std::int64_t, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

bool has_clusters(const Launch& launch) {
  return product(launch.cluster) != 1;
}

std::unexpected<Diagnostics> too_much(const std::string& kernel, std::string what, std::string limit) {
  return fail("R094", fmt::format("kernel '{}' {}", kernel, std::move(what)), std::move(limit));
}

/// The driver's description of a launch, and the attributes that it points at.
struct DriverLaunch {
  LaunchConfig config;
  std::array<LaunchAttribute, 2> attributes;

  DriverLaunch(const Launch& launch, StreamHandle stream, bool overlaps) {
    const auto number = [](std::int64_t value) { return static_cast<unsigned>(value); };
    config.grid_x = number(launch.grid[0]);
    config.grid_y = number(launch.grid[1]);
    config.grid_z = number(launch.grid[2]);
    config.block_x = number(launch.block[0]);
    config.block_y = number(launch.block[1]);
    config.block_z = number(launch.block[2]);
    config.shared_bytes = number(launch.shared_bytes);
    config.stream = stream;
    config.attributes = attributes.data();
    if (has_clusters(launch)) {
      LaunchAttribute& attribute = attributes[config.attribute_count++];
      attribute.id = LaunchAttributeId::cluster_dimension;
      attribute.value.cluster = {number(launch.cluster[0]), number(launch.cluster[1]), number(launch.cluster[2])};
    }
    if (overlaps) {
      LaunchAttribute& attribute = attributes[config.attribute_count++];
      attribute.id = LaunchAttributeId::programmatic_stream_serialization;
      attribute.value.flag = 1;
    }
  }
  DriverLaunch(const DriverLaunch&) = delete;
  DriverLaunch& operator=(const DriverLaunch&) = delete;
};

}  // namespace

Result<void> Function::check(const Launch& launch) const {
  const DeviceProperties& device = context().device();
  const std::array<std::int64_t, 3> largest{device.max_grid_x, device.max_grid_y, device.max_grid_z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (launch.grid[axis] < 1 || launch.grid[axis] > largest[axis])
      return too_much(name(), fmt::format("is launched on a grid of {} blocks", fmt::join(launch.grid, " x ")),
                      fmt::format("{} has grids of 1 to {} blocks", device.text(), fmt::join(largest, " x ")));
    // Bounded one by one first, so that their product does not overflow.
    if (launch.block[axis] < 1 || launch.block[axis] > device.max_threads_per_block || launch.cluster[axis] < 1 ||
        launch.cluster[axis] > largest_cluster)
      return too_much(name(),
                      fmt::format("is launched with blocks of {} threads in clusters of {} blocks",
                                  fmt::join(launch.block, " x "), fmt::join(launch.cluster, " x ")),
                      fmt::format("{} has blocks of 1 to {} threads and clusters of 1 to {} blocks", device.text(),
                                  device.max_threads_per_block, largest_cluster));
    if (launch.grid[axis] % launch.cluster[axis] != 0)
      return too_much(name(),
                      fmt::format("is launched on a grid of {} blocks in clusters of {}", fmt::join(launch.grid, " x "),
                                  fmt::join(launch.cluster, " x ")),
                      "each extent of a cluster divides the grid's");
  }
  const std::int64_t threads = product(launch.block);
  const std::int64_t most_threads = properties().max_threads;
  if (threads > most_threads)
    return too_much(name(), fmt::format("is launched with {} threads a block", threads),
                    fmt::format("with its {} registers a thread, {} allows {}", properties().registers, device.text(),
                                most_threads));
  const std::int64_t most_shared = device.shared_bytes_per_block - properties().shared_bytes;
  if (launch.shared_bytes < 0 || launch.shared_bytes > most_shared)
    return too_much(name(),
                    fmt::format("needs {} bytes of shared memory a block and has {} of its own", launch.shared_bytes,
                                properties().shared_bytes),
                    fmt::format("{} has {}", device.text(), device.shared_bytes_per_block));
  if (!has_clusters(launch)) return {};
  if (!device.has_clusters)
    return too_much(name(), fmt::format("is launched in clusters of {} blocks", fmt::join(launch.cluster, " x ")),
                    fmt::format("{} has none: compute capability 9.0 has", device.text()));
  if (product(launch.cluster) > largest_cluster)
    return too_much(name(), fmt::format("is launched in clusters of {} blocks", product(launch.cluster)),
                    fmt::format("{} has clusters of 1 to {} blocks", device.text(), largest_cluster));
  return {};
}

Result<void> Function::opt_in(const Launch& launch) const {
  const bool needs_shared = launch.shared_bytes + properties().shared_bytes > default_shared_bytes;
  const bool needs_cluster = product(launch.cluster) > portable_cluster;
  if (!needs_shared && !needs_cluster) return {};
  const std::lock_guard lock(state_->mutex);
  if (needs_shared && launch.shared_bytes > state_->shared_limit) {
    auto allowed = context().call([&](const DriverCalls& calls) {
      return calls.cuFuncSetAttribute(state_->handle, FunctionAttribute::max_dynamic_shared_bytes,
                                      static_cast<int>(launch.shared_bytes));
    });
    if (!allowed) return allowed;
    state_->shared_limit = launch.shared_bytes;
  }
  if (needs_cluster && !state_->any_cluster_size) {
    auto allowed = context().call([&](const DriverCalls& calls) {
      return calls.cuFuncSetAttribute(state_->handle, FunctionAttribute::non_portable_cluster_size, 1);
    });
    if (!allowed) return allowed;
    state_->any_cluster_size = true;
  }
  return {};
}

Result<void> Function::launch(const Stream& stream, const Launch& launch, std::span<void* const> parameters) const {
  if (auto fits = check(launch); !fits) return fits;
  if (auto allowed = opt_in(launch); !allowed) return allowed;
  const bool overlaps = launch.overlaps_previous && context().device().major >= hopper;
  const DriverLaunch described(launch, stream.handle(), overlaps);
  // The driver reads the array of pointers, and what they point at, before it returns.
  auto* const pointers = const_cast<void**>(parameters.data());
  auto launched = context().call([&](const DriverCalls& calls) {
    return calls.cuLaunchKernelEx(&described.config, state_->handle, pointers, nullptr);
  });
  if (!launched) launched.error().front().message += fmt::format(" (kernel '{}')", name());
  return launched;
}

Result<int> Function::resident_blocks(const Launch& launch) const {
  if (auto fits = check(launch); !fits) return std::unexpected(std::move(fits.error()));
  if (auto allowed = opt_in(launch); !allowed) return std::unexpected(std::move(allowed.error()));
  int blocks = 0;
  auto asked = context().call([&](const DriverCalls& calls) {
    return calls.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, state_->handle,
                                                             static_cast<int>(product(launch.block)),
                                                             static_cast<std::size_t>(launch.shared_bytes));
  });
  if (!asked) return std::unexpected(std::move(asked.error()));
  return blocks;
}

Result<int> Function::resident_clusters(const Launch& launch) const {
  if (!context().device().has_clusters)
    return too_much(name(), "is asked about clusters", fmt::format("{} has none", context().device().text()));
  if (auto fits = check(launch); !fits) return std::unexpected(std::move(fits.error()));
  if (auto allowed = opt_in(launch); !allowed) return std::unexpected(std::move(allowed.error()));
  const DriverLaunch described(launch, nullptr, false);
  int clusters = 0;
  auto asked = context().call([&](const DriverCalls& calls) {
    return calls.cuOccupancyMaxActiveClusters(&clusters, state_->handle, &described.config);
  });
  if (!asked) return std::unexpected(std::move(asked.error()));
  return clusters;
}

}  // namespace tilewright::cuda
