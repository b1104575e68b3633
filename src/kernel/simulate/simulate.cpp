// Runs the blocks of a launch, a cluster's in turns.
#include "kernel/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "kernel/simulate/block.h"

namespace tilewright::kernel {

using simulator::Block;
using simulator::Grid;

struct Simulator::Program {
  simulator::Program program;
};

namespace {

/// Blocks run until all have ended, one step of the order at a time.
void run_cluster(Grid& grid, std::vector<Block>& blocks) {
  while (!grid.stopped()) {
    std::vector<Block*> able;
    for (Block& block : blocks)
      if (!block.is_done()) able.push_back(&block);
    if (able.empty()) break;
    bool moved = false;
    while (!moved && !able.empty()) {
      const std::size_t chosen = grid.choose(able.size());
      moved = able[chosen]->advance();
      if (!moved) able.erase(able.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    if (moved) continue;
    // A load that ends as late as it may.
    if (std::ranges::any_of(blocks, [](Block& block) { return block.end_a_load(); })) continue;
    for (Block& block : blocks)
      if (!block.is_done()) block.report_stuck();
    return;
  }
  for (Block& block : blocks) block.leave_stores();
}

std::vector<std::uint32_t> cluster_order(std::uint32_t clusters, const SimulationOptions& options) {
  std::vector<std::uint32_t> order(clusters);
  std::iota(order.begin(), order.end(), 0U);
  if (options.order == SimulationOrder::latest) std::ranges::reverse(order);
  if (options.order == SimulationOrder::random) {
    std::mt19937_64 random(options.seed);
    std::ranges::shuffle(order, random);
  }
  return order;
}

}  // namespace

Result<Simulator> Simulator::make(const Kernel& kernel) {
  if (auto legal = verify(kernel); !legal) return std::unexpected(legal.error());
  if (!kernel.block)
    return fail("K201", fmt::format("kernel {} is a host's, which no grid runs", kernel.name), "a kernel of a GPU");
  auto program = simulator::make_program(kernel);
  if (!program) return std::unexpected(program.error());
  return Simulator(std::make_shared<const Program>(Program{*std::move(program)}));
}

Result<SimulationCounters> Simulator::run(std::int64_t blocks, std::span<const Argument> arguments,
                                          std::span<const SimulatedRange> memory,
                                          const SimulationOptions& options) const {
  const simulator::Program& program = program_->program;
  const Kernel& kernel = *program.kernel;
  const std::int64_t cluster = kernel.block->cluster;
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  if (blocks < 0 || blocks > most || blocks % cluster != 0)
    return fail("K201", fmt::format("kernel {} is launched with {} blocks", kernel.name, blocks),
                fmt::format("0 to {}, in clusters of {}", most, cluster));
  auto words = interpreter::argument_words(kernel, arguments);
  if (!words) return std::unexpected(words.error());
  if (blocks == 0) return SimulationCounters{};
  Grid grid(program, blocks, *std::move(words), memory, options);
  std::vector<Block> resident;
  resident.reserve(static_cast<std::size_t>(cluster));
  for (std::int64_t i = 0; i < cluster; ++i) resident.emplace_back(grid, static_cast<std::uint32_t>(i));
  for (const std::uint32_t chosen : cluster_order(static_cast<std::uint32_t>(blocks / cluster), options)) {
    for (std::uint32_t i = 0; i < resident.size(); ++i)
      resident[i].restart(chosen * static_cast<std::uint32_t>(cluster) + i);
    run_cluster(grid, resident);
    if (grid.stopped()) break;
  }
  if (!grid.reports().empty()) return std::unexpected(grid.reports());
  return grid.counters();
}

Result<SimulationCounters> simulate(const Kernel& kernel, std::int64_t blocks, std::span<const Argument> arguments,
                                    std::span<const SimulatedRange> memory, const SimulationOptions& options) {
  auto simulator = Simulator::make(kernel);
  if (!simulator) return std::unexpected(simulator.error());
  return simulator->run(blocks, arguments, memory, options);
}

}  // namespace tilewright::kernel
