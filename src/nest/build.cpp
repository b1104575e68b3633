// Typed statement → nest. The statement's expressions are copied operand by operand into the nest's table, with a cast
// wherever a value's type is not the type it is used in. See build.h.
#include "nest/build.h"

#include <map>
#include <utility>

#include "lang/bind_context.h"
#include "lang/literal.h"
#include "nest/access.h"
#include "support/overloaded.h"

namespace tilewright::nest {
namespace {

class Builder {
 public:
  explicit Builder(const lang::TypedStatement& typed) : typed_(typed), statement_(*typed.statement) {}

  Nest build() {
    nest_.name = statement_.target.name;
    nest_.output = typed_.output;
    nest_.reduction = statement_.reduction;
    nest_.accumulate = typed_.accumulate;
    nest_.precision = statement_.precision.value_or(Precision::exact);
    if (nest_.reduction) nest_.identity = fold_start();
    add_tensors();
    add_iterators();
    nest_.value = convert(add_tree(statement_.value), nest_.accumulate);
    const ExprId finished = nest_.exprs.add({Accumulated{}, nest_.accumulate});
    accumulated_ = finished;
    const ExprId result = statement_.epilogue ? add_tree(*statement_.epilogue) : finished;
    nest_.result = convert(result, nest_.output);
    return std::move(nest_);
  }

 private:
  /// max and min start at the output type's limit, in the accumulator's type (an integer limit in a float accumulator
  /// rounds; the conversion to the output saturates it back).
  Scalar fold_start() const {
    const Scalar start = identity(*statement_.reduction, typed_.output);
    if (*statement_.reduction == Monoid::sum || *statement_.reduction == Monoid::product)
      return identity(*statement_.reduction, typed_.accumulate);
    return cast_scalar(start, typed_.output, typed_.accumulate);
  }

  void add_tensors() {
    for (const lang::OperandType& operand : typed_.operands)
      tensors_[operand.name] = nest_.tensors.add({operand.name, operand.dtype, static_cast<int>(operand.shape.size())});
  }

  /// One loop an iterator: the target's in the order that the statement binds them, then the reduction's.
  void add_iterators() {
    for (const lang::TypedIterator& iterator : typed_.iterators)
      iterators_[iterator.name] = nest_.iterators.add({iterator.name, iterator.role, iterator.extent_expr});
    for (const lang::Named& axis : statement_.target_iterators) nest_.output_index.push_back(iterators_.at(axis.name));
    for (IteratorRole role : {IteratorRole::output, IteratorRole::reduction})
      for (std::uint32_t index = 0; index < nest_.iterators.size(); ++index) {
        const Iterator& iterator = nest_.iterators[IterId{index}];
        if (iterator.role == role) nest_.loops.push_back({.name = iterator.name, .iter = IterId{index}});
      }
  }

  ExprId add_tree(lang::ExprId root) {
    const std::vector<bool> members = lang::reachable_from(statement_, root);
    built_.assign(members.size(), ExprId{});
    for (std::uint32_t index = 0; index < members.size(); ++index)
      if (members[index]) built_[index] = add(lang::ExprId{index});
    return built_[root.index];
  }

  ExprId add(lang::ExprId id) {
    const DType type = typed_.types[id.index];
    return std::visit(
        Overloaded{
            [&](const lang::Literal& literal) {
              return nest_.exprs.add({Constant{lang::literal_scalar(literal.number, type)}, type});
            },
            [&](const lang::Read& read) { return add_read(read, type); },
            [&](const lang::IteratorValue& value) {
              return nest_.exprs.add({IterValue{iterators_.at(value.iterator)}, type});
            },
            [&](const lang::ExtentOf& extent) {
              return nest_.exprs.add({ExtentValue{nest_.iterators[iterators_.at(extent.iterator)].extent}, type});
            },
            [&](const lang::Cast& cast) { return nest_.exprs.add({CastExpr{built_[cast.operand.index]}, cast.to}); },
            [&](const lang::Apply& apply) { return add_apply(id, apply); }},
        statement_.exprs[id].node);
  }

  ExprId add_apply(lang::ExprId id, const lang::Apply& apply) {
    ApplyExpr result{.op = apply.op, .operands = {}};
    for (lang::ExprId operand : apply.operands) {
      const bool condition = apply.op == ScalarOp::select && result.operands.empty();
      const DType type = condition ? DType::boolean : typed_.compute_types[id.index];
      result.operands.push_back(convert(built_[operand.index], type));
    }
    return nest_.exprs.add({std::move(result), typed_.types[id.index]});
  }

  /// Reads with one access map are one read.
  ExprId add_read(const lang::Read& read, DType type) {
    auto tensor = tensors_.find(read.tensor);
    if (tensor == tensors_.end()) return accumulated_;
    Read access{.tensor = tensor->second, .index = {}, .otherwise = {}};
    for (const lang::AffineIndex& slot : read.indices) access.index.push_back(affine(slot));
    if (read.otherwise) access.otherwise = lang::literal_scalar(*read.otherwise, type);
    return nest_.exprs.add({ReadValue{find_or_add(std::move(access))}, type});
  }

  ReadId find_or_add(Read access) {
    for (std::uint32_t index = 0; index < nest_.reads.size(); ++index)
      if (is_same_read(nest_.reads[ReadId{index}], access)) return ReadId{index};
    return nest_.reads.add(std::move(access));
  }

  Affine affine(const lang::AffineIndex& slot) const {
    Affine result{.terms = {}, .constant = slot.constant};
    for (const lang::AffineIndex::Term& term : slot.terms)
      result.terms.push_back({iterators_.at(term.iterator), term.coefficient});
    return result;
  }

  ExprId convert(ExprId id, DType type) {
    if (nest_.exprs[id].dtype == type) return id;
    return nest_.exprs.add({CastExpr{id}, type});
  }

  const lang::TypedStatement& typed_;
  const lang::Statement& statement_;
  Nest nest_;
  std::map<std::string, TensorId, std::less<>> tensors_;
  std::map<std::string, IterId, std::less<>> iterators_;
  std::vector<ExprId> built_;  ///< by the statement's ExprId
  ExprId accumulated_;
};

}  // namespace

Nest build_nest(const lang::TypedStatement& statement) {
  return Builder(statement).build();
}

}  // namespace tilewright::nest
