// What one target does in its own way, for the emitter: data and a few functions, so that emit.cpp serves the host and
// GPUs alike. Stands between emit.h and each target's rules (host_rules.h).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "kernel/ir.h"

namespace tilewright::codegen {

class TargetRules {
 public:
  virtual ~TargetRules() = default;

  /// Runs GPU kernels, and no others.
  bool is_gpu = false;
  /// `fma` in one rounding; otherwise a multiplication and an addition.
  bool has_fma = false;
  /// The hardware's minimum and maximum give NaN if either operand is; otherwise compare and select.
  bool has_nan_min_max = false;
  /// The hardware's float to integer conversion saturates, with NaN as 0; otherwise convert, compare and select.
  bool has_saturating_convert = false;
  /// Bytes that a kernel's locals may take together.
  std::int64_t local_bytes = 0;

  /// One of exp, log, tanh, sin, cos, erf, pow on f32 or f64 scalars or vectors of one type.
  virtual llvm::Value* call_function(llvm::IRBuilderBase& build, kernel::Opcode code,
                                     llvm::ArrayRef<llvm::Value*> operands) const = 0;
  /// Makes nontemporal stores visible before anything that follows the kernel.
  virtual void order_nontemporal_stores(llvm::IRBuilderBase& build) const = 0;
  /// Attributes of every function that the emitter defines.
  virtual void decorate(llvm::Function& function) const = 0;
  /// Adds the entry that a runtime calls under `name`; `body` takes the kernel's parameters.
  virtual void add_entry(llvm::Function& body, llvm::StringRef name) const = 0;
};

}  // namespace tilewright::codegen
