// Barriers in shared memory: initialised by one thread, arrived at by threads and, with bytes, by the copy engine.
#include <fmt/format.h>

#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::uint64_t barrier_bytes = 8;

/// The barrier's place in the block `home` if the thread may use it there: it is initialised, and that happens before.
std::optional<std::uint64_t> use(Block& block, Block& home, const Step& step, unsigned thread, std::uint64_t address) {
  Block::Target target = block.reach(step, thread, true, address, barrier_bytes, true);
  if (target.data == nullptr) return std::nullopt;
  target = home.same_place(target);
  if (target.shadow != nullptr) {
    const Finding found =
        target.shadow->atomic(block.order(), target.offset, barrier_bytes, block.order().mark(thread, step.index));
    if (found.hazard != Hazard::none) block.report(step, thread, target, found);
  }
  const std::uint64_t place = home.shared_place(target);
  if (const auto found = home.engine().barriers.find(place); found != home.engine().barriers.end()) {
    if (target.shadow != nullptr && !block.order().before(found->second.made, thread))
      block.report(step, thread, target, {Hazard::race, target.offset, found->second.made});
    return place;
  }
  block.grid().report(
      "K104", &step,
      fmt::format("thread {} of block {} uses a barrier that nothing has initialised", thread, block.index()));
  return std::nullopt;
}

void mbarrier_init(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const std::uint64_t* addresses = warp.words(step.instruction.a);
  each_lane(mask, [&](unsigned lane) {
    const unsigned thread = warp.thread(lane);
    const Block::Target target = block.reach(step, thread, true, addresses[lane], barrier_bytes, true);
    if (block.write(step, thread, addresses[lane], barrier_bytes) == nullptr) return;
    PhaseBarrier made;
    made.count = made.pending = std::get<Count>(step.instruction.op->attribute).count;
    made.made = block.order().mark(thread, step.index);
    block.engine().barriers[block.shared_place(target)] = std::move(made);
  });
}

void arrive(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  const bool announces = i.op->code == Opcode::mbarrier_expect;
  const bool names_block = !announces && i.op->operands.size() > 1;
  each_lane(mask, [&](unsigned lane) {
    const unsigned thread = warp.thread(lane);
    Block* home = &block;
    if (names_block) home = block.find_peer(step, thread, warp.machine.lanes<std::int32_t>(i.b)[lane]);
    if (home == nullptr) return;
    const auto place = use(block, *home, step, thread, warp.words(i.a)[lane]);
    if (!place) return;
    PhaseBarrier& barrier = home->engine().barriers[*place];
    if (announces) barrier.bytes += warp.machine.lanes<std::int32_t>(i.b)[lane];
    if (block.is_ordered()) block.order().release(thread, home->notes_at(*place), block.phase_scope());
    --barrier.pending;
    if (barrier.pending < 0)
      block.grid().report("K210", &step,
                          fmt::format("thread {} of block {} is one more to arrive than a phase of {}", thread,
                                      block.index(), barrier.count));
    home->end_phase(*place);
  });
}

/// Passes while the phase under way has the other parity, as devices do; so a thread that is two phases behind is held
/// up for nothing, or let through by chance.
void mbarrier_wait(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  each_lane(mask, [&](unsigned lane) {
    const unsigned thread = warp.thread(lane);
    const auto place = use(block, block, step, thread, warp.words(i.a)[lane]);
    if (!place) return;
    PhaseBarrier& barrier = block.engine().barriers[*place];
    const std::int64_t parity = warp.machine.lanes<std::int32_t>(i.b)[lane] & 1;
    std::int64_t& last = barrier.waited.try_emplace(thread, -2).first->second;
    const std::int64_t meant = last + ((last & 1) == parity ? 2 : 1);
    if (barrier.phase - meant >= 2)
      block.grid().report("K210", &step,
                          fmt::format("thread {} of block {} waits for the end of phase {} in phase {}: a parity tells "
                                      "one phase from the next alone",
                                      thread, block.index(), meant, barrier.phase));
    if ((barrier.phase & 1) == parity) {
      warp.polling |= std::uint32_t{1} << lane;
      return;
    }
    last = meant;
    if (block.is_ordered()) block.order().acquire(thread, block.notes_at(*place), barrier.notes, block.phase_scope());
  });
}

void fence_mbarrier(Block& block, Warp& warp, const Step&, std::uint32_t mask) {
  for (auto& [place, barrier] : block.engine().barriers)
    if (barrier.made.thread / warp_threads == warp.index && (mask >> barrier.made.thread % warp_threads & 1) != 0)
      barrier.is_shown = true;
}

}  // namespace

Behaviour phase_behaviour(Opcode code) {
  switch (code) {
    case Opcode::mbarrier_init:
      return {mbarrier_init};
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_expect:
      return {arrive};
    case Opcode::mbarrier_wait:
      return {mbarrier_wait, StepKind::poll};
    case Opcode::fence_mbarrier:
      return {fence_mbarrier};
    default:
      return {};
  }
}

std::uint64_t Block::shared_place(const Target& target) const {
  return static_cast<std::uint64_t>(target.data - shared_);
}

Notes& Block::notes_at(std::uint64_t place) {
  return grid_.locations().at_shared(index_, place);
}

void Block::end_phase(std::uint64_t place) {
  PhaseBarrier& barrier = engine_.barriers[place];
  if (barrier.pending > 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  if (is_ordered()) barrier.notes = notes_at(place).all.size();
  for (Warp& warp : warps_) {
    warp.runnable |= warp.polling;
    warp.polling = 0;
  }
}

}  // namespace tilewright::kernel::simulator
