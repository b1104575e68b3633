// Tensors from and to other libraries, without a copy, by DLPack.
#pragma once

#include <optional>

#include "runtime/dlpack.h"
#include "runtime/tensor.h"

namespace tilewright {

/// A tensor over described memory, which must outlive it. R020, R022, R023 and R001 to R008 as below.
Result<Tensor> borrow_dlpack(const dlpack::Tensor& source, bool read_only);
/// The element type of a description; nullopt where there is none here.
std::optional<DType> dtype_of(dlpack::DataType type);
dlpack::DataType dlpack_type(DType dtype);

/// A tensor over the memory of `managed`, whose deleter runs when the last Tensor over it goes. On failure `managed`
/// stays the caller's. Null strides are row-major; `byte_offset` counts; a tensor without elements may have null data.
/// R020: null or malformed. R021: a major version other than 1. R022: an element type that there is none of here.
/// R023: a device that there is none of here. R001 to R008 as Tensor::borrow.
Result<Tensor> from_dlpack(dlpack::ManagedTensorVersioned* managed);
/// The form before version 1. Same errors, but for R021.
Result<Tensor> from_dlpack(dlpack::ManagedTensor* managed);

/// A description that keeps the memory alive until its deleter is called; the caller must see to that. Never null;
/// strides are always given.
dlpack::ManagedTensorVersioned* to_dlpack(const Tensor& tensor);
/// The form before version 1. R024: it cannot say that a tensor is read only.
Result<dlpack::ManagedTensor*> to_unversioned_dlpack(const Tensor& tensor);

}  // namespace tilewright
