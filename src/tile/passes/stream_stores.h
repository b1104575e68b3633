// Stores of large outputs go past the caches.
//
// Before: store o[i], %x            After: store o[i], %x nontemporal
//
// A store that misses first reads the line that it will overwrite; past the caches a copy moves two bytes for each
// element's byte instead of three. It pays from about half of the last-level cache on, and costs where the output is
// still there when it is read next. The program must not read the output (an accumulation in memory), every vector must
// be aligned to its length, and lanes must be contiguous. Where they are not, and rows are written in pieces (a staged
// transpose), a prefetch fetches the lines of a piece some rows before they are written: the processor sees no order in
// them.
//
// Requires: the placed phase. Ensures: verify(program). It stands after placement because alignment is of whole
// vectors.
#pragma once

#include "nest/facts.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::tile {

void stream_stores(Program& program, const nest::Facts& facts, const HostTarget& target);

}  // namespace tilewright::tile
