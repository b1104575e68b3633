// Marks what effects and live values depend on, each value once, then sweeps the rest. A value that a loop carries is
// live with its result or with its argument in the body, whichever is found first.
#include "kernel/passes/remove_dead_ops.h"

#include <algorithm>
#include <unordered_set>

namespace tilewright::kernel {

namespace {

/// Of the ops without regions: seen from outside of the kernel, or by a later op that does not take its result.
bool has_effect(const Op& op) {
  return info(op.code).effect == OpEffect::writes && op.code != Opcode::local && op.code != Opcode::shared;
}

class DeadOps {
 public:
  explicit DeadOps(Kernel& kernel) : live_(kernel.values.size()), definitions_(kernel.values.size()) {
    std::vector<const Op*> around;
    find_roots(kernel.body, around);
    while (!pending_.empty()) {
      const ValueId value = pending_.back();
      pending_.pop_back();
      propagate(definitions_[value.index]);
    }
    sweep(kernel.body);
  }

 private:
  /// Where a value comes from: a result of an op, or what a loop carries as its argument. No op: a parameter of the
  /// kernel, or a loop's counter.
  struct Definition {
    const Op* op = nullptr;
    std::size_t index = 0;
  };

  bool is_live(ValueId value) const { return live_[value.index]; }
  bool is_live(const Op& op) const {
    return kept_.contains(&op) || std::ranges::any_of(op.results, [&](ValueId value) { return is_live(value); });
  }

  /// Notes definitions, and keeps the ops that have effects and those around them.
  void find_roots(const Region& region, std::vector<const Op*>& around) {
    for (const Op& op : region.ops) {
      for (std::size_t i = 0; i < op.results.size(); ++i) definitions_[op.results[i].index] = {&op, i};
      if (has_effect(op)) {
        keep(op);
        for (auto outer = around.rbegin(); outer != around.rend() && keep(**outer);) ++outer;
      }
      around.push_back(&op);
      for (const Region& inner : op.regions) {
        for (std::size_t i = 1; i < inner.arguments.size(); ++i) definitions_[inner.arguments[i].index] = {&op, i - 1};
        find_roots(inner, around);
      }
      around.pop_back();
    }
  }

  /// False where it was kept before.
  bool keep(const Op& op) {
    if (!kept_.insert(&op).second) return false;
    mark_operands(op);
    return true;
  }

  void mark(ValueId value) {
    if (is_live(value)) return;
    live_[value.index] = true;
    pending_.push_back(value);
  }

  /// What an op itself reads: a loop its range, a branch its condition.
  void mark_operands(const Op& op) {
    const std::size_t own = op.code == Opcode::for_loop ? 3 : op.code == Opcode::if_then ? 1 : op.operands.size();
    for (std::size_t i = 0; i < own; ++i) mark(op.operands[i]);
  }

  void propagate(const Definition& definition) {
    if (definition.op == nullptr) return;
    const Op& op = *definition.op;
    mark_operands(op);
    for (const Region& region : op.regions) mark(region.ops.back().operands[definition.index]);
    if (op.code == Opcode::for_loop) mark(op.operands[definition.index + 3]);
  }

  bool is_carried_live(const Op& op, std::size_t i) const {
    return is_live(op.results[i]) || is_live(op.regions[0].arguments[i + 1]);
  }

  /// Ops of inner regions stay where they are while those around them move.
  void sweep(Region& region) {
    std::erase_if(region.ops, [&](const Op& op) { return op.code != Opcode::yield && !is_live(op); });
    for (Op& op : region.ops) {
      if (op.regions.empty()) continue;
      drop_results(op);
      for (Region& inner : op.regions) sweep(inner);
    }
  }

  /// The dead results of a loop or branch, with what is carried and yielded for them.
  void drop_results(Op& op) {
    const bool loop = op.code == Opcode::for_loop;
    for (std::size_t i = op.results.size(); i-- > 0;) {
      if (loop ? is_carried_live(op, i) : is_live(op.results[i])) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      op.results.erase(op.results.begin() + at);
      for (Region& region : op.regions) {
        std::vector<ValueId>& yielded = region.ops.back().operands;
        yielded.erase(yielded.begin() + at);
      }
      if (!loop) continue;
      op.operands.erase(op.operands.begin() + 3 + at);
      op.regions[0].arguments.erase(op.regions[0].arguments.begin() + 1 + at);
    }
  }

  std::vector<bool> live_;               ///< by value
  std::vector<Definition> definitions_;  ///< by value
  std::vector<ValueId> pending_;         ///< live, and not propagated yet
  std::unordered_set<const Op*> kept_;   ///< with effects, of their own or inside
};

}  // namespace

void remove_dead_ops(Kernel& kernel) {
  DeadOps{kernel};
}

}  // namespace tilewright::kernel
