// The reference: a nest evaluated point by point, integers modulo 2ⁿ, floats in f64 with a rounding at each cast and at
// the output. It shares no code with the IRs below it and never looks at the schedule.
#pragma once

#include <string>
#include <vector>

#include "nest/ir.h"
#include "support/tensor_view.h"

namespace tilewright::nest {

struct NamedView {
  std::string name;
  TensorView view;
};

struct ReferenceResult {
  std::vector<std::int64_t> shape;
  /// Row-major: the value in f64 (or i64) before the final rounding to the output type, and that rounding.
  std::vector<Scalar> exact;
  std::vector<Scalar> rounded;
  /// For float sums: Σ|terms| per output, the scale of the error bound; 1-term statements have |value|.
  std::vector<double> magnitude;
};

/// Extents come from the views. A view that is missing or of the wrong type or rank is an error.
Result<ReferenceResult> evaluate(const Nest& nest, const std::vector<NamedView>& operands);

}  // namespace tilewright::nest
