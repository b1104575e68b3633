// Laws of swizzles and of the text form.
#include <gtest/gtest.h>

#include "arbitrary.h"
#include "layout/algebra.h"
#include "layout/swizzle.h"
#include "support/text.h"

namespace tilewright::layout {
namespace {

Swizzle any_swizzle() {
  const std::int64_t bits = any_in(0, 3);
  const std::int64_t shift = any_in(bits, 4);
  return *Swizzle::make(bits, any_in(0, 3), any_in(0, 1) == 0 ? shift : -shift);
}

RC_GTEST_PROP(Swizzle, IsItsOwnInverseWithinItsBlock, ()) {
  const Swizzle swizzle = any_swizzle();
  const std::int64_t block = std::int64_t{1} << (swizzle.base() + std::abs(swizzle.shift()) + swizzle.bits());
  const std::int64_t offset = block * any_in(0, 3);
  for (std::int64_t i = offset; i < offset + block; ++i) {
    const std::int64_t place = swizzle.apply(i);
    RC_ASSERT(place >= offset && place < offset + block);
    RC_ASSERT(swizzle.apply(place) == i);
  }
}

// Bit by bit, by the definition.
RC_GTEST_PROP(Swizzle, XorsBitsIntoBits, ()) {
  const Swizzle swizzle = any_swizzle();
  const std::int64_t index = any_in(0, 4095);
  const int from = swizzle.base() + std::max(swizzle.shift(), 0);
  const int into = swizzle.base() + std::max(-swizzle.shift(), 0);
  const std::int64_t place = swizzle.apply(index);
  for (int bit = 0; bit < 16; ++bit) {
    const bool changes = bit >= into && bit < into + swizzle.bits() && (index >> (bit - into + from) & 1) != 0;
    RC_ASSERT((place >> bit & 1) == ((index >> bit & 1) ^ (changes ? 1 : 0)));
  }
}

RC_GTEST_PROP(Swizzle, StaysOutermostInCompositions, ()) {
  const SwizzledLayout a{any_swizzle(), any_radix_layout(4, {1, 2, 4}, {1, 2})};
  const Layout b = any_radix_layout(2, {1, 2, 4}, {1, 2});
  const auto composed = compose(a, b);
  RC_PRE(composed.has_value());
  for (std::int64_t i = 0; i < elements_of(b); ++i)
    RC_ASSERT(*index(*composed, i) == a.swizzle.apply(value_at(a.layout, value_at(b, i))));
}

Result<SwizzledLayout> parsed(const std::string& text) {
  TextCursor cursor(std::make_shared<const Source>("layout", text));
  auto layout = parse_swizzled_layout(cursor);
  if (layout && !cursor.at_end()) return cursor.error_here("X001", "text is left over");
  return layout;
}

RC_GTEST_PROP(Text, ParsesBack, (Layout layout)) {
  const SwizzledLayout plain{{}, layout};
  RC_ASSERT(*parsed(to_text(layout)) == plain);
  const SwizzledLayout swizzled{any_swizzle(), layout};
  const auto back = parsed(to_text(swizzled));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->layout == layout);
  if (swizzled.swizzle.bits() > 0) RC_ASSERT(back->swizzle == swizzled.swizzle);
}

RC_GTEST_PROP(Text, OfDynamicLayoutsParsesBack, (Layout layout)) {
  const auto dynamic = [](const IntExpr& leaf) {
    const IntExpr symbol = IntExpr::symbol("a.0");
    switch (any_in(0, 4)) {
      case 0:
        return symbol;
      case 1:
        return (symbol + leaf) * (leaf + 3);
      case 2:
        return ceil_div(symbol, leaf);
      case 3:
        return min(symbol, leaf) + leaf;
      default:
        return leaf;
    }
  };
  const Layout changed(map_leaves(layout.shape(), dynamic), map_leaves(layout.stride(), dynamic));
  const auto back = parsed(to_text(changed));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->layout == changed);
}

}  // namespace
}  // namespace tilewright::layout
