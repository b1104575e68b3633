// The host's compiler, heap and thread pool behind the Backend interface.
#include "runtime/host_backend.h"

#include <utility>

#include "codegen/llvm/host_jit.h"
#include "runtime/host_call.h"
#include "runtime/host_memory_backend.h"
#include "runtime/thread_pool.h"

namespace tilewright {
namespace {

class HostBackend final : public HostMemoryBackend {
 public:
  HostBackend(HostTarget target, DiskCache disk) : compiler_(std::move(target), std::move(disk)) {}

  std::string device_name() const override { return "cpu"; }
  std::string processor() const override { return compiler_.target().cpu; }

  Result<Compilation> compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                              const TensorView* output, bool code) override {
    return compiler_.compile(bound, operands, output, code);
  }

  nest::Candidates candidate_schedules(const nest::Nest& nest, const nest::Facts& facts,
                                       const SymbolValues& sizes) const override {
    return nest::candidate_schedules(nest, facts, compiler_.target(), sizes);
  }

  Result<std::shared_ptr<const DeviceCall>> prepare(const Compilation& compilation) override {
    return prepare_call<HostCall, HostPlan>(compilation);
  }

 private:
  HostCompiler compiler_;
};

}  // namespace

std::unique_ptr<Backend> open_host_backend(DiskCache disk) {
  HostTarget target = codegen::host_target();
  target.threads = threads();
  return std::make_unique<HostBackend>(std::move(target), std::move(disk));
}

}  // namespace tilewright
