// Tensors of the C interface: descriptions in DLPack's layout to the runtime's tensors and back.
#include <cstdlib>
#include <cstring>

#include "c/handles.h"

namespace tilewright::c {

// One layout: pointers are cast.
static_assert(sizeof(tilewright_tensor) == sizeof(dlpack::Tensor) &&
              offsetof(tilewright_tensor, rank) == offsetof(dlpack::Tensor, ndim) &&
              offsetof(tilewright_tensor, type) == offsetof(dlpack::Tensor, dtype) &&
              offsetof(tilewright_tensor, strides) == offsetof(dlpack::Tensor, strides) &&
              offsetof(tilewright_tensor, byte_offset) == offsetof(dlpack::Tensor, byte_offset));
static_assert(sizeof(tilewright_managed_tensor) == sizeof(dlpack::ManagedTensorVersioned) &&
              offsetof(tilewright_managed_tensor, deleter) == offsetof(dlpack::ManagedTensorVersioned, deleter) &&
              offsetof(tilewright_managed_tensor, flags) == offsetof(dlpack::ManagedTensorVersioned, flags) &&
              offsetof(tilewright_managed_tensor, tensor) == offsetof(dlpack::ManagedTensorVersioned, dl_tensor));

namespace {

/// The same errors, with the name of what they are about.
std::unexpected<Diagnostics> about(std::string_view name, Diagnostics diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) diagnostic.message = "'" + std::string(name) + "': " + diagnostic.message;
  return std::unexpected(std::move(diagnostics));
}

}  // namespace

Result<Tensor> borrow(const tilewright_tensor* given, std::string_view name) {
  Result<Tensor> tensor = borrow_dlpack(*reinterpret_cast<const dlpack::Tensor*>(given), false);
  if (!tensor) return about(name, std::move(tensor.error()));
  return tensor;
}

Result<Operands> Operands::of(const tilewright_kernel& kernel, const tilewright_tensor* given, std::size_t count) {
  if (given == nullptr && count > 0) return fail("A040", "the argument 'operands' is null");
  const std::vector<std::string>& names = kernel.kernel.operand_names();
  if (count != names.size()) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return fail("R076",
                "operands do not fit " + kernel.kernel.name() + ": received " + std::to_string(count) + " of them",
                "it reads (" + list + "), each once");
  }
  Operands operands;
  operands.tensors.reserve(count);
  operands.pointers.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    Result<Tensor> tensor = borrow(given + n, names[n]);
    if (!tensor) return std::unexpected(std::move(tensor.error()));
    operands.pointers.push_back(&operands.tensors.emplace_back(std::move(*tensor)));
  }
  return operands;
}

bool References::add(const tilewright_tensor& given) {
  const std::optional<DType> dtype = dtype_of({given.type.code, given.type.bits, given.type.lanes});
  if (!dtype || given.rank < 0 || given.rank > static_cast<std::int32_t>(max_rank) ||
      (given.rank > 0 && given.shape == nullptr))
    return false;
  const auto rank = static_cast<std::size_t>(given.rank);
  const std::int64_t* strides = given.strides;
  if (strides == nullptr) {
    auto& row_major = strides_.emplace_back();
    std::int64_t stride = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
      row_major[axis] = stride;
      if (__builtin_mul_overflow(stride, std::max<std::int64_t>(given.shape[axis], 1), &stride)) return false;
    }
    strides = row_major.data();
  }
  std::byte* data = given.data == nullptr ? nullptr : static_cast<std::byte*>(given.data) + given.byte_offset;
  refs_.push_back({.data = data,
                   .shape = given.shape,
                   .strides = strides,
                   .rank = rank,
                   .dtype = *dtype,
                   .device = {static_cast<DeviceKind>(given.device.kind), given.device.index}});
  return true;
}

std::vector<tilewright_tensor> with_addresses(const tilewright_tensor* operands, std::size_t count) {
  constexpr std::uintptr_t aligned = 64;
  std::vector<tilewright_tensor> result;
  if (operands != nullptr) result.assign(operands, operands + count);
  for (tilewright_tensor& each : result)
    if (each.data == nullptr) each.data = reinterpret_cast<void*>(aligned);
  return result;
}

std::vector<tilewright::Operand> Operands::named(const Kernel& kernel) const {
  std::vector<tilewright::Operand> result;
  for (std::size_t n = 0; n < tensors.size(); ++n) result.push_back({kernel.operand_names()[n], tensors[n]});
  return result;
}

std::vector<nest::NamedView> Operands::views(const Kernel& kernel) const {
  std::vector<nest::NamedView> result;
  for (std::size_t n = 0; n < tensors.size(); ++n) result.push_back({kernel.operand_names()[n], tensors[n].view()});
  return result;
}

tilewright_managed_tensor* exported(const Tensor& tensor) {
  return reinterpret_cast<tilewright_managed_tensor*>(to_dlpack(tensor));
}

char* exported(const std::string& bytes) {
  auto* copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, bytes.c_str(), bytes.size() + 1);
  return copy;
}

void describe(DType dtype, const std::vector<std::int64_t>& extents, tilewright_type* type, std::int32_t* rank,
              std::int64_t* shape) {
  const dlpack::DataType code = dlpack_type(dtype);
  *type = {code.code, code.bits, code.lanes};
  *rank = static_cast<std::int32_t>(extents.size());
  std::ranges::copy(extents, shape);
}

}  // namespace tilewright::c

using namespace tilewright;

void tilewright_tensor_free(tilewright_managed_tensor* tensor) {
  auto* managed = reinterpret_cast<dlpack::ManagedTensorVersioned*>(tensor);  // as which it was made
  if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
}

void tilewright_bytes_free(char* bytes) {
  std::free(bytes);
}

int tilewright_type_named(const char* name, tilewright_type* type) {
  if (name == nullptr || type == nullptr) return 0;
  const std::optional<DType> dtype = dtype_from_name(name);
  if (!dtype) return 0;
  const dlpack::DataType code = dlpack_type(*dtype);
  *type = {code.code, code.bits, code.lanes};
  return 1;
}

const char* tilewright_type_name(tilewright_type type) {
  const std::optional<DType> dtype = dtype_of({type.code, type.bits, type.lanes});
  return dtype ? name(*dtype).data() : nullptr;  // of a table of literals
}
