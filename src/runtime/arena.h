// One piece of memory for several values that do not all live at once: a program's intermediate results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

/// A value's bytes, and the first and the last step at which it is needed.
struct Lifetime {
  std::int64_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct Arena {
  std::vector<std::int64_t> offsets;  ///< by the lifetimes; multiples of arena_alignment
  std::int64_t bytes = 0;             ///< of the whole; past 63 bits: the largest number
};

inline constexpr std::int64_t arena_alignment = 256;

/// Places larger values first, each in the lowest gap between those placed that are needed at one of its steps. Values
/// that are needed at a common step share no byte, also where their size is 0.
Arena plan_arena(const std::vector<Lifetime>& lifetimes);

}  // namespace tilewright
