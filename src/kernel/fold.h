// The arithmetic of integer elements: what the builder folds and what the interpreter executes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "kernel/ops.h"
#include "kernel/types.h"

namespace tilewright::kernel {

/// `a op b` on integers of `element` (kept as wrap_to keeps them), wrapped. nullopt for an op that is no integer
/// arithmetic, and for a division by zero or a shift out of range, which are left to run time.
std::optional<std::int64_t> fold_binary(Opcode code, Element element, std::int64_t a, std::int64_t b);
/// neg and abs.
std::optional<std::int64_t> fold_unary(Opcode code, Element element, std::int64_t a);
/// An integer predicate; nullopt for a float predicate.
std::optional<bool> fold_cmp(Predicate predicate, Element element, std::int64_t a, std::int64_t b);

/// The value of an integer of `element` read without a sign.
std::uint64_t unsigned_value(Element element, std::int64_t value);

/// fold_binary on the signed integer type of an element's width (all but i1).
template <class Int>
constexpr std::optional<Int> fold_binary_as(Opcode code, Int a, Int b) {
  using Unsigned = std::make_unsigned_t<Int>;
  // Words wide enough that nothing overflows into undefined behaviour; the result wraps when it is narrowed.
  const std::uint64_t ua = static_cast<Unsigned>(a);
  const std::uint64_t ub = static_cast<Unsigned>(b);
  const auto wrap = [](std::uint64_t word) { return static_cast<Int>(static_cast<Unsigned>(word)); };
  const bool shifts = ub < sizeof(Int) * 8;
  switch (code) {
    case Opcode::add:
      return wrap(ua + ub);
    case Opcode::sub:
      return wrap(ua - ub);
    case Opcode::mul:
      return wrap(ua * ub);
    case Opcode::bit_and:
      return wrap(ua & ub);
    case Opcode::bit_or:
      return wrap(ua | ub);
    case Opcode::bit_xor:
      return wrap(ua ^ ub);
    case Opcode::umin:
      return wrap(std::min(ua, ub));
    case Opcode::umax:
      return wrap(std::max(ua, ub));
    case Opcode::smin:
      return std::min(a, b);
    case Opcode::smax:
      return std::max(a, b);
    default:
      break;
  }
  if (code == Opcode::shl || code == Opcode::lshr || code == Opcode::ashr) {
    if (!shifts) return std::nullopt;
    if (code == Opcode::ashr) return static_cast<Int>(a >> ub);
    return wrap(code == Opcode::shl ? ua << ub : ua >> ub);
  }
  if (b == 0) return std::nullopt;
  switch (code) {
    case Opcode::udiv:
      return wrap(ua / ub);
    case Opcode::urem:
      return wrap(ua % ub);
    // MIN / -1 wraps, which negation of the word gives.
    case Opcode::sdiv:
      return b == -1 ? wrap(-ua) : static_cast<Int>(a / b);
    case Opcode::srem:
      return b == -1 ? Int{0} : static_cast<Int>(a % b);
    default:
      return std::nullopt;
  }
}

/// fold_cmp on the signed integer type of an element's width (all but i1).
template <class Int>
constexpr std::optional<bool> fold_cmp_as(Predicate predicate, Int a, Int b) {
  using Unsigned = std::make_unsigned_t<Int>;
  const auto ua = static_cast<Unsigned>(a);
  const auto ub = static_cast<Unsigned>(b);
  switch (predicate) {
    case Predicate::eq:
      return a == b;
    case Predicate::ne:
      return a != b;
    case Predicate::slt:
      return a < b;
    case Predicate::sle:
      return a <= b;
    case Predicate::sgt:
      return a > b;
    case Predicate::sge:
      return a >= b;
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
