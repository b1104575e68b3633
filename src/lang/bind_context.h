// What the steps of bind share: the statement, the operands it meets, which expressions stand where, and the errors so
// far. Private to bind.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/bind.h"

namespace tilewright::lang {

struct BindContext {
  const Statement& statement;
  std::vector<OperandType> operands;  ///< the tensors read, in order of first read
  /// By ExprId. A statement's table may hold expressions that nothing refers to; those are in neither.
  std::vector<bool> in_value;
  std::vector<bool> in_epilogue;
  Diagnostics diagnostics;

  const OperandType* operand(std::string_view name) const;
  bool is_target_iterator(std::string_view iterator) const;
  void report(std::string_view code, std::string message, std::string remedy, Span span);
  /// The text under `span`, shortened, as a message quotes it.
  std::string excerpt(Span span) const;
};

/// Calls `visit(ExprId)` for each operand of `expr`, left to right.
template <class Visit>
void for_each_operand(const Expr& expr, Visit&& visit) {
  if (const Cast* cast = std::get_if<Cast>(&expr.node)) visit(cast->operand);
  if (const Apply* apply = std::get_if<Apply>(&expr.node))
    for (ExprId operand : apply->operands) visit(operand);
}

/// By ExprId: whether `root` is or contains the expression. An operand stands before its user in the table.
std::vector<bool> reachable_from(const Statement& statement, ExprId root);

}  // namespace tilewright::lang
