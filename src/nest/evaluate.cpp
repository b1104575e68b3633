// The reference evaluator's driver: blocks of output points, each folded over the reduction's points, then finished by
// the nest's result expression. See evaluate.h; the parts are in reference/.
#include "nest/evaluate.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nest/reference/bindings.h"
#include "nest/reference/block_ops.h"
#include "nest/reference/block_program.h"
#include "nest/reference/point_cursor.h"

namespace tilewright::nest {
namespace {

/// The running reductions of one block of outputs. Float sums carry the rounding errors of their additions along
/// (Neumaier's summation), so that the reference is exact to f64 even against an f64 kernel.
struct Folding {
  std::vector<double> real;
  std::vector<double> compensation;
  std::vector<double> magnitude;
  std::vector<std::int64_t> integer;
};

void add_compensated(Folding& folding, std::size_t output, double term) {
  const double before = folding.real[output];
  const double after = before + term;
  folding.compensation[output] +=
      std::fabs(before) >= std::fabs(term) ? (before - after) + term : (term - after) + before;
  folding.real[output] = after;
  folding.magnitude[output] += std::fabs(term);
}

class Evaluation {
 public:
  Evaluation(const Nest& nest, const Bindings& bindings, const ComputedTensors& computed = {})
      : nest_(nest),
        bindings_(bindings),
        value_(nest, bindings, nest.value, computed),
        result_(nest, bindings, nest.result, computed) {
    for (std::uint32_t index = 0; index < nest.iterators.size(); ++index) {
      if (nest.iterators[IterId{index}].role != IteratorRole::reduction) continue;
      reduction_.push_back(IterId{index});
      terms_ *= static_cast<std::uint64_t>(bindings.extents[index]);
    }
    for (IterId iter : nest.output_index) outputs_.shape.push_back(bindings.extents[iter.index]);
    const ExprId root = nest.result;
    const CastExpr* cast = std::get_if<CastExpr>(&nest.exprs[root].node);
    const ExprId inner = cast ? cast->operand : root;
    const bool finishes = !std::holds_alternative<Accumulated>(nest.exprs[inner].node);
    scales_ = finishes && nest.reduction == Monoid::sum && is_floating(nest.accumulate) && is_floating(nest.output);
    resize(folding_, block_size);
  }

  ReferenceResult all() {
    std::uint64_t count = 1;
    for (std::int64_t extent : outputs_.shape) count *= static_cast<std::uint64_t>(extent);
    reserve(count);
    run(nest_.output_index, std::vector<std::int64_t>(nest_.iterators.size(), 0), count);
    return std::move(outputs_);
  }

  ReferenceResult some(const std::vector<std::vector<std::int64_t>>& indices) {
    reserve(indices.size());
    for (const std::vector<std::int64_t>& index : indices) {
      std::vector<std::int64_t> start(nest_.iterators.size(), 0);
      for (std::size_t axis = 0; axis < index.size(); ++axis) start[nest_.output_index[axis].index] = index[axis];
      run({}, std::move(start), 1);
    }
    return std::move(outputs_);
  }

  /// What a reader in the same launch reads: rounded where the nest casts, not where its last value is stored.
  void compute(const std::vector<std::vector<std::uint64_t>>& index, std::size_t count, Lane& values) {
    std::vector<std::vector<std::uint64_t>> iterators(nest_.iterators.size());
    for (std::size_t axis = 0; axis < index.size(); ++axis) iterators[nest_.output_index[axis].index] = index[axis];
    if (!nest_.reduction) {
      start_folding();
      const Lane& lane = value_.run(points_at(bindings_, iterators, count, value_.reads()), count);
      for (std::size_t point = 0; point < count; ++point) fold_run(lane, point, 1, point);
      set_accumulated(count, 0);
      values = result_.run(points_at(bindings_, iterators, count, result_.reads()), count);
      return;
    }
    for (std::size_t point = 0; point < count; ++point) {
      std::vector<std::int64_t> start(nest_.iterators.size(), 0);
      for (std::size_t axis = 0; axis < index.size(); ++axis)
        start[nest_.output_index[axis].index] = static_cast<std::int64_t>(index[axis][point]);
      PointCursor terms(bindings_, reduction_, start, value_.reads(), value_.iterators());
      PointCursor points(bindings_, {}, std::move(start), result_.reads(), result_.iterators());
      reduce(terms, 1);
      set_accumulated(1, 0);
      const Lane& lane = result_.run(points.next(1), 1);
      values.real[point] = lane.real[0];
      values.integer[point] = lane.integer[0];
    }
  }

 private:
  static void resize(Folding& folding, std::size_t count) {
    folding.real.resize(count);
    folding.compensation.resize(count);
    folding.magnitude.resize(count);
    folding.integer.resize(count);
  }

  void reserve(std::uint64_t count) {
    outputs_.exact.reserve(count);
    outputs_.rounded.reserve(count);
    outputs_.magnitude.reserve(count);
  }

  /// `count` outputs: the product of `order`'s extents, with the other output iterators at `start`.
  void run(const std::vector<IterId>& order, std::vector<std::int64_t> start, std::uint64_t count) {
    std::vector<IterId> all = order;
    all.insert(all.end(), reduction_.begin(), reduction_.end());
    PointCursor terms(bindings_, std::move(all), start, value_.reads(), value_.iterators());
    PointCursor points(bindings_, order, std::move(start), result_.reads(), result_.iterators());
    for (std::uint64_t done = 0; done < count; done += block_size) {
      const std::size_t block = static_cast<std::size_t>(std::min<std::uint64_t>(block_size, count - done));
      reduce(terms, block);
      finish(points, block);
    }
  }

  /// Terms come output by output, so a block of terms may begin and end inside an output.
  void reduce(PointCursor& cursor, std::size_t outputs) {
    start_folding();
    const std::uint64_t total = terms_ * outputs;
    std::uint64_t term = 0;  // within the current output
    std::size_t output = 0;
    for (std::uint64_t done = 0; done < total; done += block_size) {
      const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(block_size, total - done));
      const Lane& lane = value_.run(cursor.next(count), count);
      for (std::size_t point = 0; point < count;) {
        const std::size_t run = static_cast<std::size_t>(std::min<std::uint64_t>(terms_ - term, count - point));
        fold_run(lane, point, run, output);
        point += run;
        term += run;
        if (term == terms_) {
          term = 0;
          ++output;
        }
      }
    }
  }

  void start_folding() {
    const bool floats = is_floating(nest_.accumulate);
    std::ranges::fill(folding_.real, floats && nest_.reduction ? nest_.identity.as_double() : 0.0);
    std::ranges::fill(folding_.integer, !floats && nest_.reduction ? nest_.identity.as_int() : 0);
    std::ranges::fill(folding_.compensation, 0.0);
    std::ranges::fill(folding_.magnitude, 0.0);
  }

  void fold_run(const Lane& lane, std::size_t begin, std::size_t run, std::size_t output) {
    const bool floats = is_floating(nest_.accumulate);
    for (std::size_t point = begin; point < begin + run; ++point) {
      std::int64_t& integer = folding_.integer[output];
      if (nest_.reduction && floats)
        fold_real(*nest_.reduction, output, lane.real[point]);
      else if (nest_.reduction)
        integer = fold(*nest_.reduction, nest_.accumulate, integer, lane.integer[point]);
      else if (floats)
        folding_.real[output] = lane.real[point];
      else
        integer = lane.integer[point];
    }
  }

  void fold_real(Monoid monoid, std::size_t output, double term) {
    double& real = folding_.real[output];
    switch (monoid) {
      case Monoid::sum:
        return add_compensated(folding_, output, term);
      case Monoid::product:
        real *= term;
        return;
      case Monoid::max:
        real = maximum(real, term);
        return;
      case Monoid::min:
        real = minimum(real, term);
        return;
    }
  }

  /// The compensation means nothing once the sum has overflowed or met an infinity, and must not turn −0 into 0.
  double finished(std::size_t output) const {
    if (folding_.compensation[output] == 0) return folding_.real[output];
    const double corrected = folding_.real[output] + folding_.compensation[output];
    return std::isfinite(corrected) ? corrected : folding_.real[output];
  }

  void finish(PointCursor& cursor, std::size_t count) {
    const PointBlock& points = cursor.next(count);
    const std::size_t first = outputs_.exact.size();
    set_accumulated(count, 0);
    const Lane& lane = result_.run(points, count);
    const bool floats = is_floating(nest_.output);
    for (std::size_t point = 0; point < count; ++point) {
      const double unrounded = result_.before_last_cast().real[point];
      const Scalar exact = floats ? Scalar::of(unrounded) : Scalar::of(lane.integer[point]);
      outputs_.exact.push_back(exact);
      outputs_.rounded.push_back(round_to(exact, nest_.output));
      const bool sums = nest_.reduction == Monoid::sum && is_floating(nest_.accumulate) && floats;
      outputs_.magnitude.push_back(sums && !scales_ ? folding_.magnitude[point] : std::fabs(exact.as_double()));
    }
    if (scales_) add_scales(points, count, first);
  }

  /// Lane 0 of the result: the finished reductions, moved by `nudge` times their magnitudes.
  void set_accumulated(std::size_t count, double nudge) {
    Lane& accumulated = result_.accumulated();
    for (std::size_t point = 0; point < count; ++point) {
      accumulated.real[point] = finished(point);
      if (nudge != 0) accumulated.real[point] += nudge * folding_.magnitude[point];
      accumulated.integer[point] = folding_.integer[point];
    }
  }

  /// How far `then` carries a relative change of Σ|terms|, by differences in both directions.
  void add_scales(const PointBlock& points, std::size_t count, std::size_t first) {
    constexpr double nudge = 0x1p-20;
    for (const double signed_nudge : {nudge, -nudge}) {
      set_accumulated(count, signed_nudge);
      result_.run(points, count);
      for (std::size_t point = 0; point < count; ++point) {
        const double moved =
            std::fabs(result_.before_last_cast().real[point] - outputs_.exact[first + point].as_double()) / nudge;
        double& magnitude = outputs_.magnitude[first + point];
        if (std::isfinite(moved)) magnitude = std::max(magnitude, moved);
      }
    }
  }

  const Nest& nest_;
  const Bindings& bindings_;
  BlockProgram value_;
  BlockProgram result_;
  std::vector<IterId> reduction_;
  std::uint64_t terms_ = 1;  ///< an output
  bool scales_ = false;      ///< `then` follows a float sum
  Folding folding_;
  ReferenceResult outputs_;
};

}  // namespace

Result<ReferenceResult> evaluate(const Nest& nest, const std::vector<NamedView>& operands) {
  Result<Bindings> bindings = bind_views(nest, operands);
  if (!bindings) return std::unexpected(std::move(bindings.error()));
  return Evaluation(nest, *bindings).all();
}

namespace {

/// Where all indices are in the output.
Result<void> check_indices(const Nest& nest, const Bindings& bindings,
                           const std::vector<std::vector<std::int64_t>>& output_indices) {
  for (const std::vector<std::int64_t>& index : output_indices) {
    bool inside = index.size() == nest.output_index.size();
    for (std::size_t axis = 0; inside && axis < index.size(); ++axis)
      inside = index[axis] >= 0 && index[axis] < bindings.extents[nest.output_index[axis].index];
    if (!inside)
      return fail("N006", fmt::format("[{}] is no index of the output of '{}'", fmt::join(index, ", "), nest.name));
  }
  return {};
}

}  // namespace

Result<ReferenceResult> evaluate_points(const Nest& nest, const std::vector<NamedView>& operands,
                                        const std::vector<std::vector<std::int64_t>>& output_indices) {
  return evaluate_points(std::span(&nest, 1), operands, output_indices);
}

Result<ReferenceResult> evaluate_points(std::span<const Nest> statements, const std::vector<NamedView>& operands,
                                        const std::vector<std::vector<std::int64_t>>& output_indices) {
  std::vector<NamedView> views = operands;
  std::deque<Bindings> bindings;  // which evaluations refer to, as computed tensors do to them
  std::deque<Evaluation> evaluations;
  ComputedTensors computed;
  for (const Nest& nest : statements) {
    Result<Bindings> bound = bind_views(nest, views);
    if (!bound) return std::unexpected(std::move(bound.error()));
    bindings.push_back(std::move(*bound));
    Evaluation& evaluation = evaluations.emplace_back(nest, bindings.back(), computed);
    std::vector<std::int64_t> shape;
    for (IterId iter : nest.output_index) shape.push_back(bindings.back().extents[iter.index]);
    views.push_back({nest.name, TensorView{nullptr, nest.output, shape, row_major_strides(shape)}});
    computed[nest.name] = [&evaluation](const std::vector<std::vector<std::uint64_t>>& index, std::size_t count,
                                        Lane& values) { evaluation.compute(index, count, values); };
  }
  if (auto known = check_indices(statements.back(), bindings.back(), output_indices); !known)
    return std::unexpected(std::move(known.error()));
  return evaluations.back().some(output_indices);
}

}  // namespace tilewright::nest
