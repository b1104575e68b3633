// Pieces of C++ expressions: a text, how tightly it binds, and whether an integer has a sign.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::codegen::metal {

/// C++'s levels of binding, tightest first.
enum class Binding : std::uint8_t {
  primary,
  unary,
  multiplicative,
  additive,
  shift,
  relational,
  equality,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  conditional
};

struct Expression {
  std::string text;
  Binding binding = Binding::primary;
  bool is_unsigned = false;  ///< of integers: the text's type has no sign

  bool is_primary() const { return binding == Binding::primary; }
};

/// The text, in parentheses where it binds less tightly than `binding`.
inline std::string within(const Expression& expression, Binding binding) {
  return expression.binding <= binding ? expression.text : "(" + expression.text + ")";
}

/// `a op b`. Operands that mix levels which readers mix up (shifts and bit operations with anything else) stand in
/// parentheses.
inline Expression infix(const Expression& a, std::string_view op, const Expression& b, Binding binding) {
  const bool arithmetic = binding == Binding::multiplicative || binding == Binding::additive;
  const auto left = [&] {
    if (arithmetic) return within(a, binding);
    const bool same = a.binding == binding && binding != Binding::shift;
    return within(a, same                                                             ? binding
                     : binding >= Binding::relational && binding <= Binding::equality ? Binding::additive
                     : binding >= Binding::logical_and                                ? Binding::equality
                                                                                      : Binding::unary);
  };
  const Binding right = arithmetic && binding == Binding::additive                       ? Binding::multiplicative
                        : binding >= Binding::logical_and                                ? Binding::equality
                        : binding == Binding::relational || binding == Binding::equality ? Binding::additive
                                                                                         : Binding::unary;
  return {left() + " " + std::string(op) + " " + within(b, right), binding, a.is_unsigned || b.is_unsigned};
}

inline Expression call(std::string_view function, std::string_view arguments) {
  return {std::string(function) + "(" + std::string(arguments) + ")"};
}

}  // namespace tilewright::codegen::metal
