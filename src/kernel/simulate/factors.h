// Elements of the factors that matrix units multiply, for mma and wgmma alike.
#pragma once

#include <cstddef>

#include "kernel/types.h"

namespace tilewright::kernel::simulator {

/// In f64, which holds all of them. Of f32 the lower 13 bits of the mantissa are not looked at (tf32).
double read_factor(Element element, const std::byte* from);

struct FactorPlace {
  std::size_t row, term;
};
/// Where element e of a lane's part of the first factor lies in 16 rows; `in_word`: elements of a word.
FactorPlace first_factor_place(unsigned lane, std::size_t e, std::size_t in_word);

}  // namespace tilewright::kernel::simulator
