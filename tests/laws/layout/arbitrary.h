// Random layouts for the laws, and the definition of a layout's value that they are held against.
#pragma once

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "layout/layout.h"
#include "layout/text.h"

namespace tilewright::layout {

using Numbers = std::vector<std::int64_t>;

/// One of `values`.
inline std::int64_t any_of(const Numbers& values) {
  return *rc::gen::elementOf(values);
}
inline std::int64_t any_in(std::int64_t low, std::int64_t high) {  // both included
  return *rc::gen::inRange<std::int64_t>(low, high + 1);
}

/// `leaves` from `begin` to `end` as a random nesting; the same choices nest shapes and strides alike.
struct Nest {
  Tuple shape;
  Tuple stride;
};
inline Nest any_nesting(const std::vector<Leaf>& leaves, std::size_t begin, std::size_t end, int depth = 0) {
  std::vector<Tuple> shapes;
  std::vector<Tuple> strides;
  for (std::size_t at = begin; at < end;) {
    const auto take = static_cast<std::size_t>(any_in(1, static_cast<std::int64_t>(end - at)));
    const bool nested = depth < 3 && (take > 1 || any_in(0, 5) == 0);
    const Nest mode =
        nested ? any_nesting(leaves, at, at + take, depth + 1) : Nest{leaves[at].extent, leaves[at].stride};
    shapes.push_back(mode.shape);
    strides.push_back(mode.stride);
    at += nested ? take : 1;
  }
  return {Tuple::list(std::move(shapes)), Tuple::list(std::move(strides))};
}
inline Layout any_nesting(const std::vector<Leaf>& leaves) {
  if (leaves.size() == 1 && any_in(0, 1) == 0) return Layout(leaves[0].extent, leaves[0].stride);
  Nest nest = any_nesting(leaves, 0, leaves.size());
  return Layout(std::move(nest.shape), std::move(nest.stride));
}

/// Up to `most` leaves with extents and strides out of the given ones.
inline Layout any_layout(std::int64_t most, const Numbers& extents, const Numbers& strides) {
  std::vector<Leaf> leaves;
  for (std::int64_t count = any_in(0, most); count > 0; --count) leaves.push_back({any_of(extents), any_of(strides)});
  return any_nesting(leaves);
}
/// Any extents from 1, strides of any sign.
inline Layout any_layout() {
  return any_layout(4, {1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 6, 8, 12, 20, -1, -4});
}
/// Powers of two, of which many pairs compose.
inline Layout any_binary_layout(std::int64_t most) {
  return any_layout(most, {1, 2, 4}, {0, 1, 2, 4, 8, 16});
}

/// A layout that takes each index at most once: a mixed radix with gaps, its leaves in any order.
inline Layout any_radix_layout(std::int64_t most, const Numbers& extents, const Numbers& gaps) {
  std::vector<Leaf> leaves;
  std::int64_t span = 1;
  for (std::int64_t count = any_in(0, most); count > 0; --count) {
    const std::int64_t stride = span * any_of(gaps);
    const std::int64_t extent = any_of(extents);
    const auto place = leaves.begin() + any_in(0, static_cast<std::int64_t>(leaves.size()));
    leaves.insert(place, {extent, stride});
    span = stride * extent;
  }
  return any_nesting(leaves);
}
inline Layout any_radix_layout() {
  return any_radix_layout(3, {1, 2, 3, 4}, {1, 1, 2, 3});
}

inline std::int64_t elements_of(const Layout& layout) {
  std::int64_t elements = 1;
  for (const Leaf& leaf : leaves(layout)) elements *= leaf.extent.constant();
  return elements;
}

/// The definition: the digits of `number` in the leaves' mixed radix, the leftmost fastest, times the strides.
inline std::int64_t value_at(const Layout& layout, std::int64_t number) {
  std::int64_t sum = 0;
  for (const Leaf& leaf : leaves(layout)) {
    sum += number % leaf.extent.constant() * leaf.stride.constant();
    number /= leaf.extent.constant();
  }
  return sum;
}

inline Numbers values_of(const Layout& layout) {
  Numbers values;
  for (std::int64_t i = 0; i < elements_of(layout); ++i) values.push_back(value_at(layout, i));
  return values;
}

}  // namespace tilewright::layout

namespace rc {
template <>
struct Arbitrary<tilewright::layout::Layout> {
  static Gen<tilewright::layout::Layout> arbitrary() {
    return gen::exec([] { return tilewright::layout::any_layout(); });
  }
};
}  // namespace rc

namespace tilewright::layout {
/// How RapidCheck prints a counterexample.
inline void showValue(const Layout& layout, std::ostream& out) {
  out << to_text(layout);
}
}  // namespace tilewright::layout
