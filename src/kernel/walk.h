// The traversals of the kernel IR: `walk` visits, `rewrite` rebuilds. Passes are written as lambdas over these.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernel/builder.h"
#include "kernel/ir.h"

namespace tilewright::kernel {

/// Calls `visit(op)` for every op, an op before those of its regions.
template <class Visit>
void walk(const Region& region, Visit&& visit) {
  for (const Op& op : region.ops) {
    visit(op);
    for (const Region& inner : op.regions) walk(inner, visit);
  }
}
template <class Visit>
void walk(Region& region, Visit&& visit) {
  for (Op& op : region.ops) {
    visit(op);
    for (Region& inner : op.regions) walk(inner, visit);
  }
}

/// What stands for an op's results, or nothing to have the op itself.
using Replacement = std::optional<std::vector<ValueId>>;
/// Is given each op but for, if and yield, its operands already those of the new kernel; it may build ops and say what
/// replaces the op's results. `result` is the op's result type (of an op without results: not meaningful).
using Replace = std::function<Replacement(Builder& builder, const Op& op, Type result)>;

/// Builds the kernel again, op by op, through a Builder, which also folds and shares what it can. Names are kept.
/// Requires a kernel that verifies.
Kernel rewrite(const Kernel& kernel, const Replace& replace);

}  // namespace tilewright::kernel
