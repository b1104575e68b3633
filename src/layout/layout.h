// Layouts: functions from coordinates to indices, given by a shape and a stride. Tensors, shared-memory tiles, register
// fragments and atoms are all described by them. This file has the noun and what needs no algebra; algebra.h combines
// layouts, swizzle.h permutes their indices, text.h prints and parses them.
//
// A worked example. (4,(2,3)):(1,(4,8)) has two modes: 4:1, and (2,3):(4,8), which is itself a list of two. Its shape
// says which coordinates there are, its stride what a step costs, and the index is the inner product:
//
//     coordinate (3,(1,2))  ->  3·1 + 1·4 + 2·8 = 23
//
// A list of modes may also be addressed by one number, which counts with the leftmost mode fastest ("colexicographic").
// The second mode has 6 elements; its coordinate 5 means (1,2), because 5 = 1 + 2·2. The whole has 24, and
//
//     coordinate 23 = 3 + 4·(1 + 2·2)  ->  (3,(1,2))  ->  23
//
// so (3,5) and 23 name the same element as (3,(1,2)). Here the index equals the number: the layout coalesces to 24:1.
// The row-major 2 × 3 matrix is (2,3):(3,1); its elements 0, 1, 2, … 5 lie at 0, 3, 1, 4, 2, 5.
//
// A layout is thus a function from [0, size) to indices, and the nesting is only how its arguments may be spelled. That
// is what makes an algebra: compose(a, b) is the function a(b(i)), shaped as b is, and tiling is composition:
//
//     a = 24:1, b = 4:2        compose(a, b) = 4:2                 every second element of the first 8
//     complement(b, 24) = (2,3):(1,8)                              where copies of b start, so as to cover 0 … 23
//     logical_divide(a, b) = (4,(2,3)):(2,(1,8))                   mode 0 is the tile, mode 1 walks over the tiles
//     logical_product(4:1, 3:1) = (4,3):(1,4)                      mode 0 is the tile, mode 1 places copies of it
//
// Extents and strides may be expressions (IntExpr): evaluation and coalescing work with them.
//
// No pass is written with layouts so far: tiles name their axes (docs/adr/0006-named-tile-axes.md), and what a buffer's
// axes and a matrix fragment's lanes are is a line of arithmetic in each case. Swizzled shared memory for warpgroup
// matrices, which composes a swizzle with a tile and an atom, is what they are kept for.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "layout/tuple.h"
#include "support/int_expr.h"

namespace tilewright::layout {

/// A shape and a congruent stride. Extents are not negative; strides may have any sign.
class Layout {
 public:
  Layout() = default;  ///< ():(), the layout of one element without axes
  /// A shape and stride that are not congruent are a defect.
  Layout(Tuple shape, Tuple stride);

  const Tuple& shape() const { return shape_; }
  const Tuple& stride() const { return stride_; }
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  Tuple shape_;
  Tuple stride_;
};

/// The layout of `shape` that takes the indices 0 … size − 1 in order, the leftmost mode fastest: (2,3):(1,2).
Layout compact_left(const Tuple& shape);
/// The same with the rightmost mode fastest (row-major): (2,3):(3,1).
Layout compact_right(const Tuple& shape);

std::size_t rank(const Layout& layout);
std::size_t depth(const Layout& layout);
/// Number of coordinates.
IntExpr size(const Layout& layout);
/// One more than the largest index, where no extent is 0 and no stride is negative.
IntExpr cosize(const Layout& layout);

/// The mode at `position` (< rank); a leaf is its own only mode.
Layout mode(const Layout& layout, std::size_t position);
/// The layout whose modes are `modes`.
Layout join(const std::vector<Layout>& modes);

struct Leaf {
  IntExpr extent;
  IntExpr stride;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};
/// The leaves from left to right: of (4,(2,3)):(1,(4,8)), they are 4:1, 2:4 and 3:8.
std::vector<Leaf> leaves(const Layout& layout);

/// The index at `coordinate`, each of whose leaves stands for a leaf of the shape, or for a whole list by its number.
/// A coordinate that nests otherwise is a defect.
IntExpr index(const Layout& layout, const Tuple& coordinate);
/// The coordinate of `shape` whose number is `number` (in [0, product)), nested as the shape is.
Tuple coordinate(const Tuple& shape, const IntExpr& number);
/// The number of `coordinate`, which may nest less deeply, as for `index`.
IntExpr number(const Tuple& shape, const Tuple& coordinate);

/// The same function over [0, size) with the fewest leaves, as a flat layout: modes of extent 1 go, and neighbours
/// merge where the second's stride is the first's extent times stride. Expressions are compared as products.
Layout coalesce(const Layout& layout);
/// Coalesces each mode by itself: the rank stays.
Layout coalesce_modes(const Layout& layout);

/// Replaces the symbols that `replacement` knows.
Layout substitute(const Layout& layout, const std::function<std::optional<IntExpr>(std::string_view)>& replacement);

}  // namespace tilewright::layout
