// Merging of nests. The value that is handed over keeps the cast to the type it was stored in, which is part of the
// producer's `result`. See merge_nests.h.
#include "nest/merge_nests.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "nest/access.h"
#include "nest/walk.h"
#include "support/tensor_symbol.h"

namespace tilewright::nest {
namespace {

/// By IterId of a nest: what its iterators are in the merged one.
using IterMap = std::vector<Affine>;
/// What stands for a leaf: a read of the value that is handed over, or the accumulator.
using ReplaceLeaf = std::function<std::optional<ExprId>(const Expr&)>;

class Merger {
 public:
  Merger(const Nest& producer, const Nest& consumer) : producer_(producer), consumer_(consumer) {}

  Merged epilogue() {
    if (consumer_.reduction) return std::unexpected(fmt::format("is read by {}, which reduces too", consumer_.name));
    const std::vector<ReadId> reads = handed_over();
    if (reads.size() != 1 || !is_own_point(consumer_.reads[reads.front()]))
      return std::unexpected(fmt::format("is read by {} at other points than its own", consumer_.name));
    merged_ = producer_;
    merged_.name = consumer_.name;
    merged_.output = consumer_.output;
    add_tensors(consumer_);
    IterMap iters(consumer_.iterators.size());
    for (std::size_t axis = 0; axis < consumer_.output_index.size(); ++axis)
      iters[consumer_.output_index[axis].index] = {{{producer_.output_index[axis], 1}}, 0};
    const ExprId stored = producer_.result;
    const auto replace = [&](const Expr& expr) { return is_handed_over(expr) ? std::optional(stored) : std::nullopt; };
    const ExprId value = copy(consumer_, consumer_.value, iters, replace);
    merged_.result = copy(consumer_, consumer_.result, iters, [&](const Expr& expr) {
      return std::holds_alternative<Accumulated>(expr.node) ? std::optional(value) : replace(expr);
    });
    return finished();
  }

  Merged prologue() {
    if (producer_.reduction) return std::unexpected("reduces");
    for (ReadId read : handed_over())
      if (consumer_.reads[read].otherwise)
        return std::unexpected(fmt::format("is read by {} with 'else'", consumer_.name));
    merged_.name = consumer_.name;
    merged_.output = consumer_.output;
    merged_.output_index = consumer_.output_index;
    merged_.reduction = consumer_.reduction;
    merged_.accumulate = consumer_.accumulate;
    merged_.identity = consumer_.identity;
    merged_.precision = consumer_.precision;
    merged_.loops = consumer_.loops;
    for (Iterator iterator : consumer_.iterators) {
      iterator.extent = without_handed_over(iterator.extent);
      merged_.iterators.add(std::move(iterator));
    }
    add_tensors(consumer_);
    add_tensors(producer_);
    IterMap iters(consumer_.iterators.size());
    for (std::uint32_t i = 0; i < iters.size(); ++i) iters[i] = {{{IterId{i}, 1}}, 0};
    const auto replace = [&](const Expr& expr) {
      return is_handed_over(expr) ? std::optional(computed(std::get<ReadValue>(expr.node).read)) : std::nullopt;
    };
    merged_.value = copy(consumer_, consumer_.value, iters, replace);
    accumulated_ = merged_.exprs.add({Accumulated{}, consumer_.accumulate});
    merged_.result = copy(consumer_, consumer_.result, iters, [&](const Expr& expr) {
      return std::holds_alternative<Accumulated>(expr.node) ? std::optional(accumulated_) : replace(expr);
    });
    return finished();
  }

 private:
  bool is_handed_over(const Expr& expr) const {
    const auto* value = std::get_if<ReadValue>(&expr.node);
    return value != nullptr && consumer_.tensors[consumer_.reads[value->read].tensor].name == producer_.name;
  }

  std::vector<ReadId> handed_over() const {
    std::vector<ReadId> reads;
    for (std::uint32_t r = 0; r < consumer_.reads.size(); ++r)
      if (consumer_.tensors[consumer_.reads[ReadId{r}].tensor].name == producer_.name) reads.push_back(ReadId{r});
    return reads;
  }

  /// At the consumer's output iterators, in the order of its output.
  bool is_own_point(const Read& read) const {
    if (read.otherwise || read.index.size() != consumer_.output_index.size()) return false;
    for (std::size_t axis = 0; axis < read.index.size(); ++axis)
      if (read.index[axis] != Affine{{{consumer_.output_index[axis], 1}}, 0}) return false;
    return true;
  }

  /// The producer's value at a read of the consumer's; once for all uses of the read.
  ExprId computed(ReadId read) {
    const auto [known, is_new] = computed_.try_emplace(read);
    if (!is_new) return known->second;
    IterMap iters(producer_.iterators.size());
    for (std::size_t axis = 0; axis < producer_.output_index.size(); ++axis)
      iters[producer_.output_index[axis].index] = consumer_.reads[read].index[axis];
    const auto nothing = [](const Expr&) { return std::optional<ExprId>(); };
    const ExprId value = copy(producer_, producer_.value, iters, nothing);
    return known->second = copy(producer_, producer_.result, iters, [&](const Expr& expr) {
             return std::holds_alternative<Accumulated>(expr.node) ? std::optional(value) : std::nullopt;
           });
  }

  void add_tensors(const Nest& nest) {
    for (const Tensor& tensor : nest.tensors)
      if (tensor.name != producer_.name) (void)tensor_of(tensor);
  }

  TensorId tensor_of(const Tensor& tensor) {
    for (std::uint32_t t = 0; t < merged_.tensors.size(); ++t)
      if (merged_.tensors[TensorId{t}].name == tensor.name) return TensorId{t};
    return merged_.tensors.add(tensor);
  }

  ReadId read_of(Read read) {
    for (std::uint32_t r = 0; r < merged_.reads.size(); ++r)
      if (is_same_read(merged_.reads[ReadId{r}], read)) return ReadId{r};
    return merged_.reads.add(std::move(read));
  }

  /// The expression under `root`, with what stands for its leaves.
  ExprId copy(const Nest& from, ExprId root, const IterMap& iters, const ReplaceLeaf& replace) {
    return nest::copy(from.exprs, root, merged_.exprs, [&](const Expr& expr) {
      const std::optional<ExprId> replaced = replace(expr);
      return replaced ? *replaced : copy_leaf(from, expr, iters);
    });
  }

  ExprId copy_leaf(const Nest& from, const Expr& expr, const IterMap& iters) {
    if (const auto* value = std::get_if<IterValue>(&expr.node)) return value_of(iters[value->iter.index]);
    Expr own = expr;
    if (auto* value = std::get_if<ReadValue>(&own.node)) {
      Read read = from.reads[value->read];
      read.tensor = tensor_of(from.tensors[read.tensor]);
      for (Affine& slot : read.index) slot = composed(slot, iters);
      value->read = read_of(std::move(read));
    }
    if (auto* extent = std::get_if<ExtentValue>(&own.node)) extent->value = without_handed_over(extent->value);
    if (std::holds_alternative<Accumulated>(own.node)) internal_error("merge_nests: an accumulator without a value");
    return merged_.exprs.add(std::move(own));
  }

  /// Σ coefficient · what stands for the iterator. Past 63 bits the nests stay apart.
  Affine composed(const Affine& slot, const IterMap& iters) {
    Affine result{{}, slot.constant};
    const auto add_product = [&](std::int64_t& sum, std::int64_t a, std::int64_t b) {
      std::int64_t product = 0;
      overflows_ = overflows_ || __builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum);
    };
    for (const Affine::Term& term : slot.terms) {
      const Affine& stands = iters[term.iter.index];
      add_product(result.constant, term.coefficient, stands.constant);
      for (const Affine::Term& inner : stands.terms) {
        auto found = std::ranges::find(result.terms, inner.iter, &Affine::Term::iter);
        if (found == result.terms.end()) found = result.terms.insert(found, {inner.iter, 0});
        add_product(found->coefficient, term.coefficient, inner.coefficient);
      }
    }
    std::erase_if(result.terms, [](const Affine::Term& term) { return term.coefficient == 0; });
    return result;
  }

  /// An affine index as an i64 value.
  ExprId value_of(const Affine& index) {
    const auto apply = [&](ScalarOp op, ExprId a, ExprId b) {
      return merged_.exprs.add({ApplyExpr{op, {a, b}}, DType::i64});
    };
    const auto number = [&](std::int64_t value) {
      return merged_.exprs.add({Constant{Scalar::of(value)}, DType::i64});
    };
    std::optional<ExprId> sum;
    for (const Affine::Term& term : index.terms) {
      ExprId value = merged_.exprs.add({IterValue{term.iter}, DType::i64});
      if (term.coefficient != 1) value = apply(ScalarOp::mul, value, number(term.coefficient));
      sum = sum ? apply(ScalarOp::add, *sum, value) : value;
    }
    if (!sum) return number(index.constant);
    return index.constant == 0 ? *sum : apply(ScalarOp::add, *sum, number(index.constant));
  }

  /// The extents of the value that is handed over are those of the producer's iterators.
  IntExpr without_handed_over(const IntExpr& extent) const {
    return substitute(extent, [&](std::string_view name) -> std::optional<IntExpr> {
      const auto symbol = parse_tensor_symbol(name);
      if (!symbol || symbol->tensor != producer_.name) return std::nullopt;
      return producer_.iterators[producer_.output_index[symbol->axis]].extent;
    });
  }

  Merged finished() {
    if (overflows_)
      return std::unexpected(fmt::format("is read by {} at indices whose composition leaves 64 bits", consumer_.name));
    for (const Iterator& iterator : merged_.iterators)
      if (iterator.name == merged_.name || has_tensor(merged_, iterator.name))
        return std::unexpected(
            fmt::format("has an iterator {}, which is a tensor's name in {}", iterator.name, consumer_.name));
    return std::move(merged_);
  }

  const Nest& producer_;
  const Nest& consumer_;
  Nest merged_;
  ExprId accumulated_;
  std::map<ReadId, ExprId> computed_;
  bool overflows_ = false;
};

}  // namespace

Merged merge_epilogue(const Nest& producer, const Nest& consumer) {
  return Merger(producer, consumer).epilogue();
}

Merged merge_prologue(const Nest& producer, const Nest& consumer) {
  return Merger(producer, consumer).prologue();
}

std::int64_t expression_size(const Nest& nest) {
  constexpr std::int64_t most = std::int64_t{1} << 62U;
  std::vector<std::int64_t> sizes(nest.exprs.size(), 1);
  for (std::uint32_t index = 0; index < sizes.size(); ++index)
    for_each_operand(nest.exprs[ExprId{index}],
                     [&](ExprId operand) { sizes[index] = std::min(most, sizes[index] + sizes[operand.index]); });
  return std::min(most, sizes[nest.value.index] + sizes[nest.result.index]);
}

}  // namespace tilewright::nest
