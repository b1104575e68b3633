// The rules of single GPU ops: operand and result types, and attributes' ranges. Part of verify.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/ir.h"

namespace tilewright::kernel {

struct GpuViolation {
  std::string_view code;  ///< K011, K013, K014 (verify.cpp lists them)
  std::string what;       ///< empty for K013, whose message shows the types
  std::string remedy;
};

/// What is wrong with an op of the rule `gpu` in a GPU kernel. Requires operands and results to exist, and as many as
/// its row says, and an attribute of the row's kind.
std::vector<GpuViolation> check_gpu_op(const Kernel& kernel, const Op& op);

/// Which operand of a tensor_load or tensor_store is the map; nothing for other ops.
std::optional<std::size_t> tensor_map_operand(Opcode code);

/// What is wrong with the kernel's block; "" if nothing.
std::string check_block(const ThreadBlock& block);

}  // namespace tilewright::kernel
