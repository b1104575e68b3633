// What of a multiprocessor the blocks of a GPU kernel take, and how many it therefore runs at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernel/ir.h"
#include "support/target.h"

namespace tilewright::kernel {

struct Residency {
  std::int64_t threads = 0;       ///< of a block
  std::int64_t shared_bytes = 0;  ///< of a block, for its buffers
  std::int64_t registers = 0;     ///< of a thread
  std::int64_t local_bytes = 0;   ///< of a thread in memory: spills and arrays; only where registers are measured
  bool measured = false;          ///< registers are those of machine code, not the most that the launch allows
  std::int64_t blocks = 0;        ///< on a multiprocessor at once; 0: the kernel does not fit
  std::string_view limit;         ///< what allows no more: "threads", "blocks", "shared memory" or "registers"
};

/// Of the kernels of a compiled statement, in the plan's order; of a processor's none.
struct Occupancy {
  std::vector<Residency> kernels;
  std::int64_t multiprocessors = 0;  ///< of the device; of the one that the simulator stands for
  std::int64_t most_threads = 0;     ///< that a multiprocessor runs at once
};

/// `registers`: what the machine code takes of a thread; where none is there to be asked, the kernel's bound, at the
/// least as many blocks as the kernel asks for. Rules of allocation: CUDA C++ Programming Guide, compute capabilities,
/// and the occupancy calculator's: a warp's registers come in pieces of 256 from its scheduler's quarter of them.
Residency residency(const Kernel& kernel, const GpuTarget& target, std::optional<std::int64_t> registers);

}  // namespace tilewright::kernel
