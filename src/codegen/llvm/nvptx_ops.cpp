#include "codegen/llvm/nvptx_ops.h"

#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "codegen/llvm/nvptx_assembly.h"
#include "codegen/llvm/nvptx_async_ops.h"
#include "codegen/llvm/nvptx_matrix_ops.h"

namespace tilewright::codegen {

using kernel::AtomicOp;
using kernel::Element;
using kernel::MemoryOrder;
using kernel::MemoryScope;
using kernel::Opcode;
using kernel::ShuffleMode;
using kernel::Special;
using kernel::Vote;
namespace nvvm = llvm::Intrinsic;

namespace {

constexpr unsigned warp_threads = 32;

class Ops {
 public:
  Ops(llvm::IRBuilderBase& build, const GpuTarget& target, const kernel::Kernel& kernel, const kernel::Op& op,
      llvm::ArrayRef<llvm::Value*> operands)
      : build_(build), target_(target), kernel_(kernel), op_(op), in_(operands) {}

  std::vector<llvm::Value*> emit() {
    switch (op_.code) {
      case Opcode::special:
        return {special(std::get<Special>(op_.attribute))};
      case Opcode::barrier:
        return barrier();
      case Opcode::warp_barrier:
        return together("bar.warp.sync 0xffffffff;");
      case Opcode::barrier_arrive: {
        const auto& barrier = std::get<kernel::NamedBarrier>(op_.attribute);
        return together(fmt::format("bar.arrive {}, {};", barrier.id, barrier.threads));
      }
      case Opcode::warp_shuffle:
        return {shuffle(in_[0])};
      case Opcode::warp_vote:
        return {vote()};
      case Opcode::atomic:
        return {atomic(std::get<kernel::Atomic>(op_.attribute))};
      case Opcode::fence:
        return memory(fmt::format("fence.acq_rel.{};", scope(std::get<MemoryScope>(op_.attribute))));
      case Opcode::copy_async:
        return copy_async();
      case Opcode::commit_copies:
        return memory("cp.async.commit_group;");
      case Opcode::wait_copies:
        return memory(fmt::format("cp.async.wait_group {};", std::get<kernel::Count>(op_.attribute).count));
      default:
        break;
    }
    if (auto results = emit_nvptx_async_op(build_, target_, kernel_, op_, in_)) return *results;
    if (auto results = emit_nvptx_matrix_op(build_, kernel_, op_, in_)) return *results;
    internal_error(fmt::format("NVPTX lacks the op {}", kernel::info(op_.code).name));
  }

 private:
  std::vector<llvm::Value*> memory(std::string_view text) {
    assemble(build_, text, build_.getVoidTy(), in_, AssemblyEffect::memory);
    return {};
  }
  std::vector<llvm::Value*> together(std::string_view text) {
    assemble(build_, text, build_.getVoidTy(), in_, AssemblyEffect::collective);
    return {};
  }

  llvm::Value* call(nvvm::ID intrinsic, llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::CallInst* call = build_.CreateIntrinsic(intrinsic, {}, arguments);
    return call;
  }

  kernel::Type result_type() const { return kernel_.values[op_.results[0]].type; }

  // ---- places

  /// A register that holds a number below `limit`.
  llvm::Value* bounded(nvvm::ID intrinsic, std::uint32_t limit) {
    auto* read = llvm::cast<llvm::CallInst>(call(intrinsic, {}));
    const llvm::ConstantRange range(llvm::APInt(32, 0), llvm::APInt(32, limit));
    read->addRangeRetAttr(range);
    return read;
  }

  llvm::Value* special(Special what) {
    llvm::Value* value = special_word(what);
    return result_type().element == Element::i64 ? build_.CreateZExt(value, build_.getInt64Ty()) : value;
  }

  llvm::Value* special_word(Special what) {
    const auto threads = static_cast<std::uint32_t>(kernel_.block->threads);
    const auto thread = [&] { return bounded(nvvm::nvvm_read_ptx_sreg_tid_x, threads); };
    constexpr std::uint32_t any = 0x7fffffff;  // a grid has at most so many blocks
    switch (what) {
      case Special::thread:
        return thread();
      case Special::threads:
        return build_.getInt32(threads);
      case Special::block:
        return bounded(nvvm::nvvm_read_ptx_sreg_ctaid_x, any);
      case Special::blocks:
        return call(nvvm::nvvm_read_ptx_sreg_nctaid_x, {});
      case Special::lane:
        return build_.CreateAnd(thread(), build_.getInt32(warp_threads - 1));
      case Special::warp:
        return build_.CreateLShr(thread(), build_.getInt32(5));
      case Special::cluster_block:
        if (kernel_.block->cluster == 1) return build_.getInt32(0);
        return bounded(nvvm::nvvm_read_ptx_sreg_cluster_ctarank, static_cast<std::uint32_t>(kernel_.block->cluster));
    }
    internal_error("a special value without a register");
  }

  // ---- threads together

  std::vector<llvm::Value*> barrier() {
    const auto& barrier = std::get<kernel::NamedBarrier>(op_.attribute);
    if (barrier.threads == 0)
      call(nvvm::nvvm_barrier0, {});
    else
      together(fmt::format("bar.sync {}, {};", barrier.id, barrier.threads));
    return {};
  }

  llvm::Value* all_lanes() { return build_.getInt32(0xffffffff); }

  llvm::Value* shuffle(llvm::Value* value) {
    llvm::Type* type = value->getType();
    if (type->getScalarSizeInBits() == 32) {
      llvm::Value* word = build_.CreateBitCast(value, build_.getInt32Ty());
      return build_.CreateBitCast(shuffle_word(word), type);
    }
    auto* words_type = llvm::FixedVectorType::get(build_.getInt32Ty(), 2);
    llvm::Value* words = build_.CreateBitCast(value, words_type);
    llvm::Value* result = llvm::PoisonValue::get(words_type);
    for (std::uint64_t i = 0; i < 2; ++i)
      result = build_.CreateInsertElement(result, shuffle_word(build_.CreateExtractElement(words, i)), i);
    return build_.CreateBitCast(result, type);
  }

  llvm::Value* shuffle_word(llvm::Value* word) {
    // The last operand bounds the source lanes: from above, but of `up` from below.
    const auto mode = std::get<ShuffleMode>(op_.attribute);
    llvm::Value* bound = build_.getInt32(mode == ShuffleMode::up ? 0 : warp_threads - 1);
    return call(shuffle_intrinsic(mode), {all_lanes(), word, in_[1], bound});
  }

  static nvvm::ID shuffle_intrinsic(ShuffleMode mode) {
    switch (mode) {
      case ShuffleMode::idx:
        return nvvm::nvvm_shfl_sync_idx_i32;
      case ShuffleMode::down:
        return nvvm::nvvm_shfl_sync_down_i32;
      case ShuffleMode::up:
        return nvvm::nvvm_shfl_sync_up_i32;
      case ShuffleMode::by_xor:
        return nvvm::nvvm_shfl_sync_bfly_i32;
    }
    internal_error("a shuffle without an intrinsic");
  }

  llvm::Value* vote() {
    switch (std::get<Vote>(op_.attribute)) {
      case Vote::any:
        return call(nvvm::nvvm_vote_any_sync, {all_lanes(), in_[0]});
      case Vote::all:
        return call(nvvm::nvvm_vote_all_sync, {all_lanes(), in_[0]});
      case Vote::ballot:
        return call(nvvm::nvvm_vote_ballot_sync, {all_lanes(), in_[0]});
    }
    internal_error("a vote without an intrinsic");
  }

  // ---- memory

  /// Where a target has no clusters, a cluster is a block.
  std::string_view scope(MemoryScope scope) const {
    switch (scope) {
      case MemoryScope::block:
        return "cta";
      case MemoryScope::cluster:
        return target_.capability >= 90 ? "cluster" : "cta";
      case MemoryScope::device:
        return "gpu";
      case MemoryScope::system:
        return "sys";
    }
    internal_error("a scope without a name");
  }

  /// The op's and type's suffix.
  static std::string atomic_suffix(AtomicOp op, kernel::Type type) {
    const int bits = kernel::bits(type.element);
    switch (op) {
      case AtomicOp::add:
        return fmt::format("add.{}{}", kernel::is_float(type.element) ? 'f' : 'u', bits);
      case AtomicOp::smin:
        return fmt::format("min.s{}", bits);
      case AtomicOp::smax:
        return fmt::format("max.s{}", bits);
      case AtomicOp::umin:
        return fmt::format("min.u{}", bits);
      case AtomicOp::umax:
        return fmt::format("max.u{}", bits);
      case AtomicOp::bit_and:
        return fmt::format("and.b{}", bits);
      case AtomicOp::bit_or:
        return fmt::format("or.b{}", bits);
      case AtomicOp::exch:
        return fmt::format("exch.b{}", bits);
      case AtomicOp::cas:
        return fmt::format("cas.b{}", bits);
    }
    internal_error("an atomic without an instruction");
  }

  llvm::Value* atomic(const kernel::Atomic& how) {
    // Floats are exchanged as bits.
    const bool as_bits = how.op == AtomicOp::exch && in_[1]->getType()->isFloatingPointTy();
    std::vector<llvm::Value*> operands(in_.begin(), in_.end());
    llvm::Type* type = in_[1]->getType();
    llvm::Type* moved = as_bits ? build_.getIntNTy(type->getScalarSizeInBits()) : type;
    if (as_bits) operands[1] = build_.CreateBitCast(operands[1], moved);
    const std::string text =
        fmt::format("atom.{}.{}{}.{} $0, [$1], $2{};", kernel::word_name(how.order), scope(how.scope),
                    space_suffix(in_[0]), atomic_suffix(how.op, result_type()), in_.size() == 3 ? ", $3" : "");
    return build_.CreateBitCast(assemble(build_, text, moved, operands, AssemblyEffect::memory), type);
  }

  /// Of 16 bytes past the first-level cache, which their reuse through shared memory makes needless.
  std::vector<llvm::Value*> copy_async() {
    const std::int64_t bytes = std::get<kernel::Bytes>(op_.attribute).bytes;
    return memory(fmt::format("cp.async.{}.shared.global [$0], [$1], {}{};", bytes == 16 ? "cg" : "ca", bytes,
                              in_.size() == 3 ? ", $2" : ""));
  }

  llvm::IRBuilderBase& build_;
  const GpuTarget& target_;
  const kernel::Kernel& kernel_;
  const kernel::Op& op_;
  llvm::ArrayRef<llvm::Value*> in_;
};

}  // namespace

std::vector<llvm::Value*> emit_nvptx_op(llvm::IRBuilderBase& build, const GpuTarget& target,
                                        const kernel::Kernel& kernel, const kernel::Op& op,
                                        llvm::ArrayRef<llvm::Value*> operands) {
  return Ops(build, target, kernel, op, operands).emit();
}

}  // namespace tilewright::codegen
