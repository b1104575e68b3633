// Runs a case at every level. See differential.h.
#include "differential.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <memory>

#include "bounds.h"
#include "codegen/llvm/host_jit.h"
#include "kernel_executor.h"
#include "nest/passes/schedule_for_host.h"
#include "plan/build_gpu_plan.h"
#include "plan/evaluate.h"
#include "runtime/check_overlap.h"
#include "runtime/compilation.h"
#include "runtime/kernel.h"
#include "tile/evaluate.h"
#include "tile/passes/nest_to_tile.h"

namespace tilewright::differential {
namespace {

HostCompiler& compiler_for(const Case& each) {
  static std::map<std::pair<std::string, bool>, std::unique_ptr<HostCompiler>> compilers;
  std::unique_ptr<HostCompiler>& compiler = compilers[{each.processor, each.small_caches}];
  if (!compiler) {
    HostTarget target = codegen::host_target_named(each.processor).value_or(codegen::host_target());
    if (each.small_caches) {
      target.l1_bytes = 1 << 10;
      target.l2_bytes = 4 << 10;
      target.l3_bytes = 16 << 10;
    }
    compiler = std::make_unique<HostCompiler>(target, DiskCache{});
  }
  return *compiler;
}

class Comparison {
 public:
  Comparison(const Case& each, Outcome& outcome) : case_(each), outcome_(outcome) {}

  void run() {
    const auto kernel = Kernel::parse(case_.statement);
    if (!kernel) return reject(kernel.error());
    for (std::size_t i = 0; i < case_.operands.size(); ++i) {
      const OperandSpec& spec = case_.operands[i];
      memory_.push_back(std::make_unique<GuardedMemory>(spec.dtype, spec.shape, spec.strides, spec.misalign));
      fill_operand(spec, case_.seed * 1009 + i, memory_.back()->view());
      operands_.push_back({spec.name, memory_.back()->view()});
    }
    std::vector<std::vector<std::byte>> before;
    for (const auto& memory : memory_) before.push_back(memory->all());

    HostCompiler& compiler = compiler_for(case_);
    if (!find_output(compiler, *kernel)) return;
    auto compiled = compiler.compile(*kernel->statement(), operands_, &output_->view());
    if (!compiled) return reject(compiled.error());
    allowed_ = bound_output(compiled->reference, operands_);
    check_reference(compiled->reference);
    if (case_.slow_levels && outcome_.difference.empty()) {
      check_value_phase(*compiled, compiler.target());
      level("plan on tiles", [&] { return plan::evaluate_plan(compiled->plan->plan, plan_views(*compiled)); });
      level("kernel", [&] {
        KernelExecutor executor(*compiled->plan, ranges());
        return plan::run_plan(compiled->plan->plan, plan_views(*compiled), executor);
      });
    }
    level("generated code", [&] { return run_code(*compiled); });
    if (case_.slow_levels && case_.gpu_levels && outcome_.difference.empty()) run_gpu_levels(*compiled);
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (memory_[i]->all() != before[i]) differ("all", "operand " + operands_[i].name + " was written");
    for_each_index(outcome_.shape, [&](const auto& index) { outcome_.values.push_back(output_->view().get(index)); });
  }

 private:
  void reject(const Diagnostics& diagnostics) { outcome_.rejection = render(diagnostics); }
  void differ(std::string_view where, const std::string& what) {
    if (outcome_.difference.empty()) outcome_.difference = fmt::format("{}: {}", where, what);
  }

  bool find_output(HostCompiler& compiler, const Kernel& kernel) {
    const auto typed = compiler.compile(*kernel.statement(), operands_, nullptr, false);
    if (!typed) return reject(typed.error()), false;
    outcome_.dtype = typed->output;
    outcome_.shape = typed->output_shape;
    std::vector<std::int64_t> strides = case_.output_strides;
    if (strides.size() != outcome_.shape.size()) strides.clear();
    // Strides were chosen before the extents were known.
    if (!strides.empty() && overlaps_itself({nullptr, outcome_.dtype, outcome_.shape, strides})) strides.clear();
    output_ = std::make_unique<GuardedMemory>(outcome_.dtype, outcome_.shape, strides, case_.output_misalign);
    return true;
  }

  void check_reference(const nest::Nest& nest) {
    const auto reference = nest::evaluate(nest, operands_);
    if (!reference) return differ("reference", render(reference.error()));
    if (reference->shape != allowed_.shape) return differ("reference", "another shape");
    for (std::size_t i = 0; i < allowed_.elements.size(); ++i)
      if (!allowed_.elements[i].holds(reference->rounded[i]))
        return differ("reference", wrong_element(i, reference->rounded[i]));
  }

  std::string wrong_element(std::size_t flat, Scalar received) const {
    std::vector<std::int64_t> index(allowed_.shape.size());
    std::size_t rest = flat;
    for (std::size_t axis = index.size(); axis-- > 0; rest /= static_cast<std::size_t>(allowed_.shape[axis]))
      index[axis] = static_cast<std::int64_t>(rest % static_cast<std::size_t>(allowed_.shape[axis]));
    return fmt::format("at [{}]: {}, allowed {}", fmt::join(index, ", "), tilewright::to_text(received, outcome_.dtype),
                       to_text(allowed_.elements[flat]));
  }

  /// Runs a level into the output and compares.
  void level(std::string_view name, const std::function<Result<void>()>& run) {
    if (!outcome_.difference.empty()) return;
    output_->reset();
    if (const auto ran = run(); !ran) return differ(name, render(ran.error()));
    std::size_t flat = 0;
    for_each_index(allowed_.shape, [&](const auto& index) {
      const Scalar received = output_->view().get(index);
      if (outcome_.difference.empty() && !allowed_.elements[flat].holds(received))
        differ(name, wrong_element(flat, received));
      ++flat;
    });
    if (const std::string damage = output_->damage(); !damage.empty()) differ(name, damage);
    for_each_index(allowed_.shape, [&](const auto& index) {
      const TensorView& view = output_->view();
      if (is_boolean(view.dtype) && std::to_integer<int>(view.data[view.offset_bytes(index)]) > 1)
        differ(name, "a bool is neither 0 nor 1");
    });
  }

  std::vector<nest::NamedView> plan_views(const Compilation& compiled) const {
    std::vector<nest::NamedView> views;
    for (std::uint32_t t = 0; t < compiled.nest.tensors.size(); ++t)
      views.push_back({compiled.nest.tensors[nest::TensorId{t}].name, compiled.views.operands[t]});
    views.push_back({compiled.nest.name, compiled.views.output});
    return views;
  }

  std::vector<kernel::MemoryRange> ranges() const {
    std::vector<kernel::MemoryRange> result;
    for (const auto& memory : memory_) result.push_back({memory->begin(), memory->bytes(), false});
    result.push_back({output_->begin(), output_->bytes(), true});
    return result;
  }

  /// Before placement, where one program is all: no split, and a reduction over something.
  void check_value_phase(const Compilation& compiled, const HostTarget& target) {
    nest::Nest nest = compiled.nest;
    for (std::size_t i = 0; i < nest.iterators.size(); ++i)
      if (compiled.facts.size_buckets[i] == 0) return;
    nest::schedule_for_host(nest, compiled.facts, target);
    if (nest.schedule.split_iter.valid() && nest.schedule.split > 0) return;
    const tile::Program program = tile::nest_to_tile(nest, compiled.facts);
    level("tiles before placement", [&] { return tile::evaluate(program, plan_views(compiled)); });
  }

  void run_gpu_levels(const Compilation& compiled) {
    const NvptxTarget& target = *nvptx_target_named("sm_90a");
    const nest::Facts facts =
        nest::gather_facts(compiled.nest, compiled.views.operands, compiled.views.output, nest::VectorLoads::aligned);
    const auto plan = plan::build_gpu_plan(compiled.nest, facts, target, nullptr);
    if (!plan) return reject(plan.error());
    level("GPU plan on tiles", [&] { return plan::evaluate_plan(plan->plan, plan_views(compiled)); });
    outcome_.gpu_kernels = plan->kernels;
    if (!outcome_.difference.empty()) outcome_.difference += "\n" + plan::to_text_with_kernels(plan->plan);
  }

  Result<void> run_code(const Compilation& compiled) const {
    std::vector<TensorView> views = compiled.views.operands;
    views.push_back(compiled.views.output);
    auto call = HostCall::prepare(std::dynamic_pointer_cast<const HostPlan>(compiled.plan), views);
    if (!call) return std::unexpected(call.error());
    std::vector<std::byte*> addresses;
    for (const TensorView& view : views) addresses.push_back(view.data);
    return call->run(addresses);
  }

  const Case& case_;
  Outcome& outcome_;
  std::vector<std::unique_ptr<GuardedMemory>> memory_;
  std::vector<nest::NamedView> operands_;
  std::unique_ptr<GuardedMemory> output_;
  OutputBounds allowed_;
};

std::string numbers(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

}  // namespace

std::string to_text(const Case& each) {
  std::string text = each.statement + "\n";
  for (const OperandSpec& spec : each.operands) {
    text += fmt::format("  {} = {} {} strides {} values {}", spec.name, name(spec.dtype), numbers(spec.shape),
                        spec.strides.empty() ? "row-major" : numbers(spec.strides), static_cast<int>(spec.values));
    text += spec.misalign == 0 ? "\n" : fmt::format(" misaligned by {}\n", spec.misalign);
  }
  text += fmt::format("  output strides {} misaligned by {}, seed {}, processor '{}'{}\n",
                      each.output_strides.empty() ? "row-major" : numbers(each.output_strides), each.output_misalign,
                      each.seed, each.processor, each.small_caches ? ", small caches" : "");
  return text;
}

Outcome run_everywhere(const Case& each) {
  Outcome outcome;
  try {
    Comparison(each, outcome).run();
  } catch (const InternalError& error) {
    outcome.difference = fmt::format("internal error: {}", error.what());
  }
  return outcome;
}

std::string disagreement(const Case& each) {
  const Outcome outcome = run_everywhere(each);
  if (outcome.difference.empty() && outcome.rejection.empty()) return {};
  return to_text(each) + outcome.difference + outcome.rejection;
}

}  // namespace tilewright::differential
