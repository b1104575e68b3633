// What one target does in its own way, for the emitter: data and a few functions, so that emit.cpp serves the host and
// GPUs alike. Stands between emit.h and each target's rules (host_rules.h).
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "kernel/ir.h"

namespace tilewright::codegen {

/// A load or store of a GPU. The pointer's address space tells the memory: 0 any, 1 the device's, 3 the block's.
struct MemoryAccess {
  llvm::Type* type = nullptr;
  llvm::Value* pointer = nullptr;
  kernel::Access access;
  llvm::Value* mask = nullptr;   ///< an i1 a lane; null: all lanes
  bool reads_constants = false;  ///< nothing writes these bytes while the kernel runs
};

/// What a GPU has and a host has not.
class GpuRules {
 public:
  virtual ~GpuRules() = default;

  virtual llvm::Value* load(llvm::IRBuilderBase& build, const MemoryAccess& access) const = 0;
  virtual void store(llvm::IRBuilderBase& build, llvm::Value* value, const MemoryAccess& access) const = 0;
  /// The first byte of the block's shared memory, of which the launch gives as many bytes as the kernel asks for.
  virtual llvm::Constant* shared_memory(llvm::Module& module, std::int64_t align) const = 0;
  /// An op of the rule `gpu` but `shared`; its results.
  virtual std::vector<llvm::Value*> op(llvm::IRBuilderBase& build, const kernel::Kernel& kernel, const kernel::Op& op,
                                       llvm::ArrayRef<llvm::Value*> operands) const = 0;
  /// f32, or a vector of it, as the bits of bf16, to nearest even.
  virtual llvm::Value* to_bfloat(llvm::IRBuilderBase& build, llvm::Value* value) const = 0;
  /// Makes `body` the entry that a launch names.
  virtual void make_entry(llvm::Function& body, const kernel::Kernel& kernel) const = 0;
};

class TargetRules {
 public:
  virtual ~TargetRules() = default;

  /// Of a target that runs GPU kernels, and no others; null for one that runs none.
  virtual const GpuRules* gpu() const { return nullptr; }

  /// `fma` in one rounding; otherwise a multiplication and an addition.
  bool has_fma = false;
  /// The hardware's minimum and maximum give NaN if either operand is, and order the zeros; otherwise they are made of
  /// comparisons.
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
  /// Adds the entry that a runtime calls under `name`; `body` takes the kernel's parameters. Not of a GPU.
  virtual void add_entry(llvm::Function& body, llvm::StringRef name) const = 0;
};

}  // namespace tilewright::codegen
