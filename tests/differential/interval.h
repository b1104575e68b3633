// Interval arithmetic on values of the language's types, for bound_output.
#pragma once

#include <span>

#include "bounds.h"
#include "support/scalar_op.h"

namespace tilewright::differential {

/// One value.
Bounds exactly(DType type, Scalar value);
/// Every value of the type, NaN too.
Bounds anything(DType type);
/// The smallest interval that holds both.
Bounds hull(const Bounds& a, const Bounds& b);

/// `operands` are of type `type` (select's condition is bool); the result's type follows from the operator.
Bounds apply(ScalarOp op, DType type, std::span<const Bounds> operands);
Bounds cast(const Bounds& value, DType to);

/// The nearest value of a float type, ties to even; the f8 types saturate.
long double nearest(long double value, DType type);
/// Half a unit in the last place of 1: the largest relative error of one rounding.
long double rounding_unit(DType type);
/// Distance between neighbours of the float type around `value`.
long double ulp(long double value, DType type);
/// The largest finite and the smallest normal value.
long double largest(DType type);
long double smallest_normal(DType type);
/// An integer modulo 2ⁿ; and the range of a type.
std::int64_t wrap(__int128 value, DType type);
std::int64_t lowest_integer(DType type);
std::int64_t highest_integer(DType type);

/// Folds the terms of a reduction, in any order and association.
class Fold {
 public:
  /// `identity` is of the type in which the reduction accumulates.
  Fold(Monoid monoid, DType type, const Bounds& identity) : monoid_(monoid), type_(type), extremum_(identity) {}
  void add(const Bounds& term);
  Bounds result() const;

 private:
  void add_float(const Bounds& term);
  void add_integer(const Bounds& term);
  Bounds sum() const;
  Bounds product() const;

  Monoid monoid_;
  DType type_;
  Bounds extremum_;  ///< of max and min
  std::int64_t terms_ = 0;
  bool may_be_nan_ = false, is_nan_ = false, all_whole_ = true;
  bool may_plus_ = false, may_minus_ = false, is_plus_ = false, is_minus_ = false;  ///< infinite terms
  long double low_ = 0, high_ = 0, magnitude_ = 0;                                  ///< of a sum
  long double product_low_ = 1, product_high_ = 1, least_ = 1, most_ = 1;           ///< partial products' range
  __int128 first_ = 0, last_ = 0;
  std::int64_t wrapped_sum_ = 0, wrapped_product_ = 1;
  bool all_exact_ = true, overflow_ = false;
};

}  // namespace tilewright::differential
