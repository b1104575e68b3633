// Runs a tile program on whole tiles: the tile IR's own semantics. Unspecified elements are poisoned (NaN or a marked
// integer) and storing one is an error, so a missing mask shows.
#pragma once

#include <vector>

#include "nest/evaluate.h"
#include "tile/ir.h"

namespace tilewright::tile {

/// `views` by tensor name, outputs too (their contents are never read before they are written). `symbols` gives values
/// of symbols beyond extents and strides of the views. Floats are held in f64 and rounded to their dtype after each op.
Result<void> evaluate(
    const Program& program, const std::vector<nest::NamedView>& views,
    const SymbolValues& symbols = [](std::string_view) { return std::nullopt; });

}  // namespace tilewright::tile
