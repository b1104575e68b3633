// What a statement must do whatever its schedule: floating-point operations and bytes of its operands and result.
#pragma once

#include <cstdint>
#include <vector>

#include "nest/ir.h"
#include "support/tensor_view.h"

namespace tilewright::report {

struct Cost {
  double flops = 0;       ///< arithmetic operations and functions of a float type, and a reduction's additions
  double bytes_read = 0;  ///< each operand once; axes of stride 0 hold one element
  double bytes_written = 0;
  double bytes() const { return bytes_read + bytes_written; }
};

/// `operands` by TensorId.
Cost cost_of(const nest::Nest& nest, const std::vector<TensorView>& operands, const TensorView& output);

}  // namespace tilewright::report
