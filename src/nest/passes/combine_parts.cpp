// Builds the nest that folds the parts of a split reduction and applies the epilogue.
#include "nest/passes/combine_parts.h"

#include <map>

#include "nest/access.h"
#include "nest/walk.h"
#include "support/tensor_symbol.h"

namespace tilewright::nest {
namespace {

/// Copies what the epilogue needs into the new nest: output iterators, and the expressions, reads and tensors below
/// `result`.
class Combining {
 public:
  explicit Combining(const Nest& nest) : from_(nest) {}

  Nest run() {
    to_.name = from_.name;
    to_.output = from_.output;
    to_.reduction = from_.reduction;
    to_.accumulate = from_.accumulate;
    to_.identity = from_.identity;
    to_.precision = from_.precision;
    to_.schedule.automatic = true;
    const std::string partial = from_.name + ".partial";
    for (IterId iter : from_.output_index) {
      to_.output_index.push_back(copy_iterator(iter));
      // What its extent is an expression of may not be read any more; the parts have it too.
      to_.iterators[to_.output_index.back()].extent = extent_symbol(partial, to_.output_index.size());
    }
    const int rank = static_cast<int>(from_.output_index.size()) + 1;
    const TensorId tensor = to_.tensors.add({partial, from_.accumulate, rank});
    const IterId part =
        to_.iterators.add({free_name(from_, "part"), IteratorRole::reduction, extent_symbol(partial, 0)});
    Read parts{tensor, {Affine{{{part, 1}}, 0}}, std::nullopt};
    for (IterId iter : to_.output_index) parts.index.push_back(Affine{{{iter, 1}}, 0});
    to_.value = to_.exprs.add({ReadValue{to_.reads.add(std::move(parts))}, from_.accumulate});
    to_.result = copy(from_.exprs, from_.result, to_.exprs, [&](const Expr& leaf) { return copy_leaf(leaf); });
    for (std::size_t i = 0; i < to_.iterators.size(); ++i) {
      const IterId iter{static_cast<std::uint32_t>(i)};
      to_.loops.push_back(Loop{to_.iterators[iter].name, iter});
    }
    return std::move(to_);
  }

 private:
  IterId copy_iterator(IterId iter) {
    const auto [entry, is_new] = iterators_.try_emplace(iter);
    if (is_new) entry->second = to_.iterators.add(from_.iterators[iter]);
    return entry->second;
  }

  TensorId copy_tensor(TensorId tensor) {
    const auto [entry, is_new] = tensors_.try_emplace(tensor);
    if (is_new) entry->second = to_.tensors.add(from_.tensors[tensor]);
    return entry->second;
  }

  /// The tensors whose extents an expression holds.
  void copy_tensors_of(const IntExpr& expr) {
    for (const std::string& name : symbols(expr))
      for (std::uint32_t t = 0; t < from_.tensors.size(); ++t)
        if (const auto symbol = parse_tensor_symbol(name); symbol && symbol->tensor == from_.tensors[TensorId{t}].name)
          copy_tensor(TensorId{t});
  }

  ReadId copy_read(ReadId id) {
    Read read = from_.reads[id];
    read.tensor = copy_tensor(read.tensor);
    for (Affine& slot : read.index)
      for (Affine::Term& term : slot.terms) term.iter = copy_iterator(term.iter);
    return to_.reads.add(std::move(read));
  }

  ExprId copy_leaf(Expr leaf) {
    if (auto* extent = std::get_if<ExtentValue>(&leaf.node)) copy_tensors_of(extent->value);
    if (auto* value = std::get_if<ReadValue>(&leaf.node)) value->read = copy_read(value->read);
    if (auto* value = std::get_if<IterValue>(&leaf.node)) value->iter = copy_iterator(value->iter);
    return to_.exprs.add(std::move(leaf));
  }

  const Nest& from_;
  Nest to_;
  std::map<IterId, IterId> iterators_;
  std::map<TensorId, TensorId> tensors_;
};

}  // namespace

Nest combine_parts(const Nest& nest) {
  return Combining(nest).run();
}

}  // namespace tilewright::nest
