// Enumerates the points of an iteration space in blocks, and keeps each read's address up to date by additions alone.
#pragma once

#include <cstdint>
#include <vector>

#include "nest/reference/bindings.h"

namespace tilewright::nest {

/// Points that are evaluated together: long enough that the cost of an operation's dispatch vanishes, short enough that
/// a program's values stay in the first-level cache.
inline constexpr std::size_t block_size = 256;

/// What a program needs to know about up to block_size points.
struct PointBlock {
  std::vector<std::vector<std::uint64_t>> offsets;    ///< by ReadId: bytes from the tensor's data
  std::vector<std::vector<std::uint8_t>> inside;      ///< by ReadId, where the read has an `else`
  std::vector<std::vector<std::uint64_t>> iterators;  ///< by IterId
};

class PointCursor {
 public:
  /// Visits the product of `order`'s extents, the last fastest; the other iterators stay at `start` (by IterId). Tracks
  /// the reads and iterators that the two masks name.
  PointCursor(const Bindings& bindings, std::vector<IterId> order, std::vector<std::int64_t> start,
              const std::vector<bool>& reads, const std::vector<bool>& iterators);

  /// The next `count` points (at most block_size, and no more than are left).
  const PointBlock& next(std::size_t count);

 private:
  /// One value that changes by a fixed step along each iterator: an offset, a slot of a guarded read, an iterator.
  struct Track {
    std::uint64_t value = 0;
    std::vector<std::uint64_t> steps;  ///< by position in order_
    std::uint64_t* destination = nullptr;
    std::uint8_t* inside = nullptr;  ///< of a slot: its point's flag is cleared where the value is not below `extent`
    std::uint64_t extent = 0;
  };

  Track track(const Linear& linear, const std::vector<std::int64_t>& start) const;
  void write_run(const Track& track, std::size_t at, std::size_t run) const;
  void advance(std::uint64_t run);

  std::vector<IterId> order_;
  std::vector<std::uint64_t> extents_;  ///< by position in order_
  std::vector<std::uint64_t> index_;
  std::vector<Track> tracks_;
  PointBlock block_;
};

/// The same for points that follow no order: `iterators` has their values, by IterId and point.
PointBlock points_at(const Bindings& bindings, std::vector<std::vector<std::uint64_t>> iterators, std::size_t count,
                     const std::vector<bool>& reads);

}  // namespace tilewright::nest
