// What schedules, lowerings and code generators must know of a machine: data, never a switch in a pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  std::int64_t l3_bytes = 8 << 20;  ///< shared by all cores
  int threads = 1;                  ///< that run at once
};

}  // namespace tilewright
