// The emitter's state, shared by its parts: emit.cpp (functions, regions, control), emit_values.cpp (arithmetic and
// conversions), emit_memory.cpp and emit_gpu.cpp. Private to them.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "codegen/llvm/target_rules.h"
#include "kernel/ir.h"
#include "kernel/pointer_roots.h"

namespace tilewright::codegen {

class Emitter {
 public:
  Emitter(const kernel::Kernel& kernel, llvm::Module& module, const TargetRules& rules);
  void emit();

 private:
  using Values = std::vector<llvm::Value*>;

  // emit.cpp
  llvm::Function* declare_body();
  /// Emits a region's ops and returns what it yields.
  Values region(const kernel::Region& region);
  void op(const kernel::Op& op);
  void for_loop(const kernel::Op& op);
  void if_then(const kernel::Op& op);
  void local(const kernel::Op& op);

  // emit_values.cpp
  llvm::Value* constant(kernel::Type type, const Scalar& value);
  llvm::Value* iota(kernel::Type type);
  llvm::Value* pure(const kernel::Op& op);
  llvm::Value* arithmetic(const kernel::Op& op);
  llvm::Value* convert(const kernel::Op& op);
  llvm::Value* divide(const kernel::Op& op);
  llvm::Value* min_max(bool is_max, llvm::Value* a, llvm::Value* b);
  llvm::Value* fused_multiply_add(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* float_to_int(llvm::Value* value, llvm::Type* to, bool is_signed);
  llvm::Value* from_bfloat(llvm::Value* bits, llvm::Type* to);
  llvm::Value* bitcast(llvm::Value* value, kernel::Type to);
  llvm::Value* function(const kernel::Op& op);

  // emit_memory.cpp
  llvm::Value* load(const kernel::Op& op);
  void store(const kernel::Op& op);
  llvm::Value* gather(const kernel::Op& op);
  void scatter(const kernel::Op& op);
  llvm::Value* lane_addresses(const kernel::Op& op, std::size_t pointer);
  void prefetch(const kernel::Op& op);
  void mark_nontemporal(llvm::Instruction* access);

  // emit_gpu.cpp
  void place_shared();
  void gpu_op(const kernel::Op& op);
  llvm::Value* gpu_load(const kernel::Op& op);
  void gpu_store(const kernel::Op& op);
  llvm::Value* gpu_gather(const kernel::Op& op);
  void gpu_scatter(const kernel::Op& op);
  /// A pointer in the address space of its memory, where that is known.
  llvm::Value* in_its_space(kernel::ValueId pointer);
  bool reads_constants(kernel::ValueId pointer) const;
  MemoryAccess access(const kernel::Op& op, llvm::Type* type, std::size_t pointer, std::size_t mask);

  llvm::Type* type(kernel::Type type) const;
  llvm::Type* result_type(const kernel::Op& op) const { return type(kernel_.values[op.results.front()].type); }
  llvm::Value* value(kernel::ValueId id) const { return values_[id.index]; }
  llvm::Value* operand(const kernel::Op& op, std::size_t i) const { return value(op.operands[i]); }
  kernel::Type operand_type(const kernel::Op& op, std::size_t i) const { return kernel_.values[op.operands[i]].type; }
  void define(kernel::ValueId id, llvm::Value* value);

  const kernel::Kernel& kernel_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const TargetRules& rules_;
  const GpuRules* gpu_;  ///< null for a host
  kernel::PointerRoots roots_;
  llvm::IRBuilder<> build_;
  llvm::Function* function_ = nullptr;
  Values values_;
  bool has_nontemporal_store_ = false;
};

}  // namespace tilewright::codegen
