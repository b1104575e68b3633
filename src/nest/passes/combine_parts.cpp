// Builds the nest that folds the parts of a split reduction and applies the epilogue.
#include "nest/passes/combine_parts.h"

namespace tilewright::nest {

Nest combine_parts(const Nest& nest) {
  // The output iterators, operands and result expressions stay; the summand becomes one read of the parts.
  Nest combined = nest;
  combined.schedule = {};
  combined.schedule.automatic = true;
  const std::string partial = nest.name + ".partial";
  const int rank = static_cast<int>(nest.output_index.size()) + 1;
  const TensorId tensor = combined.tensors.add({partial, nest.accumulate, rank});

  combined.iterators = {};
  std::vector<IterId> renamed(nest.iterators.size());
  for (std::size_t i = 0; i < nest.iterators.size(); ++i) {
    const Iterator& iter = nest.iterators[IterId{static_cast<std::uint32_t>(i)}];
    if (iter.role == IteratorRole::output) renamed[i] = combined.iterators.add(iter);
  }
  std::string part_name = "part";
  const auto taken = [&] {
    for (const Iterator& iter : combined.iterators)
      if (iter.name == part_name) return true;
    return false;
  };
  while (taken()) part_name += "_";
  const IterId part = combined.iterators.add({part_name, IteratorRole::reduction, IntExpr::symbol(partial + ".0")});
  for (IterId& iter : combined.output_index) iter = renamed[iter.index];

  // Reads of the summand go; those of the epilogue keep their place with iterators renamed.
  for (Read& read : combined.reads)
    for (Affine& slot : read.index)
      for (Affine::Term& term : slot.terms) term.iter = renamed[term.iter.index];
  for (Expr& expr : combined.exprs)
    if (auto* value = std::get_if<IterValue>(&expr.node)) value->iter = renamed[value->iter.index];
  Read parts{tensor, {Affine{{{part, 1}}, 0}}, std::nullopt};
  for (IterId iter : combined.output_index) parts.index.push_back(Affine{{{iter, 1}}, 0});
  const ReadId read = combined.reads.add(std::move(parts));
  combined.value = combined.exprs.add({ReadValue{read}, nest.accumulate});

  combined.loops.clear();
  for (std::size_t i = 0; i < combined.iterators.size(); ++i) {
    const IterId iter{static_cast<std::uint32_t>(i)};
    combined.loops.push_back(Loop{combined.iterators[iter].name, iter});
  }
  return combined;
}

}  // namespace tilewright::nest
