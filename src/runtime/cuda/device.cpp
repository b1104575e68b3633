// Device discovery. See device.h.
#include "runtime/cuda/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace tilewright::cuda {
namespace {

/// Oldest first: capability · 10 and the PTX target for it and for all up to the next row.
struct TargetRow {
  int capability;
  std::string_view target;
};
constexpr std::array<TargetRow, 4> target_rows{{{80, "sm_80"}, {89, "sm_89"}, {90, "sm_90a"}, {100, "sm_90"}}};

/// Where each attribute goes.
struct AttributeRow {
  DeviceAttribute attribute;
  void (*set)(DeviceProperties& device, int value);
};
#define SET(field) [](DeviceProperties& device, int value) { device.field = value; }
#define SET_FLAG(field) [](DeviceProperties& device, int value) { device.field = value != 0; }
constexpr std::array<AttributeRow, 23> attribute_rows{{
    {DeviceAttribute::capability_major, SET(major)},
    {DeviceAttribute::capability_minor, SET(minor)},
    {DeviceAttribute::multiprocessors, SET(multiprocessors)},
    {DeviceAttribute::warp_size, SET(warp_size)},
    {DeviceAttribute::clock_khz, SET(clock_khz)},
    {DeviceAttribute::memory_clock_khz, SET(memory_clock_khz)},
    {DeviceAttribute::memory_bus_bits, SET(memory_bus_bits)},
    {DeviceAttribute::l2_bytes, SET(l2_bytes)},
    {DeviceAttribute::shared_bytes_per_block, SET(shared_bytes_per_block)},
    {DeviceAttribute::shared_bytes_per_block_optin,
     [](DeviceProperties& device, int value) {  // 0 where there is no more to ask for
       device.shared_bytes_per_block = std::max<std::int64_t>(device.shared_bytes_per_block, value);
     }},
    {DeviceAttribute::shared_bytes_per_multiprocessor, SET(shared_bytes_per_multiprocessor)},
    {DeviceAttribute::reserved_shared_bytes_per_block, SET(reserved_shared_bytes)},
    {DeviceAttribute::registers_per_block, SET(registers_per_block)},
    {DeviceAttribute::registers_per_multiprocessor, SET(registers_per_multiprocessor)},
    {DeviceAttribute::max_threads_per_block, SET(max_threads_per_block)},
    {DeviceAttribute::max_threads_per_multiprocessor, SET(max_threads_per_multiprocessor)},
    {DeviceAttribute::max_blocks_per_multiprocessor, SET(max_blocks_per_multiprocessor)},
    {DeviceAttribute::max_grid_x, SET(max_grid_x)},
    {DeviceAttribute::max_grid_y, SET(max_grid_y)},
    {DeviceAttribute::max_grid_z, SET(max_grid_z)},
    {DeviceAttribute::memory_pools, SET_FLAG(has_memory_pools)},
    {DeviceAttribute::cluster_launch, SET_FLAG(has_clusters)},
    {DeviceAttribute::tensor_maps, SET_FLAG(has_tensor_maps)},
}};
#undef SET
#undef SET_FLAG

Result<DeviceProperties> read_properties(const Driver& driver, int ordinal) {
  const DriverCalls& calls = driver.calls();
  DeviceHandle handle = 0;
  if (auto found = driver.check(calls.cuDeviceGet(&handle, ordinal)); !found) return std::unexpected(found.error());
  DeviceProperties device;
  device.ordinal = ordinal;
  std::array<char, 256> name{};
  if (auto named = driver.check(calls.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, handle)); !named)
    return std::unexpected(named.error());
  device.name = name.data();
  std::size_t bytes = 0;
  if (auto measured = driver.check(calls.cuDeviceTotalMem(&bytes, handle)); !measured)
    return std::unexpected(measured.error());
  device.memory_bytes = static_cast<std::int64_t>(bytes);
  for (const AttributeRow& row : attribute_rows) {
    int value = 0;
    const Outcome read = calls.cuDeviceGetAttribute(&value, row.attribute, handle);
    if (read.status == Status::invalid_value) continue;  // newer than the driver: the device does not have it
    if (auto known = driver.check(read); !known) return std::unexpected(known.error());
    row.set(device, value);
  }
  return device;
}

Result<int> count_devices(const Driver& driver) {
  int count = 0;
  const Outcome counted = driver.calls().cuDeviceGetCount(&count);
  if (counted.status == Status::no_device) return 0;
  if (auto known = driver.check(counted); !known) return std::unexpected(known.error());
  return count;
}

}  // namespace

std::string DeviceProperties::device_name() const {
  return fmt::format("cuda:{}", ordinal);
}

std::string DeviceProperties::text() const {
  return fmt::format("cuda:{} ({})", ordinal, name);
}

std::string DeviceProperties::binary_target() const {
  return fmt::format("sm_{}{}", major, minor);
}

Result<int> parse_device_name(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  if (name == "cuda") return 0;
  int ordinal = 0;
  if (name.starts_with(prefix)) {
    const std::string_view digits = name.substr(prefix.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
    if (error == std::errc() && end == digits.data() + digits.size() && ordinal >= 0 && digits.front() != '-')
      return ordinal;
  }
  return fail("R072", fmt::format("'{}' is no CUDA device", name), "cuda, or cuda:N with N from 0");
}

Result<std::vector<DeviceProperties>> list_devices(const Driver& driver) {
  Result<int> count = count_devices(driver);
  if (!count) return std::unexpected(std::move(count.error()));
  std::vector<DeviceProperties> devices;
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    Result<DeviceProperties> device = read_properties(driver, ordinal);
    if (!device) return std::unexpected(std::move(device.error()));
    devices.push_back(std::move(*device));
  }
  return devices;
}

Result<DeviceProperties> find_device(const Driver& driver, int ordinal) {
  Result<int> count = count_devices(driver);
  if (!count) return std::unexpected(std::move(count.error()));
  if (ordinal >= 0 && ordinal < *count) {
    Result<DeviceProperties> device = read_properties(driver, ordinal);
    if (!device || !ptx_target(device->major, device->minor).empty()) return device;
    return fail("R072",
                fmt::format("device '{}' has compute capability {}.{}", device->text(), device->major, device->minor),
                "8.0 or later is needed; use 'cpu', or another device");
  }
  Result<std::vector<DeviceProperties>> devices = list_devices(driver);
  if (!devices) return std::unexpected(std::move(devices.error()));
  std::vector<std::string> names;
  for (const DeviceProperties& device : *devices) names.push_back(device.text());
  return fail("R072",
              fmt::format("device 'cuda:{}' is not there: the driver finds {} CUDA device{}", ordinal, *count,
                          *count == 1 ? "" : "s"),
              names.empty() ? "use 'cpu', or a machine with an NVIDIA GPU (nvidia-smi lists them)"
                            : fmt::format("there {} {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
}

std::string_view ptx_target(int major, int minor) {
  std::string_view target;
  for (const TargetRow& row : target_rows)
    if (major * 10 + minor >= row.capability) target = row.target;
  return target;
}

int ptx_version(int driver_version) {
  // CUDA 12.N speaks PTX 8.N (PTX ISA, "Release notes"); LLVM 19 ends at 8.5.
  constexpr int lowest = 80, highest = 85, cuda_12 = 12000;
  return std::clamp(lowest + (driver_version - cuda_12) / 10, lowest, highest);
}

}  // namespace tilewright::cuda
