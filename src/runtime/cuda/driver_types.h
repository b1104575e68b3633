// The types and enumerators of the CUDA driver API that the runtime uses, declared here so that neither building nor
// running needs a toolkit. Names are the house's; each comment gives the driver's. Values and layouts are the binary
// interface of the CUDA Driver API reference ("Data types used by CUDA driver"), which a driver keeps for ever.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilewright::cuda {

/// CUresult: the values that the runtime tells apart. Others occur too, and print by the driver's text.
enum class Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  deinitialized = 4,
  no_device = 100,
  invalid_image = 200,
  no_binary_for_gpu = 209,
  ecc_uncorrectable = 214,
  invalid_ptx = 218,
  nvlink_uncorrectable = 220,
  unsupported_ptx_version = 222,
  contained = 226,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_timeout = 702,
  context_is_destroyed = 709,
  assertion = 710,
  hardware_stack_error = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719,
  tensor_memory_leak = 721,
  not_supported = 801,
  stream_capture_invalidated = 901,
};

using DeviceHandle = int;             ///< CUdevice
using DevicePointer = std::uint64_t;  ///< CUdeviceptr
using ContextHandle = struct ContextObject*;
using StreamHandle = struct StreamObject*;
using EventHandle = struct EventObject*;
using ModuleHandle = struct ModuleObject*;
using FunctionHandle = struct FunctionObject*;
using LinkHandle = struct LinkObject*;
using PoolHandle = struct PoolObject*;
using GraphHandle = struct GraphObject*;
using GraphExecHandle = struct GraphExecObject*;

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_grid_x = 5,
  max_grid_y = 6,
  max_grid_z = 7,
  shared_bytes_per_block = 8,
  warp_size = 10,
  registers_per_block = 12,
  clock_khz = 13,
  multiprocessors = 16,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  max_threads_per_multiprocessor = 39,
  capability_major = 75,
  capability_minor = 76,
  shared_bytes_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
  shared_bytes_per_block_optin = 97,
  max_blocks_per_multiprocessor = 106,
  reserved_shared_bytes_per_block = 111,
  memory_pools = 115,
  cluster_launch = 120,
  tensor_maps = 127,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_bytes = 1,
  local_bytes = 3,
  registers = 4,
  ptx_version = 5,
  binary_version = 6,
  max_dynamic_shared_bytes = 8,
  non_portable_cluster_size = 14,
};

/// CUmemPool_attribute; both of 64 bits.
enum class PoolAttribute : int { release_threshold = 4, reserved_bytes = 5, used_bytes = 7 };

/// CUjit_option. A value stands in the pointer itself, at its own width.
enum class LinkOption : int {
  max_registers = 0,
  info_log = 3,
  info_log_bytes = 4,
  error_log = 5,
  error_log_bytes = 6,
  optimization_level = 7,
  verbose_log = 12,
};

/// CUjitInputType.
enum class LinkInput : int { cubin = 0, ptx = 1 };

// Flags.
inline constexpr unsigned stream_non_blocking = 1;   ///< CU_STREAM_NON_BLOCKING
inline constexpr unsigned event_disable_timing = 2;  ///< CU_EVENT_DISABLE_TIMING
inline constexpr unsigned host_memory_portable = 1;  ///< CU_MEMHOSTALLOC_PORTABLE: pinned for every context
inline constexpr int capture_mode_thread_local = 1;  ///< CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

/// CUlaunchAttributeID.
enum class LaunchAttributeId : int { cluster_dimension = 4, programmatic_stream_serialization = 6 };

/// CUlaunchAttribute.
struct LaunchAttribute {
  union Value {
    struct {
      unsigned x, y, z;
    } cluster;
    int flag;
    std::array<char, 64> bytes;
  };
  LaunchAttributeId id{};
  int padding = 0;
  alignas(8) Value value{.bytes = {}};
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned block_x = 1, block_y = 1, block_z = 1;
  unsigned shared_bytes = 0;
  StreamHandle stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, stream) == 32);

/// CUtensorMap: what a kernel takes by value, as a `.param` of 128 bytes aligned to 64 or more.
struct alignas(128) TensorMap {
  std::array<std::uint64_t, 16> words{};
};
static_assert(sizeof(TensorMap) == 128);

/// CUtensorMapDataType.
enum class TensorMapType : int {
  u8 = 0,
  u16 = 1,
  u32 = 2,
  i32 = 3,
  u64 = 4,
  i64 = 5,
  f16 = 6,
  f32 = 7,
  f64 = 8,
  bf16 = 9,
  tf32 = 11,
};
/// CUtensorMapSwizzle: bytes of a row of the box that one pattern spans.
enum class TensorMapSwizzle : int { none = 0, bytes_32 = 1, bytes_64 = 2, bytes_128 = 3 };
/// CUtensorMapL2promotion.
enum class TensorMapPromotion : int { none = 0, bytes_64 = 1, bytes_128 = 2, bytes_256 = 3 };
/// CUtensorMapFloatOOBfill.
enum class TensorMapFill : int { zero = 0, nan = 1 };

}  // namespace tilewright::cuda
