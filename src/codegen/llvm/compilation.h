// Kernel → LLVM module → text or object, for any target: what machine_code.cpp (the host) and nvptx.cpp (NVIDIA GPUs)
// share. No failure of LLVM leaves it but as a value.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include <functional>
#include <memory>
#include <string>

#include "codegen/llvm/target_rules.h"
#include "kernel/ir.h"
#include "support/diagnostic.h"

namespace tilewright::codegen {

enum class CodeForm : std::uint8_t { llvm, assembly, object };

using MakeMachine = std::function<Result<std::unique_ptr<llvm::TargetMachine>>()>;

/// A kernel that emit_kernel takes, as `form`: text, or the object's bytes. Errors: emit_kernel's, `make_machine`'s,
/// and G003 for what LLVM reports.
Result<std::string> compile(const kernel::Kernel& kernel, const TargetRules& rules, const MakeMachine& make_machine,
                            CodeForm form);

}  // namespace tilewright::codegen
