// A GPU's compiler as far as kernels, the host's memory and the simulator behind the Backend interface.
#include "runtime/simulator_backend.h"

#include <utility>

#include "plan/build_gpu_plan.h"
#include "runtime/compilation.h"
#include "runtime/simulated_call.h"

namespace tilewright {
namespace {

class SimulatorDeviceCall final : public DeviceCall {
 public:
  explicit SimulatorDeviceCall(SimulatedCall call) : call_(std::move(call)) {}
  Result<void> run(const std::vector<std::byte*>& addresses) const override { return call_.run(addresses); }
  std::int64_t workspace_bytes() const override { return call_.workspace_bytes(); }

 private:
  SimulatedCall call_;
};

class SimulatorBackend final : public Backend {
 public:
  explicit SimulatorBackend(const NvptxTarget& target) : target_(target) {}

  std::string device_name() const override { return "sim"; }
  std::string processor() const override { return "simulated " + target_.arch; }
  bool is_simulated() const override { return true; }
  bool reaches(Device memory) const override { return memory.is_host_accessible(); }

  Result<Tensor> allocate(DType dtype, Shape shape) override { return Tensor::allocate(dtype, std::move(shape)); }
  Result<Tensor> to_device(const Tensor& host) override { return host; }
  Result<Tensor> to_host(const Tensor& tensor) override { return tensor; }

  Result<Compilation> compile(const lang::Statement& statement, const std::vector<nest::NamedView>& operands,
                              const TensorView* output, bool code) override {
    if (auto known = require_exact(statement, "on GPUs"); !known) return std::unexpected(known.error());
    Result<Compilation> result = compile_to_nest(statement, operands, output, nest::VectorLoads::aligned);
    if (!result) return result;
    auto built = plan::build_gpu_plan(result->nest, result->facts, target_, code ? nullptr : &result->trace);
    if (!built) return std::unexpected(built.error());
    auto plan = std::make_shared<SimulatedPlan>(std::move(*built));
    plan->source = statement.source;
    plan->span = statement.target.span;
    if (code)
      if (auto made = make_simulators(*plan); !made) return std::unexpected(made.error());
    result->plan = std::move(plan);
    return result;
  }

  Result<std::shared_ptr<const DeviceCall>> prepare(const Compilation& compilation) override {
    std::vector<TensorView> views = compilation.views.operands;
    views.push_back(compilation.views.output);
    auto call = SimulatedCall::prepare(std::dynamic_pointer_cast<const SimulatedPlan>(compilation.plan), views);
    if (!call) return std::unexpected(call.error());
    return std::make_shared<const SimulatorDeviceCall>(std::move(*call));
  }

 private:
  const NvptxTarget& target_;
};

}  // namespace

std::unique_ptr<Backend> open_simulator_backend() {
  return std::make_unique<SimulatorBackend>(*nvptx_target_named("sm_90a"));
}

}  // namespace tilewright
