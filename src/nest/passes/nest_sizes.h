// What schedulers ask of a nest first: its iterators by role, how large they are, and which of them memory is
// contiguous along. Private to the schedulers of nest/passes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nest/access.h"
#include "nest/facts.h"
#include "nest/ir.h"

namespace tilewright::nest {

struct NestSizes {
  NestSizes(const Nest& nest, const Facts& facts);

  const Nest& nest;
  const Facts& facts;
  std::vector<IterId> outputs, reductions;

  std::int64_t bucket(IterId iter) const { return facts.size_buckets[iter.index]; }
  /// Product of buckets, at most 2⁶².
  std::int64_t points(const std::vector<IterId>& iters) const;
  /// The last of the largest: the later an iterator stands, the closer its points lie in row-major operands.
  IterId largest(const std::vector<IterId>& iters) const;

  /// The output's contiguous iterator; else one that reads are contiguous in; else the last.
  IterId output_lanes() const;
  /// An output iterator other than the lanes, of at least `least` points, in which an operand that jumps along the
  /// lanes is contiguous.
  IterId crossing(IterId lanes, std::int64_t least) const;
  /// The reads that jump along the lanes and are contiguous along `cross`, each staged in tiles of `points_of(iter)`
  /// points.
  std::vector<CachedRead> staged_crossing(IterId lanes, IterId cross,
                                          const std::function<std::int64_t(IterId)>& points_of) const;
  /// The read that moves the most data; null without reads.
  const Read* main_read() const;
  /// The iterator of more than one point in which the read is contiguous, reductions first; invalid: none.
  IterId contiguous_in(const Read* read) const;
};

}  // namespace tilewright::nest
