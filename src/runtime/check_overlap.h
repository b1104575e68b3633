// Whether a call may write its outputs where they are: kernels read inputs and write outputs in any order and from many
// threads, so an output that shares bytes with another operand, or elements with itself, has no defined result.
#pragma once

#include <span>
#include <string_view>

#include "support/diagnostic.h"
#include "support/tensor_view.h"

namespace tilewright {

/// An operand of a call under the name that messages use.
struct NamedView {
  std::string_view name;
  const TensorView* view = nullptr;
};

/// Checks before a launch. Every conflict is reported:
/// R060: an output's byte range meets an input's. R061: it meets another output's. R062: two indices of an output are
/// one element (a stride of 0, or strides that fold onto each other). R063: an operand leaves the address space.
/// Inputs may overlap each other and themselves.
Result<void> check_overlap(std::span<const NamedView> outputs, std::span<const NamedView> inputs);

/// True where two indices may be the same element. Exact unless the search for a pair of indices becomes long (strides
/// that no ordinary slicing makes), when it says true.
bool overlaps_itself(const TensorView& view);

}  // namespace tilewright
