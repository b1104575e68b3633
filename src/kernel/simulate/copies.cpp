// Asynchronous copies of single threads. Until its thread's wait a copy's destination has no value and its source may
// not be written; the bytes move at once or at the wait, as the order has it.
#include <algorithm>

#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

struct Ends {
  Block::Target to;
  Block::Target from;
};

Ends reach_ends(Block& block, const Copy& copy, unsigned thread) {
  Ends ends;
  ends.to = block.reach(*copy.step, thread, true, copy.to, copy.bytes, true);
  if (copy.valid != 0) ends.from = block.reach(*copy.step, thread, false, copy.from, copy.valid, false);
  return ends;
}

void deliver(Copy& copy, const Ends& ends) {
  if (copy.delivered) return;
  copy.delivered = true;
  if (copy.valid != 0) std::memcpy(ends.to.data, ends.from.data, copy.valid);
  std::memset(ends.to.data + copy.valid, 0, copy.bytes - copy.valid);
}

void start(Block& block, Copy copy, unsigned thread) {
  const Ends ends = reach_ends(block, copy, thread);
  if (ends.to.data == nullptr || (copy.valid != 0 && ends.from.data == nullptr)) return;
  const Order& order = block.order();
  const Mark mark = order.mark(thread, copy.step->index);
  if (ends.to.shadow != nullptr) {
    const Finding found = ends.to.shadow->start_copy_to(order, ends.to.offset, copy.bytes, mark);
    if (found.hazard != Hazard::none) block.report(*copy.step, thread, ends.to, found);
  }
  if (ends.from.shadow != nullptr) {
    const Finding found = ends.from.shadow->start_copy_from(order, ends.from.offset, copy.valid, mark);
    if (found.hazard != Hazard::none) block.report(*copy.step, thread, ends.from, found);
  }
  if (!block.grid().flip()) deliver(copy, ends);
  block.copies(thread).push_back(copy);
}

void finish(Block& block, Copy& copy, unsigned thread) {
  const Ends ends = reach_ends(block, copy, thread);
  deliver(copy, ends);
  const Mark mark = block.order().mark(thread, copy.step->index);
  if (ends.to.shadow != nullptr) ends.to.shadow->end_copy_to(ends.to.offset, copy.bytes, mark);
  if (ends.from.shadow != nullptr) ends.from.shadow->end_copy_from(block.order(), ends.from.offset, copy.valid, mark);
}

void copy_async(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  const auto bytes = static_cast<std::uint64_t>(std::get<Bytes>(i.op->attribute).bytes);
  const bool counted = i.op->operands.size() > 2;
  const std::uint64_t* to = warp.words(i.a);
  const std::uint64_t* from = warp.words(i.b);
  each_lane(mask, [&](unsigned lane) {
    const unsigned thread = warp.thread(lane);
    std::uint64_t valid = bytes;
    if (counted) {
      const std::int32_t given = warp.machine.lanes<std::int32_t>(i.c)[lane];
      valid = static_cast<std::uint64_t>(std::clamp<std::int64_t>(given, 0, static_cast<std::int64_t>(bytes)));
    }
    start(block, {&step, to[lane], from[lane], bytes, valid, block.groups(thread), false}, thread);
  });
  block.count(step, mask, to, bytes);
}

void commit_copies(Block& block, Warp& warp, const Step&, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { ++block.groups(warp.thread(lane)); });
}

void wait_copies(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const auto pending = static_cast<std::uint64_t>(std::get<Count>(step.instruction.op->attribute).count);
  each_lane(mask, [&](unsigned lane) {
    const unsigned thread = warp.thread(lane);
    std::erase_if(block.copies(thread), [&](Copy& copy) {
      const bool done = copy.group + pending < block.groups(thread);
      if (done) finish(block, copy, thread);
      return done;
    });
  });
}

}  // namespace

Behaviour copy_behaviour(Opcode code) {
  switch (code) {
    case Opcode::copy_async:
      return {copy_async};
    case Opcode::commit_copies:
      return {commit_copies};
    case Opcode::wait_copies:
      return {wait_copies};
    default:
      return {};
  }
}

}  // namespace tilewright::kernel::simulator
