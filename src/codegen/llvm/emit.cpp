#include "codegen/llvm/emit.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>

#include "codegen/llvm/emitter.h"
#include "kernel/print.h"

namespace tilewright::codegen {

using kernel::Element;
using kernel::Opcode;

Emitter::Emitter(const kernel::Kernel& kernel, llvm::Module& module, const TargetRules& rules)
    : kernel_(kernel),
      module_(module),
      context_(module.getContext()),
      rules_(rules),
      gpu_(rules.gpu()),
      roots_(kernel),
      build_(context_),
      values_(kernel.values.size(), nullptr) {}

llvm::Type* Emitter::type(kernel::Type type) const {
  // f8 and bf16 are their bits: legalisation left moves of them, and what a GPU does with the bits.
  llvm::Type* element = nullptr;
  switch (type.element) {
    case Element::i1:
    case Element::i8:
    case Element::i16:
    case Element::i32:
    case Element::i64:
    case Element::f8e4m3:
    case Element::f8e5m2:
    case Element::bf16:
      element = llvm::IntegerType::get(context_, static_cast<unsigned>(kernel::bits(type.element)));
      break;
    case Element::f16:
      element = llvm::Type::getHalfTy(context_);
      break;
    case Element::f32:
      element = llvm::Type::getFloatTy(context_);
      break;
    case Element::f64:
      element = llvm::Type::getDoubleTy(context_);
      break;
    case Element::ptr:
      element = llvm::PointerType::get(context_, 0);
      break;
    case Element::ptr_shared:
      element = llvm::PointerType::get(context_, 3);
      break;
  }
  return type.lanes == 1 ? element : llvm::FixedVectorType::get(element, type.lanes);
}

void Emitter::define(kernel::ValueId id, llvm::Value* value) {
  values_[id.index] = value;
  const std::string& name = kernel_.values[id].name;
  if (!name.empty() && llvm::isa<llvm::Instruction>(value) && !value->hasName()) value->setName(name);
}

llvm::Function* Emitter::declare_body() {
  std::vector<llvm::Type*> types;
  for (const kernel::Parameter& parameter : kernel_.parameters)
    types.push_back(type(kernel_.values[parameter.value].type));
  auto* function = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false),
                                          llvm::GlobalValue::PrivateLinkage, kernel_.name + ".body", module_);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  rules_.decorate(*function);
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const kernel::Parameter& parameter = kernel_.parameters[i];
    llvm::Argument* argument = function->getArg(static_cast<unsigned>(i));
    argument->setName(kernel_.values[parameter.value].name);
    values_[parameter.value.index] = argument;
    if (!argument->getType()->isPointerTy()) continue;
    llvm::AttrBuilder facts(context_);
    if (parameter.noalias) facts.addAttribute(llvm::Attribute::NoAlias);
    if (parameter.readonly) facts.addAttribute(llvm::Attribute::ReadOnly);
    facts.addAlignmentAttr(llvm::Align(parameter.align));
    argument->addAttrs(facts);
  }
  return function;
}

void Emitter::emit() {
  function_ = declare_body();
  build_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
  if (gpu_ != nullptr) place_shared();
  region(kernel_.body);
  if (has_nontemporal_store_) rules_.order_nontemporal_stores(build_);
  build_.CreateRetVoid();
  if (gpu_ != nullptr)
    gpu_->make_entry(*function_, kernel_);
  else
    rules_.add_entry(*function_, kernel_.name);
}

Emitter::Values Emitter::region(const kernel::Region& region) {
  for (const kernel::Op& each : region.ops) {
    if (each.code == Opcode::yield) {
      Values yielded;
      for (const kernel::ValueId id : each.operands) yielded.push_back(value(id));
      return yielded;
    }
    op(each);
  }
  return {};
}

void Emitter::op(const kernel::Op& op) {
  switch (op.code) {
    case Opcode::for_loop:
      return for_loop(op);
    case Opcode::if_then:
      return if_then(op);
    case Opcode::local:
      return local(op);
    case Opcode::load:
      return define(op.results.front(), load(op));
    case Opcode::gather:
      return define(op.results.front(), gather(op));
    case Opcode::store:
      return store(op);
    case Opcode::scatter:
      return scatter(op);
    case Opcode::prefetch:
      return prefetch(op);
    case Opcode::shared:
      return;  // by place_shared
    default:
      if (kernel::info(op.code).rule == kernel::OpRule::gpu) return gpu_op(op);
      return define(op.results.front(), pure(op));
  }
}

namespace {

// LLVM's own unrolling would only undo the schedule's choice.
llvm::MDNode* loop_metadata(llvm::LLVMContext& context) {
  auto* unroll = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  auto* loop = llvm::MDNode::getDistinct(context, {nullptr, unroll});
  loop->replaceOperandWith(0, loop);
  return loop;
}

}  // namespace

// Rotated: a guard, the body, the test at its end. A guard or a back edge that constants decide is left out, so that a
// loop known to run has none and a loop of one iteration is straight code.
void Emitter::for_loop(const kernel::Op& op) {
  const kernel::Region& body = op.regions.front();
  llvm::Value* begin = operand(op, 0);
  llvm::Value* end = operand(op, 1);
  llvm::Value* step = operand(op, 2);
  Values initial;
  for (std::size_t i = 3; i < op.operands.size(); ++i) initial.push_back(operand(op, i));

  llvm::Value* runs = build_.CreateICmpSLT(begin, end);
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(runs);
  if (known && known->isZero()) {
    for (std::size_t i = 0; i < initial.size(); ++i) define(op.results[i], initial[i]);
    return;
  }
  if (known && llvm::isa<llvm::Constant>(step) &&
      llvm::cast<llvm::ConstantInt>(begin)->getSExtValue() >=
          llvm::cast<llvm::ConstantInt>(end)->getSExtValue() - llvm::cast<llvm::ConstantInt>(step)->getSExtValue()) {
    define(body.arguments.front(), begin);
    for (std::size_t i = 0; i < initial.size(); ++i) define(body.arguments[i + 1], initial[i]);
    const Values last = region(body);
    for (std::size_t i = 0; i < last.size(); ++i) define(op.results[i], last[i]);
    return;
  }

  llvm::BasicBlock* before = build_.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(context_, "loop", function_);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "after");
  if (known)
    build_.CreateBr(loop);
  else
    build_.CreateCondBr(runs, loop, after);

  build_.SetInsertPoint(loop);
  llvm::PHINode* index = build_.CreatePHI(begin->getType(), 2);
  index->addIncoming(begin, before);
  define(body.arguments.front(), index);
  std::vector<llvm::PHINode*> carried;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    carried.push_back(build_.CreatePHI(initial[i]->getType(), 2));
    carried[i]->addIncoming(initial[i], before);
    define(body.arguments[i + 1], carried[i]);
  }
  const Values yielded = region(body);
  llvm::BasicBlock* latch = build_.GetInsertBlock();
  llvm::Value* next = build_.CreateNSWAdd(index, step, "next");
  index->addIncoming(next, latch);
  for (std::size_t i = 0; i < carried.size(); ++i) carried[i]->addIncoming(yielded[i], latch);
  llvm::BranchInst* back = build_.CreateCondBr(build_.CreateICmpSLT(next, end), loop, after);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop_metadata(context_));

  function_->insert(function_->end(), after);
  build_.SetInsertPoint(after);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    llvm::Value* result = yielded[i];
    if (!known) {
      llvm::PHINode* phi = build_.CreatePHI(result->getType(), 2);
      phi->addIncoming(initial[i], before);
      phi->addIncoming(yielded[i], latch);
      result = phi;
    }
    define(op.results[i], result);
  }
}

void Emitter::if_then(const kernel::Op& op) {
  llvm::Value* condition = operand(op, 0);
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    const Values results = region(op.regions[known->isZero() ? 1 : 0]);
    for (std::size_t i = 0; i < results.size(); ++i) define(op.results[i], results[i]);
    return;
  }
  llvm::BasicBlock* before = build_.GetInsertBlock();
  llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "after");
  std::array<llvm::BasicBlock*, 2> from{};
  std::array<llvm::BasicBlock*, 2> to{};
  std::array<Values, 2> results;
  for (std::size_t side = 0; side < 2; ++side) {
    if (op.regions[side].ops.size() <= 1) {  // only a yield: the branch goes past it
      from[side] = before;
      to[side] = after;
      results[side] = region(op.regions[side]);
      continue;
    }
    to[side] = llvm::BasicBlock::Create(context_, side == 0 ? "then" : "else", function_);
    build_.SetInsertPoint(to[side]);
    results[side] = region(op.regions[side]);
    from[side] = build_.GetInsertBlock();
    build_.CreateBr(after);
  }
  build_.SetInsertPoint(before);
  if (to[0] == after && to[1] == after) {  // values only
    delete after;
    for (std::size_t i = 0; i < op.results.size(); ++i)
      define(op.results[i], build_.CreateSelect(condition, results[0][i], results[1][i]));
    return;
  }
  build_.CreateCondBr(condition, to[0], to[1]);
  function_->insert(function_->end(), after);
  build_.SetInsertPoint(after);
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    llvm::PHINode* phi = build_.CreatePHI(results[0][i]->getType(), 2);
    for (std::size_t side = 0; side < 2; ++side) phi->addIncoming(results[side][i], from[side]);
    define(op.results[i], phi);
  }
}

// One buffer a call, wherever the op stands: allocated in the entry block.
void Emitter::local(const kernel::Op& op) {
  llvm::IRBuilder<>::InsertPointGuard guard(build_);
  llvm::BasicBlock& entry = function_->getEntryBlock();
  build_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  const auto bytes = static_cast<std::uint64_t>(std::get<kernel::Bytes>(op.attribute).bytes);
  llvm::AllocaInst* buffer = build_.CreateAlloca(llvm::ArrayType::get(build_.getInt8Ty(), bytes));
  buffer->setAlignment(llvm::Align(64));
  define(op.results.front(), buffer);
}

namespace {

// f8 and bf16 have no arithmetic here: only these ops carry them.
bool moves_bits(Opcode code) {
  switch (code) {
    case Opcode::constant:
    case Opcode::splat:
    case Opcode::extract:
    case Opcode::insert:
    case Opcode::shuffle:
    case Opcode::select:
    case Opcode::bitcast:
    case Opcode::load:
    case Opcode::store:
    case Opcode::gather:
    case Opcode::scatter:
    case Opcode::for_loop:
    case Opcode::if_then:
    case Opcode::yield:
      return true;
    default:
      return false;
  }
}

bool is_storage_only(Element element) {
  return element == Element::f8e4m3 || element == Element::f8e5m2 || element == Element::bf16;
}

// A GPU converts between bf16 and f32, and multiplies matrices of small floats.
bool gpu_takes(const kernel::Kernel& kernel, const kernel::Op& op) {
  if (!kernel.block) return false;
  if (kernel::info(op.code).rule == kernel::OpRule::gpu) return true;
  const auto fits = [&](kernel::ValueId id) {
    const Element element = kernel.values[id].type.element;
    return element == Element::bf16 || element == Element::f32;
  };
  return op.code == Opcode::fconvert && fits(op.operands.front()) && fits(op.results.front());
}

void check_types(const kernel::Kernel& kernel, const kernel::Op& op) {
  if (moves_bits(op.code) || gpu_takes(kernel, op)) return;
  const auto check = [&](kernel::ValueId id) {
    if (is_storage_only(kernel.values[id].type.element))
      internal_error(fmt::format("kernel {}: '{}' has no instruction; expand_conversions leaves none of its kind",
                                 kernel.name, kernel::op_text(kernel, op)));
  };
  std::ranges::for_each(op.operands, check);
  std::ranges::for_each(op.results, check);
}

// Checks the region's types and gives the bytes of its locals.
std::int64_t check_region(const kernel::Kernel& kernel, const kernel::Region& region) {
  std::int64_t local_bytes = 0;
  for (const kernel::Op& op : region.ops) {
    check_types(kernel, op);
    if (op.code == Opcode::local) local_bytes += std::get<kernel::Bytes>(op.attribute).bytes;
    for (const kernel::Region& inner : op.regions) local_bytes += check_region(kernel, inner);
  }
  return local_bytes;
}

}  // namespace

Result<void> emit_kernel(const kernel::Kernel& kernel, llvm::Module& module, const TargetRules& rules) {
  if (kernel.block.has_value() != (rules.gpu() != nullptr))
    return fail("G006",
                fmt::format("kernel {} is a {}'s, and the target is a {}", kernel.name, kernel.block ? "GPU" : "host",
                            rules.gpu() ? "GPU" : "host"),
                "compile each kernel for the kind of machine that it is written for");
  const std::int64_t local_bytes = check_region(kernel, kernel.body);
  if (local_bytes > rules.local_bytes)
    return fail("G001", fmt::format("kernel {} asks for {} bytes of local memory", kernel.name, local_bytes),
                fmt::format("at most {} bytes; larger buffers are parameters", rules.local_bytes));
  Emitter(kernel, module, rules).emit();
  return {};
}

}  // namespace tilewright::codegen
