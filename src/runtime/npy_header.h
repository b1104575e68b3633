// The header of a .npy file: a Python dictionary of three entries, after a magic string, a version and a length.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/tensor.h"

namespace tilewright {

struct NpyHeader {
  DType dtype = DType::f32;
  bool is_swapped = false;  ///< the elements are in the other byte order than this machine's
  bool is_fortran_order = false;
  Shape shape;
};

/// Bytes before the length of the header: the magic string and the version.
inline constexpr std::size_t npy_prefix_bytes = 8;
/// Bytes of the little-endian length that follows the prefix: 2 or 4. R030: no magic string. R031: an unknown version.
Result<std::size_t> npy_length_bytes(std::string_view prefix);

/// Parses the dictionary, whatever the order of its entries, blanks and quotes. R031, R033 as read_npy; `raw_as` as in
/// NpyOptions.
Result<NpyHeader> parse_npy_header(std::string_view text, std::optional<DType> raw_as);

/// Everything before the data of a C-order file of this machine's byte order: a multiple of 64 bytes.
std::string npy_header_text(DType dtype, const Shape& shape);

}  // namespace tilewright
