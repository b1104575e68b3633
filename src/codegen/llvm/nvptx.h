// Kernel IR → LLVM IR → PTX, the text that NVIDIA's driver and ptxas turn into machine code.
#pragma once

#include <string>

#include "kernel/ir.h"
#include "support/diagnostic.h"
#include "support/target.h"

namespace tilewright::codegen {

enum class NvptxStage : std::uint8_t { llvm, ptx };

/// Verifies a kernel that the kernel passes (kernel/passes/pipeline.h) have legalised and emits a module with the one
/// entry `kernel.name`, whose parameters are the kernel's by value and whose block is the kernel's (`.reqntid`). Its
/// shared memory is dynamic: a launch gives shared_layout(kernel).bytes. Errors: verify's; G001, G003, G006; G007 more
/// shared memory, threads or blocks in a cluster than the target has; G008 an op that the target lacks. Any failure of
/// LLVM is an error value, never an abort. Thread-safe.
Result<std::string> emit_for_nvptx(const kernel::Kernel& kernel, NvptxStage stage, const GpuTarget& target);
inline Result<std::string> emit_ptx(const kernel::Kernel& kernel, const GpuTarget& target) {
  return emit_for_nvptx(kernel, NvptxStage::ptx, target);
}

}  // namespace tilewright::codegen
