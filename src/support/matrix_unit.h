// The matrix unit of a warpgroup (PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate"): what schedules,
// placement and lowering must know alike of its shape and of the shared memory that it reads.
#pragma once

#include <cstdint>
#include <string_view>

namespace tilewright::matrix_unit {

inline constexpr std::string_view variant = "warpgroup";  ///< of schedules
inline constexpr std::int64_t threads = 128;
inline constexpr std::int64_t rows = 64;        ///< of outputs
inline constexpr std::int64_t row_bytes = 128;  ///< of a factor in shared memory
inline constexpr std::int64_t piece_rows = 8;   ///< after which the swizzle of the 16 bytes in a row repeats
inline constexpr std::int64_t pattern_bytes = piece_rows * row_bytes;
inline constexpr std::int64_t term_bytes = 32;  ///< of the terms of one product

}  // namespace tilewright::matrix_unit
