// Contractions by matrix units, of warpgroups or of warps.
//
// Before
//   buffer a.shared : f16 shared [i 128 inner 1 strides (72, 1), k 64 inner 1 strides (1, 1)]
//   %x = load_buffer a.shared : f16 [i 2, k 64]
//   %y = load_buffer b.shared : f16 [k 64, j 64]
//   %u = cast %x : f32 [i 2, k 64]
//   %v = mask %u outside (k) with 0 : f32 [i 2, k 64]
//   (%w likewise)
//   %z = contract %c, %v, %w : f32 [i 2, j 64]
//
// After
//   buffer a.shared : f16 shared [k 64 inner 1 strides (1, 1), i 128 inner 1 strides (64, 1)] swizzled
//   %x = load_buffer a.shared : f16 [i 2, k 64]
//   %y = load_buffer b.shared : f16 [k 64, j 64]
//   %z = contract %c, %x, %y by warpgroup : f32 [i 2, j 64]
//
// The unit reads the factors as they lie in shared memory: narrow, and with zeros where the scopes end, so that casts
// and masks go. A factor lies there in rows of 128 bytes, as in memory: a row is a stretch of the terms of one point,
// or, where neighbours in memory are points, as many points of one term: of elements of 16 bits, and of rows of
// f32, which threads load for the unit. Points are numbered as the
// schedule's cached reads list their iterators, the slowest first. lhs becomes the factor whose points are the rows of
// the product.
//
// The unit of a warp takes fragments that threads load. Those of elements of 16 bits, and of 8 or 32 in rows of terms,
// are loaded by rows of 16 bytes from a buffer like that. Others are loaded element by element, by threads that stand
// along four terms and along points: their buffer has plain rows, of points where these are neighbours in memory, 32
// bytes longer than a multiple of 128, so that no two of the elements lie in one bank. So are all of a simdgroup's.
//
// In a nest of precision tf32x3 each contraction sums from 0, since units cut off what they add:
//   %z = fill 0 : f32 [i 2, j 64]
//   %s = contract %z, %x, %y by warpgroup : f32 [i 2, j 64]
//   %d = map add %c, %s : f32 [i 2, j 64]
//
// Requires: place_for_gpu, and a schedule whose variant names a unit and whose tiles are dealt to threads as the unit
// deals them (nest/passes/choose_matrix_product). Ensures: verify in the placed phase. Other schedules stay as they
// are. Stands before pipeline_copies, which asks how long buffers are.
#pragma once

#include "nest/ir.h"
#include "tile/ir.h"

namespace tilewright::tile {

void use_matrix_units(Program& program, const nest::Nest& nest);

}  // namespace tilewright::tile
