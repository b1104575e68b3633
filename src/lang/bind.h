// Typing and extents: a statement meets its operands. Everything docs/language.md says under Extents and Types that can
// be checked before running is checked here; what follows (the nest) relies on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "support/diagnostic.h"
#include "support/dtype.h"
#include "support/int_expr.h"

namespace tilewright::lang {

struct OperandType {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  friend bool operator==(const OperandType&, const OperandType&) = default;
};

enum class IteratorRole : std::uint8_t { output, reduction };

struct TypedIterator {
  std::string name;
  IteratorRole role;
  std::int64_t extent;  ///< of this binding
  IntExpr extent_expr;  ///< the same in terms of "NAME.AXIS" symbols (or a constant), for kernels with run-time extents
};

/// A statement with a type for every expression and an extent for every iterator.
struct TypedStatement {
  const Statement* statement = nullptr;  ///< must outlive this
  std::vector<OperandType> operands;     ///< the tensors read, in order of first read
  std::vector<TypedIterator> iterators;  ///< in Statement::iterator_order()
  std::vector<DType> types;              ///< by ExprId: the type that the expression's value has
  /// By ExprId, for Apply: the type its operands are converted to before the operator (f32 for f16 + f16).
  std::vector<DType> compute_types;
  DType accumulate = DType::f32;  ///< type of the running reduction, and of the target inside `then`
  DType output = DType::f32;
  std::vector<std::int64_t> output_shape;
};

/// Operand order is free; a missing, unknown or repeated name is an error, as is every mismatch that language.md names.
Result<TypedStatement> bind(const Statement& statement, const std::vector<OperandType>& operands);

}  // namespace tilewright::lang
