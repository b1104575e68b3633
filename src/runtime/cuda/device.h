// NVIDIA GPUs: which there are, what each can do, and what PTX to give it. Above it stands context.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cuda/driver.h"

namespace tilewright::cuda {

struct DeviceProperties {
  int ordinal = 0;  ///< N of "cuda:N"
  std::string name;
  int major = 0;  ///< compute capability
  int minor = 0;
  int multiprocessors = 0;
  int warp_size = 32;
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;  ///< the most that one block may have, where the function asks for it
  std::int64_t shared_bytes_per_multiprocessor = 0;
  std::int64_t reserved_shared_bytes = 0;  ///< of each block, for the system, beyond what it asked for
  int registers_per_block = 0;
  int registers_per_multiprocessor = 0;
  int max_threads_per_block = 0;
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  std::int64_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  bool has_memory_pools = false;  ///< stream-ordered allocation
  bool has_clusters = false;
  bool has_tensor_maps = false;

  std::string device_name() const;    ///< "cuda:0"
  std::string text() const;           ///< "cuda:0 (NVIDIA H200)"
  std::string binary_target() const;  ///< "sm_90": whose cubins it runs
};

/// N of "cuda:N"; 0 of "cuda". R072: anything else.
Result<int> parse_device_name(std::string_view name);

/// All devices of the driver, by ordinal. R090.
Result<std::vector<DeviceProperties>> list_devices(const Driver& driver);
/// R072: there is no such device (says which there are), or it is older than compute capability 8.0.
Result<DeviceProperties> find_device(const Driver& driver, int ordinal);

/// The `.target` of the PTX to compile for a device: its own where LLVM 19 has one with its instructions (sm_80, sm_89,
/// sm_90a), else the next lower one that the driver compiles for it; empty below 8.0. Code for an 'a' target runs on
/// that capability alone, so later devices get plain sm_90.
std::string_view ptx_target(int major, int minor);
/// The version of the PTX language to write: the highest that both LLVM 19 and a driver of this version know, as 85
/// for 8.5. Requires a driver of CUDA 12.0 or later.
int ptx_version(int driver_version);

}  // namespace tilewright::cuda
