// The matrix units that contractions run on: what schedules, placement and lowering must know alike of the products
// that each computes, and of the shared memory that it reads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "support/dtype.h"
#include "support/scalar_op.h"

namespace tilewright::matrix_unit {

inline constexpr std::int64_t threads = 128;    ///< of a warpgroup
inline constexpr std::int64_t rows = 64;        ///< of outputs, of a warpgroup
inline constexpr std::int64_t row_bytes = 128;  ///< of a factor in shared memory
inline constexpr std::int64_t piece_rows = 8;   ///< after which the swizzle of the 16 bytes in a row repeats
inline constexpr std::int64_t pattern_bytes = piece_rows * row_bytes;
inline constexpr std::int64_t warp_threads = 32;

/// What does a contraction: a thread's multipliers, the unit of its warpgroup (PTX ISA, "Asynchronous Warpgroup Level
/// Matrix Multiply-Accumulate"), its warp with the unit ("Warp Level Matrix Multiply-Accumulate"), or its warp with the
/// unit of Apple's GPUs (Metal Shading Language Specification, "SIMD-group Matrix Functions").
enum class Unit : std::uint8_t { scalar, warpgroup, warp, simdgroup };

inline constexpr std::array<std::pair<Unit, std::string_view>, 3> unit_names{
    std::pair{Unit::warpgroup, std::string_view("warpgroup")}, std::pair{Unit::warp, std::string_view("warp")},
    std::pair{Unit::simdgroup, std::string_view("simdgroup")}};

/// As schedules (`variant = warp`) and tile programs name it; of no scalar one.
constexpr std::optional<Unit> unit_named(std::string_view name) {
  for (const auto& [unit, text] : unit_names)
    if (text == name) return unit;
  return std::nullopt;
}
constexpr std::string_view name(Unit unit) {
  for (const auto& [each, text] : unit_names)
    if (each == unit) return text;
  return "scalar";
}

/// The least product that a unit computes, and what it means: rows × terms by terms × columns, of all its threads.
struct Product {
  Unit unit;
  DType element;
  DType sums;
  Precision precision;  ///< of statements that may be computed so
  std::int64_t rows, columns, terms;
  std::int64_t term_bytes() const { return terms * static_cast<std::int64_t>(size_of(element)); }
};

/// In the order in which a schedule that names none tries them. Of f32 a unit keeps 10 bits of the mantissa; of f8 it
/// keeps too few of the sums.
inline constexpr std::array products{
    Product{Unit::warpgroup, DType::f16, DType::f32, Precision::exact, 64, 8, 16},
    Product{Unit::warpgroup, DType::bf16, DType::f32, Precision::exact, 64, 8, 16},
    Product{Unit::warpgroup, DType::i8, DType::i32, Precision::exact, 64, 8, 32},
    Product{Unit::warpgroup, DType::f32, DType::f32, Precision::tf32, 64, 8, 8},
    Product{Unit::warp, DType::f16, DType::f32, Precision::exact, 16, 8, 16},
    Product{Unit::warp, DType::bf16, DType::f32, Precision::exact, 16, 8, 16},
    Product{Unit::warp, DType::i8, DType::i32, Precision::exact, 16, 8, 32},
    Product{Unit::warp, DType::f64, DType::f64, Precision::exact, 8, 8, 4},
    Product{Unit::warp, DType::f32, DType::f32, Precision::tf32, 16, 8, 8},
    Product{Unit::simdgroup, DType::f32, DType::f32, Precision::exact, 8, 8, 8},
    Product{Unit::simdgroup, DType::f16, DType::f32, Precision::exact, 8, 8, 8},
    Product{Unit::simdgroup, DType::bf16, DType::f32, Precision::exact, 8, 8, 8},
};

/// Null: the unit has no such product, of whatever precision.
constexpr const Product* find_product(Unit unit, DType element, DType sums) {
  for (const Product& product : products)
    if (product.unit == unit && product.element == element && product.sums == sums) return &product;
  return nullptr;
}

/// Whether the product may compute a statement of that precision. Of tf32x3, factors have been split into bf16.
constexpr bool serves(const Product& product, Precision precision) {
  if (precision == Precision::tf32x3) return product.element == DType::bf16 && product.precision == Precision::exact;
  return product.precision == precision;
}

/// How a factor lies in shared memory, where `turned` says that rows of it are points: swizzled, or in longer rows
/// where threads load it element by element.
constexpr bool is_swizzled(Unit unit, std::int64_t element_bytes, bool turned) {
  return unit != Unit::simdgroup && (turned ? element_bytes == 2 : element_bytes <= 4);
}
/// Whether rows of a factor may be points. Threads of a warp load elements of 4 and 8 bytes from where they like.
constexpr bool can_turn(Unit unit, std::int64_t element_bytes) {
  return element_bytes == 2 || (unit == Unit::warp && element_bytes >= 4) || unit == Unit::simdgroup;
}
/// By which rows of a factor that is not swizzled are longer than a multiple of 128 bytes, so that what threads load
/// together lies in different banks. Those of `warp` load single elements, of four rows 32 bytes each. Those of
/// `simdgroup` load two neighbours of a row, of four rows of 32 bytes or eight of 16; or one element of each second
/// row (`apart`), 16 or 32 bytes of each.
constexpr std::int64_t row_padding(Unit unit, std::int64_t element_bytes, bool apart) {
  return unit == Unit::simdgroup && (apart || element_bytes == 2) ? 16 : 32;
}

}  // namespace tilewright::matrix_unit
