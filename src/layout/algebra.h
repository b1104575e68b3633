// The algebra of layouts: composition, complement, tiling, inverses. layout.h has the tutorial.
//
// The results are exact: each equation below holds for all coordinates, or the function fails. Where a function needs
// static integers and finds an expression, it fails with X101; with extents below 1 or negative strides (of the layouts
// marked "positive"), X107; where numbers do not fit 64 bits, X109.
#pragma once

#include <vector>

#include "layout/layout.h"
#include "support/diagnostic.h"
#include "support/int_expr.h"

namespace tilewright::layout {

/// The function a(b(i)), shaped as b with each leaf replaced by one leaf or a list. b is positive; a's strides may be
/// any. If a coalesces to one leaf everything may be dynamic, else a's extents (but the last) and b are static.
/// X102 if a step or an extent of b does not divide a's extents; X104 if b reaches past a's size; X105 if two modes of
/// b add up with a carry between a's modes, so that no layout has their sum.
Result<Layout> compose(const Layout& a, const Layout& b);

/// A layout c, ordered by stride, whose indices fill the gaps of `layout` (positive, static) up to `cosize`: every
/// integer of [0, cosize) is layout(i) + c(j) for exactly one index layout(i) and one j. It covers more than `cosize`
/// if that is not a multiple of the layout's period. Modes of stride 0 are left aside; X106 if other modes overlap,
/// X102 if their strides do not divide each other.
Result<Layout> complement(const Layout& layout, const IntExpr& cosize);

/// Splits `a` by the tile `b`: the result's mode 0 is compose(a, b), its mode 1 walks over the tiles,
///     result(i, j) = a(b(i) + complement(b, size(a))(j)).
/// X102 if the tiles do not cover a exactly. A dynamic size(a) is rounded up to whole tiles, so that the last may
/// reach past a's end.
Result<Layout> logical_divide(const Layout& a, const Layout& b);
/// Splits each of a's first modes by the tile at the same position: ((tile 0, rest 0), (tile 1, rest 1), other modes
/// …). X103 if there are more tiles than modes.
Result<Layout> logical_divide(const Layout& a, const std::vector<Layout>& tiles);
/// The same with the tiles in front: ((tile 0, tile 1, …), (rest 0, rest 1, …, other modes …)).
Result<Layout> zipped_divide(const Layout& a, const std::vector<Layout>& tiles);

/// Copies of `a` placed by `b`: result(i, j) = a(i) + complement(a, size(a) · cosize(b))(b(j)). Both positive and
/// static.
Result<Layout> logical_product(const Layout& a, const Layout& b);

/// A layout r with layout(r(i)) = i for all i < size(r), as long as the layout's strides continue each other from 1
/// (for an injective layout, the longest there is). Needs a static, positive layout.
Result<Layout> right_inverse(const Layout& layout);
/// A layout l of at least the layout's cosize with l(layout(i)) = i for all i. Needs a static, positive, injective
/// layout: X106 if it takes an index twice; X102 if its strides do not divide each other.
Result<Layout> left_inverse(const Layout& layout);

}  // namespace tilewright::layout
