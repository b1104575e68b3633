// An LLVM module → assembly or an object, by LLVM's code generator for a host target.
#pragma once

#include <memory>
#include <string>

#include "codegen/llvm/host_jit.h"
#include "kernel/ir.h"
#include "support/diagnostic.h"
#include "support/target.h"

namespace tilewright::codegen {

/// The kernel, which emit_kernel takes, as `stage`: text, or the object's bytes. Errors: G001 (emit.h), G002 an unknown
/// processor, G003 what LLVM reports.
Result<std::string> generate(const kernel::Kernel& kernel, HostStage stage, const HostTarget& target);

}  // namespace tilewright::codegen
