// What schedules, lowerings and code generators must know of a machine: data, never a switch in a pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/scalar_op.h"

namespace tilewright {

/// A CPU.
struct HostTarget {
  std::string cpu;                    ///< LLVM's name: "znver3"
  std::vector<std::string> features;  ///< "+avx2", …
  int vector_bytes = 16;              ///< 16 (SSE2, NEON), 32 (AVX2) or 64 (AVX-512)
  int vector_registers = 16;
  bool has_fma = false;
  bool has_half = false;           ///< converts f16 in hardware
  bool has_masked_memory = false;  ///< masked loads and stores of 32- and 64-bit lanes in hardware
  std::int64_t l1_bytes = 32 << 10;
  std::int64_t l2_bytes = 512 << 10;
  std::int64_t l3_bytes = 8 << 20;  ///< shared by all cores; of a larger one on the chip, what they can hope for
  int threads = 1;                  ///< that run at once
};

/// A GPU: an NVIDIA architecture, as the CUDA C++ Programming Guide's table of technical specifications has it, or what
/// all of Apple's GPUs of the families Apple7 to Apple9 have, as the Metal Feature Set Tables have it.
struct GpuTarget {
  std::string arch;                     ///< "sm_90a", "metal"
  int capability = 80;                  ///< of NVIDIA's: 10 · major + minor; of others 0
  int ptx_version = 78;                 ///< of NVIDIA's text: 10 · major + minor
  bool has_hopper_ops = false;          ///< the ops of sm_90a: warpgroup products, register reallocation
  bool has_warp_products = false;       ///< of matrices, by `mma.sync`
  bool has_simdgroup_products = false;  ///< of matrices, of Apple's GPUs
  bool has_tensor_maps = false;         ///< what launches kernels can give the copy engine descriptions of tensors
  bool has_async_copies = true;         ///< from memory to a block's shared memory, beside its other work
  bool has_f64 = true;
  int max_buffers = 1024;  ///< that a kernel can be given
  /// Blocks that all launches of a call may have of a kernel whose blocks lie along several axes: each divides its
  /// number, in 32 bits. 0: as many as 63 bits hold.
  std::int64_t max_divided_blocks = 0;
  std::vector<Precision> precisions{Precision::exact};  ///< the tiers that kernels can be asked for
  int warp_threads = 32;
  int multiprocessors = 132;  ///< of the device whose figures weigh candidates: an H200
  int max_block_threads = 1024;
  int max_multiprocessor_threads = 2048;
  int max_multiprocessor_blocks = 32;
  int multiprocessor_registers = 65536;
  int max_thread_registers = 255;
  std::int64_t max_block_shared_bytes = 163 << 10;
  std::int64_t multiprocessor_shared_bytes = 164 << 10;
  std::int64_t system_shared_bytes = 1 << 10;                ///< that each block takes of it beside its own
  int max_cluster_blocks = 1;                                ///< that any device of the architecture can hold
  double launch_cycles = 7000;                               ///< that one more kernel adds to a call, beside its bytes
  std::int64_t most_repacked_bytes = std::int64_t{8} << 30;  ///< of a call's copies of its operands, at most
};

/// What code is generated for: "sm_80", "sm_89", "sm_90a", "metal". Null for any other name.
const GpuTarget* gpu_target_named(std::string_view arch);

}  // namespace tilewright
