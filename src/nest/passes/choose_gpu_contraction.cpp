// The GPU scheduler's choice for contractions with scalar products: a square of outputs a block, a square of registers
// a thread, both factors staged in shared memory.
//
// With f32: 128 × 128 outputs, 256 threads of 8 × 8. A step of 16 terms stages 2 · 128 · 16 elements and does 64 · 16
// products a thread for 16 · 16 elements that it reads from shared memory. A thread's 8 rows are two runs of 4, 64
// apart, so that the threads of a warp read neighbouring vectors of 16 bytes: no two in one bank.
#include <algorithm>
#include <array>

#include "nest/passes/gpu_schedule.h"

namespace tilewright::nest::gpu_schedule {
namespace {

constexpr std::int64_t side_threads = 16;   ///< threads along each side of a block's square
constexpr std::int64_t most_registers = 8;  ///< points of a thread along each side
constexpr std::int64_t neighbours = 4;      ///< of a thread, in one piece
constexpr std::int64_t depth_bytes = 64;    ///< of one row of a staged factor: 16 terms of f32

IterId choose_lanes(const Problem& p, const Contraction& c) {
  IterId best;
  int best_score = -1;
  const auto is_contiguous = [&](ExprId side, IterId iter) {
    return std::ranges::any_of(reads_below(p.nest, side), [&](ReadId id) {
      return stride_along(p.nest, p.facts, p.nest.reads[id], iter) == StrideClass::one;
    });
  };
  for (const std::vector<IterId>* group : {&c.m, &c.n})
    for (IterId iter : *group) {
      if (p.bucket(iter) <= 1) continue;
      int score = p.bucket(iter) >= side_threads ? 8 : 0;
      if (output_stride_along(p.nest, p.facts, iter) == StrideClass::one) score += 4;
      for (ExprId side : {c.lhs, c.rhs}) score += is_contiguous(side, iter) ? 1 : 0;
      if (score >= best_score) best = iter, best_score = score;
    }
  return best;
}

class Chooser {
 public:
  Chooser(const Problem& problem, Contraction contraction) : p_(problem), c_(std::move(contraction)) {}

  Choice run() {
    choice_.lanes = choose_lanes(p_, c_);
    if (std::ranges::find(c_.m, choice_.lanes) != c_.m.end()) {
      std::swap(c_.lhs, c_.rhs);
      std::swap(c_.m, c_.n);
    }
    column_ = choice_.lanes;
    row_ = p_.largest(c_.m);
    choose_square();
    choose_depth();
    order_loops();
    add_caches();
    choice_.reasons.push_back("form: contraction; " + std::to_string(choice_.points(row_)) + " of " + name(row_) +
                              " by " + std::to_string(choice_.points(column_)) + " of " + name(column_) + " a block, " +
                              std::to_string(choice_.dealt[row_].chunk * choice_.dealt[row_].pieces) + " by " +
                              std::to_string(choice_.dealt[column_].chunk * choice_.dealt[column_].pieces) +
                              " a thread");
    return std::move(choice_);
  }

 private:
  const std::string& name(IterId iter) const { return p_.nest.iterators[iter].name; }

  static Dealt deal(std::int64_t points) {
    Dealt dealt;
    const std::int64_t registers = std::clamp<std::int64_t>(points / side_threads, 1, most_registers);
    dealt.chunk = std::min(registers, neighbours);
    dealt.pieces = registers / dealt.chunk;
    dealt.threads = std::max<std::int64_t>(points / registers, 1);
    return dealt;
  }

  /// The largest square that leaves work for the device, halved along its longer side first.
  void choose_square() {
    const std::int64_t widest = side_threads * most_registers;
    std::int64_t rows = std::clamp<std::int64_t>(p_.bucket(row_), 1, widest);
    std::int64_t columns = std::clamp<std::int64_t>(p_.bucket(column_), 1, widest);
    const auto set = [&] {
      choice_.dealt[row_] = deal(rows);
      choice_.dealt[column_] = deal(columns);
    };
    for (set(); blocks_of(p_, choice_) < few_blocks / 2 && std::max(rows, columns) > 2 * side_threads; set())
      (rows >= columns ? rows : columns) /= 2;
    choice_.thread_order = {row_, column_};
    std::vector<IterId> others;
    for (const std::vector<IterId>* group : {&c_.m, &c_.n})
      for (IterId iter : *group)
        if (iter != row_ && iter != column_) others.push_back(iter);
    deal_rest(p_, choice_, others);
  }

  /// Terms that are staged together: along the iterator in which a factor is contiguous, then along others.
  void choose_depth() {
    for (IterId iter : c_.k) depth_[iter] = 1;
    std::vector<IterId> order = c_.k;
    std::ranges::sort(order, {}, [&](IterId iter) { return std::pair(rank(iter), iter.index); });
    std::int64_t left = std::max<std::int64_t>(depth_bytes / widest_element(), 4);
    for (auto iter = order.rbegin(); iter != order.rend() && left > 1; ++iter) {
      depth_[*iter] = std::clamp<std::int64_t>(p_.bucket(*iter), 1, left);
      left /= depth_[*iter];
    }
    inner_order_ = order;
  }
  int rank(IterId iter) const {
    int score = 0;
    for (ExprId side : {c_.lhs, c_.rhs})
      for (ReadId id : reads_below(p_.nest, side))
        score += stride_along(p_.nest, p_.facts, p_.nest.reads[id], iter) == StrideClass::one ? 2 : 0;
    return score + (p_.bucket(iter) >= 8 ? 1 : 0);
  }
  std::int64_t widest_element() const {
    std::size_t widest = 1;
    for (const Tensor& tensor : p_.nest.tensors) widest = std::max(widest, size_of(tensor.dtype));
    return static_cast<std::int64_t>(widest);
  }

  void order_loops() {
    std::vector<IterId> outer = c_.batch;
    for (const std::vector<IterId>* group : {&c_.m, &c_.n})
      for (IterId iter : *group)
        if (iter != row_ && iter != column_) outer.push_back(iter);
    outer.push_back(row_);
    outer.push_back(column_);
    add_grid(p_, choice_, outer);
    consider_split();
    for (IterId iter : inner_order_) choice_.levels.push_back({iter, depth_.at(iter)});
    for (IterId iter : inner_order_)
      if (depth_.at(iter) > 1) choice_.levels.push_back({iter, 1, false, true});
  }

  void consider_split() {
    constexpr std::int64_t least_terms = 256;
    const std::int64_t blocks = blocks_of(p_, choice_);
    if (blocks == 0 || blocks >= few_blocks / 2) return;
    const IterId iter = p_.largest(c_.k);
    const std::int64_t parts = std::min(few_blocks / blocks, p_.points(c_.k) / least_terms);
    if (parts < 2 || p_.bucket(iter) < 2 * depth_.at(iter)) return;
    const std::int64_t step = depth_.at(iter);
    choice_.part = std::max<std::int64_t>(p_.bucket(iter) / parts / step, 1) * step;
    if (choice_.part >= p_.bucket(iter)) return;
    choice_.split = iter;
    choice_.levels.insert(choice_.levels.begin(), Level{iter, choice_.part, true});
    choice_.reasons.push_back("split over " + name(iter) + " in parts of " + std::to_string(choice_.part) +
                              ": few blocks");
  }

  void add_caches() {
    std::int64_t bytes = 0;
    for (ExprId side : {c_.lhs, c_.rhs})
      for (ReadId id : reads_below(p_.nest, side)) {
        const Read& read = p_.nest.reads[id];
        if (!depends_on(read, row_) && !depends_on(read, column_)) continue;
        CachedRead staged{id, {}};
        std::int64_t elements = 1;
        for (std::size_t i = 0; i < p_.nest.iterators.size(); ++i) {
          const IterId iter{static_cast<std::uint32_t>(i)};
          if (!depends_on(read, iter)) continue;
          const auto depth = depth_.find(iter);
          const std::int64_t size = depth != depth_.end() ? depth->second : choice_.points(iter);
          staged.tile.emplace_back(iter, size);
          elements *= size;
        }
        bytes += elements * static_cast<std::int64_t>(size_of(p_.nest.tensors[read.tensor].dtype));
        if (bytes > most_shared_bytes) return;
        choice_.caches.push_back(std::move(staged));
      }
  }

  static constexpr std::int64_t most_shared_bytes = 40 << 10;  ///< of a block that needs no special launch

  const Problem& p_;
  Contraction c_;
  Choice choice_;
  IterId row_, column_;
  std::map<IterId, std::int64_t> depth_;  ///< points of each reduction iterator that are staged together
  std::vector<IterId> inner_order_;
};

}  // namespace

Choice choose_contraction(const Problem& problem, const Contraction& contraction) {
  return Chooser(problem, contraction).run();
}

}  // namespace tilewright::nest::gpu_schedule
