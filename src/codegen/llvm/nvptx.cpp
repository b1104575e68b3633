// The limits of a target, LLVM's code generator for it, and the stages.
#include "codegen/llvm/nvptx.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetOptions.h>

#include <mutex>

#include "codegen/llvm/compilation.h"
#include "codegen/llvm/nvptx_rules.h"
#include "kernel/passes/pipeline.h"
#include "kernel/shared_memory.h"

// Of LLVM's NVPTX target. Its headers declare these only beside those of every other target that LLVM was built with.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tilewright::codegen {

namespace {

Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const NvptxTarget& target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  constexpr const char* triple = "nvptx64-nvidia-cuda";
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) return fail("G002", fmt::format("LLVM has no target for {}: {}", triple, error));
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.arch, fmt::format("+ptx{}", target.ptx_version), {}, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

Result<void> check_limits(const kernel::Kernel& kernel, const NvptxTarget& target) {
  struct Limit {
    std::string_view what;
    std::int64_t asked;
    std::int64_t most;
  };
  const Limit limits[] = {
      {"bytes of shared memory", kernel::shared_layout(kernel).bytes, target.max_block_shared_bytes},
      {"threads in a block", kernel.block->threads, target.max_block_threads},
      {"blocks in a cluster", kernel.block->cluster, target.max_cluster_blocks},
  };
  for (const Limit& limit : limits)
    if (limit.asked > limit.most)
      return fail("G007",
                  fmt::format("kernel {} asks for {} {}, and {} has {}", kernel.name, limit.asked, limit.what,
                              target.arch, limit.most),
                  "a schedule with smaller tiles, or less depth");
  return {};
}

}  // namespace

Result<std::string> emit_for_nvptx(const kernel::Kernel& kernel, NvptxStage stage, const NvptxTarget& target) {
  if (auto ok = kernel::verify(kernel); !ok) return std::unexpected(std::move(ok).error());
  kernel::Kernel legal = kernel;
  if (legal.block) {
    if (auto ok = check_limits(legal, target); !ok) return std::unexpected(std::move(ok).error());
    kernel::run_kernel_passes(legal, kernel::kernel_facts(target));
  }
  return compile(
      legal, NvptxRules(target), [&] { return make_machine(target); },
      stage == NvptxStage::llvm ? CodeForm::llvm : CodeForm::assembly);
}

}  // namespace tilewright::codegen
