// Integer expressions over named symbols: extents ("a.0"), strides ("a.s0", in elements), thread counts ("threads").
// Nest extents, layouts, tile bounds, launch geometry and workspace sizes are all of this one kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace tilewright {

class TextCursor;

enum class IntOp : std::uint8_t { constant, symbol, add, sub, mul, floor_div, ceil_div, mod, min, max };

/// An immutable expression with value semantics (shared structure). Building one folds constants and applies the
/// identities x+0, x-0, x-x, x*1, x*0, x/1, x%1, min(x,x), max(x,x). It never overflows silently: evaluation is
/// checked, and an operation on constants that would overflow or divide by zero stays as it is.
class IntExpr {
 public:
  IntExpr() : IntExpr(0) {}
  IntExpr(std::int64_t value);  // NOLINT: an integer is an expression
  static IntExpr symbol(std::string name);
  static IntExpr make(IntOp op, IntExpr lhs, IntExpr rhs);

  IntOp op() const;
  bool is_constant() const { return op() == IntOp::constant; }
  bool is_constant(std::int64_t value) const { return is_constant() && constant() == value; }
  std::int64_t constant() const;           ///< requires is_constant()
  const std::string& symbol_name() const;  ///< requires op() == symbol
  IntExpr lhs() const;                     ///< requires a binary op
  IntExpr rhs() const;

  /// Structural equality after simplification.
  friend bool operator==(const IntExpr& a, const IntExpr& b);

 private:
  struct Node;
  explicit IntExpr(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

IntExpr operator+(IntExpr a, IntExpr b);
IntExpr operator-(IntExpr a, IntExpr b);
IntExpr operator*(IntExpr a, IntExpr b);
IntExpr floor_div(IntExpr a, IntExpr b);
IntExpr ceil_div(IntExpr a, IntExpr b);
IntExpr mod(IntExpr a, IntExpr b);  ///< in [0, b) for b > 0
IntExpr min(IntExpr a, IntExpr b);
IntExpr max(IntExpr a, IntExpr b);

/// Value of each symbol, or nullopt where it is not known.
using SymbolValues = std::function<std::optional<std::int64_t>(std::string_view)>;
/// nullopt on an unknown symbol, a division by zero or a signed overflow.
std::optional<std::int64_t> evaluate(const IntExpr& expr, const SymbolValues& values);
/// The same modulo 2⁶⁴ where sums, differences and products overflow. For distances of addresses: those of elements
/// that are inside wrap to where they are; what is outside is not followed.
std::optional<std::int64_t> evaluate_modular(const IntExpr& expr, const SymbolValues& values);
/// Replaces symbols that `replacement` knows.
IntExpr substitute(const IntExpr& expr, const std::function<std::optional<IntExpr>(std::string_view)>& replacement);
/// Whether the expression's form shows that its value is a multiple of the divisor, which is positive.
bool is_multiple_of(const IntExpr& expr, std::int64_t divisor);
/// The names of all symbols, each once, in first-seen order.
std::vector<std::string> symbols(const IntExpr& expr);

/// `ceil(a.0 / 64) * 64 + min(b.1, 8)`; floor division prints as `a.0 / 64`, modulus as `a.0 % 64`. Parses back equal.
std::string to_text(const IntExpr& expr);
Result<IntExpr> parse_int_expr(TextCursor& cursor);

}  // namespace tilewright
