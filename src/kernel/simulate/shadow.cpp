// The checks of single granules.
#include "kernel/simulate/shadow.h"

#include <algorithm>
#include <bit>

namespace tilewright::kernel::simulator {

Shadow::Shadow(std::uint64_t bytes, std::uint64_t granule, bool written, std::size_t warps, const std::uint8_t* states,
               std::uint64_t states_begin)
    : shift_(static_cast<unsigned>(std::countr_zero(granule))),
      written_(written),
      slots_(std::max<std::size_t>(warps, 1)),
      by_warp_(warps != 0),
      bytes_(bytes),
      states_(states),
      states_begin_(states_begin),
      pages_((((bytes + granule - 1) >> shift_) >> page_shift) + 1),
      sets_(slots_) {}

void Shadow::keep_all_readers() {
  keeps_all_ = true;
  slots_ *= 2;
  sets_.resize(slots_);
}

void Shadow::reset() {
  for (std::unique_ptr<Page>& page : pages_) page.reset();
  sets_.resize(slots_);
}

std::unique_ptr<Shadow::Page> Shadow::make_page(std::uint64_t number) const {
  auto page = std::make_unique<Page>();
  std::uint64_t begin = (number << page_shift) << shift_;
  for (Cell& cell : *page) {
    const std::uint64_t end = std::min(begin + (std::uint64_t{1} << shift_), bytes_);
    cell.written = written_;
    // Of a granule some bytes may be read and others not: copies take as many as are valid.
    if (states_ != nullptr) {
      cell.written = begin < states_begin_;
      for (std::uint64_t i = std::max(begin, states_begin_); i < end; ++i)
        cell.written = cell.written || states_[i - states_begin_] != 0;
    }
    begin += std::uint64_t{1} << shift_;
  }
  return page;
}

/// `visit(cell, earlier)` gives a hazard; all granules are visited, and the first hazard is the finding.
template <class Visit>
Finding Shadow::each(std::uint64_t offset, std::uint64_t bytes, Visit&& visit) {
  Finding found;
  for (std::uint64_t i = first(offset); i <= last(offset, bytes); ++i) {
    Mark earlier;
    const Hazard hazard = visit(cell(i), earlier);
    if (hazard != Hazard::none && found.hazard == Hazard::none) found = {hazard, i << shift_, earlier};
  }
  return found;
}

/// The reader that a later, unordered one takes the place of.
void Shadow::keep_reader(Cell& cell) {
  if (cell.more == 0) {
    cell.more = static_cast<std::uint32_t>(sets_.size() / slots_);
    sets_.resize(sets_.size() + slots_);
  }
  std::size_t slot = by_warp_ ? cell.read.thread / warp_threads : 0;
  if (keeps_all_ && (cell.read.flags & Mark::async) != 0) slot += slots_ / 2;
  Readers& readers = sets_[cell.more * slots_ + slot];
  const std::uint32_t lane = std::uint32_t{1} << cell.read.thread % warp_threads;
  readers.lanes = by_warp_ ? readers.lanes | lane : lane;
  readers.last = cell.read;
  if (readers.lanes != lane) readers.last.flags |= Mark::many;
}

template <class Is>
bool Shadow::any_of(const Readers& readers, Is&& is) {
  if ((readers.last.flags & Mark::many) == 0) return is(readers.last);
  Mark one = readers.last;
  one.flags = static_cast<std::uint16_t>(one.flags & ~Mark::many);
  const unsigned first = one.thread / warp_threads * warp_threads;
  for (std::uint32_t lanes = readers.lanes; lanes != 0; lanes &= lanes - 1) {
    one.thread = static_cast<std::uint16_t>(first + static_cast<unsigned>(std::countr_zero(lanes)));
    if (is(one)) return true;
  }
  return false;
}

void Shadow::note_read(const Order& order, Cell& cell, const Mark& access) {
  const bool same = cell.read.thread == access.thread && cell.read.block == access.block &&
                    ((cell.read.flags ^ access.flags) & Mark::async) == 0;
  const bool follows = !keeps_all_ || cell.read.epoch == 0;
  if (!same && !(follows && order.before(cell.read, access.thread))) keep_reader(cell);
  cell.read = access;
}

Hazard Shadow::check_write(const Order& order, const Cell& cell, const Mark& access, Mark& earlier) const {
  const auto unordered = [&](const Mark& other) {
    if (order.before(other, access.thread)) return false;
    if ((other.flags & access.flags & Mark::atomic) != 0) return false;
    earlier = other;
    return true;
  };
  if (cell.pending) {
    earlier = cell.write;
    return Hazard::pending;
  }
  if (cell.locks != 0) {
    earlier = cell.read;
    return Hazard::locked;
  }
  if (unordered(cell.write) || unordered(cell.read)) return Hazard::race;
  if (cell.more != 0)
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      const Readers& readers = sets_[cell.more * slots_ + slot];
      if (!order.before(readers.last, access.thread) && any_of(readers, unordered)) return Hazard::race;
    }
  return Hazard::none;
}

Finding Shadow::read(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access) {
  return each(offset, bytes, [&](Cell& cell, Mark& earlier) {
    if (cell.pending || !order.before(cell.write, access.thread)) {
      earlier = cell.write;
      return cell.pending ? Hazard::pending : Hazard::race;
    }
    if (!cell.written) return Hazard::unwritten;
    note_read(order, cell, access);
    return Hazard::none;
  });
}

Finding Shadow::write(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access) {
  return each(offset, bytes, [&](Cell& cell, Mark& earlier) {
    const Hazard hazard = check_write(order, cell, access, earlier);
    cell.write = access;
    cell.read = {};
    cell.more = 0;
    cell.written = true;
    cell.pending = false;
    return hazard;
  });
}

Finding Shadow::atomic(const Order& order, std::uint64_t offset, std::uint64_t bytes, Mark access) {
  access.flags |= Mark::atomic;
  return each(offset, bytes, [&](Cell& cell, Mark& earlier) {
    const Hazard hazard = check_write(order, cell, access, earlier);
    if (hazard == Hazard::none && !cell.written) return Hazard::unwritten;
    cell.write = access;
    cell.read = {};
    cell.more = 0;
    return hazard;
  });
}

Finding Shadow::start_copy_to(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access) {
  return each(offset, bytes, [&](Cell& cell, Mark& earlier) {
    const Hazard hazard = check_write(order, cell, access, earlier);
    cell.write = access;
    cell.read = {};
    cell.more = 0;
    cell.pending = true;
    return hazard;
  });
}

void Shadow::end_copy_to(std::uint64_t offset, std::uint64_t bytes, const Mark& access) {
  for (std::uint64_t i = first(offset); i <= last(offset, bytes); ++i) {
    Cell& cell = this->cell(i);
    cell.write = access;
    cell.written = true;
    cell.pending = false;
  }
}

Finding Shadow::start_copy_from(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access) {
  Finding found = read(order, offset, bytes, access);
  for (std::uint64_t i = first(offset); i <= last(offset, bytes); ++i) ++cell(i).locks;
  return found;
}

Finding Shadow::find_unfenced(const Order& order, std::uint64_t offset, std::uint64_t bytes) {
  return each(offset, bytes, [&](Cell& cell, Mark& earlier) {
    earlier = cell.write;
    return order.is_unfenced(cell.write) ? Hazard::unfenced : Hazard::none;
  });
}

Finding Shadow::find_unfenced_users(const Order& order, std::uint64_t offset, std::uint64_t bytes) {
  return each(offset, bytes, [&](Cell& cell, Mark& earlier) {
    const auto is_unfenced = [&](const Mark& mark) {
      if (order.is_unfenced(mark)) earlier = mark;
      return earlier.epoch != 0;
    };
    bool found = is_unfenced(cell.write) || is_unfenced(cell.read);
    if (cell.more != 0)
      for (std::size_t slot = 0; slot < slots_ && !found; ++slot)
        found = any_of(sets_[cell.more * slots_ + slot], is_unfenced);
    return found ? Hazard::unfenced : Hazard::none;
  });
}

void Shadow::end_copy_from(const Order& order, std::uint64_t offset, std::uint64_t bytes, const Mark& access) {
  for (std::uint64_t i = first(offset); i <= last(offset, bytes); ++i) {
    Cell& cell = this->cell(i);
    if (cell.locks != 0) --cell.locks;
    note_read(order, cell, access);
  }
}

}  // namespace tilewright::kernel::simulator
