// Barriers of a block, atomics and fences, and what is said of threads that wait for ever.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernel/fold.h"
#include "kernel/print.h"
#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

void barrier(Block& block, Warp& warp, const Step& step, std::uint32_t) {
  block.arrive(warp, step, true);
}

void warp_barrier(Block& block, Warp& warp, const Step&, std::uint32_t) {
  if (!block.is_ordered()) return;
  Meeting meeting;
  block.order().arrive(warp.index, meeting);
  block.order().leave(warp.index, meeting);
}

void barrier_arrive(Block& block, Warp& warp, const Step& step, std::uint32_t) {
  block.arrive(warp, step, false);
}

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The new value of an atomic that stores one.
template <class Float>
void add_floats(const std::byte* old, const std::byte* operand, std::byte* to) {
  const Float sum = load_as<Float>(old) + load_as<Float>(operand);
  std::memcpy(to, &sum, sizeof sum);
}

Opcode integer_op(AtomicOp op) {
  switch (op) {
    case AtomicOp::add:
      return Opcode::add;
    case AtomicOp::smin:
      return Opcode::smin;
    case AtomicOp::smax:
      return Opcode::smax;
    case AtomicOp::umin:
      return Opcode::umin;
    case AtomicOp::umax:
      return Opcode::umax;
    case AtomicOp::bit_and:
      return Opcode::bit_and;
    case AtomicOp::bit_or:
      return Opcode::bit_or;
    case AtomicOp::exch:
    case AtomicOp::cas:
      break;
  }
  internal_error("an atomic without arithmetic");
}

/// `memory` holds the old value, of `bytes` bytes.
void combine(AtomicOp op, Element element, std::byte* memory, const std::byte* a, const std::byte* b,
             std::size_t bytes) {
  if (op == AtomicOp::exch) {
    std::memcpy(memory, a, bytes);
  } else if (op == AtomicOp::cas) {
    if (std::memcmp(memory, a, bytes) == 0) std::memcpy(memory, b, bytes);
  } else if (element == Element::f32) {
    add_floats<float>(memory, a, memory);
  } else if (element == Element::f64) {
    add_floats<double>(memory, a, memory);
  } else {
    const std::int64_t old = interpreter::read_int(element, memory);
    interpreter::write_int(element, *fold_binary(integer_op(op), element, old, interpreter::read_int(element, a)),
                           memory);
  }
}

/// One thread after the other, as the order has it.
void atomic(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  const Atomic& how = std::get<Atomic>(i.op->attribute);
  const std::size_t bytes = step.result_bytes;
  const std::uint64_t* addresses = warp.words(i.a);
  const bool backwards = block.grid().flip();
  for (unsigned turn = 0; turn < warp_threads; ++turn) {
    const unsigned lane = backwards ? warp_threads - 1 - turn : turn;
    if ((mask >> lane & 1) == 0) continue;
    const unsigned thread = warp.thread(lane);
    std::byte* result = warp.machine.at(i.result) + lane * bytes;
    std::memset(result, 0, bytes);
    const Block::Target target = block.reach(step, thread, step.shared, addresses[lane], bytes, true);
    if (target.data == nullptr) continue;
    if (target.shadow != nullptr) {
      Locations& locations = block.grid().locations();
      Notes& location = step.shared ? locations.at_shared(block.index(), target.offset) : locations.at(addresses[lane]);
      Order& order = block.order();
      const Mark mark = order.mark(thread, step.index);
      order.atomic(thread, location, how.order, how.scope);
      const Finding found = target.shadow->atomic(order, target.offset, bytes, mark);
      if (found.hazard != Hazard::none) block.report(step, thread, target, found);
    }
    std::memcpy(result, target.data, bytes);
    block.note_value(target, bytes, true);
    combine(how.op, i.element, target.data, warp.machine.at(i.b) + lane * bytes, warp.machine.at(i.c) + lane * bytes,
            bytes);
  }
  block.count(step, mask, addresses, bytes);
}

void fence(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  if (!block.is_ordered()) return;
  const auto scope = std::get<MemoryScope>(step.instruction.op->attribute);
  each_lane(mask, [&](unsigned lane) { block.order().fence(warp.thread(lane), scope); });
}

}  // namespace

Behaviour order_behaviour(Opcode code) {
  switch (code) {
    case Opcode::barrier:
      return {barrier, StepKind::together};
    case Opcode::barrier_arrive:
      return {barrier_arrive, StepKind::together};
    case Opcode::warp_barrier:
      return {warp_barrier, StepKind::together};
    case Opcode::atomic:
      return {atomic};
    case Opcode::fence:
      return {fence};
    default:
      return {};
  }
}

/// Threads are counted in whole warps. All of the block at a barrier of all are at one op.
void Block::arrive(Warp& warp, const Step& step, bool waits) {
  const NamedBarrier& named = std::get<NamedBarrier>(step.instruction.op->attribute);
  Barrier& barrier = barriers_[static_cast<std::size_t>(named.id)];
  const std::uint32_t expected =
      named.threads == 0 ? warp_count() * warp_threads : static_cast<std::uint32_t>(named.threads);
  const std::uint64_t bit = std::uint64_t{1} << warp.index;
  if (barrier.step == nullptr) {
    barrier.step = &step;
    barrier.threads = expected;
  } else if (barrier.threads != expected || (named.threads == 0 && barrier.step != &step)) {
    grid_.report("K203", &step,
                 fmt::format("warp {} of block {} is at barrier {}, at which others wait in: {}", warp.index, index_,
                             named.id, op_text(*grid_.program().kernel, *barrier.step->instruction.op)));
  } else if ((barrier.warps & bit) != 0) {
    grid_.report("K203", &step,
                 fmt::format("warp {} of block {} comes to barrier {} again before it is complete", warp.index, index_,
                             named.id));
  }
  barrier.warps |= bit;
  barrier.arrived += warp_threads;
  const bool ordered = is_ordered();
  if (ordered) order_->arrive(warp.index, barrier.meeting);
  if (waits) {
    warp.blocked = true;
    barrier.waiters.push_back(&warp);
  }
  if (barrier.arrived < barrier.threads) return;
  for (Warp* waiter : barrier.waiters) {
    if (ordered) order_->leave(waiter->index, barrier.meeting);
    waiter->blocked = false;
    if (waiter == &warp) continue;  // goes on by itself
    const std::uint32_t next = waiter->at[0] + 1;
    waiter->at.fill(next);
    waiter->waiting = 0;
    waiter->runnable = waiter->exist;
  }
  barrier = {};
}

std::string Block::waiting_text(const Warp& warp) const {
  const std::vector<Step>& steps = grid_.program().steps;
  const std::uint32_t waiting = warp.waiting | warp.polling;
  const std::uint32_t ended = warp.exist & ~waiting;
  std::vector<std::uint32_t> places;
  each_lane(waiting, [&](unsigned lane) {
    if (std::ranges::find(places, warp.at[lane]) == places.end()) places.push_back(warp.at[lane]);
  });
  std::string text;
  for (const std::uint32_t place : places) {
    int count = 0;
    each_lane(waiting, [&](unsigned lane) { count += warp.at[lane] == place ? 1 : 0; });
    text += fmt::format("{}{} threads wait in: {}", text.empty() ? "" : "; ", count,
                        op_text(*grid_.program().kernel, *steps[place].instruction.op));
  }
  if (ended != 0) text += fmt::format("{}{} have ended", text.empty() ? "" : "; ", std::popcount(ended));
  return fmt::format("warp {}: {}", warp.index, text);
}

void Block::report_stuck() {
  const Step* first = nullptr;
  bool apart = false;
  std::string text;
  int told = 0;
  for (const Warp& warp : warps_) {
    const std::uint32_t waiting = warp.waiting | warp.polling;
    if (waiting != 0 && first == nullptr)
      first = &grid_.program().steps[warp.at[static_cast<std::size_t>(std::countr_zero(waiting))]];
    if (warp.waiting != 0 && !warp.blocked) apart = true;
    constexpr int most = 8;
    if (told++ < most) text += fmt::format("{}{}", text.empty() ? "" : "; ", waiting_text(warp));
  }
  grid_.report(apart ? "K203" : "K202", first,
               fmt::format("block {} waits for threads that do not come. {}", index_, text));
}

}  // namespace tilewright::kernel::simulator
