#include "codegen/llvm/nvptx_assembly.h"

#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>

#include <algorithm>
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
                      llvm::ArrayRef<llvm::Value*> operands, AssemblyEffect effect, unsigned tied) {
  std::string constraints;
  const auto add = [&](std::string_view prefix, const llvm::Type* type) {
    constraints += fmt::format("{}{}{}", constraints.empty() ? "" : ",", prefix, constraint(type));
  };
  // A text of several instructions may write a result before it has read every operand.
  const std::string_view output = tied == 0 ? "=&" : "=";
  if (const auto* fields = llvm::dyn_cast<llvm::StructType>(result))
    for (const llvm::Type* field : fields->elements()) add(output, field);
  else if (!result->isVoidTy())
    add(output, result);
  std::vector<llvm::Value*> registers;
  std::vector<llvm::Type*> types;
  for (llvm::Value* operand : operands) {
    registers.push_back(as_register(build, operand));
    types.push_back(registers.back()->getType());
    if (types.size() <= tied)
      constraints += fmt::format(",{}", types.size() - 1);
    else
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

std::string register_list(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += fmt::format("{}${}", i == 0 ? "" : ", ", first + i);
  return count == 1 ? text : "{" + text + "}";
}

namespace {

unsigned total_bits(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return type->getScalarSizeInBits() * (vector ? vector->getNumElements() : 1);
}

llvm::Type* register_of(llvm::IRBuilderBase& build, const llvm::Type* type) {
  if (type->getScalarType()->isDoubleTy()) return build.getDoubleTy();
  return build.getIntNTy(std::min(total_bits(type), 32U));
}

}  // namespace

std::vector<llvm::Value*> to_registers(llvm::IRBuilderBase& build, llvm::Value* value) {
  llvm::Type* single = register_of(build, value->getType());
  const unsigned count = total_bits(value->getType()) / single->getScalarSizeInBits();
  if (count == 1) return {build.CreateBitCast(value, single)};
  llvm::Value* words = build.CreateBitCast(value, llvm::FixedVectorType::get(single, count));
  std::vector<llvm::Value*> registers;
  for (std::uint64_t i = 0; i < count; ++i) registers.push_back(build.CreateExtractElement(words, i));
  return registers;
}

llvm::Value* from_registers(llvm::IRBuilderBase& build, llvm::ArrayRef<llvm::Value*> registers, llvm::Type* type) {
  if (registers.size() == 1) return build.CreateBitCast(registers.front(), type);
  llvm::Value* words = llvm::PoisonValue::get(
      llvm::FixedVectorType::get(registers.front()->getType(), static_cast<unsigned>(registers.size())));
  for (std::uint64_t i = 0; i < registers.size(); ++i) words = build.CreateInsertElement(words, registers[i], i);
  return build.CreateBitCast(words, type);
}

std::vector<llvm::Value*> results_of(llvm::IRBuilderBase& build, llvm::Value* assembled) {
  if (assembled->getType()->isVoidTy()) return {};
  const auto* fields = llvm::dyn_cast<llvm::StructType>(assembled->getType());
  if (!fields) return {assembled};
  std::vector<llvm::Value*> results;
  for (unsigned i = 0; i < fields->getNumElements(); ++i) results.push_back(build.CreateExtractValue(assembled, i));
  return results;
}

llvm::Type* register_types(llvm::IRBuilderBase& build, llvm::Type* type, std::size_t count) {
  if (count == 0) return build.getVoidTy();
  return count == 1 ? type : llvm::StructType::get(build.getContext(), std::vector<llvm::Type*>(count, type));
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
