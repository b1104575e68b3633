// Loop-invariant code motion, innermost loops first: what leaves an inner loop may then leave the loop around it.
#include "kernel/passes/hoist_invariants.h"

#include <algorithm>

#include "kernel/walk.h"

namespace tilewright::kernel {

namespace {

class Hoisting {
 public:
  explicit Hoisting(Kernel& kernel) : constant_(kernel.values.size()), varies_(kernel.values.size()) {
    walk(kernel.body, [&](const Op& op) {
      if (op.code == Opcode::constant) constant_[op.results[0].index] = true;
    });
    region(kernel.body);
  }

 private:
  void region(Region& region) {
    std::vector<Op> ops;
    for (Op& op : region.ops) {
      for (Region& inner : op.regions) this->region(inner);
      if (op.code == Opcode::for_loop) move_out(op.regions[0], ops);
      ops.push_back(std::move(op));
    }
    region.ops = std::move(ops);
  }

  /// Moves the loop's invariant ops to the end of `outside`, in their order.
  void move_out(Region& loop, std::vector<Op>& outside) {
    for (ValueId argument : loop.arguments) varies_[argument.index] = true;
    std::vector<Op> staying;
    for (Op& op : loop.ops) {
      if (is_invariant(op)) {
        outside.push_back(std::move(op));
        continue;
      }
      for (ValueId result : op.results) varies_[result.index] = true;
      staying.push_back(std::move(op));
    }
    loop.ops = std::move(staying);
  }

  /// Values from outside of the loop do not vary in it: an inner loop's values are not visible, and those of the loop
  /// itself are marked when they are reached.
  bool is_invariant(const Op& op) const {
    if (info(op.code).effect != OpEffect::pure) return false;
    if (op.code == Opcode::offset && constant_[op.operands[1].index]) return false;
    return std::ranges::none_of(op.operands, [&](ValueId value) { return varies_[value.index]; });
  }

  std::vector<bool> constant_;  ///< by value
  std::vector<bool> varies_;    ///< by value: defined in a loop that has been looked at, and not moved out of it
};

}  // namespace

void hoist_invariants(Kernel& kernel) {
  Hoisting{kernel};
}

}  // namespace tilewright::kernel
