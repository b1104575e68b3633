// Merges pairs of iterators until none is left to merge.
#include "nest/passes/coalesce_iterators.h"

#include <algorithm>
#include <optional>

#include "support/overloaded.h"

namespace tilewright::nest {
namespace {

/// The axis whose slot is `iter` alone; nullopt if `iter` is not read, or is in another form.
struct Place {
  bool absent = true;
  bool bare = true;
  std::size_t axis = 0;
};

Place place_of(const std::vector<Affine>& index, IterId iter) {
  Place place;
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    for (const Affine::Term& term : index[axis].terms) {
      if (term.iter != iter) continue;
      const bool alone = index[axis].terms.size() == 1 && index[axis].constant == 0 && term.coefficient == 1;
      place.bare = place.absent && alone;
      place.absent = false;
      place.axis = axis;
    }
  return place;
}

std::vector<Affine> output_affine(const Nest& nest) {
  std::vector<Affine> index;
  for (IterId iter : nest.output_index) index.push_back(Affine{{{iter, 1}}, 0});
  return index;
}

/// The axes of p and q, if the access and the view allow to merge them; absent if it holds neither.
struct Pair {
  bool possible = true;
  bool absent = false;
  std::size_t outer = 0, inner = 0;
};

Pair pair_in(const std::vector<Affine>& index, const TensorView& view, IterId p, IterId q) {
  const Place outer = place_of(index, p), inner = place_of(index, q);
  if (outer.absent && inner.absent) return {true, true};
  if (outer.absent || inner.absent || !outer.bare || !inner.bare) return {false};
  const std::int64_t rows = view.shape[outer.axis], length = view.shape[inner.axis];
  const bool follows = rows == 1 || length == 1 || view.strides[outer.axis] == length * view.strides[inner.axis];
  return {follows, false, outer.axis, inner.axis};
}

bool is_value(const Nest& nest, IterId iter) {
  return std::ranges::any_of(nest.exprs, [&](const Expr& expr) {
    const auto* value = std::get_if<IterValue>(&expr.node);
    return value && value->iter == iter;
  });
}

class Merging {
 public:
  Merging(Nest& nest, NestViews& views) : nest_(nest), views_(views) {}

  int run() {
    int merged = 0;
    for (const TensorView& view : views_.operands) views_.operand_axes.push_back(own_axes(view));
    views_.output_axes = own_axes(views_.output);
    while (merge_one()) ++merged;
    return merged;
  }

 private:
  static AxisGroups own_axes(const TensorView& view) {
    AxisGroups axes;
    for (std::size_t axis = 0; axis < view.rank(); ++axis) axes.push_back({axis});
    return axes;
  }

  bool merge_one() {
    for (std::size_t p = 0; p < nest_.iterators.size(); ++p)
      for (std::size_t q = 0; q < nest_.iterators.size(); ++q)
        if (p != q && try_merge({static_cast<std::uint32_t>(p)}, {static_cast<std::uint32_t>(q)})) return true;
    return false;
  }

  bool try_merge(IterId p, IterId q) {
    if (nest_.iterators[p].role != nest_.iterators[q].role || is_value(nest_, p) || is_value(nest_, q)) return false;
    // One pair of axes a tensor, the same in all of its reads.
    std::vector<std::optional<Pair>> pairs(nest_.tensors.size());
    bool any = false;
    for (const Read& read : nest_.reads) {
      const Pair pair = pair_in(read.index, views_.operands[read.tensor.index], p, q);
      if (!pair.possible || (read.otherwise && !pair.absent)) return false;
      auto& known = pairs[read.tensor.index];
      if (known && (known->absent != pair.absent || known->outer != pair.outer || known->inner != pair.inner))
        return false;
      known = pair;
      any = any || !pair.absent;
    }
    const Pair output = pair_in(output_affine(nest_), views_.output, p, q);
    if (!output.possible || !any) return false;
    for (const Read& read : nest_.reads)  // an else-read elsewhere must not see the tensor's axes change
      if (read.otherwise && pairs[read.tensor.index] && !pairs[read.tensor.index]->absent) return false;
    merge(p, q, pairs, output);
    return true;
  }

  void merge(IterId p, IterId q, const std::vector<std::optional<Pair>>& pairs, const Pair& output) {
    IntExpr extent = nest_.iterators[p].extent * nest_.iterators[q].extent;
    for (std::size_t t = 0; t < pairs.size(); ++t) {
      if (!pairs[t] || pairs[t]->absent) continue;
      const TensorId id{static_cast<std::uint32_t>(t)};
      for (Read& read : nest_.reads)
        if (read.tensor == id) merge_slots(read.index, *pairs[t]);
      merge_axes(views_.operands[t], views_.operand_axes[t], *pairs[t]);
      --nest_.tensors[id].rank;
      renumber(nest_.tensors[id].name, *pairs[t], extent);
    }
    if (!output.absent) {
      std::erase(nest_.output_index, q);
      merge_axes(views_.output, views_.output_axes, output);
    }
    nest_.iterators[p].extent = extent;
    nest_.iterators[p].name = merged_name(p, q);
    remove_iterator(q);
  }

  /// The two names in a row, made different from every other iterator's.
  std::string merged_name(IterId p, IterId q) const {
    std::string name = nest_.iterators[p].name + nest_.iterators[q].name;
    while (std::ranges::any_of(nest_.iterators, [&](const Iterator& iter) { return iter.name == name; })) name += "_";
    return name;
  }

  static void merge_slots(std::vector<Affine>& index, const Pair& pair) {
    index.erase(index.begin() + static_cast<std::ptrdiff_t>(pair.inner));
  }

  /// The merged axis stays where the outer one was.
  static void merge_axes(TensorView& view, AxisGroups& axes, const Pair& pair) {
    axes[pair.outer].insert(axes[pair.outer].end(), axes[pair.inner].begin(), axes[pair.inner].end());
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(pair.inner));
    const std::int64_t length = view.shape[pair.inner];
    if (length != 1) view.strides[pair.outer] = view.strides[pair.inner];
    view.shape[pair.outer] *= length;
    view.shape.erase(view.shape.begin() + static_cast<std::ptrdiff_t>(pair.inner));
    view.strides.erase(view.strides.begin() + static_cast<std::ptrdiff_t>(pair.inner));
  }

  /// Extents in terms of the tensor's old axes, in terms of its new ones. A product of the two merged axes is the
  /// merged axis; alone they cannot stand in any extent that remains, since every iterator they belong to is p or q.
  void renumber(const std::string& tensor, const Pair& pair, IntExpr& merged) {
    const auto symbol = [&](std::size_t axis) { return tensor + "." + std::to_string(axis); };
    const std::size_t place = pair.outer - (pair.inner < pair.outer ? 1 : 0);
    const auto rename = [&](std::string_view name) -> std::optional<IntExpr> {
      for (std::size_t axis = 0; axis <= 8; ++axis)
        if (name == symbol(axis))
          return IntExpr::symbol(symbol(axis == pair.outer ? place : axis - (pair.inner < axis ? 1 : 0)));
      return std::nullopt;
    };
    for (Iterator& iter : nest_.iterators) iter.extent = substitute(iter.extent, rename);
    for (Expr& expr : nest_.exprs)
      if (auto* value = std::get_if<ExtentValue>(&expr.node)) value->value = substitute(value->value, rename);
    merged = IntExpr::symbol(symbol(place));
  }

  void remove_iterator(IterId gone) {
    Table<IterId, Iterator> kept;
    std::vector<IterId> renamed(nest_.iterators.size());
    for (std::size_t i = 0; i < nest_.iterators.size(); ++i) {
      const IterId iter{static_cast<std::uint32_t>(i)};
      if (iter != gone) renamed[i] = kept.add(nest_.iterators[iter]);
    }
    nest_.iterators = std::move(kept);
    for (IterId& iter : nest_.output_index) iter = renamed[iter.index];
    for (Read& read : nest_.reads)
      for (Affine& slot : read.index)
        for (Affine::Term& term : slot.terms) term.iter = renamed[term.iter.index];
    for (Expr& expr : nest_.exprs)
      if (auto* value = std::get_if<IterValue>(&expr.node)) value->iter = renamed[value->iter.index];
    std::erase_if(nest_.loops, [&](const Loop& loop) { return loop.iter == gone; });
    for (Loop& loop : nest_.loops) {
      loop.iter = renamed[loop.iter.index];
      loop.name = nest_.iterators[loop.iter].name;
    }
  }

  Nest& nest_;
  NestViews& views_;
};

/// extent(i) of a merged iterator would lose its meaning: its symbol may be an axis that is merged away.
bool has_extent_values(const Nest& nest) {
  return std::ranges::any_of(nest.exprs,
                             [](const Expr& expr) { return std::holds_alternative<ExtentValue>(expr.node); });
}

}  // namespace

int coalesce_iterators(Nest& nest, NestViews& views) {
  return has_extent_values(nest) ? 0 : Merging(nest, views).run();
}

}  // namespace tilewright::nest
