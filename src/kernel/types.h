// Value types of the kernel IR: a scalar or a short vector of one element kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/dtype.h"

namespace tilewright::kernel {

//  enumerator  text      bits
#define TILEWRIGHT_KERNEL_ELEMENTS(X) \
  X(i1, "i1", 1)                      \
  X(i8, "i8", 8)                      \
  X(i16, "i16", 16)                   \
  X(i32, "i32", 32)                   \
  X(i64, "i64", 64)                   \
  X(f8e4m3, "f8e4m3", 8)              \
  X(f8e5m2, "f8e5m2", 8)              \
  X(f16, "f16", 16)                   \
  X(bf16, "bf16", 16)                 \
  X(f32, "f32", 32)                   \
  X(f64, "f64", 64)                   \
  X(ptr, "ptr", 64)                   \
  X(ptr_shared, "ptr_shared", 64)

/// Integers carry no sign: operations do (`sdiv`, `udiv`). A pointer is a byte address: `ptr` of the
/// device's memory or of a local, `ptr_shared` of a GPU block's shared memory.
enum class Element : std::uint8_t {
#define X(name, ...) name,
  TILEWRIGHT_KERNEL_ELEMENTS(X)
#undef X
};

std::string_view name(Element element);
int bits(Element element);
bool is_float(Element element);
bool is_int(Element element);  ///< i1 included
bool is_pointer(Element element);

constexpr int max_lanes = 64;

/// `f32` or `f32x8`; lanes is 1 (a scalar) to max_lanes.
struct Type {
  Element element = Element::i64;
  std::uint16_t lanes = 1;
  friend bool operator==(Type, Type) = default;
  Type with(Element other) const { return {other, lanes}; }
  Type scalar() const { return {element, 1}; }
};

std::string to_text(Type type);
std::optional<Type> type_from_text(std::string_view text);

/// What an element of `dtype` is in registers: i32 and u32 are i32; bool is i1 (and an i8 in memory).
Element register_element(DType dtype);
/// What it is in memory: as in registers, but bool is i8.
Element memory_element(DType dtype);
/// The dtype of a float element's values.
DType float_dtype(Element element);

/// `value` modulo 2ⁿ as an integer element's constant is kept: sign-extended, and 0 or 1 for i1.
std::int64_t wrap_to(Element element, std::int64_t value);

}  // namespace tilewright::kernel
