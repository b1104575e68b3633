// Fragments go in and out as the 32-bit registers that PTX names. What a warpgroup accumulates stays in its registers
// from wgmma_fence to wgmma_wait: each op takes and gives all of them, tied, so that nothing touches them in between.
#include "codegen/llvm/nvptx_matrix_ops.h"

#include <fmt/format.h>

#include "codegen/llvm/nvptx_assembly.h"
#include "kernel/matrix_atoms.h"

namespace tilewright::codegen {

using kernel::Opcode;

namespace {

using Values = std::vector<llvm::Value*>;

class MatrixOps {
 public:
  MatrixOps(llvm::IRBuilderBase& build, const kernel::Kernel& kernel, const kernel::Op& op,
            llvm::ArrayRef<llvm::Value*> operands)
      : build_(build), kernel_(kernel), op_(op), in_(operands) {}

  std::optional<Values> emit() {
    switch (op_.code) {
      case Opcode::load_matrix:
        return Values{load_matrix()};
      case Opcode::store_matrix:
        store_matrix();
        return Values{};
      case Opcode::mma:
        return Values{mma()};
      case Opcode::wgmma:
        return wgmma(std::get<kernel::WarpgroupProduct>(op_.attribute));
      case Opcode::wgmma_fence:
        return keep("wgmma.fence.sync.aligned;");
      case Opcode::wgmma_commit:
        assemble(build_, "wgmma.commit_group.sync.aligned;", build_.getVoidTy(), {}, AssemblyEffect::collective);
        return Values{};
      case Opcode::wgmma_wait:
        return keep(fmt::format("wgmma.wait_group.sync.aligned {};", std::get<kernel::Count>(op_.attribute).count));
      default:
        return std::nullopt;
    }
  }

 private:
  kernel::Type type(kernel::ValueId value) const { return kernel_.values[value].type; }
  kernel::Type operand_type(std::size_t i) const { return type(op_.operands[i]); }

  std::string_view order() const { return std::get<kernel::MatrixOrder>(op_.attribute).transposed ? ".trans" : ""; }

  llvm::Type* vector_type(kernel::ValueId value) const {
    // Floats of 16 and 32 bits but bf16 are themselves, others their bits.
    const kernel::Type of = type(value);
    llvm::Type* element = of.element == kernel::Element::f16 ? build_.getHalfTy()
                          : of.element == kernel::Element::f32
                              ? build_.getFloatTy()
                              : build_.getIntNTy(static_cast<unsigned>(bits(of.element)));
    return of.lanes == 1 ? element : llvm::FixedVectorType::get(element, of.lanes);
  }

  llvm::Value* load_matrix() {
    const kernel::Type loaded_type = type(op_.results[0]);
    const unsigned count = static_cast<unsigned>(bits(loaded_type.element)) * loaded_type.lanes / 32;
    const std::string text = fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, [${}];", count, order(),
                                         bare_list(0, count), count);
    llvm::Value* loaded =
        assemble(build_, text, register_types(build_, build_.getInt32Ty(), count), in_, AssemblyEffect::collective);
    return from_registers(build_, results_of(build_, loaded), vector_type(op_.results[0]));
  }

  void store_matrix() {
    Values operands = to_registers(build_, in_[0]);
    const auto count = static_cast<unsigned>(operands.size());
    operands.push_back(in_[1]);
    const std::string text = fmt::format("stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [${}], {{{}}};", count, order(),
                                         count, bare_list(0, count));
    assemble(build_, text, build_.getVoidTy(), operands, AssemblyEffect::collective);
  }

  static std::string bare_list(unsigned first, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += fmt::format("{}${}", i == 0 ? "" : ", ", first + i);
    return text;
  }

  llvm::Value* mma() {
    const kernel::MmaAtom* atom = kernel::find_mma(operand_type(0), operand_type(1), operand_type(2));
    Values operands;
    std::vector<unsigned> counts;
    for (llvm::Value* factor : in_) {
      const Values registers = to_registers(build_, factor);
      counts.push_back(static_cast<unsigned>(registers.size()));
      operands.insert(operands.end(), registers.begin(), registers.end());
    }
    llvm::Type* single = operands.back()->getType();
    // Floats are added in float registers; of f16 two share a word.
    const bool floats = in_[2]->getType()->getScalarType()->isFloatTy();
    if (floats) {
      single = build_.getFloatTy();
      for (std::size_t i = operands.size() - counts[2]; i < operands.size(); ++i)
        operands[i] = build_.CreateBitCast(operands[i], single);
    }
    const unsigned sums = counts[2];
    std::string text = fmt::format("mma.sync.aligned.{} {{{}}}", atom->ptx, bare_list(0, sums));
    unsigned first = sums;
    for (const unsigned count : counts) {
      text += fmt::format(", {{{}}}", bare_list(first, count));
      first += count;
    }
    llvm::Value* product =
        assemble(build_, text + ";", register_types(build_, single, sums), operands, AssemblyEffect::collective);
    return from_registers(build_, results_of(build_, product), in_[2]->getType());
  }

  // ---- warpgroups

  /// The accumulators' lanes, from operand `first` on.
  Values accumulators(std::size_t first) const {
    Values lanes;
    for (std::size_t i = first; i < in_.size(); ++i) {
      const Values some = lanes_of(in_[i]);
      lanes.insert(lanes.end(), some.begin(), some.end());
    }
    return lanes;
  }

  Values lanes_of(llvm::Value* value) const {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    if (!vector) return {value};
    Values lanes;
    for (std::uint64_t lane = 0; lane < vector->getNumElements(); ++lane)
      lanes.push_back(build_.CreateExtractElement(value, lane));
    return lanes;
  }

  /// Lanes as values of the types of the operands from `first` on.
  Values gathered(const Values& lanes, std::size_t first) const {
    Values results;
    auto next = lanes.begin();
    for (std::size_t i = first; i < in_.size(); ++i) {
      const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(in_[i]->getType());
      if (!vector) {
        results.push_back(*next++);
        continue;
      }
      llvm::Value* result = llvm::PoisonValue::get(in_[i]->getType());
      for (std::uint64_t lane = 0; lane < vector->getNumElements(); ++lane)
        result = build_.CreateInsertElement(result, *next++, lane);
      results.push_back(result);
    }
    return results;
  }

  /// An op that accumulators, and factors in registers, pass through.
  Values keep(std::string_view text) {
    const Values lanes = accumulators(0);
    std::vector<llvm::Type*> types;
    for (const llvm::Value* lane : lanes) types.push_back(lane->getType());
    llvm::Value* kept =
        assemble(build_, text, types.size() == 1 ? types.front() : llvm::StructType::get(build_.getContext(), types),
                 lanes, AssemblyEffect::collective, static_cast<unsigned>(lanes.size()));
    return gathered(results_of(build_, kept), 0);
  }

  /// Of a factor in shared memory (PTX ISA, "Matrix Descriptor Format"): the address, both distances, each in units of
  /// 16 bytes, and the 128-byte swizzle.
  llvm::Value* descriptor(llvm::Value* pointer, const kernel::MatrixLayout& layout) {
    constexpr std::uint64_t address_bits = 0x3ffff;
    const auto units = [](std::int32_t bytes) { return static_cast<std::uint64_t>(bytes) >> 4; };
    const std::uint64_t fixed = units(layout.leading) << 16 | units(layout.stride) << 32 | std::uint64_t{1} << 62;
    llvm::Value* address = build_.CreatePtrToInt(pointer, build_.getInt32Ty());
    address = build_.CreateLShr(build_.CreateAnd(address, address_bits), 4);
    return build_.CreateOr(build_.CreateZExt(address, build_.getInt64Ty()), fixed);
  }

  /// (a, b, whether to add, accumulators…)
  Values wgmma(const kernel::WarpgroupProduct& product) {
    const kernel::WarpgroupAtom* atom = kernel::find_wgmma(product.of);
    Values operands = accumulators(3);
    const auto sums = static_cast<unsigned>(operands.size());
    const bool in_registers = operand_type(0) == atom->a;
    const Values a = in_registers ? to_registers(build_, in_[0]) : Values{descriptor(in_[0], product.a)};
    operands.insert(operands.end(), a.begin(), a.end());
    operands.push_back(descriptor(in_[1], product.b));
    operands.push_back(in_[2]);
    const unsigned first = 2 * sums;
    const auto count = static_cast<unsigned>(a.size());
    std::string text = fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{} {{{}}}, {}, ${}, ${}", product.n,
                                   atom->k, atom->c == kernel::Element::i32 ? "s32" : "f32", atom->ptx, atom->ptx,
                                   bare_list(0, sums), register_list(first, count), first + count, first + count + 1);
    if (atom->scales) text += ", 1, 1";
    // Only elements of 16 bits have the two orders.
    if (kernel::bits(product.of) == 16) {
      if (!in_registers) text += product.transposed_a ? ", 1" : ", 0";
      text += product.transposed_b ? ", 1" : ", 0";
    }
    llvm::Value* result = assemble(build_, text + ";", register_types(build_, operands.front()->getType(), sums),
                                   operands, AssemblyEffect::collective, sums);
    return gathered(results_of(build_, result), 3);
  }

  llvm::IRBuilderBase& build_;
  const kernel::Kernel& kernel_;
  const kernel::Op& op_;
  llvm::ArrayRef<llvm::Value*> in_;
};

}  // namespace

std::optional<std::vector<llvm::Value*>> emit_nvptx_matrix_op(llvm::IRBuilderBase& build, const kernel::Kernel& kernel,
                                                              const kernel::Op& op,
                                                              llvm::ArrayRef<llvm::Value*> operands) {
  return MatrixOps(build, kernel, op, operands).emit();
}

}  // namespace tilewright::codegen
