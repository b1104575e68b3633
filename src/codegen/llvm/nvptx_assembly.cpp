#include "codegen/llvm/nvptx_assembly.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include <vector>

#include "support/diagnostic.h"

namespace tilewright::codegen {

namespace {

// The register class of a scalar.
std::string_view constraint(const llvm::Type* type) {
  if (type->isFloatTy()) return "f";
  if (type->isDoubleTy()) return "d";
  switch (type->getScalarSizeInBits()) {
    case 1:
      return "b";
    case 16:
      return "h";
    case 32:
      return "r";
    case 64:
      return "l";
    default:
      internal_error("a value in inline PTX that has no register");
  }
}

llvm::Value* as_register(llvm::IRBuilderBase& build, llvm::Value* value) {
  if (!value->getType()->isPointerTy()) return value;
  const bool shared = value->getType()->getPointerAddressSpace() == shared_space;
  return build.CreatePtrToInt(value, shared ? build.getInt32Ty() : build.getInt64Ty());
}

}  // namespace

llvm::Value* assemble(llvm::IRBuilderBase& build, std::string_view text, llvm::Type* result,
                      llvm::ArrayRef<llvm::Value*> operands, AssemblyEffect effect) {
  std::string constraints;
  const auto add = [&](std::string_view prefix, const llvm::Type* type) {
    constraints += fmt::format("{}{}{}", constraints.empty() ? "" : ",", prefix, constraint(type));
  };
  if (const auto* fields = llvm::dyn_cast<llvm::StructType>(result))
    for (const llvm::Type* field : fields->elements()) add("=", field);
  else if (!result->isVoidTy())
    add("=", result);
  std::vector<llvm::Value*> registers;
  std::vector<llvm::Type*> types;
  for (llvm::Value* operand : operands) {
    registers.push_back(as_register(build, operand));
    types.push_back(registers.back()->getType());
    add("", types.back());
  }
  const bool has_effect = effect != AssemblyEffect::none;
  if (has_effect) constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  auto* type = llvm::FunctionType::get(result, types, false);
  llvm::CallInst* call =
      build.CreateCall(type, llvm::InlineAsm::get(type, llvm::StringRef(text), constraints, has_effect), registers);
  call->setDoesNotThrow();
  if (effect == AssemblyEffect::collective) call->setConvergent();
  return call;
}

std::string_view space_suffix(const llvm::Value* pointer) {
  switch (pointer->getType()->getPointerAddressSpace()) {
    case device_space:
      return ".global";
    case shared_space:
      return ".shared";
    default:
      return "";
  }
}

}  // namespace tilewright::codegen
