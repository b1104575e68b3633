// Neighbouring axes that lie one after the other in every tensor become one axis.
//
// Before                                      After, where all rows are contiguous
//   o[i, j] = a[i, j] + b[i, j]                 o[i] = a[i] + b[i]      (i of extent a.0, the product)
//   s[] sum a[i, j]                             s[] sum a[i]
//
// Two iterators p, q of one role merge when each access that holds one holds both, each alone in its slot, and in each
// of these tensors stride(p) = extent(q) · stride(q), or one of the two extents is 1. The tensors lose an axis, and
// the caller's views with them.
//
// Requires: no schedule but `auto` (a schedule names iterators). Ensures: verify(nest); the same values at the same
// addresses. It stands before gather_facts, because fewer and longer axes are what schedulers decide on.
#pragma once

#include <vector>

#include "nest/ir.h"
#include "support/tensor_view.h"

namespace tilewright::nest {

/// By axis of a view: the axes of the caller's tensor that it stands for, outer ones first. Empty: each for its own.
using AxisGroups = std::vector<std::vector<std::size_t>>;

/// Views of a nest's tensors: by TensorId, and the output.
struct NestViews {
  std::vector<TensorView> operands;
  TensorView output;
  std::vector<AxisGroups> operand_axes = {};  ///< empty: no tensor's axes have merged
  AxisGroups output_axes = {};
};

/// Rewrites the nest and the views; how many pairs were merged.
int coalesce_iterators(Nest& nest, NestViews& views);

}  // namespace tilewright::nest
