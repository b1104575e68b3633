// Copies misaligned operands of contractions once. See repack_operands.h.
#include "nest/passes/repack_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "nest/passes/gpu_schedule.h"
#include "nest/passes/pair_factors.h"
#include "support/matrix_unit.h"
#include "support/tensor_symbol.h"

namespace tilewright::nest {
namespace {

// Figures of one multiprocessor of sm_90 at work.
constexpr double piece_cycles = 0.3;  ///< a piece's way to shared memory, and the tiles that it rules out: measured
constexpr double products = 128;      ///< in a cycle
constexpr double memory_bytes = 16;   ///< read or written in a cycle
constexpr double tile_side = 128;     ///< outputs of a block along rows or columns, about

constexpr std::int64_t row_bytes = 128;                         ///< that rows of the copy start at multiples of
constexpr std::uint32_t copy_alignment = 64;                    ///< of its base, and the most that facts say of rows
constexpr std::int64_t unknown_extent = std::int64_t{1} << 24;  ///< a bucket that is no upper bound

/// Extents of a bucket lie between its half and itself.
double expected(std::int64_t bucket) {
  return bucket <= 1 ? static_cast<double>(bucket) : 0.75 * static_cast<double>(bucket);
}

double expected(const gpu_schedule::Problem& problem, const std::vector<IterId>& iters) {
  double points = 1;
  for (IterId iter : iters) points *= expected(problem.bucket(iter));
  return points;
}

/// One iterator in each slot, each in one of them: then the slots' iterators.
std::optional<std::vector<IterId>> plain_index(const Read& read) {
  std::vector<IterId> iters;
  for (const Affine& slot : read.index) {
    if (slot.terms.size() != 1 || slot.terms[0].coefficient != 1 || slot.constant != 0) return std::nullopt;
    if (std::ranges::find(iters, slot.terms[0].iter) != iters.end()) return std::nullopt;
    iters.push_back(slot.terms[0].iter);
  }
  if (read.otherwise) return std::nullopt;
  return iters;
}

/// An operand that blocks stage in pieces smaller than they could be.
struct Candidate {
  std::vector<IterId> axes;    ///< the iterator of each axis, of one of its reads
  std::size_t contiguous = 0;  ///< axis
  std::int64_t element_bytes = 4;
  std::int64_t piece = 1;       ///< elements of what is staged at a time
  double saved = 0;             ///< cycles of the device
  double cost = 0;              ///< the same
  std::int64_t most_bytes = 0;  ///< of the copy
};

class Repacking {
 public:
  Repacking(Nest& nest, Facts& facts, const GpuTarget& target) : nest_(nest), facts_(facts), target_(target) {}

  Repacked run() {
    std::map<TensorId, Candidate> candidates = find_candidates();
    std::int64_t bytes = 0;
    for (auto& [tensor, each] : candidates) {
      weigh(each);
      const std::string& name = nest_.tensors[tensor].name;
      const std::string pieces =
          fmt::format("rows of {} allow copies of {} bytes at a time", name, each.piece * each.element_bytes);
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
            fmt::format("{}, repacked to rows at multiples of {}: {}", pieces, row_bytes, cycles));
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
        if (!add(problem, read, std::max(expected(problem, *other) / tile_side, 1.0), candidates))
          left_alone.push_back(read.tensor);
      }
    for (TensorId tensor : left_alone) candidates.erase(tensor);
    if (is_bound_by_memory(problem))
      for (auto& [tensor, each] : candidates) each.saved = 0;
    return candidates;
  }

  /// Blocks that wait for memory have time for copies in small pieces.
  static bool is_bound_by_memory(const gpu_schedule::Problem& problem) {
    const Nest& nest = problem.nest;
    double bytes = expected(problem, problem.outputs) * static_cast<double>(size_of(nest.output));
    double points = expected(problem, problem.outputs) * expected(problem, problem.reductions);
    for (const Read& read : nest.reads) {
      double elements = static_cast<double>(size_of(nest.tensors[read.tensor].dtype));
      for (std::size_t i = 0; i < nest.iterators.size(); ++i)
        if (const IterId iter{static_cast<std::uint32_t>(i)}; depends_on(read, iter))
          elements *= expected(problem.bucket(iter));
      bytes += elements;
    }
    return points / products < bytes / memory_bytes;
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
    const std::optional<std::size_t> contiguous = axes ? contiguous_axis(read.tensor, *axes) : std::nullopt;
    if (!contiguous) return false;
    const auto element_bytes = static_cast<std::int64_t>(size_of(nest_.tensors[read.tensor].dtype));
    const std::int64_t whole = std::min(std::max<std::int64_t>(gpu_schedule::vector_bytes / element_bytes, 1),
                                        problem.bucket((*axes)[*contiguous]));
    const std::int64_t piece =
        gpu_schedule::aligned_elements(facts_.operands[read.tensor.index], nest_.tensors[read.tensor].dtype);
    if (piece >= whole) return true;
    const auto [found, is_first] = candidates.try_emplace(read.tensor);
    Candidate& each = found->second;
    if (is_first) each.axes = *axes;
    each.contiguous = *contiguous;
    each.element_bytes = element_bytes;
    each.piece = piece;
    const double pieces = 1.0 / static_cast<double>(piece) - 1.0 / static_cast<double>(whole);
    each.saved += expected(problem, *axes) * times * pieces * piece_cycles / target_.multiprocessors;
    return true;
  }

  /// The only one with neighbours in memory; nullopt: there is none, there are several, or some axis repeats.
  std::optional<std::size_t> contiguous_axis(TensorId tensor, const std::vector<IterId>& axes) const {
    std::optional<std::size_t> found;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const StrideClass stride = facts_.operands[tensor.index].strides[axis];
      if (stride == StrideClass::zero && facts_.size_buckets[axes[axis].index] > 1) return std::nullopt;
      if (stride != StrideClass::one) continue;
      if (found) return std::nullopt;
      found = axis;
    }
    return found;
  }

  void weigh(Candidate& each) const {
    const std::int64_t granule = row_bytes / each.element_bytes;
    double read = static_cast<double>(each.element_bytes), written = read;
    bool known = true;
    each.most_bytes = each.element_bytes;
    for (std::size_t axis = 0; axis < each.axes.size(); ++axis) {
      const std::int64_t bucket = facts_.size_buckets[each.axes[axis].index];
      const std::int64_t most = axis == each.contiguous ? (bucket + granule - 1) / granule * granule : bucket;
      known = known && bucket < unknown_extent && !__builtin_mul_overflow(each.most_bytes, most, &each.most_bytes);
      read *= expected(bucket);
      written *= axis == each.contiguous ? std::max(expected(bucket), static_cast<double>(granule)) : expected(bucket);
    }
    if (!known) each.most_bytes = INT64_MAX;
    each.cost = (read + written) / (memory_bytes * target_.multiprocessors) + target_.launch_cycles;
  }

  // ---- the copy

  void repack(TensorId tensor, const Candidate& each) {
    Repack repack;
    const Tensor operand = nest_.tensors[tensor];
    const std::string name = operand.name + ".packed";
    TensorFacts packed = facts_.operands[tensor.index];
    packed.align = packed.stride_align = copy_alignment;
    repack.copy = copy_nest(operand, name, each.axes);
    repack.facts.operands.push_back(facts_.operands[tensor.index]);
    repack.facts.output = packed;
    for (IterId iter : each.axes) repack.facts.size_buckets.push_back(facts_.size_buckets[iter.index]);

    // Rows, then the other axes, the last one first.
    const std::int64_t granule = row_bytes / each.element_bytes;
    repack.elements = ceil_div(extent_symbol(operand.name, each.contiguous), granule) * granule;
    repack.strides.assign(each.axes.size(), 1);
    for (std::size_t axis = each.axes.size(); axis-- > 0;) {
      if (axis == each.contiguous) continue;
      repack.strides[axis] = repack.elements;
      repack.elements = repack.elements * extent_symbol(operand.name, axis);
    }
    result_.operands.push_back(std::move(repack));
    facts_.operands[tensor.index] = packed;
    rename(tensor, name);
  }

  Nest copy_nest(const Tensor& operand, const std::string& name, const std::vector<IterId>& axes) const {
    Nest copy;
    copy.name = name;
    copy.output = copy.accumulate = operand.dtype;
    Read read{copy.tensors.add(operand), {}, std::nullopt};
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::string& iter_name = nest_.iterators[axes[axis]].name;
      const IterId iter = copy.iterators.add({iter_name, IteratorRole::output, extent_symbol(operand.name, axis)});
      copy.output_index.push_back(iter);
      read.index.push_back(Affine{{{iter, 1}}, 0});
      copy.loops.push_back(Loop{iter_name, iter});
    }
    copy.value = copy.exprs.add({ReadValue{copy.reads.add(std::move(read))}, operand.dtype});
    copy.result = copy.exprs.add({Accumulated{}, operand.dtype});
    copy.schedule.automatic = true;
    return copy;
  }

  /// The operand's extents are the copy's too.
  void rename(TensorId tensor, const std::string& name) {
    const std::string before = std::exchange(nest_.tensors[tensor].name, name);
    const auto renamed = [&](const IntExpr& expr) {
      return substitute(expr, [&](std::string_view text) -> std::optional<IntExpr> {
        const auto symbol = parse_tensor_symbol(text);
        if (!symbol || symbol->tensor != before) return std::nullopt;
        return symbol->stride ? stride_symbol(name, symbol->axis) : extent_symbol(name, symbol->axis);
      });
    };
    for (Iterator& iter : nest_.iterators) iter.extent = renamed(iter.extent);
    for (Expr& expr : nest_.exprs)
      if (auto* extent = std::get_if<ExtentValue>(&expr.node)) extent->value = renamed(extent->value);
  }

  Nest& nest_;
  Facts& facts_;
  const GpuTarget& target_;
  Repacked result_;
};

}  // namespace

Repacked repack_operands(Nest& nest, Facts& facts, const GpuTarget& target) {
  return Repacking(nest, facts, target).run();
}

}  // namespace tilewright::nest
