// The emitter's loads, stores, gathers and scatters. A mask goes to LLVM's masked intrinsics: where the processor has
// no masked access for the lanes (SSE2; 8- and 16-bit lanes below AVX-512BW), LLVM tests and moves them one by one,
// which is right but slow, so lowerings avoid such masks in loops.
#include <llvm/IR/Intrinsics.h>

#include "codegen/llvm/emitter.h"

namespace tilewright::codegen {

using kernel::Access;

namespace {

bool is_all_true(const llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  return constant && constant->isAllOnesValue();
}

// A scalar as a vector of one lane: the masked intrinsics take vectors only.
llvm::Type* as_vector(llvm::Type* type) {
  return type->isVectorTy() ? type : llvm::FixedVectorType::get(type, 1);
}

llvm::Value* as_vector(llvm::IRBuilderBase& build, llvm::Value* value) {
  return value->getType()->isVectorTy() ? value : build.CreateVectorSplat(1, value);
}

llvm::Value* undo_vector(llvm::IRBuilderBase& build, llvm::Value* value, llvm::Type* wanted) {
  return wanted->isVectorTy() ? value : build.CreateExtractElement(value, std::uint64_t{0});
}

llvm::Align alignment(const kernel::Op& op) {
  return llvm::Align(std::get<Access>(op.attribute).align);
}

}  // namespace

void Emitter::mark_nontemporal(llvm::Instruction* access) {
  access->setMetadata(llvm::LLVMContext::MD_nontemporal,
                      llvm::MDNode::get(context_, llvm::ConstantAsMetadata::get(build_.getInt32(1))));
}

llvm::Value* Emitter::load(const kernel::Op& op) {
  if (gpu_ != nullptr) return gpu_load(op);
  llvm::Type* type = result_type(op);
  if (op.operands.size() == 1 || is_all_true(operand(op, 1))) {
    llvm::LoadInst* load = build_.CreateAlignedLoad(type, operand(op, 0), alignment(op));
    if (std::get<Access>(op.attribute).nontemporal) mark_nontemporal(load);
    return load;
  }
  llvm::Value* mask = as_vector(build_, operand(op, 1));
  llvm::Value* zeros = llvm::Constant::getNullValue(as_vector(type));
  return undo_vector(build_, build_.CreateMaskedLoad(as_vector(type), operand(op, 0), alignment(op), mask, zeros),
                     type);
}

void Emitter::store(const kernel::Op& op) {
  if (gpu_ != nullptr) return gpu_store(op);
  llvm::Value* value = operand(op, 0);
  if (op.operands.size() == 2 || is_all_true(operand(op, 2))) {
    llvm::StoreInst* store = build_.CreateAlignedStore(value, operand(op, 1), alignment(op));
    if (!std::get<Access>(op.attribute).nontemporal) return;
    mark_nontemporal(store);
    has_nontemporal_store_ = true;
    return;
  }
  llvm::Value* mask = as_vector(build_, operand(op, 2));
  build_.CreateMaskedStore(as_vector(build_, value), operand(op, 1), alignment(op), mask);
}

llvm::Value* Emitter::lane_addresses(const kernel::Op& op, std::size_t pointer) {
  return build_.CreateGEP(build_.getInt8Ty(), operand(op, pointer), as_vector(build_, operand(op, pointer + 1)));
}

llvm::Value* Emitter::gather(const kernel::Op& op) {
  if (gpu_ != nullptr) return gpu_gather(op);
  llvm::Type* type = result_type(op);
  llvm::Value* mask = op.operands.size() > 2 ? as_vector(build_, operand(op, 2)) : nullptr;
  llvm::Value* zeros = llvm::Constant::getNullValue(as_vector(type));
  return undo_vector(
      build_, build_.CreateMaskedGather(as_vector(type), lane_addresses(op, 0), alignment(op), mask, zeros), type);
}

void Emitter::scatter(const kernel::Op& op) {
  if (gpu_ != nullptr) return gpu_scatter(op);
  llvm::Value* value = operand(op, 0);
  llvm::Value* mask = op.operands.size() > 3 ? as_vector(build_, operand(op, 3)) : nullptr;
  build_.CreateMaskedScatter(as_vector(build_, value), lane_addresses(op, 1), alignment(op), mask);
}

// For reading, into all cache levels.
void Emitter::prefetch(const kernel::Op& op) {
  llvm::Value* address = operand(op, 0);
  build_.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                         {address, build_.getInt32(0), build_.getInt32(3), build_.getInt32(1)});
}

}  // namespace tilewright::codegen
