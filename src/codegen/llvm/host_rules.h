// The host's TargetRules: its entry reads the runtime's argument slots, its functions are the C library's.
#pragma once

#include "codegen/llvm/target_rules.h"
#include "support/target.h"

namespace tilewright::codegen {

class HostRules final : public TargetRules {
 public:
  explicit HostRules(const HostTarget& target);

  llvm::Value* call_function(llvm::IRBuilderBase& build, kernel::Opcode code,
                             llvm::ArrayRef<llvm::Value*> operands) const override;
  void order_nontemporal_stores(llvm::IRBuilderBase& build) const override;
  void decorate(llvm::Function& function) const override;
  /// `void name(const i64* slots)`: loads each parameter from its slot and calls the body.
  void add_entry(llvm::Function& body, llvm::StringRef name) const override;

 private:
  int vector_bytes_;
};

}  // namespace tilewright::codegen
