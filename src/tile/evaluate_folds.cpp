// The tile evaluator's reductions and contractions.
#include "support/scalar.h"
#include "tile/apply_scalar.h"
#include "tile/evaluate_machine.h"

namespace tilewright::tile {
namespace {

/// Folds as a tree: halves onto halves, in the order of the elements. Floats are rounded once, at the end.
template <class T>
T fold(ScalarOp combine, std::vector<T>& terms, DType dtype) {
  // Integers wrap at each step; sums and products of floats stay in f64.
  const DType step = std::is_same_v<T, double> ? DType::f64 : dtype;
  while (terms.size() > 1) {
    const std::size_t half = (terms.size() + 1) / 2;
    for (std::size_t i = half; i < terms.size(); ++i) terms[i - half] = apply(combine, terms[i - half], terms[i], step);
    terms.resize(half);
  }
  return normalize(terms.front(), dtype);
}

/// The axes of `all` that `kept` lacks are appended to `summed`, once each.
void append_missing(const std::vector<Axis>& all, const std::vector<Axis>& kept, std::vector<Axis>& summed) {
  const auto has = [](const std::vector<Axis>& axes, IterId iter) {
    for (const Axis& axis : axes)
      if (axis.iter == iter) return true;
    return false;
  };
  for (const Axis& axis : all)
    if (!has(kept, axis.iter) && !has(summed, axis.iter)) summed.push_back(axis);
}

/// For each result element the start in an operand, and for each summed element the way from there.
struct Walk {
  ValueId value;
  std::vector<std::uint32_t> start, step;
};

Walk walk_of(const Machine& machine, ValueId value, const std::vector<Axis>& result, const std::vector<Axis>& summed) {
  const std::vector<Axis>& axes = machine.type(value).axes;
  return {value, positions_in(result, axes), positions_in(summed, axes)};
}

}  // namespace

Action resolve_reduce(Machine& machine, const Op& op, const Reduce& reduce) {
  const ValueId result = op.results.front();
  const DType dtype = machine.type(result).dtype;
  const ScalarOp scalar_op = combine(reduce.monoid);
  std::vector<Axis> summed;
  append_missing(machine.type(reduce.operand).axes, machine.type(result).axes, summed);
  const Walk operand = walk_of(machine, reduce.operand, machine.type(result).axes, summed);
  return [=](Machine& m) {
    Cells& to = m.tile(result);
    const Cells& from = m.tile(operand.value);
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
      reals.clear();
      integers.clear();
      to.poisoned[i] = 0;
      for (const std::uint32_t step : operand.step) {
        const std::size_t at = operand.start[i] + step;
        to.poisoned[i] |= from.poisoned[at];
        if (is_floating(dtype))
          reals.push_back(from.reals[at]);
        else
          integers.push_back(from.integers[at]);
      }
      if (to.poisoned[i] != 0) continue;
      to.set(i, is_floating(dtype) ? Scalar::of(fold(scalar_op, reals, dtype))
                                   : Scalar::of(fold(scalar_op, integers, dtype)));
    }
    return true;
  };
}

Action resolve_reduce_across(Machine& machine, const Op& op, const ReduceAcross& reduce) {
  const ValueId result = op.results.front();
  const DType dtype = machine.type(result).dtype;
  std::size_t count = 1, apart = 1;
  for (const ThreadAxis& axis : machine.program.threads) {
    if (axis.iter == reduce.iter)
      count = static_cast<std::size_t>(axis.count), apart = 1;
    else
      apart *= static_cast<std::size_t>(axis.count);
  }
  return [=, scalar_op = combine(reduce.monoid), operand = reduce.operand](Machine& m) {
    for (std::size_t thread = 0; thread < m.threads(); ++thread) {
      if (thread / apart % count != 0) continue;
      Cells& to = m.tiles[thread][result.index];
      for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
        std::vector<double> reals;
        std::vector<std::int64_t> integers;
        to.poisoned[i] = 0;
        for (std::size_t k = 0; k < count; ++k) {
          const Cells& from = m.tiles[thread + k * apart][operand.index];
          to.poisoned[i] |= from.poisoned[i];
          if (is_floating(dtype))
            reals.push_back(from.reals[i]);
          else
            integers.push_back(from.integers[i]);
        }
        if (to.poisoned[i] != 0) continue;
        to.set(i, is_floating(dtype) ? Scalar::of(fold(scalar_op, reals, dtype))
                                     : Scalar::of(fold(scalar_op, integers, dtype)));
      }
      for (std::size_t k = 1; k < count; ++k) m.tiles[thread + k * apart][result.index] = to;
    }
    return true;
  };
}

namespace {

/// Σ over the summed elements onto `sum`; false if one of them is poisoned.
template <class T>
bool accumulate(const std::vector<T>& lhs_values, const std::vector<T>& rhs_values, const Cells& lhs_cells,
                const Cells& rhs_cells, const Walk& lhs, const Walk& rhs, std::size_t element, T& sum) {
  for (std::size_t s = 0; s < lhs.step.size(); ++s) {
    const std::size_t l = lhs.start[element] + lhs.step[s];
    const std::size_t r = rhs.start[element] + rhs.step[s];
    if ((lhs_cells.poisoned[l] | rhs_cells.poisoned[r]) != 0) return false;
    sum += lhs_values[l] * rhs_values[r];
  }
  return true;
}

/// The factor as the contraction's unit reads it.
std::vector<double> factor_of(const Contract& contract, DType dtype, std::vector<double> values) {
  if ((contract.unit != Unit::warpgroup && contract.unit != Unit::warp) || dtype != DType::f32) return values;
  for (double& value : values) value = static_cast<double>(float_to_tf32(static_cast<float>(value)));
  return values;
}

}  // namespace

Action resolve_contract(Machine& machine, const Op& op, const Contract& contract) {
  const ValueId result = op.results.front();
  const DType dtype = machine.type(result).dtype;
  const std::vector<Axis>& kept = machine.type(result).axes;
  std::vector<Axis> summed;
  append_missing(machine.type(contract.lhs).axes, kept, summed);
  append_missing(machine.type(contract.rhs).axes, kept, summed);
  const Walk lhs = walk_of(machine, contract.lhs, kept, summed);
  const Walk rhs = walk_of(machine, contract.rhs, kept, summed);
  const Walk start = walk_of(machine, contract.accumulator, kept, {});
  return [=](Machine& m) {
    Cells& to = m.tile(result);
    const Cells& a = m.tile(lhs.value);
    const Cells& b = m.tile(rhs.value);
    const Cells& c = m.tile(start.value);
    const std::vector<double> ra = factor_of(contract, m.type(lhs.value).dtype, a.reals);
    const std::vector<double> rb = factor_of(contract, m.type(rhs.value).dtype, b.reals);
    // Integers are multiplied and added modulo 2⁶⁴, which every narrower wrap refines.
    const std::vector<std::uint64_t> ua(a.integers.begin(), a.integers.end());
    const std::vector<std::uint64_t> ub(b.integers.begin(), b.integers.end());
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
      const std::size_t at = start.start[i];
      bool specified = c.poisoned[at] == 0;
      if (specified && is_floating(dtype)) {
        double sum = c.reals[at];
        specified = accumulate(ra, rb, a, b, lhs, rhs, i, sum);
        to.reals[i] = normalize(sum, dtype);
      } else if (specified) {
        auto sum = static_cast<std::uint64_t>(c.integers[at]);
        specified = accumulate(ua, ub, a, b, lhs, rhs, i, sum);
        to.integers[i] = normalize(static_cast<std::int64_t>(sum), dtype);
      }
      to.poisoned[i] = specified ? 0 : 1;
    }
    return true;
  };
}

}  // namespace tilewright::tile
