// The host's compiler: verification of the kernel, then machine_code.h and object_loader.h. Nothing is
// shared between calls but what LLVM guards itself, so that any number of threads may compile at once.
#include "codegen/llvm/host_jit.h"

#include "codegen/llvm/machine_code.h"
#include "codegen/llvm/object_loader.h"

namespace tilewright::codegen {

Result<std::string> emit_for_host(const kernel::Kernel& kernel, HostStage stage, const HostTarget& target) {
  if (auto ok = kernel::verify(kernel); !ok) return std::unexpected(std::move(ok).error());
  return generate(kernel, stage, target);
}

Result<std::shared_ptr<const HostCode>> load_host_object(std::span<const std::byte> object,
                                                         const std::string& kernel_name) {
  return load_object({object.begin(), object.end()}, kernel_name);
}

Result<std::shared_ptr<const HostCode>> compile_for_host(const kernel::Kernel& kernel, const HostTarget& target) {
  const Result<std::string> object = emit_for_host(kernel, HostStage::object, target);
  if (!object) return std::unexpected(object.error());
  return load_host_object(std::as_bytes(std::span(*object)), kernel.name);
}

}  // namespace tilewright::codegen
