// The ops of a GPU thread as LLVM's intrinsics, and as PTX where it has none (PTX ISA, the chapter 'Instruction Set').
#pragma once

#include <vector>

#include "codegen/llvm/target_rules.h"
#include "support/target.h"

namespace tilewright::codegen {

/// The results of an op of the rule `gpu` but `shared`. Requires that the target has it.
std::vector<llvm::Value*> emit_nvptx_op(llvm::IRBuilderBase& build, const GpuTarget& target,
                                        const kernel::Kernel& kernel, const kernel::Op& op,
                                        llvm::ArrayRef<llvm::Value*> operands);

}  // namespace tilewright::codegen
