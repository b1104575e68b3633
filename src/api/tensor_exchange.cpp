// The public Tensor from and to files and other libraries. The runtime declares DLPack's structures with the same
// binary layout, so the pointers are the same.
#include "api/inside.h"
#include "runtime/dlpack_exchange.h"
#include "runtime/npy.h"

namespace tilewright::v0 {

Result<Tensor> Tensor::try_from_dlpack(DLManagedTensorVersioned* managed) noexcept {
  return guarded(
      [&] { return outer(tilewright::from_dlpack(reinterpret_cast<dlpack::ManagedTensorVersioned*>(managed))); });
}
Result<Tensor> Tensor::try_from_dlpack(DLManagedTensor* managed) noexcept {
  return guarded([&] { return outer(tilewright::from_dlpack(reinterpret_cast<dlpack::ManagedTensor*>(managed))); });
}

Result<DLManagedTensorVersioned*> Tensor::try_to_dlpack() const noexcept {
  return guarded([&]() -> Result<DLManagedTensorVersioned*> {
    return reinterpret_cast<DLManagedTensorVersioned*>(tilewright::to_dlpack(inside_->tensor));
  });
}
Result<DLManagedTensor*> Tensor::try_to_unversioned_dlpack() const noexcept {
  return guarded([&]() -> Result<DLManagedTensor*> {
    const auto managed = tilewright::to_unversioned_dlpack(inside_->tensor);
    if (!managed) return outer(managed.error());
    return reinterpret_cast<DLManagedTensor*>(*managed);
  });
}

Result<Tensor> Tensor::try_load(const std::filesystem::path& path) noexcept {
  return guarded([&] { return outer(read_npy(path)); });
}
Result<void> Tensor::try_save(const std::filesystem::path& path) const noexcept {
  return guarded([&] { return outer(write_npy(path, inside_->tensor)); });
}

}  // namespace tilewright::v0
