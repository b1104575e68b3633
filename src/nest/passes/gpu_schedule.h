// The GPU scheduler's working state: what a nest looks like to it, and the choice under construction. Private to
// nest/passes/schedule_for_gpu and its parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nest/passes/nest_sizes.h"
#include "nest/passes/schedule_for_gpu.h"

namespace tilewright::nest::gpu_schedule {

inline constexpr std::int64_t block_threads = 256;  ///< of a block, where nothing asks for another number
inline constexpr std::int64_t vector_bytes = 16;    ///< of the widest access
inline constexpr std::string_view scalar_variant = "block";
inline constexpr std::int64_t few_blocks = 256;  ///< as many as leave multiprocessors idle: two each on 132

/// How a block's points of one iterator are dealt out. Each thread holds `pieces` runs of `chunk` neighbours; the runs
/// of neighbouring threads lie next to each other. With 16 threads, 2 pieces and chunks of 4, thread 3 of 128 points
/// holds 12 … 15 and 76 … 79. So do the threads of each of `groups` further on: of 4 groups of 8 threads with 2 pieces,
/// thread 3 of group 1 holds points 19 and 27. `outer` threads more deal out what those of an inner axis leave, slower
/// than all inner ones of a block: of 2 of 4 threads with 2 pieces, thread 3 of the second holds points 7 and 15.
struct Dealt {
  std::int64_t threads = 1;
  std::int64_t chunk = 1;
  std::int64_t pieces = 1;
  std::int64_t groups = 1;
  std::int64_t outer = 1;
  std::int64_t points() const { return groups * outer * threads * chunk * pieces; }
};

/// One loop of the chosen order, outermost first.
struct Level {
  IterId iter;
  IntExpr step = 1;
  bool parallel = false;
  std::int64_t unroll = 0;  ///< steps that are repeated in place, of those of a staged tile; 0: it is no such loop
};

struct Choice {
  IterId lanes;
  std::map<IterId, Dealt> dealt;     ///< of iterators with more than one point a block; the innermost level steps by it
  std::vector<IterId> thread_order;  ///< the iterators of `dealt`, fastest threads last
  std::vector<Level> levels;
  std::vector<CachedRead> caches;
  std::string variant;  ///< that the tiles are dealt for; empty: any but those of matrix units
  IterId split;         ///< reduction iterator split into parts of `part` points
  std::int64_t part = 0;
  Reasons reasons;

  std::int64_t points(IterId iter) const {
    const auto found = dealt.find(iter);
    return found == dealt.end() ? 1 : found->second.points();
  }
  std::int64_t threads() const {
    std::int64_t product = 1;
    for (const auto& [iter, each] : dealt) product *= each.groups * each.outer * each.threads;
    return product;
  }
};

struct Problem : NestSizes {
  Problem(const Nest& nest, const Facts& facts, const GpuTarget& target, std::size_t rank = 0)
      : NestSizes(nest, facts), target(target), rank(rank) {}

  const GpuTarget& target;
  /// Which of a contraction's tiles are wanted, ordered by their estimates: 0 is the best.
  std::size_t rank;

  /// Elements of the widest access along an iterator of the tensors that are contiguous along it: as many as all of
  /// them can take, 1 where an output or the read that matters most (`main`; null: any) is not aligned to more.
  std::int64_t vector_along(IterId iter, const Read* main) const;
  /// Threads of a block: the schedule's, those of its warps, or the usual number.
  std::int64_t threads() const {
    if (nest.schedule.threads > 0) return nest.schedule.threads;
    std::int64_t warps = nest.schedule.warps.empty() ? block_threads / target.warp_threads : 1;
    for (const std::int64_t each : nest.schedule.warps) warps *= each;
    return warps * target.warp_threads;
  }
  /// Stages that the schedule asks for, of targets that have some.
  std::int64_t asked_stages() const {
    return target.has_async_copies ? std::max<std::int64_t>(nest.schedule.stages, 1) : 1;
  }
  /// Bytes of the tiles that a block may stage: an eighth of its shared memory is left for rows that are longer than
  /// their elements, so that threads read from different banks.
  std::int64_t staging_bytes() const { return target.max_block_shared_bytes / 8 * 7 / asked_stages(); }
  /// Of these reads' tiles.
  std::int64_t bytes_of(const std::vector<CachedRead>& caches) const;
};

/// Elements of the widest access that every row of such a tensor starts at a multiple of.
std::int64_t aligned_elements(const TensorFacts& facts, DType dtype);
/// The two sides of a product that blocks compute rectangles of: with terms, and several rows and columns.
std::optional<Contraction> wide_contraction(const Problem& problem);

Choice choose_map(const Problem& problem);
Choice choose_reduction(const Problem& problem);
Choice choose_contraction(const Problem& problem, const Contraction& contraction);
/// For warpgroups' matrix units: nullopt where the target has none that multiplies the factors as the statement means
/// it, or where scalar products are estimated to be as quick. `demanded` by the schedule's variant, with its tiles:
/// errors N053 (no unit does that) and N054 (none has such tiles) instead.
Result<std::optional<Choice>> choose_matrix_product(const Problem& problem, const Contraction& contraction,
                                                    bool demanded);

/// Deals out what is left of the block's threads over `iters`, the last one first, a point a thread.
void deal_rest(const Problem& problem, Choice& choice, const std::vector<IterId>& iters);
/// Blocks of the choice's tiles of the output iterators; at most 2⁴⁰.
std::int64_t blocks_of(const Problem& problem, const Choice& choice);
/// The output iterators as parallel levels, in order, each by its points of a block.
void add_grid(const Problem& problem, Choice& choice, const std::vector<IterId>& iters);

}  // namespace tilewright::nest::gpu_schedule
