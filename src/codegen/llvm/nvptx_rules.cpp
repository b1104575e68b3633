// Accesses and entries. A load or store becomes pieces of at most 16 bytes, as wide as its alignment allows, so that
// each is one instruction. Hints to the caches and masks have none of LLVM's instructions, and are written as PTX.
#include "codegen/llvm/nvptx_rules.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

#include "codegen/llvm/nvptx_assembly.h"
#include "codegen/llvm/nvptx_ops.h"

namespace tilewright::codegen {

namespace {

constexpr unsigned widest_bytes = 16;
constexpr unsigned tensor_map_bytes = 128;  // CUtensorMap
constexpr unsigned tensor_map_align = 64;

struct Piece {
  unsigned first = 0;  ///< lane
  unsigned lanes = 1;
};

unsigned lane_count(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

unsigned lane_bytes(const llvm::Type* type) {
  return static_cast<unsigned>(type->getScalarSizeInBits() / 8);
}

// Adjacent lanes of one instruction each; one lane each where lanes are masked.
std::vector<Piece> pieces(const MemoryAccess& access) {
  const unsigned lanes = lane_count(access.type);
  const unsigned bytes = lane_bytes(access.type);
  std::vector<Piece> result;
  for (unsigned first = 0; first < lanes;) {
    unsigned count = 1;
    const auto fits = [&](unsigned wider) {
      const unsigned size = wider * bytes;
      return first + wider <= lanes && size <= widest_bytes && size <= access.access.align && first * bytes % size == 0;
    };
    while (access.mask == nullptr && fits(2 * count)) count *= 2;
    result.push_back({first, count});
    first += count;
  }
  return result;
}

llvm::Value* take_lanes(llvm::IRBuilderBase& build, llvm::Value* vector, Piece piece) {
  if (!vector->getType()->isVectorTy()) return vector;
  if (piece.lanes == 1) return build.CreateExtractElement(vector, std::uint64_t{piece.first});
  if (piece.lanes == lane_count(vector->getType())) return vector;
  std::vector<int> lanes;
  for (unsigned i = 0; i < piece.lanes; ++i) lanes.push_back(static_cast<int>(piece.first + i));
  return build.CreateShuffleVector(vector, lanes);
}

llvm::Value* put_lanes(llvm::IRBuilderBase& build, llvm::Value* into, llvm::Value* part, Piece piece) {
  if (part->getType() == into->getType()) return part;
  for (unsigned i = 0; i < piece.lanes; ++i) {
    llvm::Value* lane = part->getType()->isVectorTy() ? build.CreateExtractElement(part, std::uint64_t{i}) : part;
    into = build.CreateInsertElement(into, lane, std::uint64_t{piece.first + i});
  }
  return into;
}

llvm::Type* piece_type(const llvm::Type* type, unsigned lanes) {
  llvm::Type* scalar = type->getScalarType();
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

// The registers that move `bytes`: 32-bit ones, or one of 16 bits for less. PTX has no 8-bit registers.
llvm::Type* register_type(llvm::IRBuilderBase& build, unsigned bytes) {
  return bytes < 4 ? build.getInt16Ty() : build.getInt32Ty();
}
unsigned register_count(unsigned bytes) {
  return std::max(bytes / 4, 1U);
}

std::string_view cache_suffix(kernel::CacheHint hint) {
  switch (hint) {
    case kernel::CacheHint::normal:
      return "";
    case kernel::CacheHint::evict_first:
      return ".L1::evict_first";
    case kernel::CacheHint::evict_last:
      return ".L1::evict_last";
    case kernel::CacheHint::no_allocate:
      return ".L1::no_allocate";
  }
  internal_error("a cache hint without a suffix");
}

// Hints are of the device's memory alone.
kernel::CacheHint hint_of(const MemoryAccess& access) {
  if (access.pointer->getType()->getPointerAddressSpace() != device_space) return kernel::CacheHint::normal;
  const bool streams = access.access.nontemporal && access.access.cache == kernel::CacheHint::normal;
  return streams ? kernel::CacheHint::evict_first : access.access.cache;
}

// ".v4.b32", or ".u8"
std::string width_suffix(unsigned bytes) {
  if (bytes == 1) return ".u8";
  if (bytes == 2) return ".b16";
  return bytes == 4 ? ".b32" : fmt::format(".v{}.b32", bytes / 4);
}

llvm::Value* load_piece(llvm::IRBuilderBase& build, const MemoryAccess& access, llvm::Value* pointer, Piece piece) {
  const unsigned bytes = piece.lanes * lane_bytes(access.type);
  llvm::Type* type = piece_type(access.type, piece.lanes);
  const kernel::CacheHint hint = hint_of(access);
  if (access.mask == nullptr && hint == kernel::CacheHint::normal) {
    // Small elements go in words: LLVM would take them apart.
    const bool as_words = piece.lanes > 1 && lane_bytes(access.type) < 4 && bytes >= 4;
    llvm::Type* moved = as_words ? piece_type(build.getInt32Ty(), bytes / 4) : type;
    llvm::LoadInst* load = build.CreateAlignedLoad(moved, pointer, llvm::Align(bytes));
    if (access.reads_constants)
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(build.getContext(), {}));
    return build.CreateBitCast(load, type);
  }
  const unsigned count = register_count(bytes);
  std::vector<llvm::Value*> operands{pointer};
  std::string text;
  if (access.mask != nullptr) {
    operands.push_back(take_lanes(build, access.mask, piece));
    text = fmt::format("mov.b{} $0, 0;\n\t@$2 ", bytes < 4 ? 16 : 32);
    if (count == 2) text = "mov.b32 $0, 0;\n\tmov.b32 $1, 0;\n\t@$3 ";
  }
  text += fmt::format("ld{}{}{}{} {}, [${}];", space_suffix(pointer), access.reads_constants ? ".nc" : "",
                      cache_suffix(hint), width_suffix(bytes), register_list(0, count), count);
  llvm::Type* result = register_types(build, register_type(build, bytes), count);
  // A load without a mask may not be moved before the branch that guards it.
  const bool movable = access.reads_constants && access.mask != nullptr;
  llvm::Value* loaded =
      assemble(build, text, result, operands, movable ? AssemblyEffect::none : AssemblyEffect::memory);
  if (bytes == 1) return build.CreateTrunc(loaded, type);
  return from_registers(build, results_of(build, loaded), type);
}

void store_piece(llvm::IRBuilderBase& build, const MemoryAccess& access, llvm::Value* pointer, llvm::Value* value,
                 llvm::Value* mask) {
  const unsigned bytes = lane_count(value->getType()) * lane_bytes(value->getType());
  const kernel::CacheHint hint = hint_of(access);
  const unsigned count = register_count(bytes);
  if (mask == nullptr && hint == kernel::CacheHint::normal) {
    const bool as_words = lane_count(value->getType()) > 1 && lane_bytes(value->getType()) < 4 && bytes >= 4;
    if (as_words) value = build.CreateBitCast(value, piece_type(build.getInt32Ty(), count));
    build.CreateAlignedStore(value, pointer, llvm::Align(bytes));
    return;
  }
  std::vector<llvm::Value*> operands{pointer};
  llvm::Type* words = piece_type(register_type(build, bytes), count);
  if (bytes == 1)
    operands.push_back(build.CreateZExt(value, register_type(build, bytes)));
  else
    for (llvm::Value* word : to_registers(build, build.CreateBitCast(value, words))) operands.push_back(word);
  std::string text;
  if (mask != nullptr) {
    text = fmt::format("@${} ", count + 1);
    operands.push_back(mask);
  }
  text += fmt::format("st{}{}{} [$0], {};", space_suffix(pointer), cache_suffix(hint), width_suffix(bytes),
                      register_list(1, count));
  assemble(build, text, build.getVoidTy(), operands, AssemblyEffect::memory);
}

bool is_all_true(const llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast_or_null<llvm::Constant>(mask);
  return constant && constant->isAllOnesValue();
}

MemoryAccess without_idle_mask(MemoryAccess access) {
  if (is_all_true(access.mask)) access.mask = nullptr;
  return access;
}

llvm::Value* piece_pointer(llvm::IRBuilderBase& build, const MemoryAccess& access, Piece piece) {
  if (piece.first == 0) return access.pointer;
  return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), access.pointer, piece.first * lane_bytes(access.type));
}

}  // namespace

NvptxRules::NvptxRules(const GpuTarget& target) : target_(target) {
  has_fma = true;
  has_nan_min_max = true;
  has_saturating_convert = true;
  local_bytes = 256 << 10;
}

llvm::Value* NvptxRules::call_function(llvm::IRBuilderBase&, kernel::Opcode code, llvm::ArrayRef<llvm::Value*>) const {
  internal_error(fmt::format("{} has no instruction; expand_functions leaves none", kernel::info(code).name));
}

void NvptxRules::order_nontemporal_stores(llvm::IRBuilderBase&) const {}

void NvptxRules::decorate(llvm::Function&) const {}

void NvptxRules::add_entry(llvm::Function&, llvm::StringRef) const {
  internal_error("a GPU kernel is its own entry");
}

llvm::Value* NvptxRules::load(llvm::IRBuilderBase& build, const MemoryAccess& wanted) const {
  const MemoryAccess access = without_idle_mask(wanted);
  llvm::Value* result = llvm::PoisonValue::get(access.type);
  for (const Piece piece : pieces(access))
    result = put_lanes(build, result, load_piece(build, access, piece_pointer(build, access, piece), piece), piece);
  return result;
}

void NvptxRules::store(llvm::IRBuilderBase& build, llvm::Value* value, const MemoryAccess& wanted) const {
  const MemoryAccess access = without_idle_mask(wanted);
  for (const Piece piece : pieces(access))
    store_piece(build, access, piece_pointer(build, access, piece), take_lanes(build, value, piece),
                access.mask == nullptr ? nullptr : take_lanes(build, access.mask, piece));
}

llvm::Constant* NvptxRules::shared_memory(llvm::Module& module, std::int64_t align) const {
  auto* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), 0);
  auto* memory = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                          "shared_memory", nullptr, llvm::GlobalValue::NotThreadLocal, shared_space);
  memory->setAlignment(llvm::Align(static_cast<std::uint64_t>(align)));
  return memory;
}

std::vector<llvm::Value*> NvptxRules::op(llvm::IRBuilderBase& build, const kernel::Kernel& kernel, const kernel::Op& op,
                                         llvm::ArrayRef<llvm::Value*> operands) const {
  return emit_nvptx_op(build, target_, kernel, op, operands);
}

// Two at once, the first in the low half.
llvm::Value* NvptxRules::to_bfloat(llvm::IRBuilderBase& build, llvm::Value* value) const {
  const unsigned lanes = lane_count(value->getType());
  const auto lane = [&](unsigned i) { return take_lanes(build, value, {i, 1}); };
  llvm::Type* half = build.getInt16Ty();
  if (lanes == 1) return assemble(build, "cvt.rn.bf16.f32 $0, $1;", half, {lane(0)}, AssemblyEffect::none);
  llvm::Type* pair_type = llvm::FixedVectorType::get(half, 2);
  llvm::Value* result = llvm::PoisonValue::get(llvm::FixedVectorType::get(half, lanes));
  for (unsigned i = 0; i < lanes; i += 2) {
    // Of an odd count the last one goes twice.
    llvm::Value* upper = lane(std::min(i + 1, lanes - 1));
    llvm::Value* pair =
        assemble(build, "cvt.rn.bf16x2.f32 $0, $1, $2;", build.getInt32Ty(), {upper, lane(i)}, AssemblyEffect::none);
    result = put_lanes(build, result, build.CreateBitCast(pair, pair_type), {i, std::min(2U, lanes - i)});
  }
  return result;
}

void NvptxRules::make_entry(llvm::Function& body, const kernel::Kernel& kernel) const {
  body.setName(kernel.name);
  body.setLinkage(llvm::GlobalValue::ExternalLinkage);
  body.setCallingConv(llvm::CallingConv::PTX_Kernel);
  llvm::LLVMContext& context = body.getContext();
  llvm::NamedMDNode* annotations = body.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  const auto annotate = [&](std::string_view what, std::int32_t value) {
    auto* number = llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(context), value);
    annotations->addOperand(llvm::MDNode::get(
        context, {llvm::ValueAsMetadata::get(&body), llvm::MDString::get(context, llvm::StringRef(what)),
                  llvm::ConstantAsMetadata::get(number)}));
  };
  annotate("kernel", 1);
  std::vector<llvm::Metadata*> maps;  // by number, from 1
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (!kernel.parameters[i].tensor_map) continue;
    auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), tensor_map_bytes);
    llvm::Argument* map = body.getArg(static_cast<unsigned>(i));
    map->addAttr(llvm::Attribute::getWithByValType(context, bytes));
    map->removeAttr(llvm::Attribute::Alignment);
    map->addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(tensor_map_align)));
    auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), i + 1);
    maps.push_back(llvm::ConstantAsMetadata::get(number));
  }
  if (!maps.empty())
    annotations->addOperand(
        llvm::MDNode::get(context, {llvm::ValueAsMetadata::get(&body), llvm::MDString::get(context, "grid_constant"),
                                    llvm::MDNode::get(context, maps)}));
  annotate("reqntidx", kernel.block->threads);
  if (kernel.block->resident != 0) annotate("minctasm", kernel.block->resident);
}

}  // namespace tilewright::codegen
