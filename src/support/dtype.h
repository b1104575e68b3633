// Element types: one table that every level, printer and file format reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright {

//  enumerator  text       bytes  class          evaluated in  default output of arithmetic
#define TILEWRIGHT_DTYPES(X)                   \
  X(f64, "f64", 8, floating, f64, f64)         \
  X(f32, "f32", 4, floating, f32, f32)         \
  X(f16, "f16", 2, floating, f32, f16)         \
  X(bf16, "bf16", 2, floating, f32, bf16)      \
  X(f8e4m3, "f8e4m3", 1, floating, f32, f16)   \
  X(f8e5m2, "f8e5m2", 1, floating, f32, f16)   \
  X(i8, "i8", 1, signed_integer, i32, i32)     \
  X(u8, "u8", 1, unsigned_integer, i32, i32)   \
  X(i32, "i32", 4, signed_integer, i32, i32)   \
  X(u32, "u32", 4, unsigned_integer, u32, u32) \
  X(i64, "i64", 8, signed_integer, i64, i64)   \
  X(boolean, "bool", 1, boolean, boolean, boolean)

enum class DType : std::uint8_t {
#define X(name, ...) name,
  TILEWRIGHT_DTYPES(X)
#undef X
};

enum class DTypeClass : std::uint8_t { floating, signed_integer, unsigned_integer, boolean };

struct DTypeInfo {
  std::string_view name;  ///< as the language writes it
  std::size_t bytes;      ///< size of one element in memory
  DTypeClass type_class;
  DType evaluate;        ///< the type that arithmetic and accumulation on it use
  DType default_output;  ///< what a statement with arithmetic stores when not annotated
};

const DTypeInfo& info(DType type);
std::optional<DType> dtype_from_name(std::string_view name);

inline std::string_view name(DType type) {
  return info(type).name;
}
inline std::size_t size_of(DType type) {
  return info(type).bytes;
}
inline bool is_floating(DType type) {
  return info(type).type_class == DTypeClass::floating;
}
inline bool is_boolean(DType type) {
  return type == DType::boolean;
}
inline bool is_integer(DType type) {
  return !is_floating(type) && !is_boolean(type);
}

}  // namespace tilewright
