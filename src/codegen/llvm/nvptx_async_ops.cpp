// One line an op where it is one instruction; waits are loops, since `try_wait` gives up after a while.
#include "codegen/llvm/nvptx_async_ops.h"

#include <fmt/format.h>

#include "codegen/llvm/nvptx_assembly.h"

namespace tilewright::codegen {

using kernel::Opcode;

namespace {

using Values = std::vector<llvm::Value*>;

class AsyncOps {
 public:
  AsyncOps(llvm::IRBuilderBase& build, const GpuTarget& target, const kernel::Kernel& kernel, const kernel::Op& op,
           llvm::ArrayRef<llvm::Value*> operands)
      : build_(build), target_(target), kernel_(kernel), op_(op), in_(operands) {}

  std::optional<Values> emit() {
    switch (op_.code) {
      case Opcode::mbarrier_init:
        return memory(fmt::format("mbarrier.init.shared.b64 [$0], {};", count()));
      case Opcode::mbarrier_arrive:
        if (in_.size() == 1) return memory("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [$0];\n\t}");
        return memory(
            "{\n\t.reg .b32 remote;\n\tmapa.shared::cluster.u32 remote, $0, $1;\n\t"
            "mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t}");
      case Opcode::mbarrier_expect:
        return memory("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared.b64 state, [$0], $1;\n\t}");
      case Opcode::mbarrier_wait:
        return memory(
            fmt::format("{{\n\t.reg .pred done;\n"
                        "again:\n\tmbarrier.{}.parity.shared.b64 done, [$0], $1;\n\t@!done bra again;\n\t}}",
                        target_.capability >= 90 ? "try_wait" : "test_wait"));
      case Opcode::fence_mbarrier:
        return memory("fence.mbarrier_init.release.cluster;");
      case Opcode::fence_async:
        return memory("fence.proxy.async.shared::cta;");
      case Opcode::bulk_load:
        return memory("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];");
      case Opcode::bulk_store:
        return memory("cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;");
      case Opcode::tensor_load:
        return tensor_load(std::get<kernel::TensorCopy>(op_.attribute));
      case Opcode::tensor_store:
        return tensor_store(std::get<kernel::TensorCopy>(op_.attribute));
      case Opcode::commit_bulk:
        return memory("cp.async.bulk.commit_group;");
      case Opcode::wait_bulk:
        return memory(fmt::format("cp.async.bulk.wait_group {};", count()));
      case Opcode::wait_bulk_reads:
        return memory(fmt::format("cp.async.bulk.wait_group.read {};", count()));
      case Opcode::cluster_arrive:
        return together("barrier.cluster.arrive.release.aligned;");
      case Opcode::cluster_wait:
        return together("barrier.cluster.wait.acquire.aligned;");
      case Opcode::cluster_load:
        return Values{cluster_load()};
      case Opcode::cluster_store:
        return cluster_store();
      case Opcode::elect:
        return Values{
            assemble(build_, "elect.sync _|$0, 0xffffffff;", build_.getInt1Ty(), {}, AssemblyEffect::collective)};
      case Opcode::raise_registers:
        return together(fmt::format("setmaxnreg.inc.sync.aligned.u32 {};", count()));
      case Opcode::lower_registers:
        return together(fmt::format("setmaxnreg.dec.sync.aligned.u32 {};", count()));
      case Opcode::grid_wait:
        return memory("griddepcontrol.wait;");
      case Opcode::grid_launch:
        return memory("griddepcontrol.launch_dependents;");
      default:
        return std::nullopt;
    }
  }

 private:
  std::int32_t count() const { return std::get<kernel::Count>(op_.attribute).count; }

  Values memory(std::string_view text) { return effect(text, AssemblyEffect::memory); }
  Values together(std::string_view text) { return effect(text, AssemblyEffect::collective); }
  Values effect(std::string_view text, AssemblyEffect effect) {
    assemble(build_, text, build_.getVoidTy(), in_, effect);
    return {};
  }

  static std::string coordinates(unsigned first, std::int32_t rank) {
    std::string text;
    for (unsigned i = 0; i < static_cast<unsigned>(rank); ++i)
      text += fmt::format("{}${}", i == 0 ? "" : ", ", first + i);
    return text;
  }

  /// A copy in braces, with the cache's policy made before it where one is asked for.
  Values with_policy(kernel::CacheHint hint, std::string_view name, std::string_view operands) {
    if (hint == kernel::CacheHint::normal) return memory(fmt::format("{} {};", name, operands));
    const std::string_view policy = hint == kernel::CacheHint::evict_last ? "evict_last" : "evict_first";
    return memory(
        fmt::format("{{\n\t.reg .b64 policy;\n\tcreatepolicy.fractional.L2::{}.b64 policy, 1.0;\n\t"
                    "{}.L2::cache_hint {}, policy;\n\t}}",
                    policy, name, operands));
  }

  /// (to, map, mbarrier, coordinates…[, blocks])
  Values tensor_load(const kernel::TensorCopy& copy) {
    std::string name =
        fmt::format("cp.async.bulk.tensor.{}d.shared::cluster.global.mbarrier::complete_tx::bytes", copy.rank);
    std::string operands = fmt::format("[$0], [$1, {{{}}}], [$2]", coordinates(3, copy.rank));
    Values in(in_.begin(), in_.end());
    if (copy.multicast) {
      name += ".multicast::cluster";
      operands += fmt::format(", ${}", 3 + copy.rank);
      in.back() = build_.CreateTrunc(in.back(), build_.getInt16Ty());
    }
    in_ = in;
    return with_policy(copy.cache, name, operands);
  }

  /// (map, from, coordinates…)
  Values tensor_store(const kernel::TensorCopy& copy) {
    return with_policy(copy.cache, fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group", copy.rank),
                       fmt::format("[$0, {{{}}}], [$1]", coordinates(2, copy.rank)));
  }

  // ".v4.b32", ".f64": of `count` registers like one.
  static std::string width(const llvm::Type* single, unsigned count) {
    return fmt::format("{}.{}", count == 1 ? "" : fmt::format(".v{}", count),
                       single->isDoubleTy()      ? "f64"
                       : single->isIntegerTy(64) ? "b64"
                                                 : "b32");
  }

  llvm::Type* element_type(kernel::Element element) {
    switch (element) {
      case kernel::Element::f32:
        return build_.getFloatTy();
      case kernel::Element::f64:
        return build_.getDoubleTy();
      default:
        return build_.getIntNTy(static_cast<unsigned>(kernel::bits(element)));
    }
  }

  /// (pointer, block)
  llvm::Value* cluster_load() {
    const kernel::Type of = kernel_.values[op_.results[0]].type;
    llvm::Type* element = element_type(of.element);
    llvm::Type* type = of.lanes == 1 ? element : llvm::FixedVectorType::get(element, of.lanes);
    llvm::Type* single = element->isDoubleTy() ? element : build_.getInt32Ty();
    const unsigned count = of.lanes * static_cast<unsigned>(kernel::bits(of.element)) / single->getScalarSizeInBits();
    const std::string text = fmt::format(
        "{{\n\t.reg .b32 remote;\n\tmapa.shared::cluster.u32 remote, ${}, ${};\n\t"
        "ld.shared::cluster{} {}, [remote];\n\t}}",
        count, count + 1, width(single, count), register_list(0, count));
    llvm::Value* loaded = assemble(build_, text, register_types(build_, single, count), in_, AssemblyEffect::memory);
    return from_registers(build_, results_of(build_, loaded), type);
  }

  /// (value, pointer, block)
  Values cluster_store() {
    Values operands = to_registers(build_, in_[0]);
    const auto count = static_cast<unsigned>(operands.size());
    llvm::Type* single = operands.front()->getType();
    operands.insert(operands.end(), {in_[1], in_[2]});
    const std::string text = fmt::format(
        "{{\n\t.reg .b32 remote;\n\tmapa.shared::cluster.u32 remote, ${}, ${};\n\t"
        "st.shared::cluster{} [remote], {};\n\t}}",
        count, count + 1, width(single, count), register_list(0, count));
    assemble(build_, text, build_.getVoidTy(), operands, AssemblyEffect::memory);
    return {};
  }

  llvm::IRBuilderBase& build_;
  const GpuTarget& target_;
  const kernel::Kernel& kernel_;
  const kernel::Op& op_;
  llvm::ArrayRef<llvm::Value*> in_;
};

}  // namespace

std::optional<std::vector<llvm::Value*>> emit_nvptx_async_op(llvm::IRBuilderBase& build, const GpuTarget& target,
                                                             const kernel::Kernel& kernel, const kernel::Op& op,
                                                             llvm::ArrayRef<llvm::Value*> operands) {
  return AsyncOps(build, target, kernel, op, operands).emit();
}

}  // namespace tilewright::codegen
