// What a statement's results may be: for each output element an interval that holds every answer that language.md
// allows, by interval arithmetic over the nest. It shares no code with any evaluator. Where nothing is rounded
// (integers, copies, minima, sums of small whole numbers) the interval is one value, so that comparing with it is
// exact.
//
// A float operation may be rounded to its type or not at all (fused); a function is within 4 ulp (gelu in f64: 4 +
// 2x²); a sum of n terms adds h·ε·Σ|terms|, with h = n − 1 additions, the longest chain that any order can have, and at
// most the 2¹² to which plans bound theirs. What no interval can say (a division whose divisor may be zero, a product
// that may overflow midway) is left open: any value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nest/evaluate.h"
#include "nest/ir.h"
#include "support/scalar.h"

namespace tilewright::differential {

struct Bounds {
  DType type = DType::f32;
  /// Of floats; low > high: no number, only NaN.
  long double low = 0, high = 0;
  bool may_be_nan = false;
  bool plus_zero = true, minus_zero = true;  ///< which zeros it may be, where the interval holds zero
  /// Of integers and bool.
  std::int64_t first = 0, last = 0;

  bool is_exact() const { return is_floating(type) ? low == high && !may_be_nan : first == last; }
  bool is_only_nan() const { return is_floating(type) && low > high; }
  bool holds(Scalar value) const;
};
std::string to_text(const Bounds& bounds);

struct OutputBounds {
  std::vector<std::int64_t> shape;
  std::vector<Bounds> elements;  ///< row-major
};

/// The nest's schedule is not looked at. Operands must fit: they have been bound.
OutputBounds bound_output(const nest::Nest& nest, const std::vector<nest::NamedView>& operands);
/// Of some elements, by their indices.
std::vector<Bounds> bound_elements(const nest::Nest& nest, const std::vector<nest::NamedView>& operands,
                                   const std::vector<std::vector<std::int64_t>>& indices);

}  // namespace tilewright::differential
