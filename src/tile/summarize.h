// A program in one line, for traces.
#pragma once

#include <string>

#include "tile/ir.h"

namespace tilewright::tile {

/// Grid, loops outermost first, buffers with their elements, and what is stored:
/// "grid i by 12; loops k by 8, i by 6; buffer a.packed f32 96; stores c [i 6, j 16 lanes]".
std::string summarize(const Program& program);

}  // namespace tilewright::tile
