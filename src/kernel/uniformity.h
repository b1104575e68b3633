// Which threads of a block agree on a value of a GPU kernel, and which come to an op together.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/ir.h"

namespace tilewright::kernel {

/// The group within which all threads have one value, or take one way: all of the block, those of each warp, none.
enum class Agreement : std::uint8_t { block, warp, thread };

/// Follows the thread's indices through the flow of values: an op's result is as its operands are, a loop's or
/// branch's as its bounds or condition and what it yields. What is read at one address is one value (threads that race
/// for it break another rule); what an atomic gives, or a local holds, is each thread's own. Requires operands and
/// types to be in order.
class Uniformity {
 public:
  explicit Uniformity(const Kernel& kernel);

  Agreement of(ValueId value) const { return levels_[value.index]; }
  /// Of the ways into the op's regions: a loop's bounds, a branch's condition.
  Agreement into(const Op& op) const;

  /// The least agreement of the ways to a collective op at which it is legal: all of the block at a barrier of all its
  /// threads or of the cluster, those of a warp for what a warp does together; `thread` for any other op.
  static Agreement required(const Op& op);

 private:
  bool raise(ValueId value, Agreement level);
  bool follow(const Op& op);
  Agreement of_operands(const Op& op) const;
  Agreement of_result(const Op& op) const;

  std::vector<Agreement> levels_;  ///< by value
};

}  // namespace tilewright::kernel
