// Prepares and simulates a GPU's plan.
#include "runtime/simulated_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/host_memory.h"
#include "runtime/thread_pool.h"

namespace tilewright {
namespace {

/// The bytes that a view's elements reach, from its address.
kernel::SimulatedRange reach_of(const TensorView& view) {
  std::int64_t low = 0, high = 0;
  for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] == 0) return {};
    const std::int64_t last = (view.shape[axis] - 1) * view.strides[axis];
    (last < 0 ? low : high) += last;
  }
  const auto element = static_cast<std::int64_t>(size_of(view.dtype));
  return {reinterpret_cast<std::byte*>(low * element), (high - low + 1) * element, false, true};
}

/// A state a byte. Memory that is zero from the start takes no room where nothing is written.
struct Release {
  void operator()(std::uint8_t* states) const { std::free(states); }
};
using States = std::unique_ptr<std::uint8_t, Release>;
States allocate_states(std::int64_t bytes) {
  static_assert(kernel::SimulatedRange::unwritten == 0);
  return States(static_cast<std::uint8_t*>(std::calloc(static_cast<std::size_t>(bytes), 1)));
}

/// As many blocks in a row as a device's grid has.
constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
/// Of kernels whose blocks can run several.
constexpr std::int64_t points_of_a_block = 2;

/// Launches of no more blocks are checked whole.
constexpr std::int64_t few_blocks = 32;
/// A grid of many axes has more combinations of ends than are worth it.
constexpr std::size_t most_checked = 256;

}  // namespace

std::vector<std::uint32_t> blocks_to_check(const std::vector<std::int64_t>& grid) {
  std::int64_t points = 1;
  for (const std::int64_t count : grid) points *= count;
  if (points <= few_blocks || points > most_blocks) return {};
  std::vector<std::uint32_t> blocks{0};
  for (const std::int64_t count : grid) {
    std::vector<std::uint32_t> further;
    std::vector<std::int64_t> places{0, count / 2, count - 1};
    places.erase(std::ranges::unique(places).begin(), places.end());
    for (const std::uint32_t block : blocks)
      for (const std::int64_t place : places) further.push_back(static_cast<std::uint32_t>(block * count + place));
    blocks = std::move(further);
  }
  if (blocks.size() > most_checked) blocks.resize(most_checked);
  return blocks;
}

Result<void> make_simulators(SimulatedPlan& plan) {
  for (const kernel::LoweredKernel& lowered : plan.kernels) {
    auto simulator = kernel::Simulator::make(lowered.kernel);
    if (!simulator) return std::unexpected(std::move(simulator.error()));
    plan.simulators.push_back(std::move(*simulator));
  }
  return {};
}

Result<SimulatedCall> SimulatedCall::prepare(std::shared_ptr<const SimulatedPlan> plan,
                                             const std::vector<TensorView>& views) {
  auto recorded = record_call(*plan, views);
  if (!recorded) return std::unexpected(std::move(recorded.error()));
  SimulatedCall call;
  call.plan_ = std::move(plan);
  call.call_ = std::move(*recorded);
  for (const TensorView& view : views) call.reach_.push_back(reach_of(view));
  call.reach_.back().writable = true;
  return call;
}

Result<void> SimulatedCall::run(const std::vector<std::byte*>& addresses, const kernel::SimulationOptions& options,
                                kernel::SimulationCounters* counters) const {
  std::vector<kernel::SimulatedRange> memory = reach_;
  for (std::size_t v = 0; v < memory.size(); ++v)
    memory[v].data = addresses[v] + reinterpret_cast<std::intptr_t>(memory[v].data);
  std::vector<std::byte*> bases = addresses;
  HostMemory workspace(allocate_host(call_.workspace_bytes));
  if (!workspace)
    return fail("R081", "no memory for a workspace of " + std::to_string(call_.workspace_bytes) + " bytes");
  std::memset(workspace.get(), 0xFF, static_cast<std::size_t>(call_.workspace_bytes));
  bases.push_back(workspace.get());
  memory.push_back({workspace.get(), call_.workspace_bytes, true, false});
  std::vector<States> states;  // of what kernels write
  for (kernel::SimulatedRange& range : memory) {
    if (!range.writable || range.bytes == 0) continue;
    states.push_back(allocate_states(range.bytes));
    range.states = states.back().get();
    if (range.states == nullptr)
      return fail("R081", "no memory to follow " + std::to_string(range.bytes) + " bytes that kernels may write");
  }
  for (const RecordedCall::Step& step : call_.steps) {
    if (const auto* fill = std::get_if<RecordedCall::FillStep>(&step)) {
      fill_on_host(*fill, bases);
      const kernel::SimulatedRange& range = memory[fill->tensor];
      std::fill_n(range.states, range.bytes, kernel::SimulatedRange::given);
    } else if (auto done = launch(std::get<RecordedCall::LaunchStep>(step), bases, memory, options, counters); !done) {
      return done;
    }
  }
  return {};
}

/// As many launches as a grid's limit asks for.
Result<void> SimulatedCall::launch(const RecordedCall::LaunchStep& step, const std::vector<std::byte*>& bases,
                                   const std::vector<kernel::SimulatedRange>& memory,
                                   const kernel::SimulationOptions& given, kernel::SimulationCounters* counters) const {
  kernel::SimulationOptions options = given;
  options.counts = counters != nullptr;
  if (options.checked.empty() && options.full_checks) options.checked = blocks_to_check(step.grid);
  if (!options.parts)
    options.parts = [](std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
      parallel_for(0, count, 1, body);
    };
  const std::vector<std::int64_t> words = patched_arguments(step, bases);
  std::vector<kernel::Argument> arguments(words.begin(), words.end());
  for (const RecordedCall::Patch& patch : step.patches)
    arguments[patch.slot] = reinterpret_cast<std::byte*>(words[patch.slot]);
  std::vector<kernel::TensorMap> maps = patched_maps(step, words);
  for (std::size_t m = 0; m < maps.size(); ++m) arguments[step.maps[m].slot] = reinterpret_cast<std::byte*>(&maps[m]);
  for (std::int64_t begin = 0; begin < step.points; begin += most_blocks) {
    if (step.begin_slot) arguments[*step.begin_slot] = begin;
    std::int64_t blocks = std::min(step.points - begin, most_blocks);
    if (step.end_slot) {
      arguments[*step.end_slot] = begin + blocks;
      const std::int64_t cluster = plan_->kernels[step.kernel].kernel.block->cluster;
      blocks = (blocks + points_of_a_block * cluster - 1) / (points_of_a_block * cluster) * cluster;
      for (std::uint32_t& checked : options.checked) checked %= static_cast<std::uint32_t>(blocks);
      std::ranges::sort(options.checked);
      options.checked.erase(std::ranges::unique(options.checked).begin(), options.checked.end());
    }
    auto done = plan_->simulators[step.kernel].run(blocks, arguments, memory, options);
    if (done) {
      if (counters != nullptr) *counters += *done;
      continue;
    }
    for (Diagnostic& report : done.error()) {
      report.source = plan_->source;
      report.span = plan_->span;
      if (report.remedy.empty())
        report.remedy = "the code that was made for this statement is at fault, not the statement";
    }
    return std::unexpected(std::move(done.error()));
  }
  return {};
}

}  // namespace tilewright
