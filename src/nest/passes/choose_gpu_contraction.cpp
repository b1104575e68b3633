// The GPU scheduler's choice for contractions with scalar products: a rectangle of outputs a block, a rectangle of
// registers a thread, what several threads use staged in shared memory.
//
// With f32: 128 × 128 outputs, 128 threads of 8 × 16. A step of 32 terms stages 2 · 128 · 32 elements and does 128 · 32
// products a thread for 24 · 32 elements that it reads from shared memory. A factor lies there as it lies in memory.
// Where that is along the terms, as rows of a[i, k], a thread takes two terms together and its rows stand apart (thread
// 3 of 16: 3, 19, 35, …), so that neighbouring threads read neighbouring rows; where it is along the outputs, as rows
// of b[k, j], a thread's outputs are runs of four (thread 3 of 8: 12 … 15, 44 … 47, …), and neighbouring threads read
// neighbouring vectors: no two in one bank.
//
// Rows and columns are joined iterators: `contract_tiles` says how many of them a block takes, and they fill up from
// the iterator whose points lie closest in memory. In ijklo,mjlo->ikmo rows are (i, k) and columns m: 64 rows of a
// block are 4 points of i by all 16 of k.
//
// A batch iterator along which both factors are contiguous (o, there) lies along threads, 32 bytes of it: each thread
// has one point of it and a square of its own. Rows of shared memory hold a thread's neighbours, m or k, so that it
// still reads vectors; the copy turns them.
#include <algorithm>
#include <array>
#include <bit>

#include "nest/passes/contraction_tiles.h"
#include "nest/passes/gpu_schedule.h"

namespace tilewright::nest::gpu_schedule {
namespace {

constexpr std::int64_t sector_bytes = 32;      ///< that memory moves at once: of a batch along threads
constexpr std::int64_t most_points = 1 << 16;  ///< of a group, as far as choices go

class Chooser {
 public:
  Chooser(const Problem& problem, Contraction contraction) : p_(problem), c_(std::move(contraction)) {}

  Choice run() {
    choose_lanes();
    if (std::ranges::find(c_.m, choice_.lanes) != c_.m.end()) {
      std::swap(c_.lhs, c_.rhs);
      std::swap(c_.m, c_.n);
    }
    neighbours_ = std::clamp<std::int64_t>(vector_bytes / element_bytes(), 1, 8);
    rows_ = inner_first(c_.m, c_.lhs);
    columns_ = inner_first(c_.n, c_.rhs);
    batch_ = batch_inner_first();
    order_terms();
    tiles_ = choose_tiles(sizes(), p_.rank);
    choose_depth();
    deal_threads();
    order_loops();
    add_caches();
    explain();
    return std::move(choice_);
  }

 private:
  const std::string& name(IterId iter) const { return p_.nest.iterators[iter].name; }
  std::int64_t group_points(const std::vector<IterId>& group) const {
    return std::clamp<std::int64_t>(p_.points(group), 1, most_points);
  }

  // ---- What lies next to what ----

  /// The strides of a side along an iterator: one where all of its reads that move are contiguous.
  StrideClass stride(ExprId side, IterId iter) const {
    StrideClass result = StrideClass::zero;
    for (ReadId id : reads_below(p_.nest, side)) {
      const StrideClass one = stride_along(p_.nest, p_.facts, p_.nest.reads[id], iter);
      if (one != StrideClass::zero) result = result == StrideClass::other ? result : one;
    }
    return result;
  }

  void choose_lanes() {
    constexpr std::int64_t long_enough = 16;
    int best = -1;
    for (const std::vector<IterId>* group : {&c_.m, &c_.n})
      for (IterId iter : *group) {
        if (p_.bucket(iter) <= 1) continue;
        int score = p_.bucket(iter) >= long_enough ? 8 : 0;
        if (output_stride_along(p_.nest, p_.facts, iter) == StrideClass::one) score += 4;
        for (ExprId side : {c_.lhs, c_.rhs}) score += stride(side, iter) == StrideClass::one ? 1 : 0;
        if (score >= best) choice_.lanes = iter, best = score;
      }
  }

  /// A group's iterators, the one of a thread's neighbours first.
  std::vector<IterId> inner_first(std::vector<IterId> group, ExprId side) const {
    const auto score = [&](IterId iter) {
      int sum = iter == choice_.lanes ? 8 : p_.bucket(iter) >= neighbours_ ? 4 : 0;
      if (output_stride_along(p_.nest, p_.facts, iter) == StrideClass::one) sum += 2;
      return sum + (stride(side, iter) == StrideClass::one ? 1 : 0);
    };
    std::ranges::sort(group, std::ranges::greater{}, [&](IterId iter) { return std::pair(score(iter), iter.index); });
    return group;
  }

  /// The batch iterator that both factors, or one and the output, are contiguous along first.
  std::vector<IterId> batch_inner_first() {
    std::vector<IterId> group = c_.batch;
    const auto contiguous = [&](IterId iter) {
      int sum = output_stride_along(p_.nest, p_.facts, iter) == StrideClass::one ? 1 : 0;
      for (ExprId side : {c_.lhs, c_.rhs}) sum += stride(side, iter) == StrideClass::one ? 1 : 0;
      return p_.bucket(iter) > 1 ? sum : 0;
    };
    std::ranges::sort(group, std::ranges::greater{},
                      [&](IterId iter) { return std::pair(contiguous(iter), p_.bucket(iter)); });
    if (!group.empty() && contiguous(group.front()) >= 2) along_threads_ = group.front();
    return group;
  }

  /// The reduction iterators, the one along which most factors are contiguous last: its terms are staged together.
  void order_terms() {
    const auto rank = [&](IterId iter) {
      int score = p_.bucket(iter) >= 8 ? 1 : 0;
      for (ExprId side : {c_.lhs, c_.rhs})
        for (ReadId id : reads_below(p_.nest, side))
          score += stride_along(p_.nest, p_.facts, p_.nest.reads[id], iter) == StrideClass::one ? 2 : 0;
      return score;
    };
    terms_ = c_.k;
    std::ranges::sort(terms_, {}, [&](IterId iter) { return std::pair(rank(iter), iter.index); });
    // The iterator that is split: of the most steps.
    std::int64_t most = 0;
    for (IterId iter : terms_) {
      const std::int64_t steps = p_.bucket(iter) / (iter == terms_.back() ? usual_depth(element_bytes()) : 1);
      if (steps > most) split_ = iter, most = steps;
    }
    most_parts_ = std::clamp<std::int64_t>(std::min(most, p_.points(c_.k) / least_terms), 1, widest_split);
  }

  std::int64_t element_bytes() const {
    std::size_t widest = 1;
    for (ExprId side : {c_.lhs, c_.rhs})
      for (ReadId id : reads_below(p_.nest, side))
        widest = std::max(widest, size_of(p_.nest.tensors[p_.nest.reads[id].tensor].dtype));
    return static_cast<std::int64_t>(widest);
  }

  /// Some factor's neighbours in memory lie at no multiple of 8 bytes.
  bool copies_single_elements() const {
    constexpr std::int64_t least = 8;
    for (ExprId side : {c_.lhs, c_.rhs})
      for (ReadId id : reads_below(p_.nest, side)) {
        const Read& read = p_.nest.reads[id];
        for (const std::vector<IterId>* group : {&c_.batch, &c_.m, &c_.n, &c_.k})
          for (IterId iter : *group)
            if (p_.bucket(iter) > 1 && stride_along(p_.nest, p_.facts, read, iter) == StrideClass::one &&
                aligned_elements(p_.facts.operands[read.tensor.index], p_.nest.tensors[read.tensor].dtype) *
                        static_cast<std::int64_t>(size_of(p_.nest.tensors[read.tensor].dtype)) <
                    least)
              return true;
      }
    return false;
  }

  // ---- Sizes ----

  std::int64_t shared_bytes() const { return std::min(most_shared_bytes, p_.staging_bytes()); }

  ContractionSizes sizes() const {
    ContractionSizes sizes;
    sizes.rows = group_points(c_.m);
    sizes.columns = group_points(c_.n);
    sizes.batch = group_points(c_.batch);
    sizes.terms = std::max<std::int64_t>(p_.points(c_.k), 1);
    sizes.element_bytes = element_bytes();
    sizes.accumulator_bytes = static_cast<std::int64_t>(size_of(p_.nest.accumulate));
    sizes.shared_bytes = shared_bytes();
    sizes.multiprocessors = p_.target.multiprocessors;
    if (along_threads_.valid()) sizes.lanes = std::min(p_.bucket(along_threads_), sector_bytes / sizes.element_bytes);
    sizes.lanes = std::min(std::max<std::int64_t>(sizes.lanes, 1), sizes.batch);
    sizes.most_parts = most_parts_;
    sizes.single_elements = copies_single_elements();
    sizes.columns_stream = stride(c_.rhs, choice_.lanes) == StrideClass::one;
    return sizes;
  }

  /// A factor whose neighbours in memory are terms, of which a thread takes several together.
  bool is_along_terms(ExprId side) const {
    return terms_together_ > 1 && stride(side, terms_.back()) == StrideClass::one;
  }

  /// Spreads `points` of a block, `registers` of them a thread's in pieces of neighbours, over a group's iterators.
  void deal(const std::vector<IterId>& group, std::int64_t points, std::int64_t registers, std::int64_t neighbours) {
    for (IterId iter : group) {
      const std::int64_t size = std::min(points, std::max<std::int64_t>(p_.bucket(iter), 1));
      const std::int64_t own = std::min(registers, size);
      points /= size;
      registers /= own;
      if (size == 1) continue;
      const std::int64_t chunk = std::min(own, neighbours);
      choice_.dealt[iter] = {size / own, chunk, own / chunk};
      choice_.thread_order.insert(choice_.thread_order.begin(), iter);
    }
  }

  /// Threads lie along columns, then rows, then batches. Where a batch lies along threads it comes first, but behind an
  /// iterator of few threads: four that differ in their rows alone read each vector of the columns' factor together.
  void deal_threads() {
    constexpr std::int64_t few = 4;
    std::vector<IterId>& order = choice_.thread_order;
    deal(columns_, tiles_.columns, tiles_.thread_columns, is_along_terms(c_.rhs) ? 1 : neighbours_);
    deal(rows_, tiles_.rows, tiles_.thread_rows, is_along_terms(c_.lhs) ? 1 : neighbours_);
    deal(batch_, tiles_.lanes, 1, 1);
    if (terms_together_ > 1) {
      choice_.dealt[terms_.back()] = {1, terms_together_, 1};
      order.push_back(terms_.back());
    }
    if (!along_threads_.valid()) return;
    const auto move_last = [&](IterId iter) {
      if (const auto found = std::ranges::find(order, iter); found != order.end())
        std::rotate(found, found + 1, order.end());
    };
    move_last(along_threads_);
    for (const std::vector<IterId>* group : {&rows_, &columns_})
      for (IterId iter : *group) {
        const auto dealt = choice_.dealt.find(iter);
        if (dealt != choice_.dealt.end() && dealt->second.threads > 1 && dealt->second.threads <= few)
          return move_last(iter);
      }
  }

  /// Terms that are staged together, over the reduction iterators.
  void choose_depth() {
    if (tiles_.parts > 1) {
      choice_.split = split_;
      choice_.part = std::max<std::int64_t>(p_.bucket(split_) / tiles_.parts, 1);
    }
    std::int64_t left = staged_depth(sizes(), tiles_);
    for (auto iter = terms_.rbegin(); iter != terms_.rend(); ++iter) {
      const std::int64_t all = *iter == choice_.split ? choice_.part : std::max<std::int64_t>(p_.bucket(*iter), 1);
      depth_[*iter] = std::min(all, left);
      left = std::max<std::int64_t>(left / depth_[*iter], 1);
    }
    // A vector of the rows' factor; where the columns' lies along terms too, half of one leaves registers for the next.
    const bool rows_alone = stride(c_.rhs, terms_.empty() ? choice_.lanes : terms_.back()) != StrideClass::one;
    const std::int64_t together =
        std::clamp<std::int64_t>((rows_alone ? vector_bytes : vector_bytes / 2) / element_bytes(), 2, 4);
    if (terms_.empty() || tiles_.streams || along_threads_.valid() || depth_.at(terms_.back()) % together != 0) return;
    terms_together_ = together;
    if (!is_along_terms(c_.lhs) && !is_along_terms(c_.rhs)) terms_together_ = 1;
  }

  // ---- Loops ----

  void order_loops() {
    if (choice_.split.valid()) {
      choice_.levels.push_back({choice_.split, choice_.part, true});
      choice_.reasons.push_back("split over " + name(choice_.split) + " in parts of " + std::to_string(choice_.part) +
                                ": few blocks");
    }
    // Blocks that lie next to each other share rows; those of a batch along threads share lines of memory.
    std::vector<IterId> outer;
    for (const std::vector<IterId>* group : {&columns_, &rows_, &batch_})
      outer.insert(outer.begin(), group->rbegin(), group->rend());
    if (std::erase(outer, along_threads_) > 0) outer.push_back(along_threads_);
    add_grid(p_, choice_, outer);
    for (IterId iter : terms_) choice_.levels.push_back({iter, depth_.at(iter)});
    if (tiles_.streams)
      for (IterId iter : terms_)
        if (depth_.at(iter) > streamed_terms) choice_.levels.push_back({iter, streamed_terms, false, 1});
    const std::map<IterId, std::int64_t> in_place = steps_in_place();
    for (IterId iter : terms_)
      if (depth_.at(iter) > choice_.points(iter))
        choice_.levels.push_back({iter, choice_.points(iter), false, in_place.at(iter)});
  }

  /// How many steps over the staged terms stand in place, of each iterator: code that the instruction cache holds. Two
  /// factors of several terms leave no registers for the next ones.
  std::map<IterId, std::int64_t> steps_in_place() const {
    constexpr std::int64_t most_products = 1024;
    const bool both = is_along_terms(c_.lhs) && is_along_terms(c_.rhs);
    std::int64_t products = tiles_.thread_rows * tiles_.thread_columns * (both ? 2 : 1);
    std::map<IterId, std::int64_t> steps;
    for (auto iter = terms_.rbegin(); iter != terms_.rend(); ++iter) {
      const std::int64_t together = choice_.points(*iter);
      const std::int64_t all = std::max<std::int64_t>(depth_.at(*iter) / together, 1);
      products *= together;
      steps[*iter] =
          tiles_.streams ? std::min(all, streamed_terms) : std::clamp<std::int64_t>(most_products / products, 1, all);
      products *= steps.at(*iter);
    }
    return steps;
  }

  bool is_streamed(ExprId side) const { return tiles_.streams && side == c_.rhs; }

  void add_caches() {
    std::int64_t bytes = 0;
    for (ExprId side : {c_.lhs, c_.rhs})
      for (ReadId id : reads_below(p_.nest, side)) {
        const Read& read = p_.nest.reads[id];
        const bool shared =
            std::ranges::any_of(choice_.dealt, [&](const auto& entry) { return depends_on(read, entry.first); });
        const bool known = std::ranges::find(choice_.caches, id, &CachedRead::read) != choice_.caches.end();
        if (!shared || known || is_streamed(side)) continue;
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
        if (bytes > shared_bytes()) return;
        choice_.caches.push_back(std::move(staged));
      }
  }

  void explain() {
    const auto points = [&](const std::vector<IterId>& group) {
      std::string text;
      for (auto iter = group.rbegin(); iter != group.rend(); ++iter)
        if (choice_.points(*iter) > 1)
          text += (text.empty() ? "" : " x ") + std::to_string(choice_.points(*iter)) + " of " + name(*iter);
      return text.empty() ? std::string("1") : text;
    };
    std::string text = "form: contraction; " + points(rows_) + " by " + points(columns_);
    if (tiles_.lanes > 1) text += ", " + points(batch_);
    text += " a block, " + std::to_string(tiles_.thread_rows) + " by " + std::to_string(tiles_.thread_columns) +
            " a thread";
    choice_.reasons.push_back(text);
    if (along_threads_.valid())
      choice_.reasons.push_back("threads along " + name(along_threads_) + ": a batch that memory is contiguous along");
    if (tiles_.streams)
      choice_.reasons.push_back("few rows: each thread loads its columns from memory once, nothing to share");
  }

  static constexpr std::int64_t least_terms = 64;    ///< of a part
  static constexpr std::int64_t widest_split = 512;  ///< parts

  const Problem& p_;
  Contraction c_;
  Choice choice_;
  ContractionTiles tiles_;
  std::int64_t neighbours_ = 4;                 ///< of a thread, in one piece
  std::vector<IterId> rows_, columns_, batch_;  ///< inner ones first
  std::vector<IterId> terms_;                   ///< of the reduction, the one that is staged deepest last
  IterId along_threads_;                        ///< a batch iterator that memory is contiguous along
  IterId split_;
  std::int64_t most_parts_ = 1;
  std::int64_t terms_together_ = 1;       ///< of the innermost reduction iterator, in a thread's registers
  std::map<IterId, std::int64_t> depth_;  ///< points of each reduction iterator that are staged together
};

}  // namespace

Choice choose_contraction(const Problem& problem, const Contraction& contraction) {
  return Chooser(problem, contraction).run();
}

}  // namespace tilewright::nest::gpu_schedule
