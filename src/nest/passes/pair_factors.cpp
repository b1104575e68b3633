// Two sides for a product of several factors. See pair_factors.h.
#include "nest/passes/pair_factors.h"

#include <algorithm>
#include <limits>

#include "nest/access.h"
#include "nest/passes/nest_sizes.h"

namespace tilewright::nest {
namespace {

constexpr std::size_t most_factors = 8;  ///< 127 ways to split them
constexpr std::int64_t tile_points = 128;
constexpr std::int64_t least_terms = 16;  ///< a shorter sum gains nothing

/// The factors of a product, and which iterators each depends on.
class Pairing {
 public:
  Pairing(Nest& nest, const NestSizes& sizes) : nest_(nest), sizes_(sizes), factors_(factors_of(nest, nest.value)) {
    for (ExprId factor : factors_) reads_.push_back(reads_below(nest, factor));
  }

  std::optional<std::string> run() {
    if (factors_.size() < 3 || factors_.size() > most_factors) return std::nullopt;
    if (sizes_.points(sizes_.reductions) < least_terms) return std::nullopt;
    // A bit a factor, of the left side; the first factor is always there. Written order is the first to try.
    unsigned best = written();
    double least = loads(best);
    for (unsigned left = 1; left < (1U << factors_.size()) - 1; left += 2)
      if (const double cost = loads(left); cost < least) best = left, least = cost;
    if (best == written()) return std::nullopt;
    const ExprId lhs = product(best), rhs = product(~best);
    nest_.value = nest_.exprs.add({ApplyExpr{ScalarOp::mul, {lhs, rhs}}, nest_.accumulate});
    return "pairwise order: " + names(best) + " against " + names(~best);
  }

 private:
  bool is_in(unsigned side, std::size_t factor) const { return ((side >> factor) & 1U) != 0; }

  /// The split that the expression has: the factors below its first operand.
  unsigned written() const {
    const auto& apply = std::get<ApplyExpr>(nest_.exprs[nest_.value].node);
    return (1U << factors_of(nest_, apply.operands[0]).size()) - 1;
  }

  bool depends(unsigned side, IterId iter) const {
    for (std::size_t f = 0; f < factors_.size(); ++f)
      if (is_in(side, f) && std::ranges::any_of(reads_[f], [&](ReadId r) { return depends_on(nest_.reads[r], iter); }))
        return true;
    return false;
  }

  /// Loads a product, of both sides; infinite where a side reads nothing.
  double loads(unsigned left) const {
    const unsigned sides[] = {left, ~left};
    double sum = 0;
    for (int s = 0; s < 2; ++s) {
      std::size_t reads = 0;
      for (std::size_t f = 0; f < factors_.size(); ++f)
        if (is_in(sides[s], f)) reads += reads_[f].size();
      if (reads == 0) return std::numeric_limits<double>::infinity();
      std::vector<IterId> other;  // output iterators that only the other side has
      for (IterId iter : sizes_.outputs)
        if (depends(sides[1 - s], iter) && !depends(sides[s], iter)) other.push_back(iter);
      sum += static_cast<double>(reads) /
             static_cast<double>(std::clamp<std::int64_t>(sizes_.points(other), 1, tile_points));
    }
    return sum;
  }

  ExprId product(unsigned side) {
    ExprId result;
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      if (!is_in(side, f)) continue;
      result = result.valid() ? nest_.exprs.add({ApplyExpr{ScalarOp::mul, {result, factors_[f]}}, nest_.accumulate})
                              : factors_[f];
    }
    return result;
  }

  std::string names(unsigned side) const {
    std::string text;
    for (std::size_t f = 0; f < factors_.size(); ++f)
      for (ReadId read : is_in(side, f) ? reads_[f] : std::vector<ReadId>{})
        text += (text.empty() ? "" : " * ") + nest_.tensors[nest_.reads[read].tensor].name;
    return text;
  }

  Nest& nest_;
  const NestSizes& sizes_;
  std::vector<ExprId> factors_;
  std::vector<std::vector<ReadId>> reads_;  ///< of each factor
};

}  // namespace

std::optional<std::string> pair_factors(Nest& nest, const Facts& facts) {
  const auto* product = std::get_if<ApplyExpr>(&nest.exprs[nest.value].node);
  if (nest.reduction != Monoid::sum || !product || product->op != ScalarOp::mul) return std::nullopt;
  return Pairing(nest, NestSizes(nest, facts)).run();
}

}  // namespace tilewright::nest
