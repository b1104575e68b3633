// Composition of layouts. See algebra.h.
//
// a's leaves, coalesced, are the digits of a mixed radix: index x of a has digits x mod n0, (x / n0) mod n1, …, and
// a(x) is their inner product with a's strides. A leaf s:d of b takes the values 0, d, … (s − 1)·d. If d is a product
// of whole digits and a divisor of the next, and s fills the following digits wholly but for the last, then those
// values run through digits one after the other, and a of them is a list of leaves: the pieces. Example: a =
// (6,4):(1,10) and 6:2 as b. Step 2 divides 6, so the first piece is 3:2 in digit 0; the 2 that remain of 6 are a piece
// 2:1 in digit 1, and the result is (3,2):(2,10). Several leaves of b add up digit by digit as long as no sum carries
// into the next.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "layout/algebra.h"
#include "layout/static_leaves.h"
#include "layout/text.h"

namespace tilewright::layout {
namespace {

struct Radix {
  std::int64_t extent;
  IntExpr stride;
  std::int64_t largest = 0;  ///< the largest sum of b's pieces in this digit so far
};

/// A part of one leaf of b: `extent` values, `step` apart, of one of a's digits.
struct Piece {
  std::size_t digit;
  std::int64_t extent;
  std::int64_t step;
};

class Composer {
 public:
  Composer(const Layout& a, const Layout& b, std::vector<Radix> digits) : a_(a), b_(b), digits_(std::move(digits)) {}

  Result<Layout> compose(const Tuple& shape, const Tuple& stride) {
    if (shape.is_leaf()) return compose_leaf({shape.leaf().constant(), stride.leaf().constant()});
    std::vector<Layout> modes;
    for (std::size_t i = 0; i < shape.modes().size(); ++i) {
      auto mode = compose(shape.modes()[i], stride.modes()[i]);
      if (!mode) return mode;
      modes.push_back(*std::move(mode));
    }
    return join(modes);
  }

 private:
  Result<Layout> compose_leaf(StaticLeaf leaf) {
    if (leaf.extent == 1 || leaf.stride == 0) return Layout(leaf.extent, 0);
    const auto pieces = split(leaf);
    if (!pieces) return std::unexpected(pieces.error());
    std::vector<Layout> modes;
    for (const Piece& piece : *pieces) {
      if (auto room = take_room(piece); !room) return std::unexpected(std::move(room.error()));
      modes.emplace_back(piece.extent, digits_[piece.digit].stride * piece.step);
    }
    return modes.size() == 1 ? modes.front() : join(modes);
  }

  /// The pieces of `leaf`, of more than one element and a positive stride.
  Result<std::vector<Piece>> split(StaticLeaf leaf) const {
    std::size_t digit = 0;
    std::int64_t step = leaf.stride;
    for (; digit + 1 < digits_.size() && step % digits_[digit].extent == 0; ++digit) step /= digits_[digit].extent;

    std::vector<Piece> pieces;
    std::int64_t rest = leaf.extent;
    for (; rest > 1; ++digit, step = 1) {
      const std::int64_t extent = digits_[digit].extent;
      const bool fits = step < extent && rest - 1 <= (extent - 1) / step;
      if (fits || digit + 1 == digits_.size()) {
        pieces.push_back({digit, rest, step});
        return pieces;
      }
      const std::int64_t count = extent / step;
      if (extent % step != 0 || rest % count != 0) return indivisible(leaf, extent);
      if (count > 1) pieces.push_back({digit, count, step});
      rest /= count;
    }
    return pieces;
  }

  std::unexpected<Diagnostics> indivisible(StaticLeaf leaf, std::int64_t extent) const {
    return fail(code::divisibility,
                fmt::format("{}:{} of {} does not divide extent {} of {}", leaf.extent, leaf.stride, to_text(b_),
                            extent, to_text(coalesce(a_))),
                "a step divides the extent that it walks in, and a run past its end covers all of it");
  }

  /// Adds the piece to its digit; fails if the digit's sums would go past its extent.
  Result<void> take_room(const Piece& piece) {
    Radix& digit = digits_[piece.digit];
    const std::int64_t room = digit.extent - 1 - digit.largest;
    if (piece.extent - 1 <= room / piece.step) {
      digit.largest += (piece.extent - 1) * piece.step;
      return {};
    }
    if (piece.digit + 1 == digits_.size())
      return fail(code::past_end,
                  fmt::format("{} reaches index {}, past the {} elements of {}", to_text(b_),
                              tilewright::to_text(cosize(b_) - 1), tilewright::to_text(size(a_)), to_text(a_)),
                  "the inner layout's cosize is at most the outer one's size");
    return fail(
        code::carry,
        fmt::format("modes of {} add up past extent {} of {}", to_text(b_), digit.extent, to_text(coalesce(a_))),
        "choose strides and extents of the inner layout so that its modes walk in separate parts");
  }

  const Layout& a_;
  const Layout& b_;
  std::vector<Radix> digits_;
};

/// a(x) = x · stride for all x: the result is b with its strides scaled.
Result<Layout> compose_with_leaf(const Leaf& a, const Layout& whole_a, const Layout& b) {
  for (const Leaf& leaf : leaves(b))
    if (leaf.stride.is_constant() && leaf.stride.constant() < 0)
      return fail(code::range, fmt::format("{} has stride {}", to_text(b), leaf.stride.constant()),
                  "strides of the inner layout are 0 or more");
  const IntExpr reach = cosize(b);
  if (!reach.is_constant() && symbols(reach).empty())
    return fail(code::too_large, fmt::format("the inner layout {} spans more than 64 bits hold", to_text(b)));
  if (reach.is_constant() && a.extent.is_constant() && reach.constant() > a.extent.constant())
    return fail(code::past_end,
                fmt::format("{} reaches index {}, past the {} elements of {}", to_text(b), reach.constant() - 1,
                            a.extent.constant(), to_text(whole_a)),
                "the inner layout's cosize is at most the outer one's size");
  return Layout(b.shape(), map_leaves(b.stride(), [&](const IntExpr& stride) { return a.stride * stride; }));
}

/// a's leaves as digits; the last may be dynamic, and then has no end.
Result<std::vector<Radix>> radix_of(const std::vector<Leaf>& a, const Layout& whole_a) {
  std::vector<Radix> digits;
  for (const Leaf& leaf : a) {
    const bool last = &leaf == &a.back();
    if (!leaf.extent.is_constant() && !last)
      return fail(code::dynamic,
                  fmt::format("{} has extent {}, which is not a static integer", to_text(whole_a),
                              tilewright::to_text(leaf.extent)),
                  "substitute the symbols; only the last extent may be dynamic");
    const std::int64_t extent =
        leaf.extent.is_constant() ? leaf.extent.constant() : std::numeric_limits<std::int64_t>::max();
    if (extent < 1)
      return fail(code::range, fmt::format("{} has extent {}", to_text(whole_a), extent), "extents are 1 or more here");
    digits.push_back({extent, leaf.stride});
  }
  return digits;
}

}  // namespace

Result<Layout> compose(const Layout& a, const Layout& b) {
  const std::vector<Leaf> flat = leaves(coalesce(a));
  if (flat.size() == 1) return compose_with_leaf(flat.front(), a, b);
  auto digits = radix_of(flat, a);
  if (!digits) return std::unexpected(std::move(digits.error()));
  if (const auto checked = static_leaves(b, "the inner layout"); !checked) return std::unexpected(checked.error());
  return Composer(a, b, *std::move(digits)).compose(b.shape(), b.stride());
}

}  // namespace tilewright::layout
