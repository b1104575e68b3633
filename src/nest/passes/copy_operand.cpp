// Layouts, nests and facts of copies. See copy_operand.h.
#include "nest/passes/copy_operand.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "nest/access.h"
#include "support/tensor_symbol.h"

namespace tilewright::nest {
namespace {

constexpr std::uint32_t copy_alignment = 64;                    ///< of its base, and the most that facts say of rows
constexpr std::int64_t unknown_extent = std::int64_t{1} << 24;  ///< a bucket that is no upper bound

/// Of the copy of such extents, whose last axis numbers pieces where it has one more than the operand.
TensorFacts facts_of_copy(const TensorFacts& operand, const std::vector<std::int64_t>& buckets, std::size_t contiguous,
                          bool has_pieces) {
  TensorFacts copy = operand;
  copy.align = copy.stride_align = copy_alignment;
  copy.descends = false;
  for (std::size_t axis = 0; axis < copy.strides.size(); ++axis) {
    StrideClass& stride = copy.strides[axis];
    if (axis == contiguous)
      stride = StrideClass::one;
    else if (stride == StrideClass::one || buckets[axis] > 1)
      stride = StrideClass::other;
  }
  if (has_pieces) copy.strides.push_back(StrideClass::other);
  return copy;
}

}  // namespace

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

std::optional<std::size_t> contiguous_axis(const Facts& facts, TensorId tensor, const std::vector<IterId>& axes) {
  std::optional<std::size_t> found;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const StrideClass stride = facts.operands[tensor.index].strides[axis];
    if (stride == StrideClass::zero && facts.size_buckets[axes[axis].index] > 1) return std::nullopt;
    if (stride != StrideClass::one) continue;
    if (found) return std::nullopt;
    found = axis;
  }
  return found;
}

double expected(const Facts& facts, IterId iter) {
  const auto bucket = static_cast<double>(facts.size_buckets[iter.index]);
  return bucket <= 1 ? bucket : 0.75 * bucket;
}

double expected(const Facts& facts, const std::vector<IterId>& iters) {
  double points = 1;
  for (IterId iter : iters) points *= expected(facts, iter);
  return points;
}

std::int64_t most_bytes_of_copy(const Facts& facts, const std::vector<IterId>& axes, std::size_t contiguous,
                                std::int64_t element_bytes) {
  const std::int64_t granule = copy_row_bytes / element_bytes;
  std::int64_t bytes = element_bytes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t bucket = facts.size_buckets[axes[axis].index];
    const std::int64_t most = axis == contiguous ? (bucket + granule - 1) / granule * granule : bucket;
    if (bucket >= unknown_extent || __builtin_mul_overflow(bytes, most, &bytes)) return INT64_MAX;
  }
  return bytes;
}

OperandCopy copy_operand(const Nest& nest, const Facts& facts, TensorId tensor, std::string name,
                         const std::vector<IterId>& axes, std::size_t contiguous, DType element, std::int64_t pieces) {
  const Tensor& operand = nest.tensors[tensor];
  OperandCopy made;
  Nest& copy = made.nest;
  copy.name = std::move(name);
  copy.output = copy.accumulate = element;
  Read read{copy.tensors.add(operand), {}, std::nullopt};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::string& iter_name = nest.iterators[axes[axis]].name;
    const IterId iter = copy.iterators.add({iter_name, IteratorRole::output, extent_symbol(operand.name, axis)});
    copy.output_index.push_back(iter);
    read.index.push_back(Affine{{{iter, 1}}, 0});
    made.facts.size_buckets.push_back(facts.size_buckets[axes[axis].index]);
  }
  copy.value = copy.exprs.add({ReadValue{copy.reads.add(std::move(read))}, operand.dtype});
  copy.result = copy.exprs.add({Accumulated{}, element});
  copy.schedule.automatic = true;

  const std::int64_t granule = copy_row_bytes / static_cast<std::int64_t>(size_of(element));
  made.strides.assign(axes.size(), 1);
  made.elements = ceil_div(extent_symbol(operand.name, contiguous), granule) * granule;
  if (pieces > 1) {
    copy.output_index.push_back(copy.iterators.add({free_name(copy, "piece"), IteratorRole::output, IntExpr(pieces)}));
    made.facts.size_buckets.push_back(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(pieces))));
    made.strides.push_back(made.elements);
    made.elements = made.elements * pieces;
  }
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    if (axis == contiguous) continue;
    made.strides[axis] = made.elements;
    made.elements = made.elements * extent_symbol(operand.name, axis);
  }
  for (IterId iter : copy.output_index) copy.loops.push_back(Loop{copy.iterators[iter].name, iter});
  made.facts.operands.push_back(facts.operands[tensor.index]);
  made.facts.output = facts_of_copy(facts.operands[tensor.index], made.facts.size_buckets, contiguous, pieces > 1);
  return made;
}

void replace_by_copy(Nest& nest, Facts& facts, TensorId tensor, const OperandCopy& copy) {
  const std::string& name = copy.nest.name;
  const std::string before =
      std::exchange(nest.tensors[tensor], {name, copy.nest.output, static_cast<int>(copy.nest.output_index.size())})
          .name;
  facts.operands[tensor.index] = copy.facts.output;
  const auto renamed = [&](const IntExpr& expr) {
    return substitute(expr, [&](std::string_view text) -> std::optional<IntExpr> {
      const auto symbol = parse_tensor_symbol(text);
      if (!symbol || symbol->tensor != before) return std::nullopt;
      return symbol->stride ? stride_symbol(name, symbol->axis) : extent_symbol(name, symbol->axis);
    });
  };
  for (Iterator& iter : nest.iterators) iter.extent = renamed(iter.extent);
  for (Expr& expr : nest.exprs)
    if (auto* extent = std::get_if<ExtentValue>(&expr.node)) extent->value = renamed(extent->value);
}

}  // namespace tilewright::nest
