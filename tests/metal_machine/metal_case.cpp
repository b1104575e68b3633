// See metal_case.h.
#include "metal_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "codegen/metal/metal.h"
#include "plan/build_gpu_plan.h"
#include "runtime/check_overlap.h"
#include "runtime/fill.h"
#include "runtime/kernel.h"
#include "runtime/nvptx_compilation.h"
#include "runtime/recorded_call.h"

namespace tilewright::metal_shim {

using differential::GuardedMemory;
using differential::OperandSpec;

namespace {

struct MetalPlan final : LoweredPlan {
  using LoweredPlan::LoweredPlan;
};

/// The first and the last threadgroup, and some between, ends of rows and others.
std::vector<unsigned> some_of(unsigned groups) {
  std::set<unsigned> some;
  for (const unsigned nth : {0U, 1U, groups / 3, groups / 2 + 1, groups - 2, groups - 1})
    if (nth < groups) some.insert(nth);
  return {some.begin(), some.end()};
}

}  // namespace

struct MetalCase::State {
  std::vector<std::unique_ptr<GuardedMemory>> memory;
  std::unique_ptr<GuardedMemory> output;
  Compilation compilation;
  std::unique_ptr<MetalPlan> plan;
  std::vector<codegen::MetalFunction> functions;
  std::vector<nest::NamedView> operands;
  differential::OutputBounds allowed;  ///< of Coverage::all
};

MetalCase::MetalCase(differential::Case each, Coverage coverage)
    : case_(std::move(each)), coverage_(coverage), state_(std::make_unique<State>()) {
  const auto reject = [&](const Diagnostics& errors) { rejection_ = render(errors); };
  const auto kernel = Kernel::parse(case_.statement);
  if (!kernel) {
    reject(kernel.error());
    return;
  }
  std::vector<nest::NamedView> operands;
  for (std::size_t i = 0; i < case_.operands.size(); ++i) {
    const OperandSpec& spec = case_.operands[i];
    state_->memory.push_back(std::make_unique<GuardedMemory>(spec.dtype, spec.shape, spec.strides, spec.misalign));
    fill_operand(spec, case_.seed * 1009 + i, state_->memory.back()->view());
    operands.push_back({spec.name, state_->memory.back()->view()});
  }
  const auto bound = nest::bind_nest(*kernel->statement(), types_of(operands));
  if (!bound) {
    reject(bound.error());
    return;
  }
  const auto typed = compile_to_nest(*bound, operands, nullptr, nest::VectorLoads::aligned);
  if (!typed) {
    reject(typed.error());
    return;
  }
  std::vector<std::int64_t> strides = case_.output_strides;
  if (strides.size() != typed->output_shape.size()) strides.clear();
  if (!strides.empty() && overlaps_itself({nullptr, typed->output, typed->output_shape, strides})) strides.clear();
  state_->output = std::make_unique<GuardedMemory>(typed->output, typed->output_shape, strides, case_.output_misalign);
  auto compiled = compile_to_nest(*bound, operands, &state_->output->view(), nest::VectorLoads::aligned);
  if (!compiled) {
    reject(compiled.error());
    return;
  }
  state_->compilation = std::move(*compiled);
  GpuTarget target = *gpu_target_named("metal");
  if (case_.repacked) target.launch_cycles = -1e12;
  if (!case_.gpu_variant.empty()) state_->compilation.nest.schedule.variant = case_.gpu_variant;
  auto planned = plan::build_gpu_plan(state_->compilation.nest, state_->compilation.facts, target, nullptr);
  if (!planned) {
    reject(planned.error());
    return;
  }
  state_->plan = std::make_unique<MetalPlan>(std::move(*planned));
  state_->functions = codegen::metal_functions(state_->plan->kernels);
  auto source = codegen::emit_metal(state_->functions, target, case_.statement);
  if (!source) {
    reject(source.error());
    return;
  }
  source_ = std::move(*source);
  state_->operands = operands;
  if (coverage_ == Coverage::all) state_->allowed = differential::bound_output(state_->compilation.reference, operands);
}

MetalCase::~MetalCase() = default;

std::string MetalCase::run(const Module* module, std::size_t number) {
  state_->output->reset();
  compared_ = 0;
  std::string wrong = launch_all(module, number);
  if (wrong.empty() && coverage_ == Coverage::all) wrong = compare();
  return wrong;
}

/// The operands' memory in the order of the nest's tensors, the output's, and a workspace; and the launches.
std::string MetalCase::launch_all(const Module* module, std::size_t number) {
  std::vector<TensorView> views = state_->compilation.views.operands;
  views.push_back(state_->compilation.views.output);
  const auto call = record_call(*state_->plan, views);
  if (!call) return render(call.error());
  std::vector<std::byte> memory(static_cast<std::size_t>(call->workspace_bytes) + 64, std::byte{0xee});
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  std::vector<std::byte*> bases;
  for (const TensorView& view : views) bases.push_back(view.data);
  bases.push_back(memory.data() + (64 - address % 64) % 64);

  // By tensor: what its launches may reach.
  std::vector<DeviceBuffer> reach;
  for (const nest::Tensor& tensor : state_->compilation.nest.tensors)
    for (std::size_t i = 0; i < state_->memory.size(); ++i)
      if (case_.operands[i].name == tensor.name)
        reach.push_back({state_->memory[i]->begin(), static_cast<std::size_t>(state_->memory[i]->bytes()), false});
  reach.push_back({state_->output->begin(), static_cast<std::size_t>(state_->output->bytes()), true});
  reach.push_back({bases.back(), static_cast<std::size_t>(call->workspace_bytes), true});

  bool fills = false;
  std::vector<DeviceLaunch> launches;
  for (const RecordedCall::Step& step : call->steps) {
    if (const auto* fill = std::get_if<RecordedCall::FillStep>(&step)) {
      if (!launches.empty()) return "memory is filled between launches";
      fill_on_host(*fill, bases);
      fills = true;
      continue;
    }
    const auto& launch = std::get<RecordedCall::LaunchStep>(step);
    if (launch.points == 0) continue;
    const kernel::Kernel& kernel = state_->plan->kernels[launch.kernel].kernel;
    const codegen::MetalArguments order = codegen::metal_arguments(kernel);
    DeviceLaunch one;
    one.function = state_->functions[launch.kernel].name;
    one.groups = static_cast<unsigned>(launch.points);
    one.threads = static_cast<unsigned>(kernel.block->threads);
    for (const std::size_t slot : order.buffers) {
      const auto patch = std::ranges::find(launch.patches, slot, &RecordedCall::Patch::slot);
      if (patch == launch.patches.end()) return "a buffer of " + one.function + " is no tensor";
      one.arguments.emplace_back(patch->tensor, bases[patch->tensor] + patch->offset - reach[patch->tensor].data);
    }
    for (const std::size_t slot : order.sizes)
      one.sizes.push_back(launch.begin_slot == slot ? 0 : launch.arguments[slot]);
    launches.push_back(std::move(one));
  }
#ifdef TILEWRIGHT_METAL_DEVICE
  (void)module, (void)number, (void)fills;
  std::string wrong = run_on_device(source_, launches, reach);
  return wrong.empty() && coverage_ != Coverage::all ? compare_some(nullptr) : wrong;
#else
  std::vector<Buffer> buffers;
  buffers.reserve(reach.size());
  for (const DeviceBuffer& each : reach) {
    const bool is_output = each.data == state_->output->begin();
    buffers.emplace_back(each.data, each.bytes, is_output ? size_of(state_->output->view().dtype) : 1,
                         !each.is_written);
    if (fills) buffers.back().note_written();
  }
  const Buffer& output = buffers[reach.size() - 2];
  for (DeviceLaunch& launch : launches)
    if (const std::string wrong = run_on_machine(*module, number, launch, buffers); !wrong.empty())
      return launch.function + ": " + wrong;
    else if (coverage_ == Coverage::some_groups)
      return launches.size() == 1 ? compare_some(&output) : "";
  return coverage_ == Coverage::some_results ? compare_some(&output) : "";
#endif
}

std::string MetalCase::run_on_machine(const Module& module, std::size_t number, DeviceLaunch& launch,
                                      std::vector<Buffer>& buffers) const {
  const Module::Entry entry = module.find(number, launch.function);
  if (entry.call == nullptr) return "the source lacks the function";
  Launch one;
  one.entry = entry.call;
  for (const auto& [buffer, offset] : launch.arguments) one.arguments.push_back(buffers[buffer].data() + offset);
  Buffer sizes(reinterpret_cast<std::byte*>(launch.sizes.data()), launch.sizes.size() * sizeof(std::int64_t), 1, true);
  if (!launch.sizes.empty()) one.arguments.push_back(sizes.data());
  for (Buffer& buffer : buffers) one.reach.push_back(&buffer);
  one.reach.push_back(&sizes);
  one.groups = launch.groups;
  if (coverage_ == Coverage::some_groups) one.only = some_of(launch.groups);
  one.threads = launch.threads;
  one.backwards = case_.seed % 2 == 1;
  if (one.threads != entry.function->max_threads) return "the launch has other threads than the function";
  if (one.arguments.size() != entry.function->buffers) return "the launch has other buffers than the function";
  static Machine machine;  // its stacks are made once
  return machine.run(one);
}

std::string MetalCase::compare() {
  const TensorView& view = state_->output->view();
  std::size_t flat = 0;
  std::string wrong;
  differential::OutputBounds const& allowed = state_->allowed;
  for_each_index(allowed.shape, [&](const std::vector<std::int64_t>& index) {
    const Scalar received = view.get(index);
    if (wrong.empty() && !allowed.elements[flat].holds(received))
      wrong = fmt::format("at [{}]: {}, allowed {}", fmt::join(index, ", "), to_text(received, view.dtype),
                          differential::to_text(allowed.elements[flat]));
    ++flat;
  });
  compared_ = flat;
  if (wrong.empty()) wrong = state_->output->damage();
  return wrong;
}

/// `output`: which elements are written, of a row-major output; null: all.
std::string MetalCase::compare_some(const Buffer* output) {
  constexpr std::size_t most = 40;
  const TensorView& view = state_->output->view();
  const auto count = static_cast<std::size_t>(view.element_count());
  std::vector<std::size_t> written;
  for (std::size_t flat = 0; flat < count; ++flat)
    if (output == nullptr || output->is_written(flat * size_of(view.dtype))) written.push_back(flat);
  if (written.empty()) return "nothing is written";
  std::vector<std::vector<std::int64_t>> indices;
  const std::size_t taken = std::min(most, written.size());
  for (std::size_t n = 0; n < taken; ++n) {
    std::size_t flat = written[taken == 1 ? 0 : n * (written.size() - 1) / (taken - 1)];
    std::vector<std::int64_t> index(view.rank());
    for (std::size_t axis = view.rank(); axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(view.shape[axis]);
      index[axis] = static_cast<std::int64_t>(flat % extent);
      flat /= extent;
    }
    indices.push_back(std::move(index));
  }
  const auto allowed = differential::bound_elements(state_->compilation.reference, state_->operands, indices);
  for (std::size_t n = 0; n < indices.size(); ++n)
    if (const Scalar received = view.get(indices[n]); !allowed[n].holds(received))
      return fmt::format("at [{}]: {}, allowed {}", fmt::join(indices[n], ", "), to_text(received, view.dtype),
                         differential::to_text(allowed[n]));
  compared_ = indices.size();
  return {};
}

std::string disagreements(std::vector<std::unique_ptr<MetalCase>>& cases) {
  std::vector<std::string> sources;  // each once
  std::vector<std::pair<MetalCase*, std::size_t>> taken;
  std::string all;
  for (const auto& each : cases) {
    if (!each->rejection().empty()) {
      all += to_text(each->specification()) + each->rejection();
      continue;
    }
    const auto known = std::ranges::find(sources, each->source());
    taken.emplace_back(each.get(), static_cast<std::size_t>(known - sources.begin()));
    if (known == sources.end()) sources.push_back(each->source());
  }
  if (sources.empty()) return all;
#ifdef TILEWRIGHT_METAL_DEVICE
  const Module* module = nullptr;  // the device compiles each source itself
#else
  const auto compiled = Module::compile(sources);
  if (!compiled) return all + compiled.error();
  const Module* module = compiled->get();
#endif
  for (const auto& [each, number] : taken)
    if (const std::string wrong = each->run(module, number); !wrong.empty())
      all += to_text(each->specification()) + wrong + "\n" + each->source() + "\n";
  return all;
}

}  // namespace tilewright::metal_shim
