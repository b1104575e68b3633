// One stream of a device's primary context, its memory pool and its modules behind the Backend interface.
#include "runtime/cuda/cuda_backend.h"

#include <algorithm>
#include <utility>

#include "codegen/llvm/nvptx.h"
#include "kernel/shared_memory.h"
#include "kernel/walk.h"
#include "runtime/cuda/copy.h"
#include "runtime/cuda/fill_tensor.h"
#include "runtime/cuda/module_cache.h"
#include "runtime/cuda/tensor_map.h"
#include "runtime/cuda/timing.h"
#include "runtime/nvptx_compilation.h"

namespace tilewright::cuda {
namespace {

/// A kernel's launch on a grid that is still to be said.
Launch launch_of(const kernel::LoweredKernel& lowered) {
  Launch launch;
  launch.block[0] = lowered.kernel.block->threads;
  launch.shared_bytes = kernel::shared_layout(lowered.kernel).bytes;
  launch.cluster[0] = launch.grid[0] = lowered.kernel.block->cluster;
  return launch;
}

/// Any of elements so wide: what is outside is 0 of all types.
TensorMapType type_of(std::int64_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return TensorMapType::u8;
    case 2:
      return TensorMapType::u16;
    case 4:
      return TensorMapType::u32;
    case 8:
      return TensorMapType::u64;
    default:
      internal_error("a tensor map of elements of " + std::to_string(element_bytes) + " bytes");
  }
}

LinkOptions options_for(const kernel::Kernel& kernel) {
  LinkOptions options;
  // At its first level the driver's assembler moves little.
  if (kernel.block->in_order) options.optimization_level = 1;
  kernel::walk(kernel.body, [&](const kernel::Op& op) {
    if (op.code == kernel::Opcode::wgmma) options.whole_program = true;
  });
  return options;
}

/// The tensor maps of a launch, by its maps.
Result<std::vector<TensorMap>> encode_maps(Context& context, const RecordedCall::LaunchStep& step,
                                           const std::vector<std::int64_t>& arguments) {
  std::vector<TensorMap> encoded;
  for (kernel::TensorMap& map : patched_maps(step, arguments)) {
    TensorMapRequest request;
    request.type = map.tf32 ? TensorMapType::tf32 : type_of(map.element_bytes);
    request.address = reinterpret_cast<DevicePointer>(map.address);
    request.extents = std::move(map.extents);
    request.strides = std::move(map.strides);
    request.box = std::move(map.box);
    if (map.swizzled) request.swizzle = TensorMapSwizzle::bytes_128;
    auto made = encode_tensor_map(context, request);
    if (!made) return std::unexpected(std::move(made.error()));
    encoded.push_back(*made);
  }
  return encoded;
}

/// Launches of a recorded call on one stream.
class CudaCall final : public DeviceCall {
 public:
  /// `resident`: by the plan's kernels, how many blocks the device runs at once, of those that go on from point to
  /// point.
  CudaCall(Stream stream, std::shared_ptr<const NvptxPlan> plan, std::vector<Function> functions,
           std::vector<std::int64_t> resident, RecordedCall call)
      : stream_(std::move(stream)),
        plan_(std::move(plan)),
        functions_(std::move(functions)),
        resident_(std::move(resident)),
        call_(std::move(call)) {
    for (const kernel::LoweredKernel& lowered : plan_->kernels) shapes_.push_back(launch_of(lowered));
  }

  std::int64_t workspace_bytes() const override { return call_.workspace_bytes; }

  /// The caller's operands may still be written: by what the default stream holds.
  Result<void> run(const std::vector<std::byte*>& addresses) const override {
    if (auto ordered = stream_.wait_for_default(); !ordered) return ordered;
    if (auto queued = queue_all(stream_, addresses); !queued) return queued;
    return stream_.synchronize();
  }
  Result<void> run_on(void* stream, const std::vector<std::byte*>& addresses) const override {
    return queue_all(Stream::borrow(stream_.context_ptr(), static_cast<StreamHandle>(stream)), addresses);
  }

  /// Between events, the cache flushed before each call; calls that are too short for that as graphs of some, replayed.
  Result<CallTiming> time(const std::vector<std::byte*>& addresses, const TimingEffort& effort) const override {
    constexpr int first_samples = 3;
    constexpr double shortest = 15e-6;  ///< seconds; an event costs about one µs
    constexpr double flush = 60e-6;     ///< seconds, about
    auto workspace = DeviceMemory::allocate(stream_, call_.workspace_bytes);
    if (!workspace) return std::unexpected(workspace.error());
    const std::vector<std::byte*> bases = with_workspace(addresses, *workspace);
    const auto work = [&](const Stream&, int) { return queue(stream_, bases); };
    const auto calls_in = [&](double seconds_a_call) {
      return static_cast<int>(std::clamp(effort.seconds / seconds_a_call, double(effort.least_calls), 1000.0));
    };
    const auto first = time_cold(stream_, work, first_samples);
    if (!first) return std::unexpected(first.error());
    const double estimate = *std::ranges::min_element(*first);
    if (estimate >= shortest) {
      auto seconds = time_cold(stream_, work, calls_in(estimate + flush));
      if (!seconds) return std::unexpected(std::move(seconds.error()));
      return CallTiming{std::move(*seconds), "events around each call, cache flushed before it"};
    }
    ReplayOptions replay;
    replay.replays = calls_in(std::max(estimate, 1e-6) * replay.launches);
    auto seconds = time_replays(stream_, work, replay);
    if (!seconds) return std::unexpected(std::move(seconds.error()));
    return CallTiming{std::move(*seconds),
                      "events around a graph of " + std::to_string(replay.launches) + " calls, cache as they leave it"};
  }

 private:
  static std::vector<std::byte*> with_workspace(const std::vector<std::byte*>& addresses,
                                                const DeviceMemory& workspace) {
    std::vector<std::byte*> bases = addresses;
    bases.push_back(reinterpret_cast<std::byte*>(workspace.address()));
    return bases;
  }

  /// The call's steps, with a workspace that goes back once they have run.
  Result<void> queue_all(const Stream& stream, const std::vector<std::byte*>& addresses) const {
    auto workspace = DeviceMemory::allocate(stream, call_.workspace_bytes);
    if (!workspace) return std::unexpected(workspace.error());
    return queue(stream, with_workspace(addresses, *workspace));
  }

  /// The call's steps, on the stream; does not wait.
  Result<void> queue(const Stream& stream, const std::vector<std::byte*>& bases) const {
    for (const RecordedCall::Step& step : call_.steps) {
      const auto* fill = std::get_if<RecordedCall::FillStep>(&step);
      Result<void> queued = fill != nullptr ? fill_tensor(stream, patched_view(*fill, bases), fill->value)
                                            : launch(stream, std::get<RecordedCall::LaunchStep>(step), bases);
      if (!queued) return queued;
    }
    return {};
  }

  /// As many launches as a grid's limit asks for.
  Result<void> launch(const Stream& stream, const RecordedCall::LaunchStep& step,
                      const std::vector<std::byte*>& bases) const {
    if (step.points == 0) return {};  // of empty tensors there are no maps either
    std::vector<std::int64_t> arguments = patched_arguments(step, bases);
    std::vector<void*> parameters;
    for (std::int64_t& argument : arguments) parameters.push_back(&argument);
    auto maps = encode_maps(stream.context(), step, arguments);
    if (!maps) return std::unexpected(std::move(maps.error()));
    for (std::size_t m = 0; m < maps->size(); ++m) parameters[step.maps[m].slot] = &(*maps)[m];
    const Function& function = functions_[step.kernel];
    const std::int64_t most_blocks = stream.context().device().max_grid_x;
    Launch shape = shapes_[step.kernel];
    for (std::int64_t begin = 0; begin < step.points; begin += most_blocks) {
      if (step.begin_slot) arguments[*step.begin_slot] = begin;
      shape.grid[0] = std::min(step.points - begin, most_blocks);
      if (step.end_slot) {
        arguments[*step.end_slot] = begin + shape.grid[0];
        shape.grid[0] = std::min(shape.grid[0], resident_[step.kernel]);
      }
      if (auto launched = function.launch(stream, shape, parameters); !launched) return launched;
    }
    return {};
  }

  Stream stream_;
  std::shared_ptr<const NvptxPlan> plan_;
  std::vector<Function> functions_;
  std::vector<std::int64_t> resident_;
  std::vector<Launch> shapes_;  ///< by the plan's kernels
  RecordedCall call_;
};

class CudaBackend final : public Backend {
 public:
  CudaBackend(Stream stream, GpuTarget target, DiskCache disk)
      : stream_(std::move(stream)), compiler_(std::move(target)), modules_(stream_.context_ptr(), std::move(disk)) {}

  std::string device_name() const override { return properties().device_name(); }
  std::string processor() const override { return properties().name; }
  bool reaches(Device memory) const override {
    return memory.kind == DeviceKind::cuda_managed ||
           (memory.kind == DeviceKind::cuda && memory.index == properties().ordinal);
  }

  Result<Tensor> allocate(DType dtype, Shape shape) override {
    return allocate_tensor(stream_, dtype, std::move(shape));
  }
  Result<Tensor> to_device(const Tensor& host) override {
    return reaches(host.device()) ? host : cuda::to_device(stream_, host);
  }
  Result<Tensor> to_host(const Tensor& tensor) override {
    if (tensor.device().is_host_accessible()) return tensor;
    if (auto ordered = stream_.wait_for_default(); !ordered) return std::unexpected(std::move(ordered.error()));
    return cuda::to_host(stream_, tensor);
  }

  Result<Compilation> compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                              const TensorView* output, bool code) override {
    return compiler_.compile(bound, operands, output, code);
  }

  Result<kernel::Occupancy> occupancy(const Compilation& compilation) override {
    const GpuTarget& target = compiler_.target();
    kernel::Occupancy result{{}, properties().multiprocessors, target.max_multiprocessor_threads};
    for (const kernel::LoweredKernel& lowered : compilation.plan->kernels) {
      const Result<std::string> ptx = codegen::emit_ptx(lowered.kernel, target);
      if (!ptx) return std::unexpected(ptx.error());
      const Result<Function> function = load(lowered.kernel, *ptx);
      if (!function) return std::unexpected(function.error());
      kernel::Residency residency = kernel::residency(lowered.kernel, target, function->properties().registers);
      residency.local_bytes = function->properties().local_bytes;
      result.kernels.push_back(residency);
    }
    return result;
  }

  nest::VectorLoads vector_loads() const override { return nest::VectorLoads::aligned; }
  nest::Candidates candidate_schedules(const nest::Nest& nest, const nest::Facts& facts,
                                       const SymbolValues& sizes) const override {
    return nest::candidate_schedules(nest, facts, compiler_.target(), sizes);
  }

  Result<std::shared_ptr<const DeviceCall>> prepare(const Compilation& compilation) override {
    auto plan = std::dynamic_pointer_cast<const NvptxPlan>(compilation.plan);
    std::vector<TensorView> views = compilation.views.operands;
    views.push_back(compilation.views.output);
    auto recorded = record_call(*plan, views);
    if (!recorded) return std::unexpected(recorded.error());
    std::vector<Function> functions;
    std::vector<std::int64_t> resident;
    for (std::size_t k = 0; k < plan->ptx.size(); ++k) {
      Result<Function> function = load(plan->kernels[k].kernel, plan->ptx[k]);
      if (!function) return std::unexpected(function.error());
      const bool goes_on = std::ranges::any_of(plan->kernels[k].arguments, [](const kernel::LaunchArgument& argument) {
        return std::holds_alternative<kernel::GridEndArgument>(argument);
      });
      const Result<std::int64_t> blocks =
          goes_on ? resident_blocks(*function, launch_of(plan->kernels[k])) : Result<std::int64_t>(0);
      if (!blocks) return std::unexpected(blocks.error());
      resident.push_back(*blocks);
      functions.push_back(std::move(*function));
    }
    return std::make_shared<const CudaCall>(stream_, std::move(plan), std::move(functions), std::move(resident),
                                            std::move(*recorded));
  }

 private:
  Result<Function> load(const kernel::Kernel& kernel, const std::string& ptx) {
    auto module = modules_.load(ptx, options_for(kernel));
    if (!module) return std::unexpected(module.error());
    return (*module)->function(kernel.name);
  }

  /// Blocks that the device runs at once, in whole clusters.
  Result<std::int64_t> resident_blocks(const Function& function, const Launch& launch) const {
    const std::int64_t cluster = launch.cluster[0];
    const Result<int> count = cluster > 1 ? function.resident_clusters(launch) : function.resident_blocks(launch);
    if (!count) return std::unexpected(count.error());
    return std::max<std::int64_t>(*count, 1) * (cluster > 1 ? cluster : properties().multiprocessors);
  }

  const DeviceProperties& properties() const { return stream_.context().device(); }

  Stream stream_;
  NvptxCompiler compiler_;
  ModuleCache modules_;
};

}  // namespace

Result<std::unique_ptr<Backend>> open_cuda_backend(std::string_view device_name, DiskCache disk,
                                                   std::int64_t workspace_limit) {
  auto context = Context::open(device_name);
  if (!context) return std::unexpected(context.error());
  const DeviceProperties& device = (*context)->device();
  const GpuTarget* known = gpu_target_named(ptx_target(device.major, device.minor));
  if (known == nullptr)
    return fail(
        "R072",
        device.text() + " has compute capability " + std::to_string(device.major) + "." + std::to_string(device.minor),
        "8.0 or later");
  auto stream = Stream::create(*context);
  if (!stream) return std::unexpected(stream.error());
  return std::make_unique<CudaBackend>(std::move(*stream), within_limit(*known, workspace_limit), std::move(disk));
}

}  // namespace tilewright::cuda
