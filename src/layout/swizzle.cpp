// Swizzles. See swizzle.h.
#include "layout/swizzle.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "layout/algebra.h"

namespace tilewright::layout {
namespace {

constexpr std::string_view dynamic_error = "X101";
constexpr std::string_view range_error = "X107";
constexpr std::string_view swizzle_error = "X108";

}  // namespace

Result<Swizzle> Swizzle::make(std::int64_t bits, std::int64_t base, std::int64_t shift) {
  constexpr std::int64_t index_bits = 63;
  const bool small =
      bits >= 0 && bits <= index_bits && base >= 0 && base <= index_bits && shift >= -index_bits && shift <= index_bits;
  const bool legal = small && std::abs(shift) >= bits && base + std::abs(shift) + bits <= index_bits;
  if (!legal)
    return fail(swizzle_error, fmt::format("swizzle({},{},{}) is not a permutation of indices", bits, base, shift),
                "bits and base are not negative, the shift is at least as large as bits, and all bits lie below 63");
  return Swizzle(static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift));
}

std::int64_t Swizzle::apply(std::int64_t index) const {
  const std::int64_t low = ((std::int64_t{1} << bits_) - 1) << base_;
  if (shift_ >= 0) return index ^ ((index >> shift_) & low);
  return index ^ ((index & low) << -shift_);
}

Result<std::int64_t> index(const SwizzledLayout& layout, const Tuple& coordinate) {
  const IntExpr plain = index(layout.layout, coordinate);
  if (!plain.is_constant())
    return fail(dynamic_error, fmt::format("the index {} is not a static integer", tilewright::to_text(plain)),
                "a swizzle applies to static indices; substitute the symbols first");
  if (plain.constant() < 0)
    return fail(range_error, fmt::format("the index {} is negative", plain.constant()),
                "a swizzle applies to indices of 0 or more");
  return layout.swizzle.apply(plain.constant());
}

Result<SwizzledLayout> compose(const SwizzledLayout& a, const Layout& b) {
  auto composed = compose(a.layout, b);
  if (!composed) return std::unexpected(std::move(composed.error()));
  return SwizzledLayout{a.swizzle, *std::move(composed)};
}

}  // namespace tilewright::layout
