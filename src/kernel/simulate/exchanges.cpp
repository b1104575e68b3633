// A thread's place, and exchanges among the threads of a warp.
#include <array>
#include <bit>

#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

void special(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const auto what = std::get<Special>(step.instruction.op->attribute);
  const auto cluster = static_cast<std::uint32_t>(block.grid().program().kernel->block->cluster);
  const auto value = [&](unsigned lane) -> std::int64_t {
    switch (what) {
      case Special::thread:
        return warp.thread(lane);
      case Special::threads:
        return block.threads();
      case Special::block:
        return block.index();
      case Special::blocks:
        return block.grid().blocks();
      case Special::lane:
        return lane;
      case Special::warp:
        return warp.index;
      case Special::cluster_block:
        return block.index() % cluster;
    }
    internal_error("no special");
  };
  each_lane(mask, [&](unsigned lane) {
    interpreter::write_int(step.instruction.element, value(lane),
                           warp.machine.at(step.instruction.result) + lane * step.result_bytes);
  });
}

void shared(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const std::uint64_t pointer = block.grid().program().buffer_pointers.at(step.instruction.op->results[0].index);
  each_lane(mask, [&](unsigned lane) { warp.words(step.instruction.result)[lane] = pointer; });
}

/// The lane whose value a thread gets: its own where that is outside of the warp.
unsigned source_lane(ShuffleMode mode, unsigned lane, std::uint32_t n, std::uint32_t exist) {
  std::uint64_t source = 0;
  switch (mode) {
    case ShuffleMode::idx:
      source = n;
      break;
    case ShuffleMode::down:
      source = std::uint64_t{lane} + n;
      break;
    case ShuffleMode::up:
      source = n > lane ? warp_threads : lane - n;
      break;
    case ShuffleMode::by_xor:
      source = lane ^ n;
      break;
  }
  return source < warp_threads && (exist >> source & 1) != 0 ? static_cast<unsigned>(source) : lane;
}

void warp_shuffle(Block&, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  const auto mode = std::get<ShuffleMode>(i.op->attribute);
  const std::uint32_t* n = warp.machine.lanes<std::uint32_t>(i.b);
  const std::uint32_t bytes = step.result_bytes;
  each_lane(mask, [&](unsigned lane) {
    const unsigned source = source_lane(mode, lane, n[lane], warp.exist);
    std::memcpy(warp.machine.at(i.result) + lane * bytes, warp.machine.at(i.a) + source * bytes, bytes);
  });
}

void warp_vote(Block&, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  std::uint32_t set = 0;
  each_lane(mask, [&](unsigned lane) {
    if (warp.machine.lanes<std::uint8_t>(i.a)[lane] != 0) set |= std::uint32_t{1} << lane;
  });
  const auto vote = std::get<Vote>(i.op->attribute);
  each_lane(mask, [&](unsigned lane) {
    if (vote == Vote::ballot)
      warp.machine.lanes<std::uint32_t>(i.result)[lane] = set;
    else
      warp.machine.lanes<std::uint8_t>(i.result)[lane] = (vote == Vote::any ? set != 0 : set == mask) ? 1 : 0;
  });
}

/// Which thread is up to the device, but always the same one.
void elect(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const SimulationOptions& options = block.grid().options();
  unsigned elected = 0;
  if (options.order == SimulationOrder::latest) elected = warp_threads - 1;
  if (options.order == SimulationOrder::random) elected = static_cast<unsigned>(options.seed % warp_threads);
  each_lane(mask, [&](unsigned lane) {
    warp.machine.lanes<std::uint8_t>(step.instruction.result)[lane] = lane == elected ? 1 : 0;
  });
}

/// Registers are not counted, and no kernel runs before or behind.
void nothing(Block&, Warp&, const Step&, std::uint32_t) {}

}  // namespace

Behaviour exchange_behaviour(Opcode code) {
  switch (code) {
    case Opcode::special:
      return {special};
    case Opcode::shared:
      return {shared};
    case Opcode::warp_shuffle:
      return {warp_shuffle, StepKind::together};
    case Opcode::warp_vote:
      return {warp_vote, StepKind::together};
    case Opcode::elect:
      return {elect, StepKind::together};
    case Opcode::raise_registers:
    case Opcode::lower_registers:
      return {nothing, StepKind::together};
    case Opcode::grid_wait:
    case Opcode::grid_launch:
      return {nothing};
    default:
      return {};
  }
}

}  // namespace tilewright::kernel::simulator
