// Runs the blocks of a launch, a cluster's in turns.
#include "kernel/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <random>

#include "kernel/simulate/block.h"
#include "kernel/walk.h"

namespace tilewright::kernel {

using simulator::Block;
using simulator::Cluster;
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
  for (Block& block : blocks) {
    block.leave_copies();
    block.report_left_products();
  }
}

/// Numbers in the order in which they are to run.
void put_in_order(std::vector<std::uint32_t>& numbers, const SimulationOptions& options) {
  if (options.order == SimulationOrder::latest) std::ranges::reverse(numbers);
  if (options.order == SimulationOrder::random) {
    std::mt19937_64 random(options.seed);
    std::ranges::shuffle(numbers, random);
  }
}

/// Runs clusters one after the other.
void run_clusters(Grid& grid, std::span<const std::uint32_t> clusters) {
  const auto size = static_cast<std::uint32_t>(grid.program().kernel->block->cluster);
  Cluster resident;
  resident.blocks.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) resident.blocks.emplace_back(grid, i).join(resident);
  for (const std::uint32_t chosen : clusters) {
    for (std::uint32_t i = 0; i < size; ++i) resident.blocks[i].restart(chosen * size + i);
    resident.phase = 0;
    resident.arrived = resident.notes = 0;
    run_cluster(grid, resident.blocks);
    if (grid.stopped()) return;
  }
}

/// Whether blocks can learn of each other within a launch.
bool may_wait(const Kernel& kernel) {
  bool may = kernel.block->cluster > 1;
  walk(kernel.body, [&](const Op& op) {
    may = may || (op.code == Opcode::atomic && kernel.values[op.operands[0]].type.element == Element::ptr);
  });
  return may;
}

/// What a launch's parts have found.
struct Found {
  Diagnostics reports;
  SimulationCounters counters;

  void add(const Grid& grid) {
    reports.insert(reports.end(), grid.reports().begin(), grid.reports().end());
    counters += grid.counters();
  }
};

/// The blocks that are not checked fully, in parts; the first part that finds something counts.
void run_others(const simulator::Program& program, std::int64_t blocks, const std::vector<std::int64_t>& words,
                std::span<const SimulatedRange> memory, const SimulationOptions& given, Found& found) {
  SimulationOptions options = given;
  options.full_checks = options.counts = false;
  std::mutex mutex;
  std::int64_t first = blocks;
  given.parts(blocks, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::uint32_t> numbers;
    for (std::int64_t block = begin; block < end; ++block)
      if (!std::ranges::binary_search(given.checked, static_cast<std::uint32_t>(block)))
        numbers.push_back(static_cast<std::uint32_t>(block));
    if (numbers.empty()) return;
    put_in_order(numbers, options);
    Grid grid(program, blocks, words, memory, options);
    run_clusters(grid, numbers);
    const std::lock_guard lock(mutex);
    if (!grid.reports().empty() && begin < first) {
      first = begin;
      found.reports.clear();
      found.add(grid);
    } else if (grid.reports().empty()) {
      found.add(grid);
    }
  });
}

/// States of blocks become those of values: the launch is over.
void end_launch(std::span<const SimulatedRange> memory) {
  for (const SimulatedRange& range : memory)
    if (range.states != nullptr)
      for (std::int64_t i = 0; i < range.bytes; ++i) range.states[i] = std::min(range.states[i], SimulatedRange::given);
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
  if (auto legal = simulator::check_tensor_maps(program, *words); !legal) return std::unexpected(legal.error());
  if (blocks == 0) return SimulationCounters{};
  const bool sampled = !options.checked.empty() && options.parts && !may_wait(kernel);
  std::vector<std::uint32_t> clusters = options.checked;
  if (!sampled) {
    clusters.resize(static_cast<std::size_t>(blocks / cluster));
    std::iota(clusters.begin(), clusters.end(), 0U);
  }
  put_in_order(clusters, options);
  Found found;
  {
    Grid grid(program, blocks, *words, memory, options);
    run_clusters(grid, clusters);
    found.add(grid);
  }
  if (sampled && found.reports.empty()) run_others(program, blocks, *words, memory, options, found);
  end_launch(memory);
  if (!found.reports.empty()) return std::unexpected(std::move(found.reports));
  return found.counters;
}

Result<SimulationCounters> simulate(const Kernel& kernel, std::int64_t blocks, std::span<const Argument> arguments,
                                    std::span<const SimulatedRange> memory, const SimulationOptions& options) {
  auto simulator = Simulator::make(kernel);
  if (!simulator) return std::unexpected(simulator.error());
  return simulator->run(blocks, arguments, memory, options);
}

}  // namespace tilewright::kernel
