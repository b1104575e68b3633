// Runs a case at every level. See differential.h.
#include "differential.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "bounds.h"
#include "codegen/llvm/host_jit.h"
#include "kernel_executor.h"
#include "nest/passes/schedule_for_host.h"
#include "plan/build_gpu_plan.h"
#include "plan/evaluate.h"
#include "runtime/check_overlap.h"
#include "runtime/compilation.h"
#include "runtime/engine.h"
#include "runtime/kernel.h"
#include "runtime/simulated_call.h"
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

/// The device that TILEWRIGHT_DIFFERENTIAL_DEVICE names, to be compared with the reference alone; null without.
const Engine* named_device() {
  static const std::optional<Engine> engine = []() -> std::optional<Engine> {
    const char* name = std::getenv("TILEWRIGHT_DIFFERENTIAL_DEVICE");
    if (name == nullptr) return std::nullopt;
    auto opened = Engine::open(name, {.disk_cache = false});
    if (!opened) internal_error(render(opened.error()));
    return *opened;
  }();
  return engine ? &*engine : nullptr;
}

/// Elements of the iteration space up to which a GPU's kernels are simulated.
constexpr double most_simulated = 1 << 20;

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
    const auto bound = nest::bind_nest(*kernel->statement(), types_of(operands_));
    if (!bound) return reject(bound.error());
    if (!find_output(compiler, *bound)) return;
    auto compiled = compiler.compile(*bound, operands_, &output_->view(), case_.host_levels);
    if (!compiled) return reject(compiled.error());
    allowed_ = bound_output(compiled->reference, operands_);
    check_reference(compiled->reference);
    if (const Engine* device = named_device()) {
      level(device->device_name(), [&] { return run_on(*device, *kernel); });
    } else {
      if (case_.host_levels) run_host_levels(*compiled, compiler.target());
      if (case_.gpu_levels && outcome_.difference.empty()) run_gpu_levels(*compiled);
    }
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (memory_[i]->all() != before[i]) differ("all", "operand " + operands_[i].name + " was written");
  }

 private:
  void run_host_levels(const Compilation& compiled, const HostTarget& target) {
    if (case_.slow_levels && outcome_.difference.empty()) {
      check_value_phase(compiled, target);
      level("plan on tiles", [&] { return plan::evaluate_plan(compiled.plan->plan, plan_views(compiled)); });
      level("kernel", [&] {
        KernelExecutor executor(*compiled.plan, ranges());
        return plan::run_plan(compiled.plan->plan, plan_views(compiled), executor);
      });
    }
    level("generated code", [&] { return run_code(compiled); });
    for_each_index(outcome_.shape, [&](const auto& index) { outcome_.values.push_back(output_->view().get(index)); });
  }

  void reject(const Diagnostics& diagnostics) { outcome_.rejection = render(diagnostics); }
  void differ(std::string_view where, const std::string& what) {
    if (outcome_.difference.empty()) outcome_.difference = fmt::format("{}: {}", where, what);
  }

  bool find_output(HostCompiler& compiler, const nest::BoundNest& bound) {
    const auto typed = compiler.compile(bound, operands_, nullptr, false);
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
    GpuTarget target = *gpu_target_named(case_.gpu_arch);
    if (case_.repacked) target.launch_cycles = -1e12;
    if (case_.gpu_shared_bytes > 0) target.max_block_shared_bytes = case_.gpu_shared_bytes;
    nest::Nest nest = compiled.nest;
    if (!case_.gpu_variant.empty()) nest.schedule.variant = case_.gpu_variant;
    if (case_.gpu_precision != Precision::exact) {
      nest::Nest reference = compiled.reference;
      reference.precision = nest.precision = case_.gpu_precision;
      allowed_ = bound_output(reference, operands_);
    }
    const nest::Facts facts =
        nest::gather_facts(nest, compiled.views.operands, compiled.views.output, nest::VectorLoads::aligned);
    const auto plan = plan::build_gpu_plan(nest, facts, target, nullptr);
    if (!plan) return reject(plan.error());
    if (case_.slow_levels && !case_.change_gpu_kernels)
      level("GPU plan on tiles", [&] { return plan::evaluate_plan(plan->plan, plan_views(compiled)); });
    outcome_.gpu_kernels = plan->kernels;
    if (case_.change_gpu_kernels) case_.change_gpu_kernels(outcome_.gpu_kernels);
    double work = 1;
    for (const std::int64_t bucket : facts.size_buckets) work *= static_cast<double>(std::max<std::int64_t>(bucket, 1));
    if (case_.simulated && work <= most_simulated && outcome_.difference.empty()) simulate(compiled, *plan);
    if (!outcome_.difference.empty()) outcome_.difference += "\n" + plan::to_text_with_kernels(plan->plan);
  }

  /// In an order of its own for each seed.
  void simulate(const Compilation& compiled, plan::PlannedKernels plan) {
    plan.kernels = outcome_.gpu_kernels;
    auto simulated = std::make_shared<SimulatedPlan>(std::move(plan));
    if (const auto made = make_simulators(*simulated); !made) return differ("simulated GPU", render(made.error()));
    kernel::SimulationOptions options;
    options.order = static_cast<kernel::SimulationOrder>(case_.seed % 3);
    options.seed = case_.seed;
    level("simulated GPU", [&] {
      const auto call = SimulatedCall::prepare(simulated, views_of(compiled));
      return call ? call->run(addresses_of(compiled), options, case_.counted ? &outcome_.counters : nullptr)
                  : std::unexpected(call.error());
    });
    if (outcome_.difference.empty()) return;
    for (const auto& lowered : simulated->kernels) outcome_.difference += to_text(lowered.kernel);
  }

  /// Through the engine, on copies in the device's memory.
  Result<void> run_on(const Engine& device, const Kernel& kernel) const {
    std::vector<Operand> operands;
    for (const nest::NamedView& operand : operands_) {
      const TensorView& view = operand.view;
      auto borrowed =
          Tensor::borrow({.data = view.data, .dtype = view.dtype, .shape = view.shape, .strides = view.strides});
      if (!borrowed) return std::unexpected(borrowed.error());
      auto placed = device.to_device(*borrowed);
      if (!placed) return std::unexpected(placed.error());
      operands.push_back({operand.name, std::move(*placed)});
    }
    auto result = device.eval(kernel, operands);
    if (result) result = device.to_host(*result);
    if (!result) return std::unexpected(result.error());
    const TensorView computed = result->view();
    for_each_index(computed.shape, [&](const auto& index) {
      std::memcpy(output_->view().data + output_->view().offset_bytes(index),
                  computed.data + computed.offset_bytes(index), size_of(computed.dtype));
    });
    return {};
  }

  Result<void> run_code(const Compilation& compiled) const {
    auto call = HostCall::prepare(std::dynamic_pointer_cast<const HostPlan>(compiled.plan), views_of(compiled));
    if (!call) return std::unexpected(call.error());
    return call->run(addresses_of(compiled));
  }

  static std::vector<TensorView> views_of(const Compilation& compiled) {
    std::vector<TensorView> views = compiled.views.operands;
    views.push_back(compiled.views.output);
    return views;
  }
  static std::vector<std::byte*> addresses_of(const Compilation& compiled) {
    std::vector<std::byte*> addresses;
    for (const TensorView& view : views_of(compiled)) addresses.push_back(view.data);
    return addresses;
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
  text += fmt::format("  output strides {} misaligned by {}, seed {}, processor '{}'{}{}\n",
                      each.output_strides.empty() ? "row-major" : numbers(each.output_strides), each.output_misalign,
                      each.seed, each.processor, each.small_caches ? ", small caches" : "",
                      each.repacked ? ", repacked" : "");
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
