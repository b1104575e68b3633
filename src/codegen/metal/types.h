// What values of the kernel IR are in Metal's shading language: scalars, and vectors of 2 to 4 lanes. Longer vectors
// are parts of 4 lanes, and one of what is left.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/types.h"

namespace tilewright::codegen::metal {

/// "float", "long"; the bits of an f8 are a "uchar". Requires an element other than f64 and pointers.
std::string_view scalar_type(kernel::Element element);
/// Of integers, without sign: "ulong"; of others as scalar_type.
std::string_view unsigned_type(kernel::Element element);
/// "float4"
std::string vector_type(std::string_view scalar, int lanes);

inline constexpr int most_lanes = 4;
inline constexpr std::string_view lane_names = "xyzw";

/// Lanes of each part: {4, 4, 1} of 9.
std::vector<int> parts_of(int lanes);

/// Bytes of an element in memory.
inline int bytes_of(kernel::Element element) {
  return (kernel::bits(element) + 7) / 8;
}

}  // namespace tilewright::codegen::metal
