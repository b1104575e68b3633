// Placement for a host: value phase → placed phase.
//
// Before                                             After, where b is cached
//   for k by 256 {                                     for k by 256 {
//     …                                                  allocate b.packed
//       %x = load a[i, k] : f32 [i 6]                    … loops of load and store_buffer that fill it …
//       %y = load b[k, j] : f32 [j 16]                     %x = load a[i, k] : f32 [i 6]
//       %c = contract %acc, %x, %y : f32 [i 6, j 16]       %y = load_buffer b.packed : f32 [j 16 lanes]
//                                                          %c = contract %acc, %x, %y : f32 [i 6, j 16 lanes]
//
// Three decisions, each a function below, in this order:
//   stage_reads       the schedule's cached reads become task buffers, packed so that a tile of the register block lies
//                     contiguously and consecutive steps of the reduction follow one another;
//   expand_copies     a copy becomes a loop of loads and buffer stores, zero filled, so that its ragged edges and its
//                     vectors are those of any other code;
//   assign_lanes      one iterator runs along the lanes of vectors; a load whose unit stride is another axis of the
//                     tile, and a store likewise, goes through convert_layout (a transpose in registers).
//
// Requires: verify in the value phase. Ensures: verify in the placed phase, no copies, at most one axis of lanes a
// tile. It stands behind nest_to_tile: it needs the tiles' sizes and decides nothing about the computation. What
// depends on whole vectors and cache lines (prefetch_sums, stream_stores) comes after it.
#pragma once

#include "nest/ir.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::tile {

void place_for_host(Program& program, const nest::Nest& nest, const HostTarget& target);

void stage_reads(Program& program, const nest::Nest& nest);
/// `lanes`: the iterator along the lanes; invalid: no vectors.
void expand_copies(Program& program, IterId lanes, const HostTarget& target);
void assign_lanes(Program& program, IterId lanes, const HostTarget& target);

/// Lanes of the program's vectors: what fits the target's registers in the widest type that has lanes.
int vector_lanes(const Program& program, const HostTarget& target);
/// Lanes of one vector along an axis of `size` points: all of them where they fit `lanes`, else as many as divide it.
std::int64_t vector_length(std::int64_t size, int lanes);

}  // namespace tilewright::tile
