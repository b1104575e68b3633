// The reference: a nest evaluated point by point, integers modulo 2ⁿ, floats in f64 with a rounding at each cast and at
// the output. It shares no code with the IRs below it and never looks at the schedule.
#pragma once

#include <span>
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
  /// For float sums: Σ|terms| per output, the scale of the error bound; other statements have |value|. Where `then`
  /// follows a float sum, the scale of its result: how far it moves, per relative change of Σ|terms|, or its magnitude
  /// if that is larger.
  std::vector<double> magnitude;
};

/// Extents come from the views. A view that is missing or of the wrong type or rank is an error, as are views whose
/// extents contradict one another or let an index leave its tensor.
Result<ReferenceResult> evaluate(const Nest& nest, const std::vector<NamedView>& operands);

/// The same for the output points in `output_indices` alone, in their order: how large outputs are checked by sample.
/// An index that is not in the output is an error. `shape` is the whole output's.
Result<ReferenceResult> evaluate_points(const Nest& nest, const std::vector<NamedView>& operands,
                                        const std::vector<std::vector<std::int64_t>>& output_indices);

/// Of the last of several statements (at least one), which read operands and one another: how several that are computed
/// as one are checked. The values of those before it are computed where they are read and take no memory; they are
/// rounded where their nests cast, which is what a nest of them all does.
Result<ReferenceResult> evaluate_points(std::span<const Nest> statements, const std::vector<NamedView>& operands,
                                        const std::vector<std::vector<std::int64_t>>& output_indices);

}  // namespace tilewright::nest
