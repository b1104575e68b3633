// Placement for a GPU: value phase → placed phase.
//
// Before                                             After
//   for k by 16 {                                      for k by 16 {
//     for k by 1 {                                       allocate a.shared
//       %x = load a[i, k] : f32 [i 8 …]                  copy a[i, k] -> a.shared
//                                                        barrier
//                                                        for k by 1 {
//                                                          %x = load_buffer a.shared : f32 [i 8 …]
//                                                        }
//                                                        barrier
//
// The schedule's cached reads go to shared memory, which all threads fill together: between a barrier after the copies
// and, where a loop comes back to them, one at its end. In shared memory neighbours are those in the tensor where a
// thread takes several of them together, rows an odd number of vectors apart; else the points that neighbouring threads
// ask for, rows a vector longer than the tile where the copy turns them. Either way what a warp reads at once lies in
// different banks. Where a block's shared memory does not hold such rows, none is longer than its elements. The
// schedule's lanes become vectors.
//
// Requires: verify in the value phase. Ensures: verify in the placed phase.
#pragma once

#include "nest/ir.h"
#include "support/target.h"
#include "tile/ir.h"

namespace tilewright::tile {

void place_for_gpu(Program& program, const nest::Nest& nest, const GpuTarget& target);

}  // namespace tilewright::tile
