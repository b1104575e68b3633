// The host's compiler, heap and thread pool behind the Backend interface.
#include "runtime/host_backend.h"

#include <utility>

#include "codegen/llvm/host_jit.h"
#include "runtime/host_call.h"
#include "runtime/thread_pool.h"

namespace tilewright {
namespace {

class HostDeviceCall final : public DeviceCall {
 public:
  explicit HostDeviceCall(HostCall call) : call_(std::move(call)) {}
  Result<void> run(const std::vector<std::byte*>& addresses) const override { return call_.run(addresses); }
  std::int64_t workspace_bytes() const override { return call_.workspace_bytes(); }

 private:
  HostCall call_;
};

class HostBackend final : public Backend {
 public:
  HostBackend(HostTarget target, DiskCache disk) : compiler_(std::move(target), std::move(disk)) {}

  std::string device_name() const override { return "cpu"; }
  std::string processor() const override { return compiler_.target().cpu; }
  bool reaches(Device memory) const override { return memory.is_host_accessible(); }

  Result<Tensor> allocate(DType dtype, Shape shape) override { return Tensor::allocate(dtype, std::move(shape)); }
  Result<Tensor> to_device(const Tensor& host) override { return host; }
  Result<Tensor> to_host(const Tensor& tensor) override { return tensor; }

  Result<Compilation> compile(const lang::Statement& statement, const std::vector<nest::NamedView>& operands,
                              const TensorView* output, bool code) override {
    return compiler_.compile(statement, operands, output, code);
  }

  Result<std::shared_ptr<const DeviceCall>> prepare(const Compilation& compilation) override {
    std::vector<TensorView> views = compilation.views.operands;
    views.push_back(compilation.views.output);
    auto call = HostCall::prepare(std::dynamic_pointer_cast<const HostPlan>(compilation.plan), views);
    if (!call) return std::unexpected(call.error());
    return std::make_shared<const HostDeviceCall>(std::move(*call));
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
