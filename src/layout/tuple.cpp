// Nested tuples. See tuple.h.
#include "layout/tuple.h"

#include <algorithm>
#include <utility>

namespace tilewright::layout {

Tuple Tuple::list(std::vector<Tuple> modes) {
  Tuple result;
  result.modes_ = std::move(modes);
  return result;
}

const IntExpr& Tuple::leaf() const {
  if (!is_leaf_) internal_error("Tuple::leaf of a list");
  return leaf_;
}

const std::vector<Tuple>& Tuple::modes() const {
  if (is_leaf_) internal_error("Tuple::modes of a leaf");
  return modes_;
}

std::size_t rank(const Tuple& tuple) {
  return tuple.is_leaf() ? 1 : tuple.modes().size();
}

std::size_t depth(const Tuple& tuple) {
  if (tuple.is_leaf()) return 0;
  std::size_t deepest = 0;
  for (const Tuple& mode : tuple.modes()) deepest = std::max(deepest, depth(mode));
  return deepest + 1;
}

IntExpr product(const Tuple& tuple) {
  if (tuple.is_leaf()) return tuple.leaf();
  IntExpr result = 1;
  for (const Tuple& mode : tuple.modes()) result = result * product(mode);
  return result;
}

bool are_congruent(const Tuple& a, const Tuple& b) {
  if (a.is_leaf() || b.is_leaf()) return a.is_leaf() && b.is_leaf();
  return std::ranges::equal(a.modes(), b.modes(), are_congruent);
}

std::vector<IntExpr> leaves(const Tuple& tuple) {
  if (tuple.is_leaf()) return {tuple.leaf()};
  std::vector<IntExpr> result;
  for (const Tuple& mode : tuple.modes())
    for (IntExpr& leaf : leaves(mode)) result.push_back(std::move(leaf));
  return result;
}

Tuple map_leaves(const Tuple& tuple, const std::function<IntExpr(const IntExpr&)>& change) {
  if (tuple.is_leaf()) return change(tuple.leaf());
  std::vector<Tuple> modes;
  for (const Tuple& mode : tuple.modes()) modes.push_back(map_leaves(mode, change));
  return Tuple::list(std::move(modes));
}

}  // namespace tilewright::layout
