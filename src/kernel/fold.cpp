// Integer arithmetic on constants, by element.
#include "kernel/fold.h"

namespace tilewright::kernel {

namespace {

/// Calls `fold(a, b)` on integers of the element's width. An i1 goes as 0 and -1 in eight bits, which gives what one
/// bit would once it is wrapped: signed and unsigned order, and shifts by one are out of range.
template <class Fold>
auto by_width(Element element, std::int64_t a, std::int64_t b, Fold&& fold) {
  switch (bits(element)) {
    case 1:
      return fold(static_cast<std::int8_t>(-a), static_cast<std::int8_t>(-b));
    case 8:
      return fold(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b));
    case 16:
      return fold(static_cast<std::int16_t>(a), static_cast<std::int16_t>(b));
    case 32:
      return fold(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
    default:
      return fold(a, b);
  }
}

}  // namespace

std::uint64_t unsigned_value(Element element, std::int64_t value) {
  const int width = bits(element);
  const auto word = static_cast<std::uint64_t>(value);
  return width == 64 ? word : word & ((std::uint64_t{1} << width) - 1);
}

std::optional<std::int64_t> fold_binary(Opcode code, Element element, std::int64_t a, std::int64_t b) {
  return by_width(element, a, b, [&]<class Int>(Int x, Int y) -> std::optional<std::int64_t> {
    const std::optional<Int> value = fold_binary_as(code, x, y);
    return value ? std::optional(wrap_to(element, *value)) : std::nullopt;
  });
}

std::optional<std::int64_t> fold_unary(Opcode code, Element element, std::int64_t a) {
  if (code != Opcode::neg && code != Opcode::abs) return std::nullopt;
  const bool negative = element == Element::i1 ? a != 0 : a < 0;
  const auto negated = static_cast<std::int64_t>(-static_cast<std::uint64_t>(a));
  return wrap_to(element, code == Opcode::neg || negative ? negated : a);
}

std::optional<bool> fold_cmp(Predicate predicate, Element element, std::int64_t a, std::int64_t b) {
  return by_width(element, a, b, [&]<class Int>(Int x, Int y) { return fold_cmp_as(predicate, x, y); });
}

}  // namespace tilewright::kernel
