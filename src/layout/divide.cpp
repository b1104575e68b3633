// Complement, division and product of layouts. See algebra.h.
#include <fmt/format.h>

#include <utility>

#include "layout/algebra.h"
#include "layout/static_leaves.h"
#include "layout/text.h"

namespace tilewright::layout {
namespace {

/// Checks that tile and rest together run through a's elements exactly, where that is known.
Result<void> check_cover(const Layout& a, const Layout& tile, const Layout& rest) {
  const IntExpr covered = cosize(join({tile, rest}));
  const IntExpr elements = size(a);
  if (!covered.is_constant() || !elements.is_constant() || covered == elements) return {};
  return fail(code::divisibility,
              fmt::format("tiles {} do not divide the {} elements of {}: they cover {}", to_text(tile),
                          elements.constant(), to_text(a), covered.constant()),
              "choose a tile whose extent times stride divides the size, or pad the layout");
}

Result<std::vector<Layout>> divided_modes(const Layout& a, const std::vector<Layout>& tiles) {
  if (tiles.size() > rank(a))
    return fail(code::congruence, fmt::format("{} tiles for the {} modes of {}", tiles.size(), rank(a), to_text(a)),
                "give at most one tile for each mode");
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(a); ++i) {
    if (i >= tiles.size()) {
      modes.push_back(mode(a, i));
      continue;
    }
    auto divided = logical_divide(mode(a, i), tiles[i]);
    if (!divided) return std::unexpected(std::move(divided.error()));
    modes.push_back(*std::move(divided));
  }
  return modes;
}

}  // namespace

Result<Layout> complement(const Layout& layout, const IntExpr& cosize) {
  const auto digits = sorted_digits(layout, "the layout");
  if (!digits) return std::unexpected(digits.error());
  std::vector<Layout> modes;
  std::int64_t span = 1;
  for (const Digit& digit : *digits) {
    modes.emplace_back(digit.gap, span);
    span = digit.extent * digit.stride;
  }
  modes.emplace_back(ceil_div(cosize, span), span);
  return coalesce(join(modes));
}

Result<Layout> logical_divide(const Layout& a, const Layout& b) {
  const auto rest = complement(b, size(a));
  if (!rest) return rest;
  if (auto covers = check_cover(a, b, *rest); !covers) return std::unexpected(std::move(covers.error()));
  return compose(a, join({b, *rest}));
}

Result<Layout> logical_divide(const Layout& a, const std::vector<Layout>& tiles) {
  const auto modes = divided_modes(a, tiles);
  if (!modes) return std::unexpected(modes.error());
  return join(*modes);
}

Result<Layout> zipped_divide(const Layout& a, const std::vector<Layout>& tiles) {
  const auto modes = divided_modes(a, tiles);
  if (!modes) return std::unexpected(modes.error());
  std::vector<Layout> in_front;
  std::vector<Layout> rest;
  for (std::size_t i = 0; i < modes->size(); ++i) {
    const Layout& divided = (*modes)[i];
    if (i < tiles.size()) in_front.push_back(mode(divided, 0));
    rest.push_back(i < tiles.size() ? mode(divided, 1) : divided);
  }
  return join({join(in_front), join(rest)});
}

Result<Layout> logical_product(const Layout& a, const Layout& b) {
  for (const auto& [operand, role] : {std::pair{&a, "the tile"}, std::pair{&b, "the placement"}})
    if (const auto checked = static_leaves(*operand, role); !checked) return std::unexpected(checked.error());
  const IntExpr elements = size(a) * cosize(b);
  if (!elements.is_constant())
    return fail(code::too_large,
                fmt::format("the product of {} and {} spans more than 64 bits hold", to_text(a), to_text(b)));
  const auto places = complement(a, elements);
  if (!places) return places;
  const auto copies = compose(*places, b);
  if (!copies) return copies;
  return join({a, *copies});
}

}  // namespace tilewright::layout
