// Copies of whole ranges by the copy engine. A load's destination has no value until the barrier that counts its bytes
// has ended the phase; a store's source may not be written until its thread's wait, nor its destination be used.
#include <fmt/format.h>

#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::uint64_t unit = 16;

/// The count of bytes, which the engine takes in units.
std::uint64_t bytes_of(Block& block, Warp& warp, const Step& step, std::uint32_t place, unsigned lane) {
  const std::int32_t bytes = warp.machine.lanes<std::int32_t>(place)[lane];
  if (bytes >= 0 && bytes % static_cast<std::int32_t>(unit) == 0) return static_cast<std::uint64_t>(bytes);
  block.grid().report("K102", &step,
                      fmt::format("thread {} of block {} copies {} bytes, which are no multiple of {}",
                                  warp.thread(lane), block.index(), bytes, unit));
  return 0;
}

void bulk_load(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  each_lane(mask, [&](unsigned lane) {
    BulkCopy copy;
    copy.step = &step;
    copy.thread = warp.thread(lane);
    copy.shared = warp.words(i.a)[lane];
    copy.global = warp.words(i.b)[lane];
    copy.bytes = bytes_of(block, warp, step, i.c, lane);
    if (copy.bytes != 0) block.start_load(copy, warp.words(i.d)[lane]);
  });
}

void bulk_store(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  each_lane(mask, [&](unsigned lane) {
    BulkCopy copy;
    copy.step = &step;
    copy.thread = warp.thread(lane);
    copy.global = warp.words(i.a)[lane];
    copy.shared = warp.words(i.b)[lane];
    copy.bytes = bytes_of(block, warp, step, i.c, lane);
    copy.group = block.engine().groups[copy.thread];
    if (copy.bytes != 0) block.start_store(copy);
  });
}

void commit_bulk(Block& block, Warp& warp, const Step&, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { ++block.engine().groups[warp.thread(lane)]; });
}

void wait_bulk(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Op& op = *step.instruction.op;
  const auto pending = static_cast<std::uint64_t>(std::get<Count>(op.attribute).count);
  each_lane(mask, [&](unsigned lane) { block.end_stores(warp.thread(lane), pending, op.code == Opcode::wait_bulk); });
}

void fence_async(Block& block, Warp& warp, const Step&, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { block.order().fence_async(warp.thread(lane)); });
}

}  // namespace

Behaviour bulk_behaviour(Opcode code) {
  switch (code) {
    case Opcode::bulk_load:
      return {bulk_load};
    case Opcode::bulk_store:
      return {bulk_store};
    case Opcode::commit_bulk:
      return {commit_bulk};
    case Opcode::wait_bulk:
    case Opcode::wait_bulk_reads:
      return {wait_bulk};
    case Opcode::fence_async:
      return {fence_async};
    default:
      return {};
  }
}

void Block::start_load(BulkCopy copy, std::uint64_t barrier_address) {
  const Step& step = *copy.step;
  const Target to = reach(step, copy.thread, true, copy.shared, copy.bytes, true);
  const Target from = reach(step, copy.thread, false, copy.global, copy.bytes, false);
  const Target barrier = reach(step, copy.thread, true, barrier_address, 8, true, 8);
  if (to.data == nullptr || from.data == nullptr || barrier.data == nullptr) return;
  copy.barrier = shared_place(barrier);
  const auto found = engine_.barriers.find(copy.barrier);
  if (found == engine_.barriers.end() || !found->second.is_shown) {
    grid_.report("K209", &step,
                 fmt::format("thread {} of block {} gives the copy engine a barrier that no "
                             "fence_mbarrier has shown to it",
                             copy.thread, index_));
    if (found == engine_.barriers.end()) return;
  }
  const Mark mark = order_->mark(copy.thread, step.index);
  if (to.shadow != nullptr) {
    // What threads read and write, and the engine's writes, are ordered by a barrier and a fence of each, not by the
    // barrier alone.
    report_if(step, copy.thread, to, to.shadow->find_unfenced_users(*order_, to.offset, copy.bytes));
    report_if(step, copy.thread, to, to.shadow->start_copy_to(*order_, to.offset, copy.bytes, mark));
  }
  if (from.shadow != nullptr) {
    report_if(step, copy.thread, from, from.shadow->start_copy_from(*order_, from.offset, copy.bytes, mark));
    report_if(step, copy.thread, from, from.shadow->find_unfenced(*order_, from.offset, copy.bytes));
  }
  engine_.loads.push_back(copy);
  if (!grid_.flip()) end_load(engine_.loads.size() - 1);
}

bool Block::end_a_load() {
  if (engine_.loads.empty()) return false;
  end_load(grid_.choose(engine_.loads.size()));
  return true;
}

void Block::end_load(std::size_t index) {
  const BulkCopy copy = engine_.loads[index];
  engine_.loads.erase(engine_.loads.begin() + static_cast<std::ptrdiff_t>(index));
  const Target to = reach(*copy.step, copy.thread, true, copy.shared, copy.bytes, true);
  const Target from = reach(*copy.step, copy.thread, false, copy.global, copy.bytes, false);
  std::memcpy(to.data, from.data, copy.bytes);
  const Mark mark = order_->engine_mark(copy.step->index);
  if (to.shadow != nullptr) to.shadow->end_copy_to(to.offset, copy.bytes, mark);
  if (from.shadow != nullptr) from.shadow->end_copy_from(*order_, from.offset, copy.bytes, mark);
  order_->release_by_engine(notes_at(copy.barrier));
  engine_.barriers[copy.barrier].bytes -= static_cast<std::int64_t>(copy.bytes);
  end_phase(copy.barrier);
}

void Block::start_store(const BulkCopy& copy) {
  const Step& step = *copy.step;
  const Target to = reach(step, copy.thread, false, copy.global, copy.bytes, true);
  const Target from = reach(step, copy.thread, true, copy.shared, copy.bytes, false);
  if (to.data == nullptr || from.data == nullptr) return;
  const Mark mark = order_->mark(copy.thread, step.index);
  if (from.shadow != nullptr) {
    report_if(step, copy.thread, from, from.shadow->start_copy_from(*order_, from.offset, copy.bytes, mark));
    report_if(step, copy.thread, from, from.shadow->find_unfenced(*order_, from.offset, copy.bytes));
  }
  if (to.shadow != nullptr)
    report_if(step, copy.thread, to, to.shadow->start_copy_to(*order_, to.offset, copy.bytes, mark));
  engine_.stores.push_back(copy);
  note_value(to, copy.bytes);
  std::memcpy(to.data, from.data, copy.bytes);  // a write to the source before it is read is an error of its own
}

void Block::end_stores(unsigned thread, std::uint64_t pending, bool whole) {
  std::erase_if(engine_.stores, [&](BulkCopy& copy) {
    if (copy.thread != thread || copy.group + pending >= engine_.groups[thread]) return false;
    const Mark mark = order_->mark(thread, copy.step->index);
    if (!copy.has_read) {
      const Target from = reach(*copy.step, thread, true, copy.shared, copy.bytes, false);
      if (from.shadow != nullptr) from.shadow->end_copy_from(*order_, from.offset, copy.bytes, mark);
    }
    copy.has_read = true;
    if (!whole) return false;
    const Target to = reach(*copy.step, thread, false, copy.global, copy.bytes, true);
    if (to.shadow != nullptr) to.shadow->end_copy_to(to.offset, copy.bytes, mark);
    return true;
  });
}

/// A store that the block leaves behind still writes; but its source must have been read.
void Block::leave_stores() {
  for (const BulkCopy& copy : engine_.stores) {
    if (!copy.has_read)
      grid_.report("K207", copy.step,
                   fmt::format("thread {} of block {} ends before the copy has read its source", copy.thread, index_));
    const Target to = reach(*copy.step, copy.thread, false, copy.global, copy.bytes, true);
    if (to.shadow != nullptr)
      to.shadow->end_copy_to(to.offset, copy.bytes, order_->mark(copy.thread, copy.step->index));
  }
  engine_.stores.clear();
}

}  // namespace tilewright::kernel::simulator
