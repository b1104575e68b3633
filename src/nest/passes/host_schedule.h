// The host scheduler's working state: what a nest looks like to it, and the choice under construction. Private to
// nest/passes/schedule_for_host and its parts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "nest/passes/nest_sizes.h"
#include "nest/passes/schedule_for_host.h"

namespace tilewright::nest::host_schedule {

/// One loop of the chosen order, outermost first.
struct Level {
  IterId iter;
  IntExpr step = 1;
  bool parallel = false;
};

/// A choice: the register tile, and the loops around it (the innermost loop over an iterator steps by its registers).
struct Choice {
  IterId lanes;
  std::map<IterId, std::int64_t> registers;  ///< sizes above 1
  std::vector<Level> levels;
  std::vector<CachedRead> caches;
  IterId split;  ///< reduction iterator split into parts of `part` points
  std::int64_t part = 0;
  Reasons reasons;
};

/// The nest with the figures that choices need.
struct Problem : NestSizes {
  Problem(const Nest& nest, const Facts& facts, const HostTarget& target);

  const HostTarget& target;
  std::int64_t vector = 1;         ///< lanes of a vector in the widest type computed with
  std::int64_t element_bytes = 4;  ///< of that type

  std::int64_t registers_of(const Choice& choice, IterId iter) const;
};

Choice choose_map(const Problem& problem);
Choice choose_reduction(const Problem& problem);
Choice choose_contraction(const Problem& problem, const Contraction& contraction);

/// Parallel loops over `iters` (outermost first, the last one blocked) so that a task has at least `grain` points of
/// `inner` points each.
void add_parallel(const Problem& problem, std::vector<Level>& levels, const std::vector<IterId>& iters,
                  std::int64_t inner);

}  // namespace tilewright::nest::host_schedule
