// Extent inference. An iterator's extent comes from a range, from the slots that hold it alone, or, where it stands in
// affine indices only, from the largest window that keeps those reads inside. Then every other index is checked.
//
// Reads with `else` take no part. Sums are in 128 bits: extents, coefficients and constants are any 64-bit numbers.
#include "lang/infer_extents.h"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::lang {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr Wide far = Wide{1} << 110;  ///< beyond every legal index, and sums of many such terms stay in 128 bits

/// Least and greatest value over the iterators' ranges.
struct Bounds {
  Wide low = 0;
  Wide high = 0;
  bool empty = false;  ///< an iterator has extent 0: the index never takes a value
};

/// Where an iterator's extent came from, for messages and for kernels with run-time extents.
struct Known {
  std::int64_t extent = 0;
  IntExpr expr;
  std::string origin;  ///< "axis 1 of 'a'", "the range of 'i'"
  bool ranged = false;
};

/// One slot of a read without `else`.
struct Slot {
  const Read* read;
  std::size_t axis;
  const OperandType* operand;
  const AffineIndex& index() const { return read->indices[axis]; }
  std::int64_t extent() const { return operand->shape[axis]; }
  IntExpr symbol() const { return IntExpr::symbol(fmt::format("{}.{}", operand->name, axis)); }
  std::string origin() const { return fmt::format("axis {} of '{}'", axis, operand->name); }
};

class ExtentInference {
 public:
  explicit ExtentInference(BindContext& context) : context_(context) { collect_slots(); }

  void run(TypedStatement& typed) {
    take_ranges();
    for (const Slot& slot : slots_)
      if (const std::string* iterator = slot.index().bare()) take_bare(*iterator, slot);
    std::vector<std::pair<std::string, const Slot*>> windows = find_windows();
    for (const auto& [iterator, slot] : windows) take_window(iterator, *slot);
    for (auto& [iterator, window] : windows_) known_.emplace(iterator, std::move(window));
    for (const Slot& slot : slots_) check_inside(slot);
    finish(typed);
  }

 private:
  void collect_slots() {
    for (std::uint32_t index = 0; index < context_.statement.exprs.size(); ++index) {
      if (!context_.in_value[index] && !context_.in_epilogue[index]) continue;
      const Read* read = std::get_if<Read>(&context_.statement.exprs[ExprId{index}].node);
      const OperandType* operand = read ? context_.operand(read->tensor) : nullptr;
      if (!operand || read->otherwise) continue;
      for (std::size_t axis = 0; axis < read->indices.size(); ++axis) slots_.push_back({read, axis, operand});
    }
  }

  void take_ranges() {
    if (!context_.statement.binding) return;
    for (const BoundIterator& bound : *context_.statement.binding)
      if (bound.extent)
        known_[bound.iterator.name] = {*bound.extent, IntExpr(*bound.extent),
                                       fmt::format("the range of '{}'", bound.iterator.name), true};
  }

  void take_bare(const std::string& iterator, const Slot& slot) {
    auto [at, first] = known_.try_emplace(iterator, Known{slot.extent(), slot.symbol(), slot.origin()});
    const Known& known = at->second;
    if (first || known.extent == slot.extent()) return;
    if (const std::string_view pair = pair_kind(iterator); !pair.empty() && !known.ranged)
      return context_.report("B010",
                             fmt::format("extents of {} axes differ: {} is {}, {} is {}", pair, known.origin,
                                         known.extent, slot.origin(), slot.extent()),
                             "the two axes of a pair have one extent", slot.index().span);
    context_.report(known.ranged ? "B011" : "B010",
                    fmt::format("extents of '{}' differ: {} is {}, {} is {}", iterator, known.origin, known.extent,
                                slot.origin(), slot.extent()),
                    known.ranged ? "a range equals the extent of every axis that its iterator indexes alone"
                                 : "all axes that one iterator indexes alone have one extent",
                    slot.index().span);
  }

  /// "batch" or "contracting", where the iterator stands for such a pair of axes of a dot_general.
  std::string_view pair_kind(const std::string& iterator) const {
    const auto& pairs = context_.statement.dot_general;
    if (!pairs) return {};
    if (std::ranges::find(pairs->batch, iterator) != pairs->batch.end()) return "batch";
    return std::ranges::find(pairs->contracting, iterator) != pairs->contracting.end() ? "contracting" : "";
  }

  /// The slots that decide an iterator which nothing has decided yet, in order. Each holds one such iterator.
  std::vector<std::pair<std::string, const Slot*>> find_windows() {
    std::vector<std::pair<std::string, const Slot*>> windows;
    for (const Slot& slot : slots_) {
      std::vector<std::string> unknown;
      for (const AffineIndex::Term& term : slot.index().terms)
        if (!known_.contains(term.iterator)) unknown.push_back(term.iterator);
      if (unknown.size() == 1) windows.emplace_back(unknown[0], &slot);
      if (unknown.size() < 2) continue;
      context_.report("B014",
                      fmt::format("index {} of '{}' holds {} iterators of unknown extent: {}", slot.axis,
                                  slot.operand->name, unknown.size(), fmt::join(unknown, ", ")),
                      "give all but one a range, as in 'i in 0 ..< 8'", slot.index().span);
      undecided_.insert(undecided_.end(), unknown.begin(), unknown.end());
    }
    return windows;
  }

  /// Bounds of the index without `skipped`'s term.
  Bounds bounds(const AffineIndex& index, const std::string* skipped) const {
    Bounds result{.low = index.constant, .high = index.constant};
    for (const AffineIndex::Term& term : index.terms) {
      if (skipped && term.iterator == *skipped) continue;
      const std::int64_t extent = known_.at(term.iterator).extent;
      if (extent == 0) result.empty = true;
      const Wide last = std::clamp(Wide{term.coefficient} * (Wide{extent} - 1), -far, far);
      (term.coefficient < 0 ? result.low : result.high) += last;
    }
    return result;
  }

  /// `slot` holds c · iterator + rest with rest in [low, high]: all c · t + rest for t below the extent are inside.
  void take_window(const std::string& iterator, const Slot& slot) {
    const AffineIndex& index = slot.index();
    const std::int64_t coefficient =
        std::ranges::find(index.terms, iterator, &AffineIndex::Term::iterator)->coefficient;
    const Bounds rest = bounds(index, &iterator);
    const Wide last = Wide{slot.extent()} - 1;
    const Wide room = coefficient > 0 ? last - rest.high : rest.low;
    if (rest.empty ? room < 0 : rest.low < 0 || rest.high > last) {
      context_.report(
          "B015",
          fmt::format("'{}' has no legal value: at 0, index {} of '{}' runs from {} to {}, and the axis "
                      "has extent {}",
                      iterator, slot.axis, slot.operand->name, clamp(rest.low), clamp(rest.high), slot.extent()),
          "shift the index, give the iterator a range, or add 'else' to the read", index.span);
      undecided_.push_back(iterator);
      return;
    }
    const Wide step = coefficient > 0 ? Wide{coefficient} : -Wide{coefficient};
    Known window{clamp(room / step + 1), window_expr(slot, iterator, coefficient),
                 fmt::format("index {} of '{}'", slot.axis, slot.operand->name)};
    auto [at, first] = windows_.try_emplace(iterator, window);
    if (first) return;
    at->second.expr = min(at->second.expr, window.expr);
    at->second.extent = std::min(at->second.extent, window.extent);
  }

  /// floor((extent − 1 − high) / c) + 1, or floor(low / |c|) + 1 for a negative c, with the 1s gathered.
  IntExpr window_expr(const Slot& slot, const std::string& iterator, std::int64_t coefficient) const {
    const bool forward = coefficient > 0;
    IntExpr room = forward ? slot.symbol() : IntExpr(0);
    Wide offset = forward ? -Wide{1} - slot.index().constant : Wide{slot.index().constant};
    for (const AffineIndex::Term& term : slot.index().terms) {
      if (term.iterator == iterator || (term.coefficient > 0) != forward) continue;
      // Its largest contribution, c · (extent − 1), narrows the room; for a negative c, its most negative one.
      const std::int64_t size = forward ? term.coefficient : -term.coefficient;
      room = room - IntExpr(size) * known_.at(term.iterator).expr;
      offset += size;
    }
    const std::int64_t step = forward ? coefficient : -coefficient;
    offset += step;
    room = offset < 0 ? room - IntExpr(clamp(-offset)) : room + IntExpr(clamp(offset));
    return floor_div(room, IntExpr(step));
  }

  static std::int64_t clamp(Wide value) {
    return static_cast<std::int64_t>(std::clamp(value, -Wide{int64_max}, Wide{int64_max}));
  }

  /// An index that is one iterator alone agrees already; an undecided one was reported.
  void check_inside(const Slot& slot) {
    const AffineIndex& index = slot.index();
    if (index.bare() && !windows_.contains(*index.bare())) return;
    for (const AffineIndex::Term& term : index.terms)
      if (!known_.contains(term.iterator)) return;
    const Bounds range = bounds(index, nullptr);
    if (range.empty || (range.low >= 0 && range.high < slot.extent())) return;
    const std::string reached = range.low == range.high
                                    ? fmt::format("is {}", clamp(range.low))
                                    : fmt::format("runs from {} to {}", clamp(range.low), clamp(range.high));
    context_.report("B013",
                    fmt::format("index {} of '{}' {}, outside its extent {}", slot.axis, slot.operand->name, reached,
                                slot.extent()),
                    slot.extent() == 0 ? "the axis is empty; add 'else' to the read"
                                       : fmt::format("0 to {} is inside; or add 'else' to the read", slot.extent() - 1),
                    index.span);
  }

  /// Even an index that may leave its tensor is computed in 64 bits.
  void check_overflow(const Expr& expr) {
    const Read* read = std::get_if<Read>(&expr.node);
    if (!read || !read->otherwise) return;
    for (const AffineIndex& index : read->indices) {
      const Bounds range = bounds(index, nullptr);
      if (range.empty || (range.low > -Wide{int64_max} && range.high < Wide{int64_max})) continue;
      context_.report("B016", fmt::format("an index of '{}' overflows 64 bits", read->tensor),
                      "use smaller coefficients or ranges", index.span);
    }
  }

  void finish(TypedStatement& typed) {
    const Statement& statement = context_.statement;
    bool complete = true;
    for (const std::string& name : statement.iterator_order()) {
      auto known = known_.find(name);
      if (known == known_.end()) {
        complete = false;
        if (std::ranges::find(undecided_, name) == undecided_.end())
          context_.report("B012", fmt::format("nothing gives the extent of '{}'", name),
                          fmt::format("give it a range, as in '{} in 0 ..< 8'; reads with 'else' set no extent", name),
                          span_of(name));
        continue;
      }
      typed.iterators.push_back({name,
                                 context_.is_target_iterator(name) ? IteratorRole::output : IteratorRole::reduction,
                                 known->second.extent, known->second.expr});
    }
    if (!complete) return;
    for (std::uint32_t index = 0; index < statement.exprs.size(); ++index)
      if (context_.in_value[index] || context_.in_epilogue[index]) check_overflow(statement.exprs[ExprId{index}]);
    set_output_shape(typed);
  }

  void set_output_shape(TypedStatement& typed) {
    Wide bytes = static_cast<Wide>(size_of(typed.output));
    for (const Named& axis : context_.statement.target_iterators) {
      const std::int64_t extent = known_.at(axis.name).extent;
      typed.output_shape.push_back(extent);
      if (bytes <= int64_max) bytes *= std::max<std::int64_t>(extent, 1);
    }
    if (bytes > int64_max)
      context_.report(
          "B006", fmt::format("the output of shape {} needs more than 2⁶³ bytes", fmt::join(typed.output_shape, "x")),
          "use smaller extents", context_.statement.target.span);
  }

  Span span_of(const std::string& iterator) const {
    const Statement& statement = context_.statement;
    if (statement.binding)
      for (const BoundIterator& bound : *statement.binding)
        if (bound.iterator.name == iterator) return bound.iterator.span;
    for (const Named& named : statement.target_iterators)
      if (named.name == iterator) return named.span;
    return statement.target.span;
  }

  BindContext& context_;
  std::vector<Slot> slots_;
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, Known, std::less<>> windows_;
  std::vector<std::string> undecided_;  ///< iterators whose failure is reported
};

}  // namespace

void infer_extents(BindContext& context, TypedStatement& typed) {
  ExtentInference(context).run(typed);
}

}  // namespace tilewright::lang
