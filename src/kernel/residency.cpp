// How many blocks share a multiprocessor. See residency.h.
#include "kernel/residency.h"

#include <algorithm>
#include <array>

#include "kernel/shared_memory.h"

namespace tilewright::kernel {
namespace {

constexpr std::int64_t shared_granule = 128;    ///< bytes that shared memory is given out by
constexpr std::int64_t register_granule = 256;  ///< registers that a warp is given at a time
constexpr std::int64_t schedulers = 4;          ///< of a multiprocessor, each with a quarter of its registers

std::int64_t round_up(std::int64_t value, std::int64_t granule) {
  return (value + granule - 1) / granule * granule;
}

/// Registers of a thread that so many warps leave it, dealt to the schedulers evenly.
std::int64_t most_registers(std::int64_t warps, const GpuTarget& target) {
  const std::int64_t of_warp = target.multiprocessor_registers / round_up(warps, schedulers);
  return std::min<std::int64_t>(of_warp / register_granule * register_granule / target.warp_threads,
                                target.max_thread_registers);
}

/// Warps of so many registers a thread that a multiprocessor holds.
std::int64_t warps_by_registers(std::int64_t registers, const GpuTarget& target) {
  const std::int64_t of_warp = std::max(round_up(registers * target.warp_threads, register_granule), register_granule);
  return target.multiprocessor_registers / schedulers / of_warp * schedulers;
}

}  // namespace

Residency residency(const Kernel& kernel, const GpuTarget& target, std::optional<std::int64_t> registers) {
  Residency result;
  result.threads = kernel.block->threads;
  result.shared_bytes = shared_layout(kernel).bytes;
  const std::int64_t warps = round_up(result.threads, target.warp_threads) / target.warp_threads;
  result.measured = registers.has_value();
  result.registers =
      registers.value_or(most_registers(std::max<std::int64_t>(kernel.block->resident, 1) * warps, target));

  const std::int64_t shared = round_up(result.shared_bytes, shared_granule) + target.system_shared_bytes;
  struct Limit {
    std::int64_t blocks;
    std::string_view name;
  };
  const std::array limits{
      Limit{target.max_multiprocessor_threads / (warps * target.warp_threads), "threads"},
      Limit{target.max_multiprocessor_blocks, "blocks"},
      Limit{target.multiprocessor_shared_bytes / shared, "shared memory"},
      Limit{warps_by_registers(result.registers, target) / warps, "registers"},
  };
  const auto least = std::ranges::min_element(limits, {}, &Limit::blocks);
  result.blocks = least->blocks;
  result.limit = least->name;
  return result;
}

}  // namespace tilewright::kernel
