// An odometer whose digits move a set of linear values. See point_cursor.h.
#include "nest/reference/point_cursor.h"

#include <algorithm>
#include <utility>

namespace tilewright::nest {

PointCursor::PointCursor(const Bindings& bindings, std::vector<IterId> order, std::vector<std::int64_t> start,
                         const std::vector<bool>& reads, const std::vector<bool>& iterators)
    : order_(std::move(order)), index_(order_.size(), 0) {
  for (IterId iter : order_) {
    extents_.push_back(static_cast<std::uint64_t>(bindings.extents[iter.index]));
    start[iter.index] = 0;
  }
  block_.offsets.resize(reads.size());
  block_.inside.resize(reads.size());
  block_.iterators.resize(iterators.size());
  for (std::size_t read = 0; read < reads.size(); ++read) {
    if (!reads[read]) continue;
    const BoundRead& bound = bindings.reads[read];
    block_.offsets[read].resize(block_size);
    tracks_.push_back(track(bound.offset, start));
    tracks_.back().destination = block_.offsets[read].data();
    if (!bound.slots.empty()) block_.inside[read].resize(block_size);
    for (const BoundRead::Slot& slot : bound.slots) {
      tracks_.push_back(track(slot.value, start));
      tracks_.back().inside = block_.inside[read].data();
      tracks_.back().extent = slot.extent;
    }
  }
  for (std::size_t iter = 0; iter < iterators.size(); ++iter) {
    if (!iterators[iter]) continue;
    Linear itself{.constant = 0, .coefficients = std::vector<std::uint64_t>(bindings.extents.size(), 0)};
    itself.coefficients[iter] = 1;
    block_.iterators[iter].resize(block_size);
    tracks_.push_back(track(itself, start));
    tracks_.back().destination = block_.iterators[iter].data();
  }
}

PointCursor::Track PointCursor::track(const Linear& linear, const std::vector<std::int64_t>& start) const {
  Track result{.value = linear.constant, .steps = {}};
  for (std::size_t iter = 0; iter < start.size(); ++iter)
    result.value += linear.coefficients[iter] * static_cast<std::uint64_t>(start[iter]);
  for (IterId iter : order_) result.steps.push_back(linear.coefficients[iter.index]);
  return result;
}

const PointBlock& PointCursor::next(std::size_t count) {
  for (std::vector<std::uint8_t>& flags : block_.inside) std::ranges::fill(flags, std::uint8_t{1});
  std::size_t at = 0;
  while (at < count) {
    const std::uint64_t left = order_.empty() ? 1 : extents_.back() - index_.back();
    const std::size_t run = static_cast<std::size_t>(std::min<std::uint64_t>(left, count - at));
    for (const Track& one : tracks_) write_run(one, at, run);
    at += run;
    advance(run);
  }
  return block_;
}

void PointCursor::write_run(const Track& track, std::size_t at, std::size_t run) const {
  const std::uint64_t step = track.steps.empty() ? 0 : track.steps.back();
  std::uint64_t value = track.value;
  if (track.destination) {
    for (std::size_t point = at; point < at + run; ++point, value += step) track.destination[point] = value;
  } else {
    // A negative value is a huge one: one comparison checks both ends.
    for (std::size_t point = at; point < at + run; ++point, value += step)
      track.inside[point] = static_cast<std::uint8_t>(track.inside[point] & (value < track.extent ? 1 : 0));
  }
}

void PointCursor::advance(std::uint64_t run) {
  if (order_.empty()) return;
  std::size_t digit = order_.size() - 1;
  index_[digit] += run;
  for (Track& one : tracks_) one.value += one.steps[digit] * run;
  while (index_[digit] == extents_[digit]) {
    for (Track& one : tracks_) one.value -= one.steps[digit] * extents_[digit];
    index_[digit] = 0;
    if (digit == 0) return;
    --digit;
    ++index_[digit];
    for (Track& one : tracks_) one.value += one.steps[digit];
  }
}

PointBlock points_at(const Bindings& bindings, std::vector<std::vector<std::uint64_t>> iterators, std::size_t count,
                     const std::vector<bool>& reads) {
  PointBlock block{.offsets = std::vector<std::vector<std::uint64_t>>(reads.size()),
                   .inside = std::vector<std::vector<std::uint8_t>>(reads.size()),
                   .iterators = std::move(iterators)};
  const auto value = [&](const Linear& linear, std::size_t point) {
    std::uint64_t sum = linear.constant;
    for (std::size_t iter = 0; iter < block.iterators.size(); ++iter)
      if (linear.coefficients[iter] != 0) sum += linear.coefficients[iter] * block.iterators[iter][point];
    return sum;
  };
  for (std::size_t read = 0; read < reads.size(); ++read) {
    if (!reads[read]) continue;
    const BoundRead& bound = bindings.reads[read];
    for (std::size_t point = 0; point < count; ++point) {
      block.offsets[read].push_back(value(bound.offset, point));
      block.inside[read].push_back(std::ranges::all_of(
          bound.slots, [&](const BoundRead::Slot& slot) { return value(slot.value, point) < slot.extent; }));
    }
  }
  return block;
}

}  // namespace tilewright::nest
