// The small vocabulary of the interface: element types, precision, shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tilewright/export.h"

namespace tilewright::TILEWRIGHT_ABI {

/// Element types, as docs/language.md describes them. `boolean` is written `bool` in the language and takes one byte.
enum class DType : std::uint8_t { f64, f32, f16, bf16, f8e4m3, f8e5m2, i8, u8, i32, u32, i64, boolean };

/// As the language writes it: "f32", "bool".
TILEWRIGHT_API std::string_view name(DType type) noexcept;
/// Bytes of one element in memory.
TILEWRIGHT_API std::size_t size_of(DType type) noexcept;

/// How products and sums are formed. `exact`: in the accumulator's type. `tf32`, `tf32x3`: for f32 operands only;
/// asking for a tier that a device lacks is an error.
enum class Precision : std::uint8_t { exact, tf32, tf32x3 };

/// One extent for each axis, 0 to 8 of them, each 0 or more.
using Shape = std::vector<std::int64_t>;
/// Distances between neighbours of an axis, in elements; zero and negative ones are legal.
using Strides = std::vector<std::int64_t>;

namespace detail {

/// The element types whose bytes the C++ type `T` may name, the one that it stands for first. No other types have one.
template <class T>
struct ElementTypes;
template <>
struct ElementTypes<double> {
  static constexpr DType all[] = {DType::f64};
};
template <>
struct ElementTypes<float> {
  static constexpr DType all[] = {DType::f32};
};
template <>
struct ElementTypes<std::int8_t> {
  static constexpr DType all[] = {DType::i8};
};
template <>
struct ElementTypes<std::uint8_t> {
  static constexpr DType all[] = {DType::u8, DType::f8e4m3, DType::f8e5m2, DType::boolean};
};
template <>
struct ElementTypes<std::uint16_t> {
  static constexpr DType all[] = {DType::f16, DType::bf16};
};
template <>
struct ElementTypes<std::int32_t> {
  static constexpr DType all[] = {DType::i32};
};
template <>
struct ElementTypes<std::uint32_t> {
  static constexpr DType all[] = {DType::u32};
};
template <>
struct ElementTypes<std::int64_t> {
  static constexpr DType all[] = {DType::i64};
};
template <>
struct ElementTypes<bool> {
  static constexpr DType all[] = {DType::boolean};
};

}  // namespace detail

/// A C++ type that names elements: double, float, the integers of 8 to 64 bits that an element type has, bool. Types
/// without a C++ type are named by their bits: std::uint16_t for f16 and bf16, std::uint8_t for the f8 types.
template <class T>
concept Element = requires { detail::ElementTypes<T>::all; };

/// The element type that `T` stands for. Not for std::uint16_t, which stands for none.
template <Element T>
  requires(sizeof(T) != 2)
inline constexpr DType dtype_of = detail::ElementTypes<T>::all[0];

}  // namespace tilewright::TILEWRIGHT_ABI
