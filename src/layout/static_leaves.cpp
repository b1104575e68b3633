// Checks that the algebra's operands are plain integers of a mixed radix. See static_leaves.h.
#include "layout/static_leaves.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "layout/text.h"

namespace tilewright::layout {
namespace {

std::string quoted(const Layout& layout, std::string_view role) {
  return fmt::format("{} {}", role, to_text(layout));
}

Result<StaticLeaf> static_leaf(const Leaf& leaf, const Layout& layout, std::string_view role) {
  for (const IntExpr& part : {leaf.extent, leaf.stride})
    if (!part.is_constant())
      return fail(
          code::dynamic,
          fmt::format("{} has {}, which is not a static integer", quoted(layout, role), tilewright::to_text(part)),
          "substitute the symbols, or divide a layout of one leaf, which may be dynamic");
  const StaticLeaf result{leaf.extent.constant(), leaf.stride.constant()};
  if (result.extent < 1)
    return fail(code::range, fmt::format("{} has extent {}", quoted(layout, role), result.extent),
                "extents are 1 or more here");
  if (result.stride < 0)
    return fail(code::range, fmt::format("{} has stride {}", quoted(layout, role), result.stride),
                "strides are 0 or more here");
  return result;
}

}  // namespace

Result<std::vector<StaticLeaf>> static_leaves(const Layout& layout, std::string_view role) {
  std::vector<StaticLeaf> result;
  std::int64_t size = 1;
  for (const Leaf& leaf : leaves(layout)) {
    const auto plain = static_leaf(leaf, layout, role);
    if (!plain) return std::unexpected(plain.error());
    std::int64_t span = 0;
    if (__builtin_mul_overflow(size, plain->extent, &size) ||
        __builtin_mul_overflow(plain->extent, plain->stride, &span))
      return fail(code::too_large, fmt::format("{} spans more than 64 bits hold", quoted(layout, role)));
    result.push_back(*plain);
  }
  return result;
}

Result<std::vector<Digit>> sorted_digits(const Layout& layout, std::string_view role) {
  const auto plain = static_leaves(layout, role);
  if (!plain) return std::unexpected(plain.error());
  std::vector<Digit> digits;
  std::int64_t number = 1;
  for (const StaticLeaf& leaf : *plain) {
    if (leaf.extent > 1 && leaf.stride > 0) digits.push_back({leaf.extent, leaf.stride, 1, number});
    number *= leaf.extent;
  }
  std::ranges::sort(digits, {}, &Digit::stride);
  std::int64_t span = 1;
  for (Digit& digit : digits) {
    if (digit.stride < span)
      return fail(code::overlap,
                  fmt::format("in {}, stride {} lies within the {} indices of the modes below it", quoted(layout, role),
                              digit.stride, span),
                  "each stride is at least the extent times the stride of every mode with a smaller one");
    if (digit.stride % span != 0)
      return fail(code::divisibility,
                  fmt::format("in {}, stride {} is not a multiple of {}, the span of the modes below it",
                              quoted(layout, role), digit.stride, span),
                  "make each stride a multiple of the extent times the stride of the mode below");
    digit.gap = digit.stride / span;
    span = digit.extent * digit.stride;
  }
  return digits;
}

}  // namespace tilewright::layout
