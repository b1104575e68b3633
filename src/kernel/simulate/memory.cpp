// Accesses of single threads: where an address lies, whether it may be touched, and what the shadow says.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/print.h"
#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

bool is_inside(std::uint64_t address, std::uint64_t bytes, std::uint64_t begin, std::uint64_t size) {
  return address >= begin && bytes <= size && address - begin <= size - bytes;
}

std::string thread_text(unsigned thread, std::uint32_t block) {
  return fmt::format("thread {} of block {}", thread, block);
}

/// The code of a finding by a thread of `block`.
std::string_view code_of(const Finding& finding, std::uint32_t block) {
  switch (finding.hazard) {
    case Hazard::none:
      break;
    case Hazard::unwritten:
      return "K104";
    case Hazard::race:
      return finding.earlier.block != block ? "K205" : "K204";
    case Hazard::pending:
      return "K206";
    case Hazard::locked:
      return "K207";
    case Hazard::unfenced:
      return "K209";
  }
  internal_error("a report of nothing");
}

}  // namespace

Block::Target Block::reach_shared(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes) {
  const std::vector<Buffer>& buffers = grid_.program().buffers;
  const std::uint64_t number = (address >> Buffer::number_shift) - 1;
  const std::uint64_t offset = (address & Buffer::address_mask) - Buffer::base;
  const Buffer* buffer = number < buffers.size() ? &buffers[number] : nullptr;
  if (buffer == nullptr || !is_inside(offset, bytes, buffer->begin, buffer->bytes)) {
    const std::string where = buffer == nullptr
                                  ? "a pointer to no buffer"
                                  : fmt::format("{} has {} bytes, and the access starts at its byte {}",
                                                value_text(*grid_.program().kernel, buffer->pointer), buffer->bytes,
                                                static_cast<std::int64_t>(offset - buffer->begin));
    grid_.report("K101", &step,
                 fmt::format("accesses {} bytes outside of shared memory, in {}: {}", bytes,
                             thread_text(thread, index_), where));
    return {};
  }
  return {shared_ + offset, shared_shadow_ ? &*shared_shadow_ : nullptr, offset, nullptr, false};
}

/// A thread reaches its own locals alone; a local knows which of its bytes are written.
Block::Target Block::reach_local(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes,
                                 bool writes) {
  const auto& locals = grid_.program().decoded.locals;
  const std::uint64_t own = locals_begin_ + thread * thread_locals_;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    const std::uint64_t begin = own + local_offsets_[i];
    if (!is_inside(address, bytes, begin, locals[i].bytes)) continue;
    const auto first = locals_written_.begin() + static_cast<std::ptrdiff_t>(address - locals_begin_);
    const auto last = first + static_cast<std::ptrdiff_t>(bytes);
    if (writes)
      std::fill(first, last, true);
    else if (std::find(first, last, false) != last)
      grid_.report("K104", &step,
                   fmt::format("reads bytes {} to {} of a local, not all of which are written, in {}", address - begin,
                               address - begin + bytes - 1, thread_text(thread, index_)));
    return {reinterpret_cast<std::byte*>(address), nullptr, 0, nullptr, true};
  }
  grid_.report(
      "K101", &step,
      fmt::format("accesses {} bytes outside of the thread's locals, in {}", bytes, thread_text(thread, index_)));
  return {};
}

Block::Target Block::reach(const Step& step, unsigned thread, bool shared, std::uint64_t address, std::uint64_t bytes,
                           bool writes, std::uint64_t align) {
  if (align == 0) align = step.align;
  if (address % align != 0) {
    grid_.report("K102", &step,
                 fmt::format("the address is {} bytes past a multiple of {}, in {}", address % align, align,
                             thread_text(thread, index_)));
    return {};
  }
  if (shared) return reach_shared(step, thread, address, bytes);
  for (GlobalRange& range : grid_.ranges()) {
    if (!is_inside(address, bytes, range.begin, range.bytes)) continue;
    if (writes && !range.writable) {
      grid_.report("K103", &step,
                   fmt::format("writes {} bytes at byte {} of {}, which is read-only, in {}", bytes,
                               address - range.begin, range.name, thread_text(thread, index_)));
      return {};
    }
    return {reinterpret_cast<std::byte*>(address), range.shadow.get(), address - range.shadow_begin, &range, false};
  }
  if (is_inside(address, 1, locals_begin_, thread_locals_ * threads_))
    return reach_local(step, thread, address, bytes, writes);
  std::string where = "the kernel is given no memory";
  std::uint64_t nearest = ~std::uint64_t{0};
  for (const GlobalRange& range : grid_.ranges()) {
    const auto past = static_cast<std::int64_t>(address - range.begin);
    const auto distance = static_cast<std::uint64_t>(past < 0 ? -past : past);
    if (distance >= nearest) continue;
    nearest = distance;
    where = fmt::format("{} has {} bytes, and the access starts at its byte {}", range.name, range.bytes, past);
  }
  grid_.report(
      "K101", &step,
      fmt::format("accesses {} bytes outside of all memory, in {}: {}", bytes, thread_text(thread, index_), where));
  return {};
}

std::optional<Block::Stretch> Block::reach_together(const Step& step, std::uint32_t mask,
                                                    const std::uint64_t* addresses, std::uint64_t bytes, bool writes) {
  std::uint64_t low = ~std::uint64_t{0}, high = 0, bits = 0;
  const auto consider = [&](std::uint64_t address) {
    low = std::min(low, address);
    high = std::max(high, address);
    bits |= address;
  };
  if (mask == ~std::uint32_t{0})
    for (unsigned lane = 0; lane < warp_threads; ++lane) consider(addresses[lane]);
  else
    each_lane(mask, [&](unsigned lane) { consider(addresses[lane]); });
  if (mask == 0 || bits % step.align != 0) return std::nullopt;
  const std::uint64_t size = high - low + bytes;
  if (step.shared) {
    const std::vector<Buffer>& buffers = grid_.program().buffers;
    const std::uint64_t number = (low >> Buffer::number_shift) - 1;
    if (shared_shadow_ || number >= buffers.size()) return std::nullopt;
    const std::uint64_t offset = (low & Buffer::address_mask) - Buffer::base;
    if (!is_inside(offset, size, buffers[number].begin, buffers[number].bytes)) return std::nullopt;
    return Stretch{shared_ + offset, low};
  }
  for (const GlobalRange& range : grid_.ranges()) {
    if (!is_inside(low, size, range.begin, range.bytes)) continue;
    if (range.shadow || (writes && !range.writable)) return std::nullopt;
    if (range.states != nullptr && !are_states_right(range, mask, addresses, bytes, writes)) return std::nullopt;
    return Stretch{reinterpret_cast<std::byte*>(low), low};
  }
  return std::nullopt;
}

/// Whether each access finds nothing of other blocks and, if it reads, values. Writes are taken down.
bool Block::are_states_right(const GlobalRange& range, std::uint32_t mask, const std::uint64_t* addresses,
                             std::uint64_t bytes, bool writes) const {
  const std::uint8_t own = own_state();
  const std::uint8_t least = writes ? SimulatedRange::unwritten : SimulatedRange::given;
  bool right = true;
  each_lane(mask, [&](unsigned lane) {
    const std::uint8_t* states = range.states + (addresses[lane] - range.begin);
    for (std::uint64_t i = 0; i < bytes; ++i)
      right &= states[i] == own || (states[i] >= least && states[i] <= SimulatedRange::given);
  });
  if (right && writes)
    each_lane(mask, [&](unsigned lane) { std::memset(range.states + (addresses[lane] - range.begin), own, bytes); });
  return right;
}

void Block::check_states(const Step& step, unsigned thread, const Target& target, std::uint64_t bytes, bool writes) {
  if (target.range == nullptr || target.range->states == nullptr || target.shadow != nullptr) return;
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(target.data) - target.range->begin;
  for (std::uint64_t i = offset; i < offset + bytes; ++i) {
    const std::uint8_t state = target.range->states[i];
    if (state == own_state() || state == SimulatedRange::given || (writes && state == SimulatedRange::unwritten))
      continue;
    const std::string what = fmt::format("{} {} byte {} of {}", thread_text(thread, index_),
                                         writes ? "writes" : "reads", i, target.range->name);
    if (state == SimulatedRange::unwritten) return grid_.report("K104", &step, what + ", which nothing has written");
    return grid_.report("K205", &step, what + ", which another block has written, and nothing orders them");
  }
}

void Block::note_value(const Target& target, std::uint64_t bytes, bool atomic) {
  if (target.range == nullptr || target.range->states == nullptr) return;
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(target.data) - target.range->begin;
  std::memset(target.range->states + offset, atomic ? SimulatedRange::given : own_state(), bytes);
}

const std::byte* Block::read(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes,
                             std::uint64_t align) {
  const Target target = reach(step, thread, step.shared, address, bytes, false, align);
  if (target.shadow != nullptr && target.data != nullptr) {
    const Finding found = target.shadow->read(*order_, target.offset, bytes, order_->mark(thread, step.index));
    if (found.hazard != Hazard::none) report(step, thread, target, found);
  }
  if (target.data != nullptr) check_states(step, thread, target, bytes, false);
  return target.data;
}

std::byte* Block::write(const Step& step, unsigned thread, std::uint64_t address, std::uint64_t bytes,
                        std::uint64_t align) {
  const Target target = reach(step, thread, step.shared, address, bytes, true, align);
  if (target.shadow != nullptr && target.data != nullptr) {
    const Finding found = target.shadow->write(*order_, target.offset, bytes, order_->mark(thread, step.index));
    if (found.hazard != Hazard::none) report(step, thread, target, found);
  }
  if (target.data != nullptr) {
    check_states(step, thread, target, bytes, true);
    note_value(target, bytes);
  }
  return target.data;
}

/// A byte as its buffer or range has it.
std::string Block::place_text(const Target& target, std::uint64_t offset) const {
  if (target.range != nullptr) {
    const std::uint64_t gap = target.range->begin - target.range->shadow_begin;
    return fmt::format("byte {} of {}", std::max(offset, gap) - gap, target.range->name);
  }
  for (const Buffer& buffer : grid_.program().buffers)
    if (is_inside(offset, 1, buffer.begin, buffer.bytes))
      return fmt::format("byte {} of {}", offset - buffer.begin, value_text(*grid_.program().kernel, buffer.pointer));
  return fmt::format("byte {} of shared memory", offset);
}

void Block::report(const Step& step, unsigned thread, const Target& target, const Finding& finding) {
  const std::string_view code = code_of(finding, index_);
  if (grid_.has_report(code, &step)) return;
  const std::string who = thread_text(thread, index_);
  const std::string where = place_text(target, finding.offset);
  const auto other = [&] {
    const std::string many = (finding.earlier.flags & Mark::many) != 0 ? " and others of its warp" : "";
    const Step& earlier = grid_.program().steps[finding.earlier.step];
    return fmt::format("{}{} ({})", thread_text(finding.earlier.thread, finding.earlier.block), many,
                       op_text(*grid_.program().kernel, *earlier.instruction.op));
  };
  const auto text = [&] {
    switch (finding.hazard) {
      case Hazard::none:
        break;
      case Hazard::unwritten:
        return fmt::format("{} reads {}, which nothing has written", who, where);
      case Hazard::race:
        return fmt::format(
            "{} and {} access {}{}", who, other(), where,
            finding.earlier.block != index_ ? ", and nothing orders them" : " without a barrier in between");
      case Hazard::pending:
        return fmt::format("{} accesses {}, to which an asynchronous copy of {} is on its way", who, where, other());
      case Hazard::locked:
        return fmt::format("{} writes {}, which an asynchronous copy may still read", who, where);
      case Hazard::unfenced:
        return fmt::format("the copy engine accesses {} for {}, and {} has no fence_async behind its access", where,
                           who, other());
    }
    internal_error("a report of nothing");
  };
  grid_.report(code, &step, text());
}

}  // namespace tilewright::kernel::simulator
