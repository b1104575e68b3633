// mbarriers, the copy engine, clusters and roles as PTX. Part of nvptx_ops.cpp.
#pragma once

#include <optional>
#include <vector>

#include "codegen/llvm/target_rules.h"
#include "support/target.h"

namespace tilewright::codegen {

/// The results of an op of this group; nothing for any other op.
std::optional<std::vector<llvm::Value*>> emit_nvptx_async_op(llvm::IRBuilderBase& build, const GpuTarget& target,
                                                             const kernel::Kernel& kernel, const kernel::Op& op,
                                                             llvm::ArrayRef<llvm::Value*> operands);

}  // namespace tilewright::codegen
