// Inverses of layouts. See algebra.h.
//
// Example: (4,8):(8,1), the row-major 4 × 8 matrix, puts its element of number i + 4·j at index 8·i + j. Ordered by
// stride it has the digits 8:1 (a step counts 4) and 4:8 (a step counts 1), so the inverse is (8,4):(4,1).
#include <fmt/format.h>

#include <utility>

#include "layout/algebra.h"
#include "layout/static_leaves.h"
#include "layout/text.h"

namespace tilewright::layout {

Result<Layout> right_inverse(const Layout& layout) {
  const auto plain = static_leaves(layout, "the layout");
  if (!plain) return std::unexpected(plain.error());
  std::vector<Layout> modes;
  std::int64_t next = 1;  // the stride that continues the run 0, 1, … next − 1
  bool found = true;
  while (found) {
    found = false;
    std::int64_t number = 1;
    for (const StaticLeaf& leaf : *plain) {
      if (leaf.extent > 1 && leaf.stride == next) {
        modes.emplace_back(leaf.extent, number);
        next *= leaf.extent;
        found = true;
        break;
      }
      number *= leaf.extent;
    }
  }
  return coalesce(join(modes));
}

Result<Layout> left_inverse(const Layout& layout) {
  const auto plain = static_leaves(layout, "the layout");
  if (!plain) return std::unexpected(plain.error());
  for (const StaticLeaf& leaf : *plain)
    if (leaf.extent > 1 && leaf.stride == 0)
      return fail(code::overlap, fmt::format("{} takes an index {} times", to_text(layout), leaf.extent),
                  "a layout with a left inverse has no stride 0");
  const auto digits = sorted_digits(layout, "the layout");
  if (!digits) return std::unexpected(digits.error());
  std::vector<Layout> modes;
  for (const Digit& digit : *digits) {
    modes.emplace_back(digit.gap, 0);  // indices between the layout's own
    modes.emplace_back(digit.extent, digit.number);
  }
  return coalesce(join(modes));
}

}  // namespace tilewright::layout
