// The text form of layouts: `(4,(2,3)):(1,(4,8))`, with a swizzle `swizzle(3,4,3) o (8,64):(64,1)`.
//
//   layout  = ["swizzle" "(" BITS "," BASE "," SHIFT ")" "o"] tuple ":" tuple
//   tuple   = "(" [tuple {"," tuple}] ")" | leaf
//   leaf    = integer expression; one that starts with a parenthesis stands in braces: `{(a.0 + 1) * 2}`
#pragma once

#include <string>

#include "layout/layout.h"
#include "layout/swizzle.h"
#include "support/diagnostic.h"

namespace tilewright {
class TextCursor;
}

namespace tilewright::layout {

std::string to_text(const Tuple& tuple);
std::string to_text(const Layout& layout);
std::string to_text(const SwizzledLayout& layout);  ///< without the swizzle where it has no bits

/// Each fails with X001 to X003, X103 where shape and stride do not nest alike, and X107 for a negative extent.
Result<Tuple> parse_tuple(TextCursor& cursor);
Result<Layout> parse_layout(TextCursor& cursor);
/// Also X108 for a swizzle that is none.
Result<SwizzledLayout> parse_swizzled_layout(TextCursor& cursor);

}  // namespace tilewright::layout
