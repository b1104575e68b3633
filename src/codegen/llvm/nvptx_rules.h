// NVIDIA GPUs' TargetRules: accesses as PTX has them, entries with their launch bounds. The ops of a GPU thread are in
// nvptx_ops.h.
#pragma once

#include "codegen/llvm/target_rules.h"
#include "support/target.h"

namespace tilewright::codegen {

class NvptxRules final : public TargetRules, public GpuRules {
 public:
  explicit NvptxRules(const GpuTarget& target);

  const GpuRules* gpu() const override { return this; }
  /// None is left: kernel passes expand them.
  llvm::Value* call_function(llvm::IRBuilderBase& build, kernel::Opcode code,
                             llvm::ArrayRef<llvm::Value*> operands) const override;
  void order_nontemporal_stores(llvm::IRBuilderBase& build) const override;
  void decorate(llvm::Function& function) const override;
  void add_entry(llvm::Function& body, llvm::StringRef name) const override;

  llvm::Value* load(llvm::IRBuilderBase& build, const MemoryAccess& access) const override;
  void store(llvm::IRBuilderBase& build, llvm::Value* value, const MemoryAccess& access) const override;
  llvm::Constant* shared_memory(llvm::Module& module, std::int64_t align) const override;
  std::vector<llvm::Value*> op(llvm::IRBuilderBase& build, const kernel::Kernel& kernel, const kernel::Op& op,
                               llvm::ArrayRef<llvm::Value*> operands) const override;
  llvm::Value* to_bfloat(llvm::IRBuilderBase& build, llvm::Value* value) const override;
  void make_entry(llvm::Function& body, const kernel::Kernel& kernel) const override;

 private:
  const GpuTarget& target_;
};

}  // namespace tilewright::codegen
