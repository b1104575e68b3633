// Reductions over intervals: what any order and association of the terms may give. See interval.h.
#include <algorithm>
#include <array>
#include <cmath>

#include "interval.h"

namespace tilewright::differential {
namespace {

/// Plans bound the longest chain of additions of a sum.
constexpr std::int64_t longest_chain = 1 << 12;

bool is_whole(const Bounds& x) {
  return x.low == x.high && std::isfinite(x.low) && std::trunc(x.low) == x.low;
}

}  // namespace

void Fold::add(const Bounds& term) {
  ++terms_;
  if (monoid_ == Monoid::max || monoid_ == Monoid::min) {
    const std::array operands{extremum_, term};
    extremum_ = apply(combine(monoid_), type_, operands);
  } else if (is_floating(type_)) {
    add_float(term);
  } else {
    add_integer(term);
  }
}

void Fold::add_float(const Bounds& term) {
  may_be_nan_ = may_be_nan_ || term.may_be_nan;
  if (term.is_only_nan()) {
    is_nan_ = true;
    return;
  }
  may_plus_ = may_plus_ || std::isinf(term.high);
  may_minus_ = may_minus_ || std::isinf(term.low);
  is_plus_ = is_plus_ || (std::isinf(term.low) && term.low > 0);
  is_minus_ = is_minus_ || (std::isinf(term.high) && term.high < 0);
  if (std::isinf(term.low) || std::isinf(term.high)) return;
  const long double most = std::max(std::fabs(term.low), std::fabs(term.high));
  all_whole_ = all_whole_ && is_whole(term);
  if (monoid_ == Monoid::sum) {
    low_ += term.low;
    high_ += term.high;
    magnitude_ += most;
    return;
  }
  const std::array corners{product_low_ * term.low, product_low_ * term.high, product_high_ * term.low,
                           product_high_ * term.high};
  product_low_ = std::ranges::min(corners);
  product_high_ = std::ranges::max(corners);
  // The smallest and largest magnitude that a partial product of non-zero terms may have.
  const bool may_vanish = term.low <= 0 && term.high >= 0 && !(term.low == 0 && term.high == 0);
  if (may_vanish) overflow_ = true;
  if (!(term.low == 0 && term.high == 0)) least_ *= std::min(1.0L, std::min(std::fabs(term.low), std::fabs(term.high)));
  most_ *= std::max(1.0L, most);
}

void Fold::add_integer(const Bounds& term) {
  all_exact_ = all_exact_ && term.is_exact();
  if (monoid_ == Monoid::sum) {
    first_ += term.first;
    last_ += term.last;
    wrapped_sum_ = wrap(static_cast<__int128>(wrapped_sum_) + term.first, type_);
  } else {
    wrapped_product_ = wrap(static_cast<__int128>(wrapped_product_) * term.first, type_);
  }
}

Bounds Fold::sum() const {
  Bounds result;  // a zero may have either sign: a product that vanishes in a fused addition keeps its own
  result.type = type_;
  if (is_nan_) return exactly(type_, Scalar::of(std::nan("")));
  if (is_plus_ && is_minus_) return exactly(type_, Scalar::of(std::nan("")));
  if (may_plus_ || may_minus_ || 2 * magnitude_ > largest(type_)) {
    const bool tame = !may_be_nan_ && 2 * magnitude_ <= largest(type_);
    if (tame && is_plus_ && !may_minus_) return exactly(type_, Scalar::of(HUGE_VAL));
    if (tame && is_minus_ && !may_plus_) return exactly(type_, Scalar::of(-HUGE_VAL));
    return anything(type_);
  }
  result.may_be_nan = may_be_nan_;
  result.low = low_;
  result.high = high_;
  // Whole numbers below 1/ε are added exactly in any order.
  if (all_whole_ && magnitude_ * rounding_unit(type_) < 1) return result;
  const std::int64_t chain = std::min(std::max<std::int64_t>(terms_ - 1, 0), longest_chain);
  const long double each = static_cast<long double>(chain) * rounding_unit(type_);
  // γ = hε / (1 − hε); the long doubles that add up here round too.
  const long double error = magnitude_ * (each / (1 - each) + static_cast<long double>(terms_) * std::ldexp(1.0L, -63));
  if (terms_ > 1) {
    result.low = std::min(low_ - error, nearest(low_ - error, type_));
    result.high = std::max(high_ + error, nearest(high_ + error, type_));
  }
  return result;
}

Bounds Fold::product() const {
  Bounds result;  // a zero may have either sign: a product that vanishes in a fused addition keeps its own
  result.type = type_;
  if (is_nan_) return exactly(type_, Scalar::of(std::nan("")));
  if (may_plus_ || may_minus_ || overflow_ || 2 * most_ > largest(type_) || least_ < 2 * smallest_normal(type_))
    return anything(type_);
  result.may_be_nan = may_be_nan_;
  result.low = product_low_;
  result.high = product_high_;
  if ((all_whole_ && most_ * rounding_unit(type_) < 1) || terms_ <= 1) return result;
  const long double each = static_cast<long double>(terms_) * (rounding_unit(type_) + std::ldexp(1.0L, -63));
  const long double error = std::max(std::fabs(product_low_), std::fabs(product_high_)) * (each / (1 - each));
  result.low = std::min(product_low_ - error, nearest(product_low_ - error, type_));
  result.high = std::max(product_high_ + error, nearest(product_high_ + error, type_));
  return result;
}

Bounds Fold::result() const {
  if (monoid_ == Monoid::max || monoid_ == Monoid::min) return extremum_;
  if (is_floating(type_)) return monoid_ == Monoid::sum ? sum() : product();
  if (all_exact_) return exactly(type_, Scalar::of(monoid_ == Monoid::sum ? wrapped_sum_ : wrapped_product_));
  if (monoid_ == Monoid::product || first_ < lowest_integer(type_) || last_ > highest_integer(type_))
    return anything(type_);
  return hull(exactly(type_, Scalar::of(static_cast<std::int64_t>(first_))),
              exactly(type_, Scalar::of(static_cast<std::int64_t>(last_))));
}

}  // namespace tilewright::differential
