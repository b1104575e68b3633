// Nested tuples of integer expressions: the shapes, strides and coordinates of layouts. See layout.h.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "support/int_expr.h"

namespace tilewright::layout {

/// A leaf, or a list of tuples (possibly empty). The leaf 4 and the list (4) differ.
class Tuple {
 public:
  Tuple() : is_leaf_(false) {}
  Tuple(IntExpr leaf) : leaf_(std::move(leaf)), is_leaf_(true) {}  // NOLINT: an expression is a leaf
  template <std::integral Integer>
  Tuple(Integer leaf) : Tuple(IntExpr(static_cast<std::int64_t>(leaf))) {}  // NOLINT: an integer is a leaf
  static Tuple list(std::vector<Tuple> modes);

  bool is_leaf() const { return is_leaf_; }
  const IntExpr& leaf() const;              ///< requires is_leaf()
  const std::vector<Tuple>& modes() const;  ///< requires a list
  friend bool operator==(const Tuple&, const Tuple&) = default;

 private:
  IntExpr leaf_;
  std::vector<Tuple> modes_;
  bool is_leaf_;
};

/// `tuple(4, tuple(2, 3))` is the list (4,(2,3)).
template <class... Modes>
Tuple tuple(Modes&&... modes) {
  return Tuple::list({Tuple(std::forward<Modes>(modes))...});
}

/// Number of modes; a leaf is one mode.
std::size_t rank(const Tuple& tuple);
/// 0 for a leaf; a list is one deeper than its deepest mode.
std::size_t depth(const Tuple& tuple);
/// Product of the leaves; 1 for an empty list.
IntExpr product(const Tuple& tuple);
/// True if the two nest alike; the leaves may differ.
bool are_congruent(const Tuple& a, const Tuple& b);
/// The leaves from left to right.
std::vector<IntExpr> leaves(const Tuple& tuple);
/// A tuple that nests like this one, with `change` applied to each leaf.
Tuple map_leaves(const Tuple& tuple, const std::function<IntExpr(const IntExpr&)>& change);

}  // namespace tilewright::layout
