// How far a legal kernel's value may be from the exact one, expression by expression: each value in f64 with a bound on
// the error of whatever a target computes for it (docs/language.md, Precision). What `--verify` allows beyond the
// rounding of a sum's additions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nest/evaluate.h"
#include "nest/ir.h"

namespace tilewright::cli {

/// Half the distance from 1 to the next value: 2⁻²⁴ for f32. For float types.
double unit_roundoff(DType type);
/// Distance between the least values: 2⁻¹⁴⁹ for f32.
double least_positive(DType type);
double largest_finite(DType type);

struct Bounded {
  Scalar value;               ///< before any rounding
  double error = 0;           ///< |what a target computes − value| at most
  bool rounded_once = false;  ///< by one correctly rounded operation on exact values: all targets agree on it
  bool is_exact() const { return error == 0; }
};

/// Evaluates expressions of a nest at points.
class ErrorBound {
 public:
  /// The views are those of the nest's tensors, by name, and must outlive this, as must the nest.
  ErrorBound(const nest::Nest& nest, const std::vector<nest::NamedView>& operands);

  const std::vector<std::int64_t>& extents() const { return extents_; }  ///< by IterId

  /// `point`: the iterators' values, by IterId. `accumulated`: what Accumulated stands for.
  Bounded evaluate(nest::ExprId root, const std::vector<std::int64_t>& point,
                   const std::optional<Bounded>& accumulated);

 private:
  Bounded expression(const nest::Expr& expr, const std::vector<std::int64_t>& point,
                     const std::optional<Bounded>& accumulated) const;
  Bounded read(const nest::Read& read, const std::vector<std::int64_t>& point) const;
  Bounded apply(const nest::ApplyExpr& apply, DType type) const;

  const nest::Nest& nest_;
  std::vector<TensorView> tensors_;  ///< by TensorId
  std::vector<std::int64_t> extents_;
  std::vector<Bounded> values_;  ///< by ExprId, of the point at hand
  double operand_roundoff_ = 0;  ///< of the expression at hand
};

/// The error of `root` is at most this many unit roundoffs of its own magnitude, wherever it is evaluated; nullopt
/// where no such number is (a difference of rounded values). 0: it is exact.
std::optional<double> relative_error(const nest::Nest& nest, nest::ExprId root);

}  // namespace tilewright::cli
