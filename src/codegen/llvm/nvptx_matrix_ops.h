// The matrix ops of a warp and of a warpgroup as PTX: ldmatrix, stmatrix, mma, wgmma. Part of nvptx_ops.cpp.
#pragma once

#include <optional>
#include <vector>

#include "codegen/llvm/target_rules.h"

namespace tilewright::codegen {

/// The results of an op of this group; nothing for any other op.
std::optional<std::vector<llvm::Value*>> emit_nvptx_matrix_op(llvm::IRBuilderBase& build, const kernel::Kernel& kernel,
                                                              const kernel::Op& op,
                                                              llvm::ArrayRef<llvm::Value*> operands);

}  // namespace tilewright::codegen
