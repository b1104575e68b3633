// Type inference in two passes over the expression table, in which operands stand before their users.
//
// Each expression has an operand type (what it mixes with) and a value type (what it is evaluated in). For f16 a and b,
// a + b mixes with f16 but has f32 values: floats below f32 are evaluated in f32 and rounded by casts and at the output
// only. The value type is the operand type, or info(operand type).evaluate once arithmetic has occurred.
//
// Upwards: operand types meet at each operator; an expression of literals alone has none yet. Downwards: literals take
// the type of what they meet, operators are checked against the type they got, and both types are written down.
#include "lang/infer_types.h"

#include <fmt/format.h>

#include "lang/literal.h"
#include "support/overloaded.h"

namespace tilewright::lang {
namespace {

struct Meeting {
  std::optional<DType> type;  ///< the operand type; nullopt for literals alone
  bool computed = false;      ///< arithmetic has occurred: values are in info(type).evaluate
  bool broken = false;        ///< an error below was reported; say nothing more
};

DType value_type(DType operand_type, bool computed) {
  return computed ? info(operand_type).evaluate : operand_type;
}

/// What the accumulator's type and another output type have in common, inside `then`: floats win over integers and
/// wider over narrower.
DType join(DType a, DType b) {
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if (size_of(a) == size_of(b) && a != b) return is_floating(a) ? DType::f32 : DType::i64;
  return size_of(a) >= size_of(b) ? a : b;
}

class TypeInference {
 public:
  TypeInference(BindContext& context, TypedStatement& typed)
      : context_(context),
        typed_(typed),
        meetings_(context.statement.exprs.size()),
        wanted_(context.statement.exprs.size()),
        literal_types_(context.statement.exprs.size()),
        operand_types_(context.statement.exprs.size()) {
    typed_.types.assign(meetings_.size(), DType::f32);
    typed_.compute_types.assign(meetings_.size(), DType::f32);
  }

  void run() {
    const Statement& statement = context_.statement;
    go_up(context_.in_value);
    const Meeting value = meetings_[statement.value.index];
    const DType operand_type = value.type.value_or(default_literal_type());
    go_down(context_.in_value, statement.value, operand_type);
    if (value.broken) return;
    settle_result(operand_type, value.computed);
    check_precision(operand_type);
    if (!statement.epilogue) return;
    in_then_ = true;
    go_up(context_.in_epilogue);
    go_down(context_.in_epilogue, *statement.epilogue,
            meetings_[statement.epilogue->index].type.value_or(typed_.output));
  }

 private:
  const Expr& expr(std::uint32_t index) const { return context_.statement.exprs[ExprId{index}]; }

  /// Of a value without reads and iterators. Bool has no literals of its own: 2 converts as `cast(bool, 2)` does.
  DType default_literal_type() const {
    const DType type = context_.statement.annotation.value_or(DType::f32);
    return is_boolean(type) ? DType::f32 : type;
  }

  /// The expression is the product that a dot_general stands for.
  bool is_dot_general(std::uint32_t index) const {
    return context_.statement.dot_general && context_.statement.value.index == index;
  }

  // Upwards.

  void go_up(const std::vector<bool>& members) {
    for (std::uint32_t index = 0; index < members.size(); ++index)
      if (members[index]) meetings_[index] = meet(index);
  }

  Meeting meet(std::uint32_t index) {
    return std::visit(Overloaded{[&](const Literal&) { return Meeting{}; },
                                 [&](const Read& read) { return Meeting{.type = read_type(read)}; },
                                 [&](const IteratorValue&) { return Meeting{.type = DType::i64}; },
                                 [&](const ExtentOf&) { return Meeting{.type = DType::i64}; },
                                 [&](const Cast& cast) {
                                   return Meeting{.type = cast.to, .broken = meetings_[cast.operand.index].broken};
                                 },
                                 [&](const Apply& apply) { return meet_operands(index, apply); }},
                      expr(index).node);
  }

  DType read_type(const Read& read) const {
    const OperandType* operand = context_.operand(read.tensor);
    return operand ? operand->dtype : typed_.accumulate;  // no operand: the target, inside `then`
  }

  /// Inside `then` the accumulator's and the output's type mix without a cast.
  bool mix_in_then(DType a, DType b) const {
    const auto belongs = [&](DType type) {
      return type == typed_.accumulate || type == typed_.output || type == join(typed_.accumulate, typed_.output);
    };
    return in_then_ && is_boolean(a) == is_boolean(b) && belongs(a) && belongs(b);
  }

  Meeting meet_operands(std::uint32_t index, const Apply& apply) {
    const ScalarOpInfo& op = info(apply.op);
    Meeting all;
    ExprId first;
    const std::size_t begin = op.operands == OpOperands::selection ? 1 : 0;
    for (std::size_t position = 0; position < apply.operands.size(); ++position) {
      const ExprId operand = apply.operands[position];
      const Meeting& one = meetings_[operand.index];
      all.broken |= one.broken;
      if (position < begin || op.operands == OpOperands::logical || all.broken || !one.type) continue;
      if (!all.type) {
        all.type = one.type;
        first = operand;
      } else if (*all.type != *one.type) {
        if (mix_in_then(*all.type, *one.type)) {
          all.type = join(*all.type, *one.type);
        } else {
          report_mismatch(index, op, first, operand);
          all.broken = true;
        }
      }
    }
    operand_types_[index] = all.type;
    all.computed = op.operands == OpOperands::arithmetic || op.operands == OpOperands::floating;
    if (op.operands == OpOperands::ordered || op.operands == OpOperands::selection)
      all.computed = any_value_differs(apply, begin, all.type);
    if (op.operands == OpOperands::comparison || op.operands == OpOperands::logical)
      return {.type = DType::boolean, .broken = all.broken};
    return all;
  }

  /// Whether an operand's values need widening to be of one type with the others'.
  bool any_value_differs(const Apply& apply, std::size_t begin, std::optional<DType> type) const {
    for (std::size_t position = begin; position < apply.operands.size(); ++position) {
      const Meeting& one = meetings_[apply.operands[position].index];
      const std::optional<DType> own = one.type ? one.type : type;
      if (!own ? one.computed : value_type(*own, one.computed) != *type) return true;
    }
    return false;
  }

  void report_mismatch(std::uint32_t index, const ScalarOpInfo& op, ExprId left, ExprId right) {
    const auto type_of = [&](ExprId operand) { return name(*meetings_[operand.index].type); };
    if (is_dot_general(index))
      return context_.report("B020",
                             fmt::format("operands of 'dot_general' have different types: '{}' is {}, '{}' is {}",
                                         std::get<Read>(expr(left.index).node).tensor, type_of(left),
                                         std::get<Read>(expr(right.index).node).tensor, type_of(right)),
                             fmt::format("convert one in a statement before: t[…] = cast({}, {}[…])", type_of(left),
                                         std::get<Read>(expr(right.index).node).tensor),
                             expr(index).span);
    const auto text_of = [&](ExprId operand) { return context_.excerpt(expr(operand.index).span); };
    context_.report("B020",
                    fmt::format("operands of '{}' have different types: {} is {}, {} is {}", op.spelling, text_of(left),
                                type_of(left), text_of(right), type_of(right)),
                    fmt::format("convert one, for example cast({}, …)", type_of(left)), expr(index).span);
  }

  // Downwards.

  void go_down(const std::vector<bool>& members, ExprId root, DType root_type) {
    if (meetings_[root.index].broken) return;
    want(root, root_type, value_type(root_type, false));
    for (std::uint32_t index = root.index + 1; index-- > 0;)
      if (members[index] && !meetings_[index].broken) settle(index);
  }

  /// The user of `id` takes it as `type`; a literal's values are then of type `literal_type`.
  void want(ExprId id, DType type, DType literal_type) {
    wanted_[id.index] = type;
    literal_types_[id.index] = literal_type;
  }

  void settle(std::uint32_t index) {
    const DType type = meetings_[index].type.value_or(wanted_[index]);
    std::visit(Overloaded{[&](const Literal& literal) {
                            check_literal(literal.number, type, expr(index).span);
                            typed_.types[index] = literal_types_[index];
                          },
                          [&](const Read& read) {
                            typed_.types[index] = type;
                            if (read.otherwise) check_literal(*read.otherwise, type, expr(index).span);
                          },
                          [&](const IteratorValue&) { typed_.types[index] = type; },
                          [&](const ExtentOf&) { typed_.types[index] = type; },
                          [&](const Cast& cast) {
                            typed_.types[index] = cast.to;
                            const DType literal = cast_literal_type(cast);
                            want(cast.operand, literal, literal);
                          },
                          [&](const Apply& apply) { settle_apply(index, apply, type); }},
               expr(index).node);
  }

  /// What literals are under a cast: the float type it names, or wide enough for the cast to say what is meant.
  DType cast_literal_type(const Cast& cast) const {
    if (is_floating(cast.to)) return cast.to;
    const Literal* literal = std::get_if<Literal>(&expr(cast.operand.index).node);
    return literal && literal->number.is_integer ? DType::i64 : DType::f64;
  }

  void settle_apply(std::uint32_t index, const Apply& apply, DType type) {
    const ScalarOpInfo& op = info(apply.op);
    const bool compares = op.operands == OpOperands::comparison;
    const bool logical = op.operands == OpOperands::logical;
    // A comparison's own type is bool; what it compares is what its operands met as.
    const DType operands = logical ? DType::boolean : compares ? operand_types_[index].value_or(DType::f32) : type;
    const std::size_t begin = op.operands == OpOperands::selection ? 1 : 0;
    const bool widen = op.operands == OpOperands::arithmetic || op.operands == OpOperands::floating ||
                       (!logical && any_value_differs(apply, begin, operands));
    const DType compute = value_type(operands, widen);
    typed_.compute_types[index] = compute;
    typed_.types[index] = compares || logical ? DType::boolean : compute;
    if (begin == 1) want(apply.operands[0], DType::boolean, DType::boolean);
    for (std::size_t position = begin; position < apply.operands.size(); ++position)
      want(apply.operands[position], operands, compute);
    check_operands(index, apply, operands);
  }

  void check_literal(const Number& number, DType type, Span span) {
    switch (fit_literal(number, type)) {
      case LiteralFit::fits:
        return;
      case LiteralFit::inexact:
        return context_.report(
            "B022", fmt::format("{} is no integer, and {} is needed here", context_.excerpt(span), name(type)),
            fmt::format("write an integer, or convert the other operand with cast(f32, …)"), span);
      case LiteralFit::too_large:
        return context_.report("B023", fmt::format("{} does not fit {}", context_.excerpt(span), name(type)),
                               fmt::format("{} takes {}", name(type), literal_range(type)), span);
    }
  }

  void check_operands(std::uint32_t index, const Apply& apply, DType type) {
    const ScalarOpInfo& op = info(apply.op);
    const auto reject = [&](std::string_view takes, DType received) {
      context_.report("B021", fmt::format("'{}' takes {} and received {}", op.spelling, takes, name(received)),
                      fmt::format("convert with cast, for example cast({}, …)", takes == "bool" ? "bool" : "f32"),
                      expr(index).span);
    };
    const auto require_bool = [&](ExprId operand) {
      const std::optional<DType> own = meetings_[operand.index].type;
      if (own && !is_boolean(*own)) reject("bool", *own);
    };
    switch (op.operands) {
      case OpOperands::arithmetic:
      case OpOperands::ordered:
        if (is_boolean(type) && is_dot_general(index))
          context_.report("B021", "'dot_general' takes numbers and received bool",
                          "write the sum out: max= of 'a[i, k] and b[k, j]' for any, or convert with cast(i32, …)",
                          expr(index).span);
        else if (is_boolean(type))
          reject("numbers", type);
        break;
      case OpOperands::comparison:
        if (is_boolean(type) && apply.op != ScalarOp::eq && apply.op != ScalarOp::ne) reject("numbers", type);
        break;
      case OpOperands::floating:
        if (!is_floating(type)) reject("floats", type);
        break;
      case OpOperands::logical:
        for (ExprId operand : apply.operands) require_bool(operand);
        break;
      case OpOperands::selection:
        require_bool(apply.operands[0]);
        break;
    }
    if (apply.op == ScalarOp::div && is_integer(type) && constant_value(apply.operands[1]) == 0)
      context_.report("B024", fmt::format("integer division by zero in {}", context_.excerpt(expr(index).span)),
                      "divide by something else", expr(apply.operands[1].index).span);
  }

  /// The value of an integer expression of literals; nullopt where it is none, or overflows.
  std::optional<std::int64_t> constant_value(ExprId id) const {
    const Expr& one = expr(id.index);
    if (const Literal* literal = std::get_if<Literal>(&one.node)) {
      if (literal->number.is_integer) return literal->number.integer;
      return literal->number.value == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    if (const Cast* cast = std::get_if<Cast>(&one.node)) return constant_value(cast->operand);
    const Apply* apply = std::get_if<Apply>(&one.node);
    if (!apply) return std::nullopt;
    const std::optional<std::int64_t> first = constant_value(apply->operands[0]);
    const std::optional<std::int64_t> second = apply->operands.size() == 2 ? constant_value(apply->operands[1]) : 0;
    if (!first || !second) return std::nullopt;
    std::int64_t result = 0;
    const bool overflows = apply->op == ScalarOp::add   ? __builtin_add_overflow(*first, *second, &result)
                           : apply->op == ScalarOp::sub ? __builtin_sub_overflow(*first, *second, &result)
                           : apply->op == ScalarOp::mul ? __builtin_mul_overflow(*first, *second, &result)
                           : apply->op == ScalarOp::neg ? __builtin_sub_overflow(0, *first, &result)
                                                        : true;
    return overflows ? std::nullopt : std::optional(result);
  }

  // The statement as a whole.

  void settle_result(DType type, bool computed) {
    const Statement& statement = context_.statement;
    const bool adds = statement.reduction == Monoid::sum || statement.reduction == Monoid::product;
    if (adds && is_boolean(type) && !statement.dot_general)  // its product was refused already
      context_.report(
          "B025",
          fmt::format("bool has no arithmetic, and '{}=' needs it", statement.reduction == Monoid::sum ? "++" : "*"),
          "use max= for any, min= for all, or cast(i32, …) to count", statement.op_span);
    typed_.accumulate = value_type(type, computed || adds);
    typed_.output = statement.annotation.value_or(computed || adds ? info(type).default_output : type);
    if (statement.reduction && !adds) typed_.accumulate = widen_for_identity(typed_.accumulate, typed_.output);
  }

  /// max and min fold from the lowest or highest value of the output type. An accumulator that has no such value gives
  /// way to one that has it; every value converts exactly, or monotonously and rounds once, so the result is the same.
  DType widen_for_identity(DType accumulate, DType output) const {
    const Scalar start = identity(*context_.statement.reduction, output);
    if (is_floating(accumulate) && is_floating(output))
      return round_to(start, accumulate) == start ? accumulate : output;
    if (is_floating(accumulate)) return accumulate;
    if (is_floating(output)) return output;
    if (cast_scalar(start, output, accumulate) == start) return accumulate;
    return DType::i64;
  }

  void check_precision(DType type) {
    const Statement& statement = context_.statement;
    const Precision precision = statement.precision.value_or(Precision::exact);
    if (precision == Precision::exact) return;
    std::optional<std::string> offender;
    if (type != DType::f32) offender = fmt::format("the value is {}", name(type));
    for (std::uint32_t index = 0; index < context_.in_value.size() && !offender; ++index) {
      const Read* read = context_.in_value[index] ? std::get_if<Read>(&expr(index).node) : nullptr;
      const OperandType* operand = read ? context_.operand(read->tensor) : nullptr;
      if (operand && is_floating(operand->dtype) && operand->dtype != DType::f32)
        offender = fmt::format("'{}' is {}", operand->name, name(operand->dtype));
    }
    if (offender)
      context_.report("B026", fmt::format("precision {} takes f32 operands, and {}", name(precision), *offender),
                      "use precision: exact", statement.precision_span);
  }

  BindContext& context_;
  TypedStatement& typed_;
  std::vector<Meeting> meetings_;
  std::vector<DType> wanted_;
  std::vector<DType> literal_types_;
  std::vector<std::optional<DType>> operand_types_;  ///< what an operator's operands met as
  bool in_then_ = false;
};

}  // namespace

void infer_types(BindContext& context, TypedStatement& typed) {
  TypeInference(context, typed).run();
}

}  // namespace tilewright::lang
