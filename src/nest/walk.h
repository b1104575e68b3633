// The one walk, the one rewrite and the one copy over a nest's expressions. All rely on the invariant that operands
// stand before their users in the table, so neither recurses: depth is bounded by memory alone.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "nest/ir.h"

namespace tilewright::nest {

/// Calls `visit(ExprId)` for each operand of `expr`, left to right.
template <class Visit>
void for_each_operand(const Expr& expr, Visit&& visit) {
  if (const CastExpr* cast = std::get_if<CastExpr>(&expr.node)) visit(cast->operand);
  if (const ApplyExpr* apply = std::get_if<ApplyExpr>(&expr.node))
    for (ExprId operand : apply->operands) visit(operand);
}

/// By index: which expressions `root` is made of, itself included.
inline std::vector<bool> reachable_from(const Table<ExprId, Expr>& exprs, ExprId root) {
  std::vector<bool> reached(exprs.size(), false);
  if (!exprs.contains(root)) return reached;
  reached[root.index] = true;
  for (std::uint32_t index = root.index + 1; index-- > 0;)
    if (reached[index]) for_each_operand(exprs[ExprId{index}], [&](ExprId operand) { reached[operand.index] = true; });
  return reached;
}

/// Calls `visit(ExprId, const Expr&)` once for each expression under `root`, operands before users.
template <class Visit>
void walk(const Table<ExprId, Expr>& exprs, ExprId root, Visit&& visit) {
  const std::vector<bool> reached = reachable_from(exprs, root);
  for (std::uint32_t index = 0; index < reached.size(); ++index)
    if (reached[index]) visit(ExprId{index}, exprs[ExprId{index}]);
}

/// Rebuilds `root` in `exprs`: `replace(Expr&) -> bool` sees each expression once, its operands already replaced, and
/// says whether it changed it. An unchanged expression over unchanged operands keeps its id. Returns the new root.
template <class Replace>
ExprId rewrite(Table<ExprId, Expr>& exprs, ExprId root, Replace&& replace) {
  const std::vector<bool> reached = reachable_from(exprs, root);
  std::vector<ExprId> renamed(reached.size());
  for (std::uint32_t index = 0; index < reached.size(); ++index) {
    if (!reached[index]) continue;
    Expr expr = exprs[ExprId{index}];
    bool changed = false;
    const auto rename = [&](ExprId& operand) {
      changed |= renamed[operand.index] != operand;
      operand = renamed[operand.index];
    };
    if (CastExpr* cast = std::get_if<CastExpr>(&expr.node)) rename(cast->operand);
    if (ApplyExpr* apply = std::get_if<ApplyExpr>(&expr.node))
      for (ExprId& operand : apply->operands) rename(operand);
    changed |= replace(expr);
    renamed[index] = changed ? exprs.add(std::move(expr)) : ExprId{index};
  }
  return renamed[root.index];
}

/// Copies `root` and what it is made of to another table, each part once. `leaf(const Expr&)` makes the copy, or what
/// stands for it there, of an expression without operands. Returns the copy of the root.
template <class Leaf>
ExprId copy(const Table<ExprId, Expr>& from, ExprId root, Table<ExprId, Expr>& to, Leaf&& leaf) {
  std::vector<ExprId> copied(from.size());
  walk(from, root, [&](ExprId id, const Expr& expr) {
    Expr own = expr;
    if (CastExpr* cast = std::get_if<CastExpr>(&own.node))
      cast->operand = copied[cast->operand.index];
    else if (ApplyExpr* apply = std::get_if<ApplyExpr>(&own.node))
      for (ExprId& operand : apply->operands) operand = copied[operand.index];
    else
      return void(copied[id.index] = leaf(expr));
    copied[id.index] = to.add(std::move(own));
  });
  return copied[root.index];
}

}  // namespace tilewright::nest
