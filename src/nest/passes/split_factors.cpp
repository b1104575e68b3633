// f32 in three pieces of bf16. See split_factors.h.
#include "nest/passes/split_factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "nest/access.h"
#include "nest/passes/gpu_schedule.h"
#include "nest/passes/unit_figures.h"
#include "nest/walk.h"

namespace tilewright::nest {
namespace {

constexpr std::int64_t products = 6;  ///< of pieces
/// Which piece of a number stands at which place.
using Order = std::array<int, products>;
constexpr Order lhs_order{2, 0, 1, 1, 0, 0};
constexpr Order rhs_order{0, 2, 1, 0, 1, 0};

constexpr std::int64_t fewest_terms = 128;
constexpr std::int64_t least_side = 64;  ///< rows and columns that a unit's tile has, about

// Figures of one multiprocessor of sm_90, in a cycle.
constexpr double scalar_products = 96;
constexpr double share_of_unit = 0.6;  ///< of its products, that such sums reach

/// Writes expressions of f32 into a nest.
struct Expressions {
  Nest& nest;
  ExprId apply(ScalarOp op, std::vector<ExprId> operands, DType type = DType::f32) const {
    return nest.exprs.add({ApplyExpr{op, std::move(operands)}, type});
  }
  ExprId number(double value) const {
    return nest.exprs.add({Constant{Scalar::of(static_cast<float>(value))}, DType::f32});
  }
  ExprId integer(std::int64_t value) const { return nest.exprs.add({Constant{Scalar::of(value)}, DType::i64}); }
  ExprId cast(ExprId operand, DType to) const { return nest.exprs.add({CastExpr{operand}, to}); }
  ExprId compare(ScalarOp op, ExprId a, ExprId b) const { return apply(op, {a, b}, DType::boolean); }
  ExprId select(ExprId condition, ExprId yes, ExprId no) const { return apply(ScalarOp::select, {condition, yes, no}); }
};

/// The three pieces of x, as f32. Few operations, since a nest's text writes each use of a value out.
std::array<ExprId, 3> pieces_of(const Expressions& e, ExprId x) {
  constexpr double one_sign = 128;           // numbers from here on have pieces of one sign
  constexpr double next_lower = 1 - 0x1p-8;  // a number that was rounded up to a bf16, times this, is rounded down
  constexpr double least = 0x1p-133;         // of bf16
  const ExprId zero = e.number(0);
  const ExprId one = e.number(1);
  const auto magnitude = [&](ExprId value) { return e.apply(ScalarOp::abs, {value}); };
  const auto nearest = [&](ExprId value) { return e.cast(e.cast(value, DType::bf16), DType::f32); };
  const auto by_sign = [&](double value) {
    return e.select(e.compare(ScalarOp::lt, x, zero), e.number(-value), e.number(value));
  };
  const ExprId is_large = e.compare(ScalarOp::ge, magnitude(x), e.number(one_sign));
  const auto piece = [&](ExprId value) {
    const ExprId is_rounded_up = e.compare(ScalarOp::gt, magnitude(nearest(value)), magnitude(value));
    const ExprId scale = e.select(e.compare(ScalarOp::logical_and, is_large, is_rounded_up), e.number(next_lower), one);
    return nearest(e.apply(ScalarOp::mul, {value, scale}));
  };
  const ExprId first = piece(x);
  const ExprId rest = e.apply(ScalarOp::sub, {x, first});
  const ExprId second = piece(rest);
  const ExprId last = e.apply(ScalarOp::sub, {rest, second});
  // No number but 0 may have 0 for its first piece: an infinity times it is one.
  const ExprId is_lost = e.compare(ScalarOp::lt, magnitude(x), e.number(least));
  const ExprId first_or_least =
      e.select(is_lost, e.select(e.compare(ScalarOp::eq, x, zero), zero, by_sign(least)), first);
  const ExprId is_finite = e.compare(ScalarOp::le, magnitude(x), e.number(std::numeric_limits<float>::max()));
  return {e.select(is_finite, first_or_least, by_sign(1)), e.select(is_finite, second, zero),
          e.select(is_finite, last, x)};
}

class Splitting {
 public:
  Splitting(Nest& nest, Facts& facts, const GpuTarget& target) : nest_(nest), facts_(facts), target_(target) {}

  OperandCopies run() {
    std::string why_not;
    if (!find_factors(why_not) || !is_worth_it(why_not)) {
      result_.reasons.push_back("computed exactly: " + why_not);
      return std::move(result_);
    }
    const IterId piece = nest_.iterators.add({free_name(nest_, "piece"), IteratorRole::reduction, IntExpr(products)});
    nest_.loops.push_back(Loop{nest_.iterators[piece].name, piece});
    for (const Factor& factor : factors_) split(factor, piece);
    facts_.size_buckets.push_back(result_.operands.front().facts.size_buckets.back());
    widen_pieces();
    result_.reasons.push_back(fmt::format("{} and {} as three pieces of bf16 each, six products", names(0), names(1)));
    return std::move(result_);
  }

 private:
  struct Factor {
    ReadId read;
    std::vector<IterId> axes;
    std::size_t contiguous = 0;
    const Order* order = nullptr;
    std::string_view side;
  };

  std::string names(std::size_t factor) const { return result_.operands[factor].nest.name; }

  bool is_demanded() const { return matrix_unit::unit_named(nest_.schedule.variant).has_value(); }

  std::optional<matrix_unit::Unit> unit() const {
    return gpu_schedule::find_unit(target_, DType::bf16, DType::f32, Precision::tf32x3,
                                   matrix_unit::unit_named(nest_.schedule.variant));
  }

  bool find_factors(std::string& why_not) {
    if (!nest_.schedule.automatic && !is_demanded()) return why_not = "the schedule names no matrix unit", false;
    if (!unit()) return why_not = "no matrix unit to be had", false;
    const auto contraction = as_contraction(nest_);
    const gpu_schedule::Problem problem(nest_, facts_, target_);
    if (!contraction || contraction->m.empty() || contraction->n.empty() || contraction->k.empty() ||
        nest_.accumulate != DType::f32)
      return why_not = "no sum of products with rows and columns", false;
    for (const auto& [side, order, name] : {std::tuple(contraction->lhs, &lhs_order, std::string_view("lhs")),
                                            std::tuple(contraction->rhs, &rhs_order, std::string_view("rhs"))}) {
      const auto* value = std::get_if<ReadValue>(&nest_.exprs[side].node);
      const auto axes = value ? plain_index(nest_.reads[value->read]) : std::nullopt;
      if (!axes || nest_.exprs[side].dtype != DType::f32)
        return why_not = "a factor is no operand of f32 read at one iterator an axis", false;
      const TensorId tensor = nest_.reads[value->read].tensor;
      factors_.push_back(
          {value->read, *axes, contiguous_axis(facts_, tensor, *axes).value_or(longest(*axes)), order, name});
    }
    if (problem.points(contraction->k) < fewest_terms && !is_demanded())
      return why_not = fmt::format("fewer than {} terms", fewest_terms), false;
    contraction_ = *contraction;
    return true;
  }

  std::size_t longest(const std::vector<IterId>& axes) const {
    const auto bucket = [&](IterId iter) { return facts_.size_buckets[iter.index]; };
    return static_cast<std::size_t>(std::ranges::max_element(axes, {}, bucket) - axes.begin());
  }

  bool is_worth_it(std::string& why_not) const {
    constexpr std::int64_t element_bytes = 2;
    double copied = 0;
    std::int64_t left = target_.most_repacked_bytes;
    for (const Factor& factor : factors_) {
      const std::int64_t bytes = most_bytes_of_copy(facts_, factor.axes, factor.contiguous, element_bytes);
      if (bytes > left / products)
        return why_not = fmt::format("the pieces may take more than {} bytes", target_.most_repacked_bytes), false;
      left -= bytes * products;
      copied += expected(facts_, factor.axes) * (sizeof(float) + static_cast<double>(products * element_bytes));
    }
    if (is_demanded()) return true;
    const double m = expected(facts_, contraction_.m), n = expected(facts_, contraction_.n);
    const double terms = expected(facts_, contraction_.k) * expected(facts_, contraction_.batch);
    const double rate = share_of_unit * gpu_schedule::figures_of(target_, *unit())->products;
    const double scalar = m * n * terms / scalar_products / target_.multiprocessors;
    const double split = std::max(m, 1.0 * least_side) * std::max(n, 1.0 * least_side) * terms *
                             static_cast<double>(products) / rate / target_.multiprocessors +
                         copied / copied_bytes_per_cycle / target_.multiprocessors + 2.0 * target_.launch_cycles;
    if (split < scalar) return true;
    why_not = fmt::format("about {:.0f}K cycles, by pieces of bf16 {:.0f}K", scalar / 1000, split / 1000);
    return false;
  }

  void split(const Factor& factor, IterId piece) {
    const TensorId tensor = nest_.reads[factor.read].tensor;
    OperandCopy copy =
        copy_operand(nest_, facts_, tensor, fmt::format("{}.{}", nest_.tensors[tensor].name, factor.side), factor.axes,
                     factor.contiguous, DType::bf16, products);
    write_pieces(copy.nest, *factor.order);
    // Where others read the operand, it stays.
    Read& read = nest_.reads[factor.read];
    if (std::ranges::count(nest_.reads, tensor, &Read::tensor) > 1) {
      read.tensor = nest_.tensors.add({copy.nest.name, DType::bf16, static_cast<int>(factor.axes.size()) + 1});
      facts_.operands.push_back(copy.facts.output);
    } else {
      replace_by_copy(nest_, facts_, tensor, copy);
    }
    read.index.push_back(Affine{{{piece, 1}}, 0});
    result_.operands.push_back(std::move(copy));
  }

  /// What was read as f32 is now cast to it.
  void widen_pieces() {
    Table<ExprId, Expr> exprs;
    const auto leaf = [&](const Expr& expr) {
      const auto* value = std::get_if<ReadValue>(&expr.node);
      if (!value || std::ranges::find(factors_, value->read, &Factor::read) == factors_.end()) return exprs.add(expr);
      return exprs.add({CastExpr{exprs.add({*value, DType::bf16})}, DType::f32});
    };
    nest_.value = copy(nest_.exprs, nest_.value, exprs, leaf);
    nest_.result = copy(nest_.exprs, nest_.result, exprs, leaf);
    nest_.exprs = std::move(exprs);
  }

  static void write_pieces(Nest& copy, const Order& order) {
    const Expressions e{copy};
    const std::array<ExprId, 3> pieces = pieces_of(e, copy.value);
    const ExprId place = copy.exprs.add({IterValue{copy.output_index.back()}, DType::i64});
    ExprId chosen = pieces[static_cast<std::size_t>(order.back())];
    for (std::size_t at = order.size() - 1; at-- > 0;)
      if (order[at] != order.back())
        chosen = e.select(e.compare(ScalarOp::eq, place, e.integer(static_cast<std::int64_t>(at))),
                          pieces[static_cast<std::size_t>(order[at])], chosen);
    copy.value = e.cast(chosen, DType::bf16);
    // A thread has all pieces of its numbers.
    Loop& loop = copy.loops.back();
    loop.step = products;
    copy.loops.push_back(Loop{loop.name + ".in", loop.iter});
    copy.schedule.automatic = false;
  }

  Nest& nest_;
  Facts& facts_;
  const GpuTarget& target_;
  OperandCopies result_;
  std::vector<Factor> factors_;
  Contraction contraction_;
};

}  // namespace

OperandCopies split_factors(Nest& nest, Facts& facts, const GpuTarget& target) {
  if (nest.precision != Precision::tf32x3) return {};
  return Splitting(nest, facts, target).run();
}

}  // namespace tilewright::nest
