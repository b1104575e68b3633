// The limits of a target, LLVM's code generator for it, and the stages.
#include "codegen/llvm/nvptx.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetOptions.h>

#include <mutex>
#include <optional>

#include "codegen/llvm/compilation.h"
#include "codegen/llvm/nvptx_rules.h"
#include "kernel/matrix_atoms.h"
#include "kernel/shared_memory.h"
#include "kernel/walk.h"

// Of LLVM's NVPTX target. Its headers declare these only beside those of every other target that LLVM was built with.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace tilewright::codegen {

namespace {

Result<std::unique_ptr<llvm::TargetMachine>> make_machine(const GpuTarget& target) {
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

Result<void> check_limits(const kernel::Kernel& kernel, const GpuTarget& target) {
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

// The architecture that an op came with; what is not here, all targets have.
enum class Since : std::uint8_t { sm_80, sm_90, sm_90a };

Since since(kernel::Opcode code) {
  using kernel::Opcode;
  switch (code) {
    case Opcode::mbarrier_expect:
    case Opcode::fence_mbarrier:
    case Opcode::fence_async:
    case Opcode::bulk_load:
    case Opcode::bulk_store:
    case Opcode::tensor_load:
    case Opcode::tensor_store:
    case Opcode::commit_bulk:
    case Opcode::wait_bulk:
    case Opcode::wait_bulk_reads:
    case Opcode::cluster_arrive:
    case Opcode::cluster_wait:
    case Opcode::cluster_load:
    case Opcode::cluster_store:
    case Opcode::store_matrix:
    case Opcode::elect:
    case Opcode::grid_wait:
    case Opcode::grid_launch:
      return Since::sm_90;
    case Opcode::wgmma:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit:
    case Opcode::wgmma_wait:
    case Opcode::raise_registers:
    case Opcode::lower_registers:
      return Since::sm_90a;
    default:
      return Since::sm_80;
  }
}

/// A product that only Apple's GPUs have.
bool is_of_simdgroup(const kernel::Kernel& kernel, const kernel::Op& op) {
  if (op.code != kernel::Opcode::mma) return false;
  const auto type = [&](std::size_t operand) { return kernel.values[op.operands[operand]].type; };
  return kernel::find_mma(type(0), type(1), type(2))->unit == matrix_unit::Unit::simdgroup;
}

Result<void> check_ops(const kernel::Kernel& kernel, const GpuTarget& target) {
  const Since has = target.has_hopper_ops ? Since::sm_90a : target.capability >= 90 ? Since::sm_90 : Since::sm_80;
  std::optional<kernel::Opcode> lacking;
  kernel::walk(kernel.body, [&](const kernel::Op& op) {
    const bool remote = op.code == kernel::Opcode::mbarrier_arrive && op.operands.size() == 2;
    if ((remote ? Since::sm_90 : since(op.code)) > has || is_of_simdgroup(kernel, op)) lacking = op.code;
  });
  if (!lacking) return {};
  return fail("G008",
              fmt::format("kernel {} uses {}, which {} lacks", kernel.name, kernel::info(*lacking).name, target.arch),
              "a schedule without it, or another target");
}

// LLVM 19 has no way to say a cluster's shape. It stands beside the block's.
void write_cluster(std::string& ptx, std::int32_t blocks) {
  const std::size_t line = ptx.find("\n.reqntid ");
  if (line == std::string::npos) internal_error("an entry without its block's shape");
  ptx.insert(line, fmt::format("\n.reqnctapercluster {}, 1, 1", blocks));
}

}  // namespace

Result<std::string> emit_for_nvptx(const kernel::Kernel& kernel, NvptxStage stage, const GpuTarget& target) {
  if (auto ok = kernel::verify(kernel); !ok) return std::unexpected(std::move(ok).error());
  if (kernel.block) {
    if (auto ok = check_limits(kernel, target); !ok) return std::unexpected(std::move(ok).error());
    if (auto ok = check_ops(kernel, target); !ok) return std::unexpected(std::move(ok).error());
  }
  const CodeForm form = stage == NvptxStage::llvm ? CodeForm::llvm : CodeForm::assembly;
  Result<std::string> text = compile(kernel, NvptxRules(target), [&] { return make_machine(target); }, form);
  if (text && form == CodeForm::assembly && kernel.block->cluster != 1) write_cluster(*text, kernel.block->cluster);
  return text;
}

}  // namespace tilewright::codegen
