#include "codegen/llvm/host_rules.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include "codegen/llvm/math_library.h"

namespace tilewright::codegen {

namespace {

#if defined(__x86_64__)
constexpr bool is_x86 = true;
#else
constexpr bool is_x86 = false;
#endif

// A slot holds an address or a sign-extended integer.
llvm::Value* load_slot(llvm::IRBuilderBase& build, llvm::Value* slots, unsigned i, llvm::Type* type) {
  llvm::Value* address = build.CreateConstGEP1_64(build.getInt64Ty(), slots, i);
  if (type->isPointerTy()) return build.CreateAlignedLoad(type, address, llvm::Align(8));
  return build.CreateTrunc(build.CreateAlignedLoad(build.getInt64Ty(), address, llvm::Align(8)), type);
}

}  // namespace

HostRules::HostRules(const HostTarget& target) : vector_bytes_(target.vector_bytes) {
  has_fma = target.has_fma;
  has_nan_min_max = !is_x86;
  has_saturating_convert = !is_x86;
  local_bytes = 512 << 10;  // they live on the stack, and a thread's may be as small as 1 MiB
}

llvm::Value* HostRules::call_function(llvm::IRBuilderBase& build, kernel::Opcode code,
                                      llvm::ArrayRef<llvm::Value*> operands) const {
  return call_math_library(build, code, operands, vector_bytes_);
}

// x86 orders nontemporal stores with later ones only by an explicit fence (Intel SDM vol. 3, 12.10.3).
void HostRules::order_nontemporal_stores(llvm::IRBuilderBase& build) const {
  if (is_x86)
    build.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  else
    build.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
}

void HostRules::decorate(llvm::Function& function) const {
  if (is_x86) function.addFnAttr("probe-stack", "inline-asm");  // large locals must not step over the guard page
}

void HostRules::add_entry(llvm::Function& body, llvm::StringRef name) const {
  llvm::Module& module = *body.getParent();
  llvm::IRBuilder<> build(module.getContext());
  auto* type = llvm::FunctionType::get(build.getVoidTy(), {build.getPtrTy()}, false);
  auto* entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  build.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  std::vector<llvm::Value*> arguments;
  for (const llvm::Argument& parameter : body.args())
    arguments.push_back(load_slot(build, entry->getArg(0), parameter.getArgNo(), parameter.getType()));
  build.CreateCall(&body, arguments)->setTailCall();
  build.CreateRetVoid();
}

}  // namespace tilewright::codegen
