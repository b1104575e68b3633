// Kernel IR → LLVM IR: one op is one or a few instructions, nothing is decided here. No LLVM pass over the IR runs by
// default, so the emitter writes it tidily: SSA with loops rotated (one test at the bottom, a guard only where the loop
// may not run), constants folded, parameters' facts as attributes.
#pragma once

#include "codegen/llvm/target_rules.h"
#include "kernel/ir.h"
#include "support/diagnostic.h"

namespace tilewright::codegen {

/// Adds `kernel` to `module`, whose data layout and triple are set: a private function `<name>.body` with the kernel's
/// parameters (noalias, readonly and align as attributes) and the target's entry `<name>`.
/// Requires a kernel that verifies and that the kernel passes have legalised: f8 and bf16 values are only moved, or
/// reinterpreted as integers. Errors: G001 more local memory than the target has, G006 a kernel of
/// the other kind of machine.
Result<void> emit_kernel(const kernel::Kernel& kernel, llvm::Module& module, const TargetRules& rules);

}  // namespace tilewright::codegen
