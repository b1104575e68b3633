// Comparison with the reference. See verification.h.
#include "cli/verification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "cli/error_bound.h"
#include "cli/sample.h"

namespace tilewright::cli {
namespace {

using nest::Nest;
using nest::ReferenceResult;

constexpr std::int64_t most_checked = 1 << 14;
constexpr std::int64_t least_checked = 64;
constexpr std::int64_t brief_share = 16;  ///< of a thorough check is a brief one
/// Terms that the reference adds up in about a second, and that the error analysis follows in as long.
constexpr std::int64_t reference_terms = 1 << 24;
constexpr std::int64_t analysed_terms = 1 << 20;
/// Points that the reference computes between two lines of progress.
constexpr std::int64_t chunk = 1 << 10;
constexpr std::size_t most_shown = 6;

bool is_float_sum(const Nest& nest) {
  return nest.reduction == Monoid::sum && is_floating(nest.accumulate);
}

/// The reference's values and scales of such a nest are those of its reduction.
bool stores_reduction(const Nest& nest) {
  nest::ExprId root = nest.result;
  const auto* cast = std::get_if<nest::CastExpr>(&nest.exprs[root].node);
  if (cast && is_floating(nest.output) && is_floating(nest.accumulate)) root = cast->operand;
  return std::holds_alternative<nest::Accumulated>(nest.exprs[root].node);
}

/// The nest whose result is the finished reduction itself, in the accumulate type.
Nest accumulation_of(const Nest& nest) {
  Nest result = nest;
  result.result = result.exprs.add({nest::Accumulated{}, nest.accumulate});
  result.output = nest.accumulate;
  return result;
}

/// Values, and the errors that are allowed, at the points of one sample.
class Comparison {
 public:
  Comparison(const Nest& nest, const std::vector<nest::NamedView>& operands, std::int64_t chain,
             std::span<const Nest> statements)
      : nest_(nest),
        statements_(statements),
        operands_(operands),
        bound_(nest, operands),
        roundoffs_(relative_error(nest, nest.value)),
        stores_reduction_(stores_reduction(nest)) {
    verification.chain = chain;
    verification.dtype = nest.output;
    for (std::size_t i = 0; i < nest.iterators.size(); ++i) {
      if (nest.iterators[nest::IterId{static_cast<std::uint32_t>(i)}].role != nest::IteratorRole::reduction) continue;
      reductions_.push_back(i);
      terms_ *= bound_.extents()[i];
    }
  }

  /// How many values a check of about a second reaches, or of a part of it.
  std::int64_t affordable(Effort effort) const {
    const bool analyses_terms = !roundoffs_ || (*roundoffs_ != 0 && !is_float_sum(nest_));
    const std::int64_t share = effort == Effort::thorough ? 1 : brief_share;
    const std::int64_t budget = (nest_.reduction && analyses_terms ? analysed_terms : reference_terms) / share;
    return std::clamp(budget / std::max<std::int64_t>(terms_, 1), least_checked / share, most_checked / share);
  }

  Result<KnownReference::Part> reference_at(const std::vector<std::vector<std::int64_t>>& indices) const {
    Result<ReferenceResult> values = evaluate_points(nest_, operands_, indices);
    if (!values) return std::unexpected(std::move(values.error()));
    KnownReference::Part part{*values, *values, *std::move(values)};
    if (!statements_.empty()) {
      Result<ReferenceResult> stated = evaluate_points(statements_, operands_, indices);
      if (!stated) return std::unexpected(std::move(stated.error()));
      if (stated->shape != part.values.shape) internal_error(nest_.name + " has another shape than its statements say");
      part.stated = *std::move(stated);
    }
    if (!nest_.reduction || stores_reduction_) return part;
    Result<ReferenceResult> reductions = evaluate_points(accumulation_of(nest_), operands_, indices);
    if (!reductions) return std::unexpected(std::move(reductions.error()));
    part.reductions = *std::move(reductions);
    return part;
  }

  void compare(const std::vector<std::vector<std::int64_t>>& indices, const KnownReference::Part& known,
               const TensorView& received) {
    const auto& [reference, stated, sums] = known;
    for (std::size_t n = 0; n < indices.size(); ++n) {
      std::vector<std::int64_t> point(nest_.iterators.size(), 0);
      for (std::size_t axis = 0; axis < indices[n].size(); ++axis)
        point[nest_.output_index[axis].index] = indices[n][axis];
      const Bounded accumulated = nest_.reduction ? reduction(sums.exact[n], sums.magnitude[n], point)
                                                  : bound_.evaluate(nest_.value, point, {});
      scale_ = nest_.reduction ? sums.magnitude[n] : 0;
      const double allowed =
          is_same(stated.exact[n], reference.exact[n]) ? tolerance(accumulated, point, reference.exact[n]) : 0;
      check(indices[n], received.get(indices[n]), stated.exact[n], stated.rounded[n], allowed);
    }
  }

  void finish() { verification.only_zeros = verification.checked > 0 && all_zero_ && clearly_not_zero_; }

  Verification verification;

 private:
  /// The finished reduction with its error.
  Bounded reduction(Scalar exact, double magnitude, std::vector<std::int64_t> point) {
    if (!is_floating(nest_.accumulate)) return {exact, term_error(std::move(point), false)};
    const double unit = unit_roundoff(nest_.accumulate);
    const double least = least_positive(nest_.accumulate) * static_cast<double>(terms_);
    const double wide = nest_.accumulate == DType::f64 ? 2 : 1;  // the reference itself rounds as much
    switch (*nest_.reduction) {
      case Monoid::sum: {
        const double of_terms = roundoffs_ ? *roundoffs_ * unit * magnitude : term_error(std::move(point), true);
        const double additions = sum_constant * static_cast<double>(verification.chain) * unit * (magnitude + of_terms);
        return {exact, wide * (additions + of_terms) + least};
      }
      case Monoid::product: {
        const double each = 1 + roundoffs_.value_or(0);
        const double value = std::fabs(exact.as_double());
        if (terms_ <= 1 && roundoffs_ == 0.0) return {exact, 0};
        if (!roundoffs_)
          return {exact,
                  wide * value *
                          (sum_constant * unit * static_cast<double>(terms_) + relative_term_error(std::move(point))) +
                      least};
        return {exact, wide * sum_constant * unit * each * static_cast<double>(terms_) * value + least};
      }
      case Monoid::max:
      case Monoid::min:
        return {exact, roundoffs_ == 0.0 ? 0.0 : term_error(std::move(point), false)};
    }
    internal_error("unknown reduction");
  }

  template <class Visit>
  void for_each_term(std::vector<std::int64_t> point, Visit&& visit) {
    std::vector<std::int64_t> extents;
    for (std::size_t iter : reductions_) extents.push_back(bound_.extents()[iter]);
    for_each_index(extents, [&](const std::vector<std::int64_t>& index) {
      for (std::size_t r = 0; r < index.size(); ++r) point[reductions_[r]] = index[r];
      visit(bound_.evaluate(nest_.value, point, {}));
    });
  }

  /// Sum, or maximum, of the terms' errors at one output.
  double term_error(std::vector<std::int64_t> point, bool sum) {
    if (roundoffs_ == 0.0) return 0;
    double total = 0;
    for_each_term(std::move(point),
                  [&](const Bounded& term) { total = sum ? total + term.error : std::max(total, term.error); });
    return total;
  }

  double relative_term_error(std::vector<std::int64_t> point) {
    double total = 0;
    for_each_term(std::move(point), [&](const Bounded& term) {
      const double size = std::fabs(term.value.as_double());
      if (term.error > 0) total += size == 0 ? 1 : term.error / size;
    });
    return total;
  }

  /// What the value may be off by; 0: bit for bit.
  double tolerance(const Bounded& accumulated, const std::vector<std::int64_t>& point, Scalar exact) {
    nest::ExprId root = nest_.result;
    const auto* cast = std::get_if<nest::CastExpr>(&nest_.exprs[root].node);
    const bool rounds = cast && is_floating(nest_.output) && is_floating(nest_.exprs[cast->operand].dtype);
    if (rounds) root = cast->operand;
    const Bounded result = bound_.evaluate(root, point, accumulated);
    // The reference rounds once, to the result's type: of a wider one, not as the operation did.
    const bool widens = rounds && unit_roundoff(nest_.output) < unit_roundoff(nest_.exprs[root].dtype);
    if (result.is_exact() || (result.rounded_once && !widens)) return 0;
    if (!is_floating(nest_.output)) return result.error;
    const double wide = nest_.exprs[root].dtype == DType::f64 ? 2 : 1;
    if (!rounds) return wide * result.error;
    return wide * result.error + unit_roundoff(nest_.output) * std::fabs(exact.as_double()) +
           least_positive(nest_.output);
  }

  void check(const std::vector<std::int64_t>& index, Scalar received, Scalar exact, Scalar rounded, double tolerance) {
    ++verification.checked;
    const double got = received.as_double();
    all_zero_ = all_zero_ && got == 0;
    const double size = std::fabs(rounded.as_double());
    const double likely = std::sqrt(static_cast<double>(verification.chain)) *
                          (is_floating(nest_.accumulate) ? unit_roundoff(nest_.accumulate) : 0) * scale_;
    clearly_not_zero_ = clearly_not_zero_ || size > (scale_ > 0 ? likely : tolerance);
    const double error = error_of(received, exact, rounded, tolerance);
    if (std::isfinite(error)) {
      verification.largest_absolute = std::max(verification.largest_absolute, error);
      if (size > 0) verification.largest_relative = std::max(verification.largest_relative, error / size);
    }
    if (std::isfinite(tolerance)) verification.largest_tolerance = std::max(verification.largest_tolerance, tolerance);
    if (error == 0 || error <= tolerance) return;  // next to infinities a tolerance may have no value
    ++verification.wrong;
    WrongValue wrong{index, received, rounded, error, tolerance};
    if (verification.first_wrong.size() < most_shown) verification.first_wrong.push_back(wrong);
    const auto beyond = [](const WrongValue& w) { return w.error - w.tolerance; };
    if (verification.wrong == 1 || !(beyond(wrong) <= beyond(verification.worst)))
      verification.worst = std::move(wrong);
  }

  /// Distance to the reference; infinity where a number meets none.
  double error_of(Scalar received, Scalar exact, Scalar rounded, double tolerance) const {
    if (!rounded.is_float()) return received == rounded ? 0 : distance(received.as_int(), rounded.as_int());
    const double got = received.as_double();
    const double want = rounded.as_double();
    if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
    // A sum whose terms overflow on the way, or whose result may or may not round to infinity.
    const bool overflows = is_floating(nest_.accumulate) && scale_ > largest_finite(nest_.accumulate);
    const bool borders = std::fabs(exact.as_double()) + tolerance > largest_finite(nest_.output) && tolerance > 0;
    if (!std::isfinite(got) && (overflows || (borders && std::isinf(got) && got * want > 0))) return 0;
    if (std::isinf(want) && borders && std::isfinite(got)) return std::fabs(got - exact.as_double());
    const double error =
        tolerance == 0 ? std::fabs(got - want) : std::min(std::fabs(got - want), std::fabs(got - exact.as_double()));
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  }

  static bool is_same(Scalar a, Scalar b) {
    return a == b || (a.is_float() && std::isnan(a.as_double()) && std::isnan(b.as_double()));
  }

  static double distance(std::int64_t a, std::int64_t b) {
    return std::fabs(static_cast<double>(a) - static_cast<double>(b)) + (a == b ? 0 : 1e-300);
  }

  const Nest& nest_;
  std::span<const Nest> statements_;
  const std::vector<nest::NamedView>& operands_;
  ErrorBound bound_;
  std::optional<double> roundoffs_;  ///< of a term, of its own magnitude
  std::vector<std::size_t> reductions_;
  bool stores_reduction_;  ///< the result is the finished reduction, at most rounded
  std::int64_t terms_ = 1;
  double scale_ = 0;  ///< Σ|terms| of the value at hand
  bool all_zero_ = true;
  bool clearly_not_zero_ = false;
};

std::string wrong_text(const WrongValue& wrong, DType dtype) {
  return fmt::format("[{}]: received {}, expected {}, off by {:.3g}, tolerance {:.3g}", fmt::join(wrong.index, ", "),
                     tilewright::to_text(wrong.received, dtype), tilewright::to_text(wrong.expected, dtype),
                     wrong.error, wrong.tolerance);
}

}  // namespace

Result<Verification> verify_result(const Nest& nest, const std::vector<nest::NamedView>& operands,
                                   const TensorView& received, std::int64_t chain, Progress& progress, Effort effort,
                                   std::span<const Nest> statements, KnownReference* known) {
  KnownReference own;
  if (known == nullptr) known = &own;
  Comparison comparison(nest, operands, chain, statements);
  comparison.verification.values = received.element_count();
  const auto indices = sample_indices(received.shape, comparison.affordable(effort));
  for (std::size_t at = 0; at < indices.size(); at += chunk) {
    const std::size_t end = std::min(indices.size(), at + chunk);
    const std::vector<std::vector<std::int64_t>> part(indices.begin() + static_cast<std::ptrdiff_t>(at),
                                                      indices.begin() + static_cast<std::ptrdiff_t>(end));
    const std::size_t number = at / chunk;
    if (number == known->parts.size()) {
      Result<KnownReference::Part> reference = comparison.reference_at(part);
      if (!reference) return std::unexpected(std::move(reference.error()));
      known->parts.push_back(std::move(*reference));
    }
    comparison.compare(part, known->parts[number], received);
    progress.show("verifying " + nest.name, static_cast<double>(end) / static_cast<double>(indices.size()));
  }
  comparison.finish();
  return std::move(comparison.verification);
}

std::string to_text(const Verification& v) {
  const std::string tolerance =
      v.largest_tolerance == 0 ? "bit for bit" : fmt::format("tolerance {:.3g} (h = {})", v.largest_tolerance, v.chain);
  std::string text = fmt::format("{}: {} of {} values checked, largest error {:.3g} absolute, {:.3g} relative, {}",
                                 v.is_right() ? "right" : "WRONG", v.checked, v.values, v.largest_absolute,
                                 v.largest_relative, tolerance);
  if (v.only_zeros) text += "\n  every value checked is 0, and the reference has others";
  if (v.wrong == 0) return text;
  text += fmt::format("\n  {} of them wrong:", v.wrong);
  for (const WrongValue& wrong : v.first_wrong) text += "\n    " + wrong_text(wrong, v.dtype);
  return text + "\n  worst " + wrong_text(v.worst, v.dtype);
}

}  // namespace tilewright::cli
