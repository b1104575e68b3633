// The table of GPU architectures.
#include "support/target.h"

#include <algorithm>
#include <array>

namespace tilewright {

namespace {

const std::array<GpuTarget, 4>& gpu_targets() {
  static const std::array<GpuTarget, 4> targets = {
      GpuTarget{.arch = "sm_80",
                .capability = 80,
                .ptx_version = 78,
                .has_warp_products = true,
                .precisions = {Precision::exact, Precision::tf32, Precision::tf32x3}},
      GpuTarget{.arch = "sm_89",
                .capability = 89,
                .ptx_version = 78,
                .has_warp_products = true,
                .precisions = {Precision::exact, Precision::tf32, Precision::tf32x3},
                .max_multiprocessor_threads = 1536,
                .max_multiprocessor_blocks = 24,
                .max_block_shared_bytes = 99 << 10,
                .multiprocessor_shared_bytes = 100 << 10},
      GpuTarget{.arch = "sm_90a",
                .capability = 90,
                .ptx_version = 80,
                .has_hopper_ops = true,
                .has_warp_products = true,
                .has_tensor_maps = true,
                .precisions = {Precision::exact, Precision::tf32, Precision::tf32x3},
                .max_block_shared_bytes = 227 << 10,
                .multiprocessor_shared_bytes = 228 << 10,
                .max_cluster_blocks = 8},
      GpuTarget{.arch = "metal",
                .capability = 0,
                .has_simdgroup_products = true,
                .has_async_copies = false,
                .has_f64 = false,
                .max_buffers = 31,
                .max_divided_blocks = 0x7fffffff,
                .max_multiprocessor_threads = 1024,
                .multiprocessor_registers = 53248,
                .max_thread_registers = 128,
                .max_block_shared_bytes = 32 << 10,
                .multiprocessor_shared_bytes = 64 << 10}};
  return targets;
}

}  // namespace

const GpuTarget* gpu_target_named(std::string_view arch) {
  const auto found = std::ranges::find(gpu_targets(), arch, &GpuTarget::arch);
  return found == gpu_targets().end() ? nullptr : &*found;
}

}  // namespace tilewright
