// The scalar operators and functions of the language, declared once. Statements, nests and tile programs share them;
// the kernel IR has its own, lower table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

//  enumerator  spelling   arity  form      operands
//  form: infix | prefix | function.  operands: which element classes the language admits —
//  arithmetic (numbers), comparison (numbers; bool for == and != only), logical (bool),
//  ordered (numbers, kept as they are), floating (floats only), selection (bool, then two alike).
#define TILEWRIGHT_SCALAR_OPS(X)               \
  X(add, "+", 2, infix, arithmetic)            \
  X(sub, "-", 2, infix, arithmetic)            \
  X(mul, "*", 2, infix, arithmetic)            \
  X(div, "/", 2, infix, arithmetic)            \
  X(neg, "-", 1, prefix, arithmetic)           \
  X(lt, "<", 2, infix, comparison)             \
  X(le, "<=", 2, infix, comparison)            \
  X(gt, ">", 2, infix, comparison)             \
  X(ge, ">=", 2, infix, comparison)            \
  X(eq, "==", 2, infix, comparison)            \
  X(ne, "!=", 2, infix, comparison)            \
  X(logical_and, "and", 2, infix, logical)     \
  X(logical_or, "or", 2, infix, logical)       \
  X(logical_not, "not", 1, prefix, logical)    \
  X(select, "select", 3, function, selection)  \
  X(min, "min", 2, function, ordered)          \
  X(max, "max", 2, function, ordered)          \
  X(abs, "abs", 1, function, arithmetic)       \
  X(relu, "relu", 1, function, arithmetic)     \
  X(exp, "exp", 1, function, floating)         \
  X(log, "log", 1, function, floating)         \
  X(sqrt, "sqrt", 1, function, floating)       \
  X(rsqrt, "rsqrt", 1, function, floating)     \
  X(tanh, "tanh", 1, function, floating)       \
  X(sin, "sin", 1, function, floating)         \
  X(cos, "cos", 1, function, floating)         \
  X(erf, "erf", 1, function, floating)         \
  X(pow, "pow", 2, function, floating)         \
  X(sigmoid, "sigmoid", 1, function, floating) \
  X(gelu, "gelu", 1, function, floating)       \
  X(silu, "silu", 1, function, floating)

enum class ScalarOp : std::uint8_t {
#define X(name, ...) name,
  TILEWRIGHT_SCALAR_OPS(X)
#undef X
};

enum class OpForm : std::uint8_t { infix, prefix, function };
enum class OpOperands : std::uint8_t { arithmetic, comparison, logical, ordered, floating, selection };

struct ScalarOpInfo {
  std::string_view name;      ///< unique: the enumerator's name, as the IRs' text forms write it ("add", "logical_and")
  std::string_view spelling;  ///< as the language writes it ("+", "and")
  int arity;
  OpForm form;
  OpOperands operands;
};

const ScalarOpInfo& info(ScalarOp op);
/// By the language's spelling; only operators of form `function`.
std::optional<ScalarOp> function_from_spelling(std::string_view spelling);
/// By unique name.
std::optional<ScalarOp> scalar_op_from_name(std::string_view name);

/// How a reduction folds: `++=` sum, `*=` product, `max=` and `min=`. Over bool, max is any and min is all.
enum class Monoid : std::uint8_t { sum, product, max, min };
/// "sum", "product", "max", "min".
std::string_view name(Monoid monoid);
std::optional<Monoid> monoid_from_name(std::string_view name);
/// The binary operator that folds: add, mul, max, min.
ScalarOp combine(Monoid monoid);

/// `exact`, `tf32`, `tf32x3`.
enum class Precision : std::uint8_t { exact, tf32, tf32x3 };
std::string_view name(Precision precision);
std::optional<Precision> precision_from_name(std::string_view name);

}  // namespace tilewright
