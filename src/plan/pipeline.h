// The pipelines: for each target one table of everything that happens between a nest with its schedule lines and a
// kernel for code generation, to be read from top to bottom, and the one runner over them.
#pragma once

#include <span>
#include <string_view>

#include "kernel/lower/tile_to_kernel.h"
#include "nest/facts.h"
#include "nest/passes/copy_operand.h"
#include "nest/passes/schedule_for_host.h"
#include "nest/trace.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::plan {

enum class Level : std::uint8_t { nest, tile, kernel };

/// One kernel on its way down. The levels above stay as they were left: passes ask the nest for its decisions.
struct Unit {
  nest::Nest nest;
  nest::Facts facts;
  tile::Program program;                    ///< from Level::tile on
  kernel::LoweredKernel lowered;            ///< from Level::kernel on
  nest::Reasons reasons;                    ///< of the last pass, a line each
  std::vector<nest::OperandCopy> copies{};  ///< of operands, to be made before this kernel runs
};

template <class Target>
struct Pass {
  std::string_view name;
  Level input;
  Level output;
  Result<void> (*run)(Unit& unit, const Target& target);
  std::string_view description;
};

std::span<const Pass<HostTarget>> host_passes();
std::span<const Pass<GpuTarget>> gpu_passes();

/// Runs the passes in order and verifies what each one leaves, so that a broken IR is an internal error that names its
/// pass. With a trace, each pass that changed something or says why it did not appends an entry with its time. Errors:
/// the passes' (a schedule that the target cannot run); none of the host's passes has any.
template <class Target>
Result<void> run_passes(std::span<const Pass<Target>> passes, Unit& unit, const Target& target, nest::Trace* trace);

}  // namespace tilewright::plan
