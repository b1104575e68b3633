// The host scheduler's choice for contractions: a register tile, packed panels, blocks for the caches.
//
// With f32 and 16 vector registers of 8 lanes: a tile of 6 × 16 has 12 accumulators, 2 vectors of the factor with lanes
// and a broadcast scalar. A panel of that factor of k 256 × 16 points is 16 KiB, half of the first-level cache; a block
// of k 256 × j 4096 is 4 MiB, a part of the last-level cache; 252 rows of the other factor are 258 KiB, half of the
// second-level cache.
//
// Where both factors share the lanes' iterator (a batch), a tile of 4 × 3 vectors loads each factor's vectors once. Its
// packed blocks hold whole cache lines of lanes, as they lie in memory, cut into panels of one vector each: a block of
// k 128 × 64 rows × 32 lanes is read in one pass and used by 4 vectors of lanes, one after the other.
#include <algorithm>
#include <array>

#include "nest/passes/host_schedule.h"

namespace tilewright::nest::host_schedule {
namespace {

constexpr std::int64_t block_line_bytes = 128;  ///< of lanes that a packed block of a batch reads from each row

std::int64_t ceil_to(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::int64_t round_down(std::int64_t value, std::int64_t multiple) {
  return std::max(value / multiple * multiple, multiple);
}

bool side_has(const Problem& p, ExprId side, IterId iter) {
  return std::ranges::any_of(reads_below(p.nest, side), [&](ReadId id) { return depends_on(p.nest.reads[id], iter); });
}

StrideClass side_stride(const Problem& p, ExprId side, IterId iter) {
  StrideClass result = StrideClass::zero;
  for (ReadId id : reads_below(p.nest, side)) {
    const StrideClass stride = stride_along(p.nest, p.facts, p.nest.reads[id], iter);
    if (stride != StrideClass::zero) result = stride;
  }
  return result;
}

IterId choose_lanes(const Problem& p, const Contraction& c) {
  IterId best;
  int best_score = -1;
  for (IterId iter : p.outputs) {
    if (p.bucket(iter) <= 1) continue;
    int score = p.bucket(iter) >= p.vector ? 8 : 0;
    if (output_stride_along(p.nest, p.facts, iter) == StrideClass::one) score += 4;
    for (ExprId side : {c.lhs, c.rhs})
      if (side_has(p, side, iter) && side_stride(p, side, iter) == StrideClass::one) score += 2;
    if (score >= best_score) best = iter, best_score = score;
  }
  return best;
}

class Chooser {
 public:
  Chooser(const Problem& problem, Contraction contraction) : p_(problem), c_(std::move(contraction)) {}

  Choice run() {
    choice_.lanes = choose_lanes(p_, c_);
    if (choice_.lanes.valid() && std::ranges::find(c_.m, choice_.lanes) != c_.m.end()) {
      std::swap(c_.lhs, c_.rhs);
      std::swap(c_.m, c_.n);
    }
    choose_registers();
    choose_blocks();
    order_loops();
    return std::move(choice_);
  }

 private:
  bool lanes_are_batch() const { return std::ranges::find(c_.batch, choice_.lanes) != c_.batch.end(); }
  std::int64_t registers(IterId iter) const { return p_.registers_of(choice_, iter); }

  void choose_registers() {
    const std::int64_t accumulators = p_.target.vector_registers >= 32 ? 24 : 12;
    row_ = p_.largest(c_.m);
    column_ = lanes_are_batch() ? p_.largest(c_.n) : choice_.lanes;
    std::int64_t rows = row_.valid() ? std::min<std::int64_t>(p_.bucket(row_), lanes_are_batch() ? 4 : 6) : 1;
    rows = std::max<std::int64_t>(rows, 1);
    if (row_.valid() && rows > 1) choice_.registers[row_] = rows;
    if (!choice_.lanes.valid()) return;
    const std::int64_t lane_vectors = std::max<std::int64_t>(p_.bucket(choice_.lanes) / p_.vector, 1);
    if (lanes_are_batch()) {
      choice_.registers[choice_.lanes] = std::min(p_.vector, std::max<std::int64_t>(p_.bucket(choice_.lanes), 2));
      const std::int64_t columns =
          column_.valid() ? std::min<std::int64_t>(p_.bucket(column_), accumulators / rows) : 1;
      if (columns > 1) choice_.registers[column_] = columns;
    } else {
      const std::int64_t vectors =
          std::clamp<std::int64_t>(accumulators / rows, 1, std::min<std::int64_t>(lane_vectors, 4));
      choice_.registers[choice_.lanes] =
          std::min(vectors * p_.vector, std::max<std::int64_t>(p_.bucket(choice_.lanes), 2));
    }
    choice_.reasons.push_back("form: contraction; lanes along " + p_.nest.iterators[choice_.lanes].name +
                              (lanes_are_batch() ? ", a batch iterator of both factors" : ""));
  }

  /// Which factors are packed, and the blocks' sizes.
  void choose_blocks() {
    const HostTarget& t = p_.target;
    const std::int64_t bytes = p_.element_bytes;
    const std::int64_t vector = lanes_are_batch() ? registers(choice_.lanes) : 1;
    // The panel that stays in the first-level cache: of columns; of rows where the lanes are a batch.
    const IterId resident = lanes_are_batch() ? row_ : column_;
    const std::int64_t panel = resident.valid() ? registers(resident) * vector : 1;
    depth_ = std::clamp<std::int64_t>(t.l1_bytes / 2 / (panel * bytes), 64, 1024);
    const std::int64_t m = p_.points(c_.m), n = p_.points(c_.n), k = p_.points(c_.k);
    // The loop over k that runs innermost: the one along which the scalar factor is contiguous.
    inner_k_ = c_.k.back();
    for (IterId iter : c_.k)
      if (p_.bucket(iter) > 1 && side_stride(p_, c_.lhs, iter) == StrideClass::one) inner_k_ = iter;
    if (k == 0 || !column_.valid()) return;
    const bool jumps = !lanes_are_batch() && side_stride(p_, c_.rhs, choice_.lanes) == StrideClass::other;
    const std::int64_t batch = lanes_are_batch() ? p_.bucket(choice_.lanes) : 1;
    pack_rhs_ = m >= 16 && (n * k * bytes * batch > t.l2_bytes || jumps);
    // Rows a power of two apart share a few sets of the caches; packed, a block of them stays where it belongs.
    pack_lhs_ = row_.valid() && n >= 4 * registers(column_) && m * k * bytes * batch > t.l2_bytes;
    blocked_ = (pack_rhs_ || pack_lhs_) || k > 4 * depth_;
    lanes_block_ = vector;
    if (blocked_ && lanes_are_batch())
      lanes_block_ = round_down(std::min<std::int64_t>(p_.bucket(choice_.lanes), block_line_bytes / bytes), vector);
    if (!blocked_) return;
    block(innermost(c_.k, inner_k_), depth_);
    block(innermost(c_.m, row_), t.l2_bytes / 2 / (depth_ * bytes * lanes_block_));
    // Columns stream past the resident rows of a batch from the second-level cache.
    const std::int64_t columns = lanes_are_batch() ? t.l2_bytes / 2 / (depth_ * bytes * vector)
                                                   : std::min<std::int64_t>(t.l3_bytes / 4 / (depth_ * bytes), 4096);
    block(innermost(c_.n, column_), columns);
  }

  /// The group's iterators, `last` at the end: the order of their loops.
  static std::vector<IterId> innermost(std::vector<IterId> group, IterId last) {
    if (std::erase(group, last) > 0) group.push_back(last);
    return group;
  }

  /// Blocks of about `points` points of a group: its inner loops run whole while they fit.
  void block(const std::vector<IterId>& group, std::int64_t points) {
    for (auto iter = group.rbegin(); iter != group.rend(); ++iter) {
      blocks_[*iter] = block_of(*iter, points);
      points = std::max<std::int64_t>(points / blocks_[*iter], 1);
    }
  }

  /// Even blocks of `iter` in whole register tiles, of about `points`: a last block of a few points would have the
  /// other factor packed for it once more.
  std::int64_t block_of(IterId iter, std::int64_t points) const {
    const std::int64_t all = std::max<std::int64_t>(p_.bucket(iter), 1);
    points = std::max<std::int64_t>(points, 1);
    const std::int64_t blocks = std::max<std::int64_t>((all + points / 2) / points, 1);
    return ceil_to((all + blocks - 1) / blocks, registers(iter));
  }

  void order_loops() {
    add_tasks();
    const std::vector<IterId> m = innermost(c_.m, row_), n = innermost(c_.n, column_), k = innermost(c_.k, inner_k_);
    const bool in_buffer = blocked_ && !accumulates_in_output(p_.nest);
    const auto blocks = [&](const std::vector<IterId>& group) {
      for (IterId iter : group)
        if (blocked_) level(iter, blocks_.at(iter));
    };
    blocks(n);
    if (in_buffer) {
      // Sums that wait in a buffer between the blocks of k: those of as many rows as a part of the last cache holds.
      std::vector<IterId> others = m;
      std::erase(others, row_);
      blocks(others);
      if (row_.valid()) level(row_, accumulator_rows());
    }
    blocks(k);
    if (in_buffer && row_.valid())
      blocks({row_});
    else if (!in_buffer)
      blocks(m);
    if (lanes_block_ > registers(choice_.lanes)) level(choice_.lanes, registers(choice_.lanes));
    // What stays in the first-level cache is outside: columns; rows where the lanes are a batch.
    for (const std::vector<IterId>& group : lanes_are_batch() ? std::array{m, n, k} : std::array{n, m, k})
      for (IterId iter : group)
        if (!blocked_ || registers(iter) > 1 || blocks_.at(iter) > 1) level(iter, registers(iter));
    add_caches();
  }

  std::int64_t accumulator_rows() const {
    std::int64_t columns = 1;
    for (IterId iter : c_.n) columns *= blocks_.at(iter);
    return std::max(round_down(p_.target.l3_bytes / 4 / (columns * p_.element_bytes), registers(row_)),
                    blocks_.at(row_));
  }

  void level(IterId iter, std::int64_t step) { choice_.levels.push_back({iter, step, false}); }
  /// Tasks: batches first; then columns and rows are cut into as many even pieces as there are threads left to feed:
  /// the side with more points, since each task packs the other one for itself.
  void add_tasks() {
    std::int64_t tasks = 1;
    for (IterId iter : c_.batch) {
      if (iter == choice_.lanes) continue;
      choice_.levels.push_back({iter, 1, true});
      tasks *= std::max<std::int64_t>(p_.bucket(iter), 1);
    }
    if (lanes_are_batch()) {
      choice_.levels.push_back({choice_.lanes, lanes_block_, true});
      tasks *= std::max<std::int64_t>(p_.bucket(choice_.lanes) / lanes_block_, 1);
    }
    const std::int64_t flops = p_.points(c_.batch) * p_.points(c_.m) * p_.points(c_.n) * p_.points(c_.k);
    const std::int64_t wanted = std::clamp<std::int64_t>(flops >> 18, 1, p_.target.threads);
    std::array sides{c_.n, c_.m};
    if (p_.points(c_.m) > 2 * p_.points(c_.n)) std::swap(sides[0], sides[1]);
    for (const std::vector<IterId>& side : sides) tasks *= cut(most_tiles(side), (wanted + tasks - 1) / tasks, 4);
  }

  IterId most_tiles(const std::vector<IterId>& group) const {
    IterId best;
    for (IterId iter : group)
      if (!best.valid() || p_.bucket(iter) / registers(iter) > p_.bucket(best) / registers(best)) best = iter;
    return best;
  }

  /// Cuts an iterator into at most `pieces` even pieces of at least `least` register tiles; how many it made.
  std::int64_t cut(IterId iter, std::int64_t pieces, std::int64_t least) {
    if (!iter.valid()) return 1;
    const std::int64_t granule = registers(iter);
    pieces = std::clamp<std::int64_t>(p_.bucket(iter) / (granule * least), 1, std::max<std::int64_t>(pieces, 1));
    if (pieces <= 1) return 1;
    const IntExpr tiles = ceil_div(p_.nest.iterators[iter].extent, granule);
    choice_.levels.push_back({iter, max(ceil_div(tiles, pieces), 1) * granule, true});
    return pieces;
  }

  void add_caches() {
    const auto size_of_stage = [&](IterId iter) -> std::int64_t {
      if (const auto block = blocks_.find(iter); block != blocks_.end()) return block->second;
      return iter == choice_.lanes ? lanes_block_ : 1;
    };
    const auto cache = [&](ExprId side, IterId main) {
      for (ReadId id : reads_below(p_.nest, side)) {
        const Read& read = p_.nest.reads[id];
        if (read.otherwise || !depends_on(read, main)) continue;
        CachedRead staged{id, {}};
        for (std::size_t i = 0; i < p_.nest.iterators.size(); ++i)
          if (const IterId iter{static_cast<std::uint32_t>(i)}; depends_on(read, iter))
            staged.tile.emplace_back(iter, size_of_stage(iter));
        choice_.caches.push_back(staged);
        choice_.reasons.push_back("pack " + p_.nest.tensors[read.tensor].name + ": its panels are used " +
                                  std::to_string(p_.points(main == column_ ? c_.m : c_.n)) + " times");
      }
    };
    if (pack_rhs_) cache(c_.rhs, column_);
    if (pack_lhs_) cache(c_.lhs, row_);
  }

  const Problem& p_;
  Contraction c_;
  Choice choice_;
  IterId row_, column_, inner_k_;
  std::int64_t depth_ = 256, lanes_block_ = 1;
  std::map<IterId, std::int64_t> blocks_;  ///< points of each iterator in a packed block
  bool pack_rhs_ = false, pack_lhs_ = false, blocked_ = false;
};

}  // namespace

Choice choose_contraction(const Problem& problem, const Contraction& contraction) {
  return Chooser(problem, contraction).run();
}

}  // namespace tilewright::nest::host_schedule
