// Layouts: construction, evaluation, coalescing. See layout.h.
#include "layout/layout.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tilewright::layout {
namespace {

/// Strides for `shape`'s leaves in the order that `step` walks a list's modes; `next` is the stride of the next leaf.
template <class InOrder>
Tuple compact_strides(const Tuple& shape, IntExpr& next, const InOrder& in_order) {
  if (shape.is_leaf()) return std::exchange(next, next * shape.leaf());
  std::vector<Tuple> strides(shape.modes().size());
  in_order(strides.size(), [&](std::size_t i) { strides[i] = compact_strides(shape.modes()[i], next, in_order); });
  return Tuple::list(std::move(strides));
}

/// The index of `number` in a mode; the last leaf takes what the others leave over.
IntExpr index_of_number(const Tuple& shape, const Tuple& stride, IntExpr number) {
  if (shape.is_leaf()) return number * stride.leaf();
  IntExpr sum = 0;
  for (std::size_t i = 0; i < shape.modes().size(); ++i) {
    const IntExpr extent = product(shape.modes()[i]);
    const bool last = i + 1 == shape.modes().size();
    sum = sum + index_of_number(shape.modes()[i], stride.modes()[i], last ? number : mod(number, extent));
    number = floor_div(number, extent);
  }
  return sum;
}

IntExpr index_in(const Tuple& shape, const Tuple& stride, const Tuple& coordinate) {
  if (coordinate.is_leaf()) return index_of_number(shape, stride, coordinate.leaf());
  if (shape.is_leaf() || shape.modes().size() != coordinate.modes().size())
    internal_error("a coordinate does not nest as its layout does");
  IntExpr sum = 0;
  for (std::size_t i = 0; i < shape.modes().size(); ++i)
    sum = sum + index_in(shape.modes()[i], stride.modes()[i], coordinate.modes()[i]);
  return sum;
}

/// A product's factors: the constant, and the others as sorted texts.
struct Factors {
  IntExpr constant = 1;
  std::vector<std::string> others;
  friend bool operator==(const Factors&, const Factors&) = default;
};

void collect_factors(const IntExpr& expr, Factors& factors) {
  if (expr.op() == IntOp::mul) {
    collect_factors(expr.lhs(), factors);
    collect_factors(expr.rhs(), factors);
  } else if (expr.is_constant()) {
    factors.constant = factors.constant * expr;
  } else {
    factors.others.push_back(to_text(expr));
  }
}

/// Equal but for the order of factors.
bool are_equal_products(const IntExpr& a, const IntExpr& b) {
  if (a == b) return true;
  Factors of_a;
  Factors of_b;
  collect_factors(a, of_a);
  collect_factors(b, of_b);
  std::ranges::sort(of_a.others);
  std::ranges::sort(of_b.others);
  return of_a == of_b;
}

Layout from_leaves(const std::vector<Leaf>& leaves) {
  if (leaves.size() == 1) return Layout(leaves[0].extent, leaves[0].stride);
  std::vector<Tuple> extents;
  std::vector<Tuple> strides;
  for (const Leaf& leaf : leaves) {
    extents.emplace_back(leaf.extent);
    strides.emplace_back(leaf.stride);
  }
  return Layout(Tuple::list(std::move(extents)), Tuple::list(std::move(strides)));
}

}  // namespace

Layout::Layout(Tuple shape, Tuple stride) : shape_(std::move(shape)), stride_(std::move(stride)) {
  if (!are_congruent(shape_, stride_)) internal_error("a layout whose shape and stride do not nest alike");
}

Layout compact_left(const Tuple& shape) {
  IntExpr next = 1;
  const auto upwards = [](std::size_t count, const auto& visit) {
    for (std::size_t i = 0; i < count; ++i) visit(i);
  };
  return Layout(shape, compact_strides(shape, next, upwards));
}

Layout compact_right(const Tuple& shape) {
  IntExpr next = 1;
  const auto downwards = [](std::size_t count, const auto& visit) {
    for (std::size_t i = count; i-- > 0;) visit(i);
  };
  return Layout(shape, compact_strides(shape, next, downwards));
}

std::size_t rank(const Layout& layout) {
  return rank(layout.shape());
}
std::size_t depth(const Layout& layout) {
  return depth(layout.shape());
}
IntExpr size(const Layout& layout) {
  return product(layout.shape());
}

IntExpr cosize(const Layout& layout) {
  IntExpr largest = 0;
  for (const Leaf& leaf : leaves(layout)) largest = largest + (leaf.extent - 1) * leaf.stride;
  return largest + 1;
}

Layout mode(const Layout& layout, std::size_t position) {
  if (position >= rank(layout)) internal_error("a mode past a layout's rank");
  if (layout.shape().is_leaf()) return layout;
  return Layout(layout.shape().modes()[position], layout.stride().modes()[position]);
}

Layout join(const std::vector<Layout>& modes) {
  std::vector<Tuple> shapes;
  std::vector<Tuple> strides;
  for (const Layout& mode : modes) {
    shapes.push_back(mode.shape());
    strides.push_back(mode.stride());
  }
  return Layout(Tuple::list(std::move(shapes)), Tuple::list(std::move(strides)));
}

std::vector<Leaf> leaves(const Layout& layout) {
  const std::vector<IntExpr> extents = leaves(layout.shape());
  const std::vector<IntExpr> strides = leaves(layout.stride());
  std::vector<Leaf> result;
  for (std::size_t i = 0; i < extents.size(); ++i) result.push_back({extents[i], strides[i]});
  return result;
}

IntExpr index(const Layout& layout, const Tuple& coordinate) {
  return index_in(layout.shape(), layout.stride(), coordinate);
}

Tuple coordinate(const Tuple& shape, const IntExpr& number) {
  if (shape.is_leaf()) return number;
  std::vector<Tuple> modes;
  IntExpr rest = number;
  for (std::size_t i = 0; i < shape.modes().size(); ++i) {
    const IntExpr extent = product(shape.modes()[i]);
    const bool last = i + 1 == shape.modes().size();
    modes.push_back(coordinate(shape.modes()[i], last ? rest : mod(rest, extent)));
    rest = floor_div(rest, extent);
  }
  return Tuple::list(std::move(modes));
}

IntExpr number(const Tuple& shape, const Tuple& coordinate) {
  return index(compact_left(shape), coordinate);
}

Layout coalesce(const Layout& layout) {
  std::vector<Leaf> merged;
  for (const Leaf& leaf : leaves(layout)) {
    if (leaf.extent.is_constant(1)) continue;
    if (!merged.empty() && are_equal_products(leaf.stride, merged.back().extent * merged.back().stride))
      merged.back().extent = merged.back().extent * leaf.extent;
    else
      merged.push_back(leaf);
  }
  if (merged.empty()) merged.push_back({1, 0});
  return from_leaves(merged);
}

Layout coalesce_modes(const Layout& layout) {
  if (layout.shape().is_leaf()) return coalesce(layout);
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(layout); ++i) modes.push_back(coalesce(mode(layout, i)));
  return join(modes);
}

Layout substitute(const Layout& layout, const std::function<std::optional<IntExpr>(std::string_view)>& replacement) {
  const auto replace = [&](const IntExpr& leaf) { return tilewright::substitute(leaf, replacement); };
  return Layout(map_leaves(layout.shape(), replace), map_leaves(layout.stride(), replace));
}

}  // namespace tilewright::layout
