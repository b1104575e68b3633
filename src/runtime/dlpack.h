// The structures of DLPack 1.x (https://dmlc.github.io/dlpack/latest/c_api.html), declared here so that no other header
// is needed: the same binary layout, in a namespace of their own, so that a program may also include DLPack's header
// and cast between the two.
#pragma once

#include <cstdint>

namespace tilewright::dlpack {

inline constexpr std::uint32_t major_version = 1;
inline constexpr std::uint32_t minor_version = 1;

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

struct Device {
  std::int32_t device_type;
  std::int32_t device_id;
};

enum TypeCode : std::uint8_t {
  type_int = 0,
  type_uint = 1,
  type_float = 2,
  type_bfloat = 4,
  type_bool = 6,
  type_float8_e4m3fn = 10,
  type_float8_e5m2 = 12,
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null means row-major
  std::uint64_t byte_offset;
};

/// The form before version 1: still what many libraries exchange.
struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);  ///< may be null
};

inline constexpr std::uint64_t flag_read_only = 1U << 0U;
inline constexpr std::uint64_t flag_is_copied = 1U << 1U;

struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);  ///< may be null; safe to call whatever the version
  std::uint64_t flags;
  Tensor dl_tensor;
};

static_assert(sizeof(void*) != 8 ||
              (sizeof(Tensor) == 48 && sizeof(ManagedTensor) == 64 && sizeof(ManagedTensorVersioned) == 80));

}  // namespace tilewright::dlpack
