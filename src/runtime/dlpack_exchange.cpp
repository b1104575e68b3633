// Import and export of DLPack structures. See dlpack_exchange.h.
#include "runtime/dlpack_exchange.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tilewright {

namespace {

struct TypeEntry {
  DType dtype;
  std::uint8_t code;
};

constexpr std::array<TypeEntry, 12> types{{{DType::f64, dlpack::type_float},
                                           {DType::f32, dlpack::type_float},
                                           {DType::f16, dlpack::type_float},
                                           {DType::bf16, dlpack::type_bfloat},
                                           {DType::f8e4m3, dlpack::type_float8_e4m3fn},
                                           {DType::f8e5m2, dlpack::type_float8_e5m2},
                                           {DType::i8, dlpack::type_int},
                                           {DType::u8, dlpack::type_uint},
                                           {DType::i32, dlpack::type_int},
                                           {DType::u32, dlpack::type_uint},
                                           {DType::i64, dlpack::type_int},
                                           {DType::boolean, dlpack::type_bool}}};

constexpr std::array<DeviceKind, 5> device_kinds{DeviceKind::cpu, DeviceKind::cuda, DeviceKind::cuda_host,
                                                 DeviceKind::metal, DeviceKind::cuda_managed};

}  // namespace

std::optional<DType> dtype_of(dlpack::DataType type) {
  if (type.lanes != 1) return std::nullopt;
  for (const TypeEntry& entry : types)
    if (entry.code == type.code && size_of(entry.dtype) * 8 == type.bits) return entry.dtype;
  return std::nullopt;
}

dlpack::DataType dlpack_type(DType dtype) {
  for (const TypeEntry& entry : types)
    if (entry.dtype == dtype) return {entry.code, static_cast<std::uint8_t>(size_of(dtype) * 8), 1};
  internal_error("an element type without a DLPack code");
}

namespace {

/// Describes `source`, without its owner.
Result<BorrowedMemory> describe(const dlpack::Tensor& source) {
  if (source.ndim < 0 || (source.ndim > 0 && source.shape == nullptr))
    return fail("R020", fmt::format("a DLPack tensor with ndim {} and {} shape", source.ndim,
                                    source.shape == nullptr ? "a null" : "a"));
  if (static_cast<std::size_t>(source.ndim) > max_rank)
    return fail("R001", fmt::format("a DLPack tensor has {} axes", source.ndim),
                fmt::format("ranks 0 to {} are supported", max_rank));
  std::optional<DType> dtype = dtype_of(source.dtype);
  if (!dtype)
    return fail("R022",
                fmt::format("a DLPack tensor of type code {}, {} bits, {} lanes", source.dtype.code, source.dtype.bits,
                            source.dtype.lanes),
                "supported are f64, f32, f16, bf16, f8e4m3 (fn), f8e5m2, i8, u8, i32, u32, i64 and bool, of one lane");
  BorrowedMemory memory{.data = source.data, .byte_offset = source.byte_offset, .dtype = *dtype};
  bool known_device = false;
  for (DeviceKind kind : device_kinds) known_device |= static_cast<std::int32_t>(kind) == source.device.device_type;
  if (!known_device)
    return fail("R023", fmt::format("a DLPack tensor on a device of type {}", source.device.device_type),
                "supported are CPU (1), CUDA (2), CUDA host (3), Metal (8) and CUDA managed (13)");
  memory.device = {static_cast<DeviceKind>(source.device.device_type), source.device.device_id};
  memory.shape.assign(source.shape, source.shape + source.ndim);
  if (source.strides != nullptr) memory.strides.emplace(source.strides, source.strides + source.ndim);
  return memory;
}

template <class Managed>
Result<Tensor> import(Managed* managed, bool read_only) {
  Result<BorrowedMemory> memory = describe(managed->dl_tensor);
  if (!memory) return std::unexpected(std::move(memory.error()));
  memory->read_only = read_only;
  Result<Tensor> checked = Tensor::borrow(*memory);
  if (!checked) return checked;  // before ownership passes: the caller still has it
  memory->keep_alive = std::shared_ptr<void>(managed, [](void* pointer) {
    auto* self = static_cast<Managed*>(pointer);
    if (self->deleter != nullptr) self->deleter(self);
  });
  return Tensor::borrow(std::move(*memory));
}

/// What an exported description points into.
template <class Managed>
struct Exported {
  Managed managed{};
  Tensor tensor;
  Shape shape;
  std::vector<std::int64_t> strides;
};

template <class Managed>
Managed* export_tensor(const Tensor& tensor) {
  auto* exported = new Exported<Managed>{{}, tensor, tensor.shape(), tensor.strides()};
  // Several libraries ignore `byte_offset`, so it is used only where the data pointer is a handle.
  const bool is_handle = tensor.device().kind == DeviceKind::metal;
  exported->managed.dl_tensor = {
      .data = is_handle ? tensor.base() : tensor.data(),
      .device = {static_cast<std::int32_t>(tensor.device().kind), tensor.device().index},
      .ndim = static_cast<std::int32_t>(tensor.rank()),
      .dtype = dlpack_type(tensor.dtype()),
      .shape = exported->shape.data(),
      .strides = exported->strides.data(),
      .byte_offset = is_handle ? tensor.byte_offset() : 0,
  };
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager_ctx); };
  return &exported->managed;
}

}  // namespace

Result<Tensor> borrow_dlpack(const dlpack::Tensor& source, bool read_only) {
  Result<BorrowedMemory> memory = describe(source);
  if (!memory) return std::unexpected(std::move(memory.error()));
  memory->read_only = read_only;
  return Tensor::borrow(std::move(*memory));
}

Result<Tensor> from_dlpack(dlpack::ManagedTensorVersioned* managed) {
  if (managed == nullptr) return fail("R020", "a null DLPack tensor");
  if (managed->version.major != dlpack::major_version)
    return fail("R021", fmt::format("a DLPack tensor of version {}.{}", managed->version.major, managed->version.minor),
                "version 1 is supported");
  return import(managed, (managed->flags & dlpack::flag_read_only) != 0);
}

Result<Tensor> from_dlpack(dlpack::ManagedTensor* managed) {
  if (managed == nullptr) return fail("R020", "a null DLPack tensor");
  return import(managed, false);
}

dlpack::ManagedTensorVersioned* to_dlpack(const Tensor& tensor) {
  auto* managed = export_tensor<dlpack::ManagedTensorVersioned>(tensor);
  managed->version = {dlpack::major_version, dlpack::minor_version};
  managed->flags = tensor.is_read_only() ? dlpack::flag_read_only : 0;
  return managed;
}

Result<dlpack::ManagedTensor*> to_unversioned_dlpack(const Tensor& tensor) {
  if (tensor.is_read_only())
    return fail("R024", "a read-only tensor has no DLPack form before version 1",
                "export the versioned form, or clone");
  return export_tensor<dlpack::ManagedTensor>(tensor);
}

}  // namespace tilewright
