// Which parameters each pointer of a kernel may come from.
#pragma once

#include <functional>
#include <vector>

#include "kernel/ir.h"

namespace tilewright::kernel {

/// Follows pointers through offset, select, loops and branches. Requires operands and types to be in order.
class PointerRoots {
 public:
  explicit PointerRoots(const Kernel& kernel);

  /// Indices into Kernel::parameters, ascending; empty for a pointer to a local or to shared memory.
  std::vector<std::size_t> of(ValueId pointer) const;
  /// Whether it may come from a `local`.
  bool may_be_local(ValueId pointer) const;
  /// Each store, scatter, atomic and bulk_store with each parameter whose bytes it may write.
  void for_each_written(const std::function<void(const Op&, const Parameter&)>& visit) const;

 private:
  bool merge(ValueId into, ValueId from);
  bool follow(const Op& op);

  const Kernel& kernel_;
  std::vector<std::vector<bool>> roots_;  ///< by value, by parameter; the last one stands for all locals
};

}  // namespace tilewright::kernel
