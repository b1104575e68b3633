// Queries on statements: the order of iterators and tensors, which every later level takes from here.
#include "lang/ast.h"

#include <ranges>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace tilewright::lang {
namespace {

/// Leaves of the expression tree at `root`, left to right. Iterative: a C++-built tree may be deeper than the stack.
template <class Visit>
void visit_leaves(const Statement& statement, ExprId root, Visit&& visit) {
  std::vector<ExprId> pending;
  if (root.valid()) pending.push_back(root);
  while (!pending.empty()) {
    const Expr& expr = statement.exprs[pending.back()];
    pending.pop_back();
    if (const auto* apply = std::get_if<Apply>(&expr.node)) {
      for (ExprId operand : apply->operands | std::views::reverse) pending.push_back(operand);
    } else if (const auto* cast = std::get_if<Cast>(&expr.node)) {
      pending.push_back(cast->operand);
    } else {
      visit(expr);
    }
  }
}

/// Distinct names in the order of their first addition.
class NameList {
 public:
  void add(const std::string& name) {
    if (seen_.insert(name).second) names_.push_back(name);
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string_view> seen_;  ///< views of the statement's own strings
};

}  // namespace

std::vector<std::string> Statement::iterator_order() const {
  NameList order;
  for (const Named& iterator : target_iterators) order.add(iterator.name);
  if (binding)
    for (const BoundIterator& bound : *binding) order.add(bound.iterator.name);
  const auto add_leaf = [&](const Expr& leaf) {
    if (const auto* read = std::get_if<Read>(&leaf.node)) {
      for (const AffineIndex& index : read->indices)
        for (const AffineIndex::Term& term : index.terms) order.add(term.iterator);
    } else if (const auto* value_of = std::get_if<IteratorValue>(&leaf.node)) {
      order.add(value_of->iterator);
    }
  };
  visit_leaves(*this, value, add_leaf);
  if (epilogue) visit_leaves(*this, *epilogue, add_leaf);
  return order.take();
}

std::vector<std::string> Statement::tensors_read() const {
  NameList names;
  const auto add_leaf = [&](const Expr& leaf) {
    if (const auto* read = std::get_if<Read>(&leaf.node); read != nullptr && read->tensor != target.name)
      names.add(read->tensor);
  };
  visit_leaves(*this, value, add_leaf);
  if (epilogue) visit_leaves(*this, *epilogue, add_leaf);
  return names.take();
}

const std::string& name_of(const std::variant<Statement, Program>& item) {
  if (const auto* statement = std::get_if<Statement>(&item)) return statement->target.name;
  return std::get<Program>(item).name.name;
}

}  // namespace tilewright::lang
