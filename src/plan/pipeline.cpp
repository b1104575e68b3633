// The tables of passes and their runner. See pipeline.h.
#include "plan/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include "kernel/passes/pipeline.h"
#include "kernel/shared_memory.h"
#include "kernel/summarize.h"
#include "nest/passes/repack_operands.h"
#include "nest/passes/schedule_for_gpu.h"
#include "nest/passes/split_factors.h"
#include "tile/passes/nest_to_tile.h"
#include "tile/passes/order_points.h"
#include "tile/passes/pipeline_copies.h"
#include "tile/passes/place_for_gpu.h"
#include "tile/passes/place_for_host.h"
#include "tile/passes/prefetch_sums.h"
#include "tile/passes/stage_stores.h"
#include "tile/passes/stream_stores.h"
#include "tile/passes/use_matrix_units.h"
#include "tile/summarize.h"

namespace tilewright::plan {
namespace {

using enum Level;

/// The stores of a split reduction's parts are read back at once.
bool is_split(const Unit& unit) {
  return unit.nest.schedule.split_iter.valid() && unit.nest.schedule.split > 0;
}

Result<void> take_reasons(Unit& unit, Result<nest::Reasons> reasons) {
  if (!reasons) return std::unexpected(std::move(reasons.error()));
  unit.reasons = *std::move(reasons);
  return {};
}

Result<void> take_copies(Unit& unit, nest::OperandCopies copies) {
  std::ranges::move(copies.operands, std::back_inserter(unit.copies));
  return take_reasons(unit, std::move(copies.reasons));
}

template <class Target>
Result<void> to_tile(Unit& unit, const Target&) {
  unit.program = tile::nest_to_tile(unit.nest, unit.facts);
  return {};
}

template <class Target>
Result<void> to_kernel(Unit& unit, const Target& target) {
  unit.lowered = kernel::tile_to_kernel(unit.program, target);
  return {};
}

/// N052: a schedule stages more than a block can hold.
Result<void> check_shared_memory(const Unit& unit, const GpuTarget& target) {
  const std::int64_t bytes = kernel::shared_layout(unit.lowered.kernel).bytes;
  if (bytes <= target.max_block_shared_bytes) return {};
  return fail("N052",
              fmt::format("the staged tiles of {} take {} bytes of shared memory, and a block of {} has at most {}",
                          unit.nest.name, bytes, target.arch, target.max_block_shared_bytes),
              "give smaller tiles, fewer stages, or cache fewer operands");
}

// clang-format off
constexpr std::array host_table = {
    Pass<HostTarget>{"schedule_for_host", nest, nest,
                     [](Unit& unit, const HostTarget& target) {
                       return take_reasons(unit, nest::schedule_for_host(unit.nest, unit.facts, target));
                     },
                     "complete the loops for the processor"},
    Pass<HostTarget>{"nest_to_tile", nest, tile, to_tile<HostTarget>,
                     "loops become scopes, registers become tiles"},
    Pass<HostTarget>{"place_for_host", tile, tile,
                     [](Unit& unit, const HostTarget& target) {
                       return tile::place_for_host(unit.program, unit.nest, target), Result<void>();
                     },
                     "staging, layouts and lanes"},
    Pass<HostTarget>{"prefetch_sums", tile, tile,
                     [](Unit& unit, const HostTarget&) { return tile::prefetch_sums(unit.program), Result<void>(); },
                     "fetch what a loop's sums will be added to"},
    Pass<HostTarget>{"stream_stores", tile, tile,
                     [](Unit& unit, const HostTarget& target) {
                       if (!is_split(unit)) tile::stream_stores(unit.program, unit.facts, target);
                       return Result<void>();
                     },
                     "store large outputs past the caches"},
    Pass<HostTarget>{"tile_to_kernel", tile, kernel, to_kernel<HostTarget>,
                     "tiles become values, accesses running pointers"},
    // the kernel passes
};

constexpr std::array gpu_table = {
    Pass<GpuTarget>{"split_factors", nest, nest,
                      [](Unit& unit, const GpuTarget& target) {
                        return take_copies(unit, nest::split_factors(unit.nest, unit.facts, target));
                      },
                      "products of f32 as sums of products of bf16, where the precision says so"},
    Pass<GpuTarget>{"repack_operands", nest, nest,
                      [](Unit& unit, const GpuTarget& target) {
                        return take_copies(unit, nest::repack_operands(unit.nest, unit.facts, target));
                      },
                      "read misaligned operands from aligned copies"},
    Pass<GpuTarget>{"schedule_for_gpu", nest, nest,
                      [](Unit& unit, const GpuTarget& target) {
                        return take_reasons(unit, nest::schedule_for_gpu(unit.nest, unit.facts, target));
                      },
                      "complete the loops for blocks of threads"},
    Pass<GpuTarget>{"nest_to_tile", nest, tile, to_tile<GpuTarget>,
                      "loops become scopes, registers become tiles"},
    Pass<GpuTarget>{"place_for_gpu", tile, tile,
                      [](Unit& unit, const GpuTarget& target) {
                        return tile::place_for_gpu(unit.program, unit.nest, target), Result<void>();
                      },
                      "shared memory, barriers and lanes"},
    Pass<GpuTarget>{"use_matrix_units", tile, tile,
                      [](Unit& unit, const GpuTarget&) {
                        return tile::use_matrix_units(unit.program, unit.nest), Result<void>();
                      },
                      "contractions by matrix units, where the schedule says so"},
    Pass<GpuTarget>{"pipeline_copies", tile, tile,
                      [](Unit& unit, const GpuTarget& target) {
                        return tile::pipeline_copies(unit.program, unit.nest, unit.facts, target), Result<void>();
                      },
                      "copies into shared memory run ahead"},
    Pass<GpuTarget>{"order_points", tile, tile,
                      [](Unit& unit, const GpuTarget& target) {
                        return tile::order_points(unit.program, unit.facts, target), Result<void>();
                      },
                      "bands and clusters of blocks"},
    Pass<GpuTarget>{"stage_stores", tile, tile,
                      [](Unit& unit, const GpuTarget& target) {
                        return tile::stage_stores(unit.program, unit.nest, unit.facts, target), Result<void>();
                      },
                      "outputs leave by the copy engine"},
    Pass<GpuTarget>{"tile_to_kernel", tile, kernel,
                      [](Unit& unit, const GpuTarget& target) {
                        unit.lowered = kernel::tile_to_kernel(unit.program, target);
                        return check_shared_memory(unit, target);
                      },
                      "tiles become values, accesses running pointers"},
    // the kernel passes
};
// clang-format on

template <class Target, std::size_t number>
Result<void> run_kernel_pass(Unit& unit, const Target& target) {
  kernel::kernel_passes[number].run(unit.lowered.kernel, kernel::kernel_facts(target));
  return {};
}

/// A table with the kernel passes (kernel/passes/pipeline.h) behind it.
template <class Target, std::size_t above, std::size_t... number>
constexpr auto with_kernel_passes(const std::array<Pass<Target>, above>& table, std::index_sequence<number...>) {
  std::array<Pass<Target>, above + sizeof...(number)> all{};
  std::ranges::copy(table, all.begin());
  ((all[above + number] = Pass<Target>{kernel::kernel_passes[number].name, Level::kernel, Level::kernel,
                                       run_kernel_pass<Target, number>, kernel::kernel_passes[number].description}),
   ...);
  return all;
}

constexpr auto kernel_numbers = std::make_index_sequence<kernel::kernel_passes.size()>();
constexpr auto all_host_passes = with_kernel_passes(host_table, kernel_numbers);
constexpr auto all_gpu_passes = with_kernel_passes(gpu_table, kernel_numbers);

/// What `of` gives for the representation that the unit has at a level.
template <class Function>
auto at(Level level, const Unit& unit, Function of) {
  switch (level) {
    case nest:
      return of(unit.nest);
    case tile:
      return of(unit.program);
    case kernel:
      return of(unit.lowered.kernel);
  }
  internal_error("unknown level");
}

std::string text_at(Level level, const Unit& unit) {
  return at(level, unit, [](const auto& ir) { return to_text(ir); });
}

}  // namespace

std::span<const Pass<HostTarget>> host_passes() {
  return all_host_passes;
}

std::span<const Pass<GpuTarget>> gpu_passes() {
  return all_gpu_passes;
}

template <class Target>
Result<void> run_passes(std::span<const Pass<Target>> passes, Unit& unit, const Target& target, nest::Trace* trace) {
  using Clock = std::chrono::steady_clock;
  std::string before = trace != nullptr ? text_at(passes.front().input, unit) : "";
  for (const Pass<Target>& pass : passes) {
    unit.reasons.clear();
    const Clock::time_point start = Clock::now();
    if (Result<void> done = pass.run(unit, target); !done) return done;
    const std::chrono::duration<double> spent = Clock::now() - start;
    if (const Result<void> sound = at(pass.output, unit, [](const auto& ir) { return verify(ir); }); !sound)
      internal_error(fmt::format("after {}: {}\n{}", pass.name, render(sound.error()), text_at(pass.output, unit)));
    if (trace == nullptr) continue;
    std::string text = text_at(pass.output, unit);
    if (pass.input == pass.output && text == before && unit.reasons.empty()) continue;
    nest::TraceEntry entry;
    entry.pass = pass.name;
    entry.description = pass.description;
    entry.kind = pass.input == pass.output ? nest::PassKind::transform : nest::PassKind::lowering;
    entry.summary = at(pass.output, unit, [](const auto& ir) { return summarize(ir); });
    entry.text = before = std::move(text);
    entry.notes = unit.reasons;
    entry.seconds = spent.count();
    trace->entries.push_back(std::move(entry));
  }
  return {};
}

template Result<void> run_passes(std::span<const Pass<HostTarget>>, Unit&, const HostTarget&, nest::Trace*);
template Result<void> run_passes(std::span<const Pass<GpuTarget>>, Unit&, const GpuTarget&, nest::Trace*);

}  // namespace tilewright::plan
