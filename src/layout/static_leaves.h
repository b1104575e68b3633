// The leaves of a layout as plain integers, for the algebra. Not for use outside of this folder.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "layout/layout.h"
#include "support/diagnostic.h"

namespace tilewright::layout {

namespace code {
constexpr std::string_view dynamic = "X101";
constexpr std::string_view divisibility = "X102";
constexpr std::string_view congruence = "X103";
constexpr std::string_view past_end = "X104";
constexpr std::string_view carry = "X105";
constexpr std::string_view overlap = "X106";
constexpr std::string_view range = "X107";
constexpr std::string_view too_large = "X109";
}  // namespace code

struct StaticLeaf {
  std::int64_t extent;
  std::int64_t stride;
};

/// All leaves: extents of at least 1, strides of at least 0; their product, and each extent times its stride, fit 64
/// bits. `role` names the layout in messages ("the tile").
Result<std::vector<StaticLeaf>> static_leaves(const Layout& layout, std::string_view role);

/// One leaf of more than one element and a positive stride, in the order of strides.
struct Digit {
  std::int64_t extent;
  std::int64_t stride;
  std::int64_t gap;     ///< the stride over the span of the digits below (their largest extent · stride, or 1)
  std::int64_t number;  ///< what a step counts in the layout's own numbering: the product of the extents before it
};
/// The leaves as digits of a mixed radix; those of one element or of stride 0 are left out. Fails if two digits overlap
/// or a stride is no multiple of the span below it.
Result<std::vector<Digit>> sorted_digits(const Layout& layout, std::string_view role);

}  // namespace tilewright::layout
