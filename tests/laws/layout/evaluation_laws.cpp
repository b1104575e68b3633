// Laws of evaluation, coordinates and coalescing, for all coordinates of random layouts.
#include <gtest/gtest.h>

#include "arbitrary.h"

namespace tilewright::layout {
namespace {

RC_GTEST_PROP(Evaluation, IndexFollowsTheDefinition, (Layout layout)) {
  for (std::int64_t i = 0; i < elements_of(layout); ++i) {
    const Tuple nested = coordinate(layout.shape(), i);
    RC_ASSERT(are_congruent(nested, layout.shape()));
    RC_ASSERT(index(layout, i).is_constant(value_at(layout, i)));
    RC_ASSERT(index(layout, nested).is_constant(value_at(layout, i)));
    RC_ASSERT(number(layout.shape(), nested).is_constant(i));
  }
}

RC_GTEST_PROP(Evaluation, SizeCountsAndCosizeBounds, ()) {
  const Layout layout = any_radix_layout();
  const Numbers values = values_of(layout);
  RC_ASSERT(size(layout).is_constant(elements_of(layout)));
  RC_ASSERT(cosize(layout).is_constant(*std::max_element(values.begin(), values.end()) + 1));
}

RC_GTEST_PROP(Compact, LeftIsTheIdentity, (Layout layout)) {
  const Layout compact = compact_left(layout.shape());
  for (std::int64_t i = 0; i < elements_of(layout); ++i) RC_ASSERT(value_at(compact, i) == i);
}

RC_GTEST_PROP(Compact, RightCountsCoordinatesInRowMajorOrder, (Layout layout)) {
  const Layout compact = compact_right(layout.shape());
  for (std::int64_t i = 0; i < elements_of(layout); ++i) {
    std::int64_t row_major = 0;
    for (const IntExpr& extent : leaves(layout.shape())) row_major *= extent.constant();
    const std::vector<IntExpr> extents = leaves(layout.shape());
    const std::vector<IntExpr> digits = leaves(coordinate(layout.shape(), i));
    for (std::size_t k = 0; k < extents.size(); ++k)
      row_major = row_major * extents[k].constant() + digits[k].constant();
    RC_ASSERT(value_at(compact, i) == row_major);
  }
}

RC_GTEST_PROP(Coalesce, KeepsTheFunctionAndIsMinimal, (Layout layout)) {
  const Layout coalesced = coalesce(layout);
  RC_ASSERT(values_of(coalesced) == values_of(layout));
  RC_ASSERT(depth(coalesced) <= 1u);
  RC_ASSERT(coalesce(coalesced) == coalesced);
  const std::vector<Leaf> flat = leaves(coalesced);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    RC_ASSERT(flat.size() == 1 || flat[i].extent.constant() != 1);
    if (i > 0) RC_ASSERT(flat[i].stride.constant() != flat[i - 1].extent.constant() * flat[i - 1].stride.constant());
  }
}

RC_GTEST_PROP(Coalesce, OfModesKeepsEachMode, (Layout layout)) {
  const Layout coalesced = coalesce_modes(layout);
  RC_ASSERT(rank(coalesced) == rank(layout));
  for (std::size_t i = 0; i < rank(layout); ++i) RC_ASSERT(values_of(mode(coalesced, i)) == values_of(mode(layout, i)));
}

/// A layout with some extents as symbols and strides that are products of them, and the values of the symbols.
RC_GTEST_PROP(Coalesce, KeepsTheFunctionOfDynamicLayouts, ()) {
  const std::int64_t n = any_in(1, 5);
  const std::int64_t m = any_in(1, 5);
  const IntExpr dynamic_n = IntExpr::symbol("n");
  const IntExpr dynamic_m = IntExpr::symbol("m");
  const std::vector<IntExpr> extents = {1, 2, dynamic_n, dynamic_m};
  const std::vector<IntExpr> strides = {
      0, 1, 2, dynamic_n, dynamic_m, 2 * dynamic_n, dynamic_n * 2, dynamic_n * dynamic_m, dynamic_m * dynamic_n};
  std::vector<Leaf> leaves;
  for (std::int64_t count = any_in(0, 4); count > 0; --count)
    leaves.push_back(
        {extents[static_cast<std::size_t>(any_in(0, 3))], strides[static_cast<std::size_t>(any_in(0, 8))]});
  const auto known = [&](std::string_view name) -> std::optional<IntExpr> { return name == "n" ? n : m; };
  const Layout layout = any_nesting(leaves);
  RC_ASSERT(values_of(substitute(coalesce(layout), known)) == values_of(substitute(layout, known)));
}

RC_GTEST_PROP(Evaluation, CommutesWithSubstitution, (Layout layout)) {
  std::int64_t count = 0;
  std::vector<std::int64_t> known;
  const auto to_symbol = [&](const IntExpr& leaf) {
    known.push_back(leaf.constant());
    return IntExpr::symbol("s" + std::to_string(count++));
  };
  const Tuple shape = map_leaves(layout.shape(), to_symbol);
  const Layout dynamic(shape, map_leaves(layout.stride(), to_symbol));
  const IntExpr at = index(dynamic, IntExpr::symbol("i"));
  for (std::int64_t i = 0; i < elements_of(layout); ++i) {
    const auto value = evaluate(at, [&](std::string_view name) -> std::optional<std::int64_t> {
      if (name == "i") return i;
      return known[std::stoul(std::string(name.substr(1)))];
    });
    RC_ASSERT(value == value_at(layout, i));
  }
}

}  // namespace
}  // namespace tilewright::layout
