// Threads of a block: who runs, and what a step does to where they are.
#include "kernel/simulate/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernel/print.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::uint64_t local_align = 64;

std::uint32_t lanes_of(unsigned threads, unsigned warp) {
  const unsigned left = threads - warp * warp_threads;
  return left >= warp_threads ? ~std::uint32_t{0} : (std::uint32_t{1} << left) - 1;
}

}  // namespace

Block::Block(Grid& grid, std::uint32_t index)
    : grid_(grid), index_(index), threads_(static_cast<unsigned>(grid.program().kernel->block->threads)) {
  const Program& program = grid.program();
  const interpreter::Decoded& decoded = program.decoded;
  for (unsigned warp = 0; warp * warp_threads < threads_; ++warp)
    warps_.emplace_back(decoded.frame_bytes, warp, lanes_of(threads_, warp));
  constexpr std::uint64_t most_align = 1024;
  shared_storage_.resize((program.shared_bytes + most_align) / sizeof(std::uint64_t) + 1);
  const auto begin = reinterpret_cast<std::uint64_t>(shared_storage_.data());
  shared_ = reinterpret_cast<std::byte*>((begin + most_align - 1) / most_align * most_align);
  if (grid.options().full_checks)
    shared_shadow_.emplace(std::max<std::uint64_t>(program.shared_bytes, 1), program.shared_granule, false,
                           warps_.size());
  if (shared_shadow_ && program.has_bulk_loads) shared_shadow_->keep_all_readers();
  for (const auto& local : decoded.locals) {
    local_offsets_.push_back(thread_locals_);
    thread_locals_ += (local.bytes + local_align - 1) / local_align * local_align;
  }
  locals_.resize(thread_locals_ * threads_ + local_align);
  locals_begin_ = (reinterpret_cast<std::uint64_t>(locals_.data()) + local_align - 1) / local_align * local_align;
  copies_.resize(threads_);
  for (Warp& warp : warps_) set_constants(warp);
  restart(index);
}

void Block::set_constants(Warp& warp) {
  const Program& program = grid_.program();
  const interpreter::Decoded& decoded = program.decoded;
  for (const auto& constant : decoded.constants) std::ranges::copy(constant.bytes, warp.machine.at(constant.place));
  for (unsigned lane = 0; lane < warp_threads; ++lane) {
    for (std::size_t i = 0; i < decoded.locals.size(); ++i)
      warp.words(decoded.locals[i].place)[lane] =
          locals_begin_ + warp.thread(lane) * thread_locals_ + local_offsets_[i];
    for (std::size_t i = 0; i < decoded.parameters.size(); ++i) {
      const Element element = program.kernel->values[program.kernel->parameters[i].value].type.element;
      interpreter::write_int(element, grid_.words()[i],
                             warp.machine.at(decoded.parameters[i]) + lane * interpreter::lane_bytes(element));
    }
  }
}

void Block::restart(std::uint32_t index) {
  index_ = index;
  const auto cluster = static_cast<std::uint32_t>(grid_.program().kernel->block->cluster);
  order_.emplace(index, warps_.size(), cluster);
  if (shared_shadow_) shared_shadow_->reset();
  locals_written_.assign(thread_locals_ * threads_, false);
  groups_.assign(threads_, 0);
  for (auto& copies : copies_) copies.clear();
  for (Barrier& barrier : barriers_) barrier = {};
  engine_ = {};
  const bool empty = grid_.program().steps.empty();
  for (Warp& warp : warps_) {
    warp.runnable = empty ? 0 : warp.exist;
    warp.waiting = 0;
    warp.polling = 0;
    warp.blocked = false;
    warp.at.fill(0);
    warp.products.clear();
    warp.is_fenced = false;
    warp.cluster_arrivals = warp.cluster_waits = 0;
    warp.waits_for_cluster = false;
  }
}

bool Block::is_done() const {
  return std::ranges::all_of(warps_,
                             [](const Warp& warp) { return (warp.runnable | warp.waiting | warp.polling) == 0; });
}

bool Block::is_gathered(const Warp& warp) const {
  if (warp.waiting != warp.exist || warp.blocked) return false;
  const std::uint32_t first = warp.at[0];
  for (unsigned lane = 1; lane < warp_threads; ++lane)
    if ((warp.exist >> lane & 1) != 0 && warp.at[lane] != first) return false;
  return true;
}

bool Block::advance() {
  // In a random order a load ends now and then.
  if (grid_.options().order == SimulationOrder::random && grid_.choose(4) == 0) end_a_load();
  std::array<Warp*, 32> able{};
  std::size_t count = 0;
  for (Warp& warp : warps_)
    if (can_run(warp)) able[count++] = &warp;
  if (count == 0) return false;
  run(*able[grid_.choose(count)]);
  return true;
}

/// Runs the threads at one place, chosen by the order, until others are there too, they part, or wait.
void Block::run(Warp& warp) {
  if (warp.runnable == 0) return run_together(warp);
  std::array<std::uint32_t, warp_threads> places{};
  std::size_t count = 0;
  each_lane(warp.runnable, [&](unsigned lane) {
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::find(places.begin(), end, warp.at[lane]) == end) places[count++] = warp.at[lane];
  });
  std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
  const std::uint32_t at = places[grid_.choose(count)];
  std::uint32_t mask = 0;
  each_lane(warp.runnable, [&](unsigned lane) {
    if (warp.at[lane] == at) mask |= std::uint32_t{1} << lane;
  });
  constexpr std::int64_t many = std::int64_t{1} << 62;
  const bool random = grid_.options().order == SimulationOrder::random;
  run_group(warp, mask, at, random ? static_cast<std::int64_t>(grid_.choose(64) + 1) : many);
}

void Block::run_group(Warp& warp, std::uint32_t mask, std::uint32_t at, std::int64_t turns) {
  const std::vector<Step>& steps = grid_.program().steps;
  // In the earliest order those ahead wait for those behind, so that threads that have parted meet again.
  std::uint32_t limit = ~std::uint32_t{0};
  if (grid_.options().order == SimulationOrder::earliest)
    each_lane(warp.runnable & ~mask, [&](unsigned lane) { limit = std::min(limit, warp.at[lane]); });
  std::int64_t executed = 0;
  const std::uint32_t entered = mask;
  for (; turns > 0 && at < limit; --turns) {
    if (at == steps.size()) {
      warp.runnable &= ~mask;
      break;
    }
    const Step& step = steps[at];
    executed += std::popcount(mask);
    switch (step.kind) {
      case StepKind::across:
        step.instruction.run(warp.machine, step.instruction);
        ++at;
        continue;
      case StepKind::each:
        run_each(warp, step, mask);
        ++at;
        continue;
      case StepKind::flow:
        at = flow(warp, step, mask, at);
        if (mask == entered) continue;
        break;
      case StepKind::act:
        step.action(*this, warp, step, mask);
        ++at;
        if (!grid_.stopped()) continue;
        break;
      case StepKind::poll: {
        step.action(*this, warp, step, mask);
        const std::uint32_t staying = mask & warp.polling;
        leave_group(warp, staying, at);
        warp.runnable &= ~staying;
        mask &= ~staying;
        ++at;
        if (mask == entered && !grid_.stopped()) continue;
        break;
      }
      case StepKind::together:
        warp.runnable &= ~mask;
        warp.waiting |= mask;
        break;
    }
    break;
  }
  leave_group(warp, mask, at);
  grid_.counters().thread_ops += executed;
}

void Block::leave_group(Warp& warp, std::uint32_t mask, std::uint32_t at) {
  each_lane(mask, [&](unsigned lane) { warp.at[lane] = at; });
}

void Block::run_together(Warp& warp) {
  const Step& step = grid_.program().steps[warp.at[0]];
  grid_.counters().thread_ops += std::popcount(warp.exist);
  step.action(*this, warp, step, warp.exist);
  if (warp.blocked) return;
  warp.waiting = 0;
  warp.runnable = warp.exist;
  leave_group(warp, warp.exist, step.index + 1);
}

/// An instruction for the threads of the mask one by one, each at its own places.
void Block::run_each(Warp& warp, const Step& step, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) {
    Instruction own = step.instruction;
    own.result += lane * step.result_bytes;
    own.a += lane * step.a_bytes;
    own.b += lane * step.b_bytes;
    own.c += lane * step.c_bytes;
    own.d += lane * step.d_bytes;
    own.run(warp.machine, own);
  });
}

/// The threads of the group that jump go to `target`, the others to `next`; the group keeps those that lie behind.
std::uint32_t Block::part(Warp& warp, std::uint32_t& mask, std::uint32_t jumping, std::uint32_t target,
                          std::uint32_t next) {
  if (jumping == 0) return next;
  if (jumping == mask) return target;
  const std::uint32_t staying = mask & ~jumping;
  leave_group(warp, jumping, target);
  leave_group(warp, staying, next);
  mask = target < next ? jumping : staying;
  return std::min(target, next);
}

std::uint32_t Block::flow(Warp& warp, const Step& step, std::uint32_t& mask, std::uint32_t at) {
  using interpreter::Flow;
  const Instruction& i = step.instruction;
  interpreter::Machine& m = warp.machine;
  std::uint32_t jumping = 0;
  switch (i.flow) {
    case Flow::move:
      if (mask == ~std::uint32_t{0})
        std::memcpy(m.at(i.result), m.at(i.a), std::size_t{i.b} * warp_threads);
      else
        each_lane(mask, [&](unsigned lane) { std::memcpy(m.at(i.result) + lane * i.b, m.at(i.a) + lane * i.b, i.b); });
      return at + 1;
    case Flow::jump:
      return i.target;
    case Flow::jump_unless:
      each_lane(mask, [&](unsigned lane) {
        if (m.lanes<std::uint8_t>(i.a)[lane] == 0) jumping |= std::uint32_t{1} << lane;
      });
      break;
    case Flow::enter_loop:
    case Flow::step_loop: {
      const bool enters = i.flow == Flow::enter_loop;
      std::int64_t* variable = m.lanes<std::int64_t>(i.result);
      const std::int64_t* begin = m.lanes<std::int64_t>(i.a);
      const std::int64_t* end = m.lanes<std::int64_t>(i.b);
      const std::int64_t* by = m.lanes<std::int64_t>(i.c);
      each_lane(mask, [&](unsigned lane) {
        const std::uint32_t bit = std::uint32_t{1} << lane;
        if (by[lane] <= 0) {
          if (enters) grid_.report("K105", &step, fmt::format("the loop's step is {}", by[lane]));
          if (enters) jumping |= bit;
          return;
        }
        if (enters) {
          variable[lane] = begin[lane];
          if (begin[lane] >= end[lane]) jumping |= bit;
          return;
        }
        // A variable that steps past the largest i64 has passed the end.
        if (__builtin_add_overflow(variable[lane], by[lane], &variable[lane])) return;
        if (variable[lane] < end[lane]) jumping |= bit;
      });
      break;
    }
    case Flow::none:
      internal_error("no flow");
  }
  return part(warp, mask, jumping, i.target, at + 1);
}

}  // namespace tilewright::kernel::simulator
