// The emitter's part for GPU kernels: shared memory, accesses by the target's own rules, and the ops that only GPUs
// have, which the target writes.
#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "kernel/shared_memory.h"

namespace tilewright::codegen {

namespace {

constexpr unsigned device_space = 1;

llvm::Value* lane(llvm::IRBuilderBase& build, llvm::Value* vector, std::uint64_t i) {
  return vector->getType()->isVectorTy() ? build.CreateExtractElement(vector, i) : vector;
}

}  // namespace

void Emitter::place_shared() {
  const kernel::SharedLayout layout = kernel::shared_layout(kernel_);
  if (layout.bytes == 0) return;
  llvm::Constant* base = gpu_->shared_memory(module_, layout.align);
  for (const auto& [value, offset] : layout.offsets)
    values_[value] = llvm::ConstantExpr::getInBoundsGetElementPtr(build_.getInt8Ty(), base,
                                                                  build_.getInt64(static_cast<std::uint64_t>(offset)));
}

llvm::Value* Emitter::in_its_space(kernel::ValueId pointer) {
  llvm::Value* address = value(pointer);
  const bool known = kernel_.values[pointer].type.element == kernel::Element::ptr && !roots_.may_be_local(pointer);
  return known ? build_.CreateAddrSpaceCast(address, build_.getPtrTy(device_space)) : address;
}

// A readonly parameter's bytes are constant where no other parameter can write them.
bool Emitter::reads_constants(kernel::ValueId pointer) const {
  const std::vector<std::size_t> roots = roots_.of(pointer);
  if (roots.empty() || roots_.may_be_local(pointer)) return false;
  const bool writers_alone = std::ranges::all_of(kernel_.parameters, [&](const kernel::Parameter& parameter) {
    const bool writes = kernel_.values[parameter.value].type.element == kernel::Element::ptr && !parameter.readonly;
    return !writes || parameter.noalias;
  });
  return std::ranges::all_of(roots, [&](std::size_t i) {
    const kernel::Parameter& parameter = kernel_.parameters[i];
    return parameter.readonly && (parameter.noalias || writers_alone);
  });
}

MemoryAccess Emitter::access(const kernel::Op& op, llvm::Type* type, std::size_t pointer, std::size_t mask) {
  return {type, in_its_space(op.operands[pointer]), std::get<kernel::Access>(op.attribute),
          op.operands.size() > mask ? operand(op, mask) : nullptr, reads_constants(op.operands[pointer])};
}

llvm::Value* Emitter::gpu_load(const kernel::Op& op) {
  return gpu_->load(build_, access(op, result_type(op), 0, 1));
}

void Emitter::gpu_store(const kernel::Op& op) {
  gpu_->store(build_, operand(op, 0), access(op, operand(op, 0)->getType(), 1, 2));
}

// Lane by lane: a GPU has its vectors across threads.
llvm::Value* Emitter::gpu_gather(const kernel::Op& op) {
  llvm::Type* type = result_type(op);
  MemoryAccess all = access(op, type->getScalarType(), 0, 2);
  llvm::Value* base = all.pointer;
  llvm::Value* mask = all.mask;
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (std::uint64_t i = 0; i < operand_type(op, 1).lanes; ++i) {
    all.pointer = build_.CreateGEP(build_.getInt8Ty(), base, lane(build_, operand(op, 1), i));
    if (mask != nullptr) all.mask = lane(build_, mask, i);
    result = build_.CreateInsertElement(result, gpu_->load(build_, all), i);
  }
  return result;
}

void Emitter::gpu_scatter(const kernel::Op& op) {
  MemoryAccess all = access(op, operand(op, 0)->getType()->getScalarType(), 1, 3);
  llvm::Value* base = all.pointer;
  llvm::Value* mask = all.mask;
  for (std::uint64_t i = 0; i < operand_type(op, 0).lanes; ++i) {
    all.pointer = build_.CreateGEP(build_.getInt8Ty(), base, lane(build_, operand(op, 2), i));
    if (mask != nullptr) all.mask = lane(build_, mask, i);
    gpu_->store(build_, lane(build_, operand(op, 0), i), all);
  }
}

void Emitter::gpu_op(const kernel::Op& op) {
  std::vector<llvm::Value*> operands;
  for (const kernel::ValueId id : op.operands)
    operands.push_back(kernel::is_pointer(kernel_.values[id].type.element) ? in_its_space(id) : value(id));
  const std::vector<llvm::Value*> results = gpu_->op(build_, kernel_, op, operands);
  for (std::size_t i = 0; i < op.results.size(); ++i) define(op.results[i], results.at(i));
}

}  // namespace tilewright::codegen
