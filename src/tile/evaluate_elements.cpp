// The tile evaluator's element-by-element ops.
#include "support/overloaded.h"
#include "tile/apply_scalar.h"
#include "tile/evaluate_machine.h"

namespace tilewright::tile {
namespace {

template <class T>
std::vector<T>& values(Cells& cells) {
  if constexpr (std::is_same_v<T, double>)
    return cells.reals;
  else
    return cells.integers;
}

/// Which operand's element meets each of the result's elements.
struct Operand {
  ValueId value;
  std::vector<std::uint32_t> positions;
};

Operand operand_of(const Machine& machine, const Op& op, ValueId value) {
  return {value, positions_in(machine.type(op.results.front()).axes, machine.type(value).axes)};
}

/// Result cells of type To from one or two operands' cells of type From.
template <class From, class To, class Function>
Action elementwise(ValueId result, std::vector<Operand> operands, Function function) {
  const Operand first = operands.front();
  const Operand second = operands.back();
  return [=](Machine& machine) {
    Cells& to = machine.tile(result);
    Cells& a = machine.tile(first.value);
    Cells& b = machine.tile(second.value);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
      const std::size_t at_a = first.positions[i];
      const std::size_t at_b = second.positions[i];
      to.poisoned[i] = a.poisoned[at_a] | b.poisoned[at_b];
      if (to.poisoned[i] == 0) values<To>(to)[i] = function(values<From>(a)[at_a], values<From>(b)[at_b]);
    }
    return true;
  };
}

/// Only the choice that the condition takes matters, poisoned or not.
Action resolve_select(ValueId result, const std::vector<Operand>& operands) {
  return [=](Machine& machine) {
    Cells& to = machine.tile(result);
    const Cells& condition = machine.tile(operands[0].value);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
      const std::size_t at = operands[0].positions[i];
      if (condition.poisoned[at] != 0) {
        to.poison(i);
        continue;
      }
      const Operand& chosen = operands[condition.integers[at] != 0 ? 1 : 2];
      to.copy_element(i, machine.tile(chosen.value), chosen.positions[i]);
    }
    return true;
  };
}

}  // namespace

Action resolve_fill(Machine& machine, const Op& op, const Fill& fill) {
  const ValueId result = op.results.front();
  const Scalar value = round_to(fill.value, machine.type(result).dtype);
  return [=](Machine& m) {
    Cells& to = m.tile(result);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) to.set(i, value);
    return true;
  };
}

Action resolve_iota(Machine& machine, const Op& op, const Iota& iota) {
  const ValueId result = op.results.front();
  const IterId iter = iota.iter;
  const bool covers = !machine.type(result).axes.empty();
  const std::vector<std::uint32_t> positions = positions_along(machine.type(result).axes, iter);
  return [=, &op](Machine& m) {
    if (covers && !m.check_coverage(op, m.type(result).axes)) return false;
    Cells& to = m.tile(result);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) to.set(i, Scalar::of(m.scope(iter).base + positions[i]));
    return true;
  };
}

Action resolve_extent(Machine& machine, const Op& op, const ExtentValue& extent) {
  const ValueId result = op.results.front();
  const Scalar value = Scalar::of(machine.resolve(extent.value, "an extent"));
  return [=](Machine& m) {
    m.tile(result).set(0, value);
    return true;
  };
}

Action resolve_map(Machine& machine, const Op& op, const Map& map) {
  const ValueId result = op.results.front();
  const ScalarOp scalar_op = map.op;
  const DType dtype = machine.type(result).dtype;
  std::vector<Operand> operands;
  for (ValueId operand : map.operands) operands.push_back(operand_of(machine, op, operand));
  if (scalar_op == ScalarOp::select) return resolve_select(result, operands);
  const bool floating = is_floating(machine.type(map.operands.front()).dtype);
  if (info(scalar_op).operands == OpOperands::comparison) {
    const auto decide = [=](auto a, auto b) { return std::int64_t{compare(scalar_op, a, b)}; };
    return floating ? elementwise<double, std::int64_t>(result, std::move(operands), decide)
                    : elementwise<std::int64_t, std::int64_t>(result, std::move(operands), decide);
  }
  const auto compute = [=](auto a, auto b) { return apply(scalar_op, a, b, dtype); };
  return floating ? elementwise<double, double>(result, std::move(operands), compute)
                  : elementwise<std::int64_t, std::int64_t>(result, std::move(operands), compute);
}

Action resolve_cast(Machine& machine, const Op& op, const Cast& cast) {
  const ValueId result = op.results.front();
  const Operand operand = operand_of(machine, op, cast.operand);
  const DType from = machine.type(cast.operand).dtype;
  const DType to_dtype = machine.type(result).dtype;
  return [=](Machine& m) {
    Cells& to = m.tile(result);
    const Cells& source = m.tile(operand.value);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
      const std::size_t at = operand.positions[i];
      if (source.poisoned[at] != 0)
        to.poison(i);
      else
        to.set(i, cast_scalar(source.get(at), from, to_dtype));
    }
    return true;
  };
}

Action resolve_mask(Machine& machine, const Op& op, const Mask& mask) {
  const ValueId result = op.results.front();
  const Operand operand = operand_of(machine, op, mask.operand);
  const Scalar value = round_to(mask.value, machine.type(result).dtype);
  std::vector<std::pair<IterId, std::vector<std::uint32_t>>> along;
  std::vector<Axis> masked;
  for (IterId iter : mask.iters) along.emplace_back(iter, positions_along(machine.type(result).axes, iter));
  for (const Axis& axis : machine.type(result).axes)
    for (IterId iter : mask.iters)
      if (axis.iter == iter) masked.push_back(axis);
  return [=, &op](Machine& m) {
    if (!m.check_coverage(op, masked)) return false;
    Cells& to = m.tile(result);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
      bool outside = false;
      for (const auto& [iter, positions] : along) {
        const Scope at = m.scope(iter);
        outside |= at.base + static_cast<std::int64_t>(positions[i]) >= at.limit;
      }
      if (outside)
        to.set(i, value);
      else
        to.copy_element(i, m.tile(operand.value), operand.positions[i]);
    }
    return true;
  };
}

Action resolve_convert_layout(Machine& machine, const Op& op, const ConvertLayout& convert) {
  const ValueId result = op.results.front();
  const Operand operand = operand_of(machine, op, convert.operand);
  return [=](Machine& m) {
    Cells& to = m.tile(result);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i)
      to.copy_element(i, m.tile(operand.value), operand.positions[i]);
    return true;
  };
}

}  // namespace tilewright::tile
