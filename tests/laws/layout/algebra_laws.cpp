// Laws of composition, complement, division, product and inverses, for all coordinates of random layouts.
#include <gtest/gtest.h>

#include <algorithm>

#include "arbitrary.h"
#include "layout/algebra.h"

namespace tilewright::layout {
namespace {

/// A pair that often composes: powers of two, or anything.
std::pair<Layout, Layout> any_pair() {
  if (any_in(0, 2) > 0) return {any_binary_layout(4), any_binary_layout(3)};
  return {any_layout(), any_layout(2, {1, 2, 3, 4, 6}, {0, 1, 2, 3, 4, 6, 12})};
}

RC_GTEST_PROP(Compose, IsTheCompositionOfFunctions, ()) {
  const auto [a, b] = any_pair();
  const auto composed = compose(a, b);
  RC_PRE(composed.has_value());
  RC_LOG() << to_text(a) << " o " << to_text(b) << " = " << to_text(*composed);
  RC_ASSERT(elements_of(*composed) == elements_of(b));
  for (std::int64_t i = 0; i < elements_of(b); ++i) RC_ASSERT(value_at(*composed, i) == value_at(a, value_at(b, i)));
}

RC_GTEST_PROP(Compose, SharesTheNestingOfTheInnerLayout, ()) {
  const auto [a, b] = any_pair();
  const auto composed = compose(a, b);
  RC_PRE(composed.has_value() && !b.shape().is_leaf());
  RC_ASSERT(rank(*composed) == rank(b));
  for (std::size_t i = 0; i < rank(b); ++i) RC_ASSERT(size(mode(*composed, i)) == size(mode(b, i)));
}

RC_GTEST_PROP(Compose, RejectsWhatReachesPastTheEndAndNothingInsideForThat, ()) {
  const auto [a, b] = any_pair();
  const Numbers inner = values_of(b);
  const bool inside = *std::max_element(inner.begin(), inner.end()) < elements_of(a);
  const auto composed = compose(a, b);
  if (!inside) RC_ASSERT(!composed.has_value());
  if (!composed && composed.error()[0].code == "X104") RC_ASSERT(!inside);
}

RC_GTEST_PROP(Compose, IsAssociative, ()) {
  const Layout a = any_binary_layout(4);
  const Layout b = any_binary_layout(3);
  const Layout c = any_binary_layout(2);
  const auto bc = compose(b, c);
  const auto ab = compose(a, b);
  RC_PRE(bc.has_value() && ab.has_value());
  const auto left = compose(*ab, c);
  const auto right = compose(a, *bc);
  RC_PRE(left.has_value() && right.has_value());
  RC_ASSERT(values_of(*left) == values_of(*right));
}

RC_GTEST_PROP(Compose, WithTheIdentityOnEitherSide, (Layout layout)) {
  const Layout identity(elements_of(layout), 1);
  RC_ASSERT(values_of(*compose(layout, identity)) == values_of(layout));
  const Layout radix = any_radix_layout();
  const auto outer = compose(Layout(cosize(radix), 1), radix);
  RC_ASSERT(values_of(*outer) == values_of(radix));
}

RC_GTEST_PROP(Complement, IsDisjointAndCompletes, ()) {
  const Layout layout = any_radix_layout();
  const std::int64_t target = any_in(1, 60);
  const auto rest = complement(layout, target);
  RC_ASSERT(rest.has_value());
  const std::set<std::int64_t> own = [&] {
    const Numbers values = values_of(layout);
    return std::set<std::int64_t>(values.begin(), values.end());
  }();
  Numbers sums;
  for (std::int64_t gap : values_of(*rest))
    for (std::int64_t value : own) sums.push_back(value + gap);
  std::ranges::sort(sums);
  RC_ASSERT(static_cast<std::int64_t>(sums.size()) >= target);
  for (std::size_t i = 0; i < sums.size(); ++i) RC_ASSERT(sums[i] == static_cast<std::int64_t>(i));
}

RC_GTEST_PROP(Complement, IsOrdered, ()) {
  const auto rest = complement(any_radix_layout(), any_in(1, 60));
  const Numbers values = values_of(*rest);
  for (std::size_t i = 1; i < values.size(); ++i) RC_ASSERT(values[i - 1] < values[i]);
}

RC_GTEST_PROP(Divide, TilesAndRestGiveTheLayout, ()) {
  const Layout a = any_binary_layout(4);
  const Layout b = any_radix_layout(2, {1, 2, 4}, {1, 2});
  const auto divided = logical_divide(a, b);
  RC_PRE(divided.has_value());
  const auto rest = complement(b, elements_of(a));
  RC_ASSERT(rank(*divided) == 2u);
  Numbers all;
  for (std::int64_t i = 0; i < elements_of(b); ++i)
    for (std::int64_t j = 0; j < elements_of(*rest); ++j) {
      const std::int64_t element = value_at(b, i) + value_at(*rest, j);
      RC_ASSERT(index(*divided, tuple(i, j)).is_constant(value_at(a, element)));
      all.push_back(element);
    }
  std::ranges::sort(all);  // each element of a is in one tile
  RC_ASSERT(static_cast<std::int64_t>(all.size()) == elements_of(a));
  for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(all[i] == static_cast<std::int64_t>(i));
}

RC_GTEST_PROP(Divide, OfModesAndZippedAgree, ()) {
  const Layout a = join({any_binary_layout(2), any_binary_layout(2), any_binary_layout(1)});
  const std::vector<Layout> tiles = {any_radix_layout(1, {1, 2, 4}, {1, 2}), any_radix_layout(1, {1, 2, 4}, {1, 2})};
  const auto by_mode = logical_divide(a, tiles);
  const auto zipped = zipped_divide(a, tiles);
  RC_PRE(by_mode.has_value());
  RC_ASSERT(zipped.has_value());
  const auto rest0 = complement(tiles[0], size(mode(a, 0)));
  const auto rest1 = complement(tiles[1], size(mode(a, 1)));
  for (std::int64_t t0 = 0; t0 < elements_of(tiles[0]); ++t0)
    for (std::int64_t t1 = 0; t1 < elements_of(tiles[1]); ++t1)
      for (std::int64_t r0 = 0; r0 < elements_of(*rest0); ++r0)
        for (std::int64_t r1 = 0; r1 < elements_of(*rest1); ++r1)
          for (std::int64_t k = 0; k < elements_of(mode(a, 2)); ++k) {
            const std::int64_t expected = value_at(mode(a, 0), value_at(tiles[0], t0) + value_at(*rest0, r0)) +
                                          value_at(mode(a, 1), value_at(tiles[1], t1) + value_at(*rest1, r1)) +
                                          value_at(mode(a, 2), k);
            RC_ASSERT(index(*by_mode, tuple(tuple(t0, r0), tuple(t1, r1), k)).is_constant(expected));
            RC_ASSERT(index(*zipped, tuple(tuple(t0, t1), tuple(r0, r1, k))).is_constant(expected));
          }
}

RC_GTEST_PROP(Product, PlacesDisjointCopies, ()) {
  const Layout a = any_radix_layout(2, {1, 2, 4}, {1, 2});
  const Layout b = any_radix_layout(2, {1, 2, 4}, {1, 2});
  const auto product = logical_product(a, b);
  RC_PRE(product.has_value());
  RC_ASSERT(mode(*product, 0) == a);
  const auto places = complement(a, elements_of(a) * cosize(b).constant());
  for (std::int64_t i = 0; i < elements_of(a); ++i)
    for (std::int64_t j = 0; j < elements_of(b); ++j)
      RC_ASSERT(index(*product, tuple(i, j)).is_constant(value_at(a, i) + value_at(*places, value_at(b, j))));
  const Numbers values = values_of(*product);
  RC_ASSERT(std::set<std::int64_t>(values.begin(), values.end()).size() == values.size());
}

RC_GTEST_PROP(Inverse, RightInverseIsUndoneByTheLayout, ()) {
  const Layout layout = any_radix_layout();
  const auto inverse = right_inverse(layout);
  RC_ASSERT(inverse.has_value());
  const std::int64_t length = elements_of(*inverse);
  for (std::int64_t i = 0; i < length; ++i) RC_ASSERT(value_at(layout, value_at(*inverse, i)) == i);
  // It is the longest: the next index is not the layout's.
  const Numbers values = values_of(layout);
  RC_ASSERT(std::ranges::find(values, length) == values.end());
}

RC_GTEST_PROP(Inverse, LeftInverseUndoesTheLayout, ()) {
  const Layout layout = any_radix_layout();
  const auto inverse = left_inverse(layout);
  RC_ASSERT(inverse.has_value());
  for (std::int64_t i = 0; i < elements_of(layout); ++i) RC_ASSERT(value_at(*inverse, value_at(layout, i)) == i);
}

RC_GTEST_PROP(Inverse, OfACompactLayoutIsBoth, ()) {
  const Layout layout = any_radix_layout(3, {1, 2, 3, 4}, {1});
  const auto left = left_inverse(layout);
  const auto right = right_inverse(layout);
  RC_ASSERT(values_of(*left) == values_of(*right));
  RC_ASSERT(elements_of(*left) == elements_of(layout));
}

}  // namespace
}  // namespace tilewright::layout
