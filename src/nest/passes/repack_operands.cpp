// Copies misaligned operands of contractions once. See repack_operands.h.
#include "nest/passes/repack_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "nest/passes/copy_operand.h"
#include "nest/passes/gpu_schedule.h"
#include "nest/passes/pair_factors.h"
#include "nest/passes/unit_figures.h"
#include "support/matrix_unit.h"

namespace tilewright::nest {
namespace {

// Figures of one multiprocessor of sm_90 at work.
constexpr double piece_cycles = 0.3;      ///< a piece's way to shared memory, and the tiles that it rules out: measured
constexpr double turned_cycles = 0.5;     ///< an element's way to shared memory that a thread puts there by itself
constexpr double saved_by_vectors = 0.2;  ///< of the products' time, along the outputs: measured, of f32
constexpr double products = 128;          ///< in a cycle
constexpr double tile_side = 128;         ///< outputs of a block along rows or columns, about

constexpr std::int64_t shortest_turned_row = 32;  ///< elements

/// An operand that blocks stage in pieces smaller than they could be.
struct Candidate {
  std::vector<IterId> axes;    ///< the iterator of each axis, of one of its reads
  std::size_t contiguous = 0;  ///< axis
  std::int64_t element_bytes = 4;
  std::int64_t piece = 1;       ///< elements of what is staged at a time
  std::string_view why{};       ///< its rows become others; empty: they start at odd addresses
  double saved = 0;             ///< cycles of the device
  double cost = 0;              ///< the same
  std::int64_t most_bytes = 0;  ///< of the copy
};

class Repacking {
 public:
  Repacking(Nest& nest, Facts& facts, const GpuTarget& target) : nest_(nest), facts_(facts), target_(target) {}

  OperandCopies run() {
    std::map<TensorId, Candidate> candidates = find_candidates();
    std::int64_t bytes = 0;
    for (auto& [tensor, each] : candidates) {
      weigh(each);
      const std::string& name = nest_.tensors[tensor].name;
      const std::string pieces = each.why.empty() ? fmt::format("rows of {} allow copies of {} bytes at a time", name,
                                                                each.piece * each.element_bytes)
                                                  : fmt::format("rows of {} {}", name, each.why);
      const std::string cycles =
          fmt::format("about {:.0f}K cycles saved for {:.0f}K", each.saved / 1000, each.cost / 1000);
      if (each.saved <= each.cost) {
        result_.reasons.push_back(fmt::format("{}, not worth repacking: {}", pieces, cycles));
      } else if (each.most_bytes > target_.most_repacked_bytes - bytes) {
        result_.reasons.push_back(fmt::format("{}, not repacked: its copy may take more than the {} bytes left of {}",
                                              pieces, target_.most_repacked_bytes - bytes,
                                              target_.most_repacked_bytes));
      } else {
        bytes += each.most_bytes;
        result_.reasons.push_back(
            fmt::format("{}, repacked to rows at multiples of {}: {}", pieces, copy_row_bytes, cycles));
        repack(tensor, each);
      }
    }
    return std::move(result_);
  }

 private:
  // ---- the decision

  std::map<TensorId, Candidate> find_candidates() const {
    std::map<TensorId, Candidate> candidates;
    Nest paired = nest_;  // as schedule_for_gpu will see it; reads keep their numbers
    pair_factors(paired, facts_);
    const gpu_schedule::Problem problem(paired, facts_, target_);
    const auto contraction = gpu_schedule::wide_contraction(problem);
    if (!contraction || problem.points(problem.outputs) == 0) return candidates;
    std::vector<TensorId> left_alone;
    for (const auto& [side, other] :
         {std::pair(contraction->lhs, &contraction->n), std::pair(contraction->rhs, &contraction->m)})
      for (ReadId id : reads_below(paired, side)) {
        const Read& read = paired.reads[id];
        if (!is_staged(id)) continue;
        if (!add(problem, read, std::max(expected(facts_, *other) / tile_side, 1.0), candidates))
          left_alone.push_back(read.tensor);
      }
    for (TensorId tensor : left_alone) candidates.erase(tensor);
    turn_one_of_two(problem, *contraction, candidates);
    if (is_bound_by_memory(problem))
      for (auto& [tensor, each] : candidates) each.saved = 0;
    return candidates;
  }

  /// Scalar products want vectors along the output's neighbours: where both factors lie along their terms, the one that
  /// has these is turned.
  void turn_one_of_two(const gpu_schedule::Problem& problem, const Contraction& contraction,
                       std::map<TensorId, Candidate>& candidates) const {
    if (!nest_.schedule.automatic || has_unit_for(DType::f32)) return;
    const IterId lanes = problem.output_lanes();
    if (std::ranges::find(contraction.batch, lanes) != contraction.batch.end()) return;
    std::optional<std::pair<TensorId, Candidate>> turned;
    for (const ExprId side : {contraction.lhs, contraction.rhs}) {
      const auto* value = std::get_if<ReadValue>(&problem.nest.exprs[side].node);
      const auto axes = value ? plain_index(problem.nest.reads[value->read]) : std::nullopt;
      if (!axes) return;
      const TensorId tensor = problem.nest.reads[value->read].tensor;
      const auto contiguous = contiguous_axis(facts_, tensor, *axes);
      if (nest_.tensors[tensor].dtype != DType::f32 || !contiguous || !is_term((*axes)[*contiguous]) ||
          std::ranges::count(nest_.reads, tensor, &Read::tensor) > 1)
        return;
      const auto along = std::ranges::find(*axes, lanes);
      if (along == axes->end() || problem.bucket(lanes) < shortest_turned_row) continue;
      const auto axis = static_cast<std::size_t>(along - axes->begin());
      turned = {tensor, {.axes = *axes, .contiguous = axis, .why = "are terms, like the other factor's"}};
    }
    if (!turned) return;
    Candidate& each = candidates[turned->first];  // which may have been one for its misaligned rows
    turned->second.saved = each.saved + expected(facts_, problem.outputs) * expected(facts_, problem.reductions) *
                                            saved_by_vectors / products / target_.multiprocessors;
    each = std::move(turned->second);
  }

  /// A matrix unit multiplies such elements, as the nest sums them.
  bool has_unit_for(DType element) const {
    return gpu_schedule::find_unit(target_, element, nest_.accumulate, nest_.precision).has_value();
  }

  bool is_term(IterId iter) const { return nest_.iterators[iter].role == IteratorRole::reduction; }

  /// Blocks that wait for memory have time for copies in small pieces.
  static bool is_bound_by_memory(const gpu_schedule::Problem& problem) {
    const Nest& nest = problem.nest;
    double bytes = expected(problem.facts, problem.outputs) * static_cast<double>(size_of(nest.output));
    double points = expected(problem.facts, problem.outputs) * expected(problem.facts, problem.reductions);
    for (const Read& read : nest.reads) {
      double elements = static_cast<double>(size_of(nest.tensors[read.tensor].dtype));
      for (std::size_t i = 0; i < nest.iterators.size(); ++i)
        if (const IterId iter{static_cast<std::uint32_t>(i)}; depends_on(read, iter))
          elements *= expected(problem.facts, iter);
      bytes += elements;
    }
    return points / products < bytes / copied_bytes_per_cycle;
  }

  /// A schedule block says itself what is staged; a matrix unit's factors are.
  bool is_staged(ReadId read) const {
    return nest_.schedule.automatic || matrix_unit::unit_named(nest_.schedule.variant) ||
           std::ranges::find(nest_.schedule.caches, read, &CachedRead::read) != nest_.schedule.caches.end();
  }

  /// False: the operand is to be left alone.
  bool add(const gpu_schedule::Problem& problem, const Read& read, double times,
           std::map<TensorId, Candidate>& candidates) const {
    const std::optional<std::vector<IterId>> axes = plain_index(read);
    const std::optional<std::size_t> contiguous = axes ? contiguous_axis(facts_, read.tensor, *axes) : std::nullopt;
    if (!contiguous) return false;
    const DType dtype = nest_.tensors[read.tensor].dtype;
    const auto element_bytes = static_cast<std::int64_t>(size_of(dtype));
    const std::optional<std::size_t> turned = turned_axis(read.tensor, *axes, *contiguous);
    const std::int64_t whole = std::min(std::max<std::int64_t>(gpu_schedule::vector_bytes / element_bytes, 1),
                                        problem.bucket((*axes)[*contiguous]));
    const std::int64_t piece = gpu_schedule::aligned_elements(facts_.operands[read.tensor.index], dtype);
    if (piece >= whole && !turned) return true;
    const auto [found, is_first] = candidates.try_emplace(read.tensor);
    Candidate& each = found->second;
    if (is_first) each.axes = *axes;
    each.contiguous = turned.value_or(*contiguous);
    each.element_bytes = element_bytes;
    each.piece = turned ? 1 : piece;
    if (turned) each.why = "are no terms, which a matrix unit wants";
    const double cycles =
        turned ? turned_cycles : piece_cycles * (1.0 / static_cast<double>(piece) - 1.0 / static_cast<double>(whole));
    each.saved += expected(facts_, *axes) * times * cycles / target_.multiprocessors;
    return true;
  }

  /// The longest axis of terms, where rows are points and the matrix unit takes rows of terms alone.
  std::optional<std::size_t> turned_axis(TensorId tensor, const std::vector<IterId>& axes,
                                         std::size_t contiguous) const {
    const DType dtype = nest_.tensors[tensor].dtype;
    constexpr std::int64_t byte = 1;  // rows of wider elements are turned on their way
    if (is_term(axes[contiguous]) || std::ranges::count(nest_.reads, tensor, &Read::tensor) > 1 ||
        size_of(dtype) != byte || !has_unit_for(dtype))
      return std::nullopt;
    std::optional<std::size_t> longest;
    const auto bucket = [&](std::size_t axis) { return facts_.size_buckets[axes[axis].index]; };
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (is_term(axes[axis]) && bucket(axis) >= shortest_turned_row && (!longest || bucket(axis) >= bucket(*longest)))
        longest = axis;
    return longest;
  }

  void weigh(Candidate& each) const {
    const double granule = static_cast<double>(copy_row_bytes / each.element_bytes);
    double read = static_cast<double>(each.element_bytes), written = read;
    for (std::size_t axis = 0; axis < each.axes.size(); ++axis) {
      const double points = expected(facts_, each.axes[axis]);
      read *= points;
      written *= axis == each.contiguous ? std::max(points, granule) : points;
    }
    each.most_bytes = most_bytes_of_copy(facts_, each.axes, each.contiguous, each.element_bytes);
    each.cost = (read + written) / (copied_bytes_per_cycle * target_.multiprocessors) + target_.launch_cycles;
  }

  void repack(TensorId tensor, const Candidate& each) {
    const Tensor& operand = nest_.tensors[tensor];
    result_.operands.push_back(
        copy_operand(nest_, facts_, tensor, operand.name + ".packed", each.axes, each.contiguous, operand.dtype));
    replace_by_copy(nest_, facts_, tensor, result_.operands.back());
  }

  Nest& nest_;
  Facts& facts_;
  const GpuTarget& target_;
  OperandCopies result_;
};

}  // namespace

OperandCopies repack_operands(Nest& nest, Facts& facts, const GpuTarget& target) {
  return Repacking(nest, facts, target).run();
}

}  // namespace tilewright::nest
