// A GPU's compiler as far as kernels, the host's memory and the simulator behind the Backend interface.
#include "runtime/simulator_backend.h"

#include <utility>

#include "plan/build_gpu_plan.h"
#include "runtime/compilation.h"
#include "runtime/host_memory_backend.h"
#include "runtime/nvptx_compilation.h"
#include "runtime/simulated_call.h"

namespace tilewright {
namespace {

class SimulatorBackend final : public HostMemoryBackend {
 public:
  explicit SimulatorBackend(GpuTarget target) : target_(std::move(target)) {}

  std::string device_name() const override { return "sim"; }
  std::string processor() const override { return "simulated " + target_.arch; }
  bool is_simulated() const override { return true; }

  Result<Compilation> compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                              const TensorView* output, bool code) override {
    const lang::Statement& statement = *bound.statement;
    if (auto known = require_precision(statement, target_.precisions, "on " + target_.arch); !known)
      return std::unexpected(known.error());
    Result<Compilation> result = compile_to_nest(bound, operands, output, nest::VectorLoads::aligned);
    if (!result) return result;
    auto built = plan::build_gpu_plan(result->nest, result->facts, target_, code ? nullptr : &result->trace);
    if (!built) return std::unexpected(at_statement(std::move(built.error()), statement));
    auto plan = std::make_shared<SimulatedPlan>(std::move(*built));
    plan->source = statement.source;
    plan->span = statement.target.span;
    if (code)
      if (auto made = make_simulators(*plan); !made) return std::unexpected(made.error());
    result->plan = std::move(plan);
    return result;
  }

  Result<kernel::Occupancy> occupancy(const Compilation& compilation) override {
    kernel::Occupancy result{{}, target_.multiprocessors, target_.max_multiprocessor_threads};
    for (const kernel::LoweredKernel& lowered : compilation.plan->kernels)
      result.kernels.push_back(kernel::residency(lowered.kernel, target_, std::nullopt));
    return result;
  }

  nest::VectorLoads vector_loads() const override { return nest::VectorLoads::aligned; }
  nest::Candidates candidate_schedules(const nest::Nest& nest, const nest::Facts& facts,
                                       const SymbolValues& sizes) const override {
    return nest::candidate_schedules(nest, facts, target_, sizes);
  }

  Result<std::shared_ptr<const DeviceCall>> prepare(const Compilation& compilation) override {
    return prepare_call<SimulatedCall, SimulatedPlan>(compilation);
  }

 private:
  GpuTarget target_;
};

}  // namespace

std::unique_ptr<Backend> open_simulator_backend(std::int64_t workspace_limit) {
  return std::make_unique<SimulatorBackend>(within_limit(*gpu_target_named("sm_90a"), workspace_limit));
}

}  // namespace tilewright
