// Marks the values and ops that matter, then sweeps the rest. Values are marked against the flow, region by region from
// the end; a loop is marked again until what it carries settles.
#include "kernel/passes/remove_dead_ops.h"

#include <algorithm>

#include "kernel/walk.h"

namespace tilewright::kernel {

namespace {

/// Of the ops without regions: seen from outside of the kernel, or by a later op that does not take its result.
bool has_effect(const Op& op) {
  return info(op.code).effect == OpEffect::writes && op.code != Opcode::local && op.code != Opcode::shared;
}

bool contains_effect(const Op& op) {
  bool found = has_effect(op);
  for (const Region& region : op.regions) walk(region, [&](const Op& inner) { found |= has_effect(inner); });
  return found;
}

class DeadOps {
 public:
  explicit DeadOps(Kernel& kernel) : live_(kernel.values.size()) {
    mark(kernel.body);
    sweep(kernel.body);
  }

 private:
  bool is_live(ValueId value) const { return live_[value.index]; }
  bool any_live(const std::vector<ValueId>& values) const {
    return std::ranges::any_of(values, [&](ValueId value) { return is_live(value); });
  }
  bool is_live(const Op& op) const { return any_live(op.results) || contains_effect(op); }
  void mark(ValueId value) { live_[value.index] = true; }

  /// What the region's yield passes on is marked by its op, before this.
  void mark(const Region& region) {
    for (auto op = region.ops.rbegin(); op != region.ops.rend(); ++op) {
      if (op->code == Opcode::yield || !is_live(*op)) continue;
      if (op->code == Opcode::for_loop)
        mark_loop(*op);
      else if (op->code == Opcode::if_then)
        mark_branch(*op);
      else
        for (ValueId operand : op->operands) mark(operand);
    }
  }

  void mark_loop(const Op& op) {
    const Region& body = op.regions[0];
    const std::vector<ValueId>& yielded = body.ops.back().operands;
    for (std::size_t i = 0; i < 3; ++i) mark(op.operands[i]);
    // A carried value is live if its result is, or if the body reads it; what it is next is live then, and may make
    // others live.
    std::size_t settled = 0;
    std::size_t live = 0;
    do {
      settled = live;
      for (std::size_t i = 0; i < yielded.size(); ++i)
        if (is_carried_live(op, i)) mark(yielded[i]);
      mark(body);
      live = 0;
      for (std::size_t i = 0; i < yielded.size(); ++i) live += is_carried_live(op, i) ? 1 : 0;
    } while (live != settled);
    for (std::size_t i = 0; i < yielded.size(); ++i)
      if (is_carried_live(op, i)) mark(op.operands[i + 3]);
  }

  bool is_carried_live(const Op& op, std::size_t i) const {
    return is_live(op.results[i]) || is_live(op.regions[0].arguments[i + 1]);
  }

  void mark_branch(const Op& op) {
    mark(op.operands[0]);
    for (const Region& region : op.regions) {
      const std::vector<ValueId>& yielded = region.ops.back().operands;
      for (std::size_t i = 0; i < yielded.size(); ++i)
        if (is_live(op.results[i])) mark(yielded[i]);
      mark(region);
    }
  }

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

  std::vector<bool> live_;  ///< by value
};

}  // namespace

void remove_dead_ops(Kernel& kernel) {
  DeadOps{kernel};
}

}  // namespace tilewright::kernel
