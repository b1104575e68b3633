// What the backends share whose kernels run in the host's own memory: the processor's and the simulator's.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "runtime/backend.h"

namespace tilewright {

class HostMemoryBackend : public Backend {
 public:
  bool reaches(Device memory) const override { return memory.is_host_accessible(); }
  Result<Tensor> allocate(DType dtype, Shape shape) override { return Tensor::allocate(dtype, std::move(shape)); }
  Result<Tensor> to_device(const Tensor& host) override { return host; }
  Result<Tensor> to_host(const Tensor& tensor) override { return tensor; }
};

/// A call of a type that prepares itself from its plan and the views, and runs on addresses.
template <class Call>
class PreparedDeviceCall final : public DeviceCall {
 public:
  explicit PreparedDeviceCall(Call call) : call_(std::move(call)) {}
  Result<void> run(const std::vector<std::byte*>& addresses) const override { return call_.run(addresses); }
  std::int64_t workspace_bytes() const override { return call_.workspace_bytes(); }

 private:
  Call call_;
};

/// Backend::prepare for a backend whose compilations have plans of type Plan.
template <class Call, class Plan>
Result<std::shared_ptr<const DeviceCall>> prepare_call(const Compilation& compilation) {
  std::vector<TensorView> views = compilation.views.operands;
  views.push_back(compilation.views.output);
  auto call = Call::prepare(std::dynamic_pointer_cast<const Plan>(compilation.plan), views);
  if (!call) return std::unexpected(std::move(call.error()));
  return std::make_shared<const PreparedDeviceCall<Call>>(std::move(*call));
}

}  // namespace tilewright
