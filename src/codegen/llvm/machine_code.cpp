#include "codegen/llvm/machine_code.h"

#include <fmt/format.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

#include "codegen/llvm/compilation.h"
#include "codegen/llvm/host_rules.h"

namespace tilewright::codegen {

namespace {

Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const HostTarget& target) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) return fail("G002", fmt::format("LLVM has no target for {}: {}", triple, error));
  // LLVM itself only warns, on the standard error stream.
  const std::unique_ptr<llvm::MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, "", ""));
  if (!known->isCPUStringValid(target.cpu))
    return fail("G002", fmt::format("the processor '{}' is not known", target.cpu),
                "take host_target(), or LLVM's name of a processor");
  std::string features;
  for (const std::string& feature : target.features) features += (features.empty() ? "" : ",") + feature;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.cpu, features, {}, llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default,
      /*JIT=*/true));
}

CodeForm form_of(HostStage stage) {
  switch (stage) {
    case HostStage::llvm:
      return CodeForm::llvm;
    case HostStage::assembly:
      return CodeForm::assembly;
    case HostStage::object:
      return CodeForm::object;
  }
  internal_error("a stage of host code without a form");
}

}  // namespace

Result<std::string> generate(const kernel::Kernel& kernel, HostStage stage, const HostTarget& target) {
  return compile(kernel, HostRules(target), [&] { return make_machine(target); }, form_of(stage));
}

}  // namespace tilewright::codegen
