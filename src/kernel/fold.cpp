// Integer arithmetic on constants.
#include "kernel/fold.h"

#include <algorithm>

namespace tilewright::kernel {

std::uint64_t unsigned_value(Element element, std::int64_t value) {
  const int width = bits(element);
  const auto word = static_cast<std::uint64_t>(value);
  return width == 64 ? word : word & ((std::uint64_t{1} << width) - 1);
}

namespace {

/// Truncating division; MIN / -1 wraps, which negation in unsigned arithmetic gives.
std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == -1) return static_cast<std::int64_t>(-static_cast<std::uint64_t>(a));
  return a / b;
}

std::int64_t remainder(std::int64_t a, std::int64_t b) {
  return b == -1 ? 0 : a % b;
}

/// On operands without a sign; `in_range` says that `ub` is a legal shift amount.
std::optional<std::uint64_t> fold_unsigned(Opcode code, std::uint64_t ua, std::uint64_t ub, bool in_range) {
  switch (code) {
    case Opcode::add:
      return ua + ub;
    case Opcode::sub:
      return ua - ub;
    case Opcode::mul:
      return ua * ub;
    case Opcode::bit_and:
      return ua & ub;
    case Opcode::bit_or:
      return ua | ub;
    case Opcode::bit_xor:
      return ua ^ ub;
    case Opcode::umin:
      return std::min(ua, ub);
    case Opcode::umax:
      return std::max(ua, ub);
    case Opcode::udiv:
      return ub == 0 ? std::nullopt : std::optional(ua / ub);
    case Opcode::urem:
      return ub == 0 ? std::nullopt : std::optional(ua % ub);
    case Opcode::shl:
      return in_range ? std::optional(ua << ub) : std::nullopt;
    case Opcode::lshr:
      return in_range ? std::optional(ua >> ub) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> fold_signed(Opcode code, std::int64_t a, std::int64_t b, bool in_range) {
  switch (code) {
    case Opcode::smin:
      return std::min(a, b);
    case Opcode::smax:
      return std::max(a, b);
    case Opcode::sdiv:
      return b == 0 ? std::nullopt : std::optional(divide(a, b));
    case Opcode::srem:
      return b == 0 ? std::nullopt : std::optional(remainder(a, b));
    case Opcode::ashr:
      return in_range ? std::optional(a >> b) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// i1 is kept as 0 or 1, but as a signed number its set bit means -1.
std::int64_t signed_value(Element element, std::int64_t value) {
  return element == Element::i1 ? -(value & 1) : value;
}

}  // namespace

std::optional<std::int64_t> fold_binary(Opcode code, Element element, std::int64_t a, std::int64_t b) {
  const std::uint64_t ua = unsigned_value(element, a);
  const std::uint64_t ub = unsigned_value(element, b);
  const bool in_range = ub < static_cast<std::uint64_t>(bits(element));
  if (const auto value = fold_unsigned(code, ua, ub, in_range))
    return wrap_to(element, static_cast<std::int64_t>(*value));
  if (const auto value = fold_signed(code, signed_value(element, a), signed_value(element, b), in_range))
    return wrap_to(element, *value);
  return std::nullopt;
}

std::optional<std::int64_t> fold_unary(Opcode code, Element element, std::int64_t a) {
  const std::int64_t value = signed_value(element, a);
  const bool negate = code == Opcode::neg || (code == Opcode::abs && value < 0);
  if (code != Opcode::neg && code != Opcode::abs) return std::nullopt;
  return wrap_to(element, negate ? static_cast<std::int64_t>(-static_cast<std::uint64_t>(value)) : value);
}

std::optional<bool> fold_cmp(Predicate predicate, Element element, std::int64_t a, std::int64_t b) {
  const std::int64_t sa = signed_value(element, a);
  const std::int64_t sb = signed_value(element, b);
  const std::uint64_t ua = unsigned_value(element, a);
  const std::uint64_t ub = unsigned_value(element, b);
  switch (predicate) {
    case Predicate::eq:
      return ua == ub;
    case Predicate::ne:
      return ua != ub;
    case Predicate::slt:
      return sa < sb;
    case Predicate::sle:
      return sa <= sb;
    case Predicate::sgt:
      return sa > sb;
    case Predicate::sge:
      return sa >= sb;
    case Predicate::ult:
      return ua < ub;
    case Predicate::ule:
      return ua <= ub;
    case Predicate::ugt:
      return ua > ub;
    case Predicate::uge:
      return ua >= ub;
    case Predicate::oeq:
    case Predicate::une:
    case Predicate::olt:
    case Predicate::ole:
    case Predicate::ogt:
    case Predicate::oge:
    case Predicate::uno:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tilewright::kernel
