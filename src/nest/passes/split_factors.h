// Precision tf32x3: products of f32 are computed as sums of six products of bf16, on matrix units.
//
// Before                                 After                                        and, to run before it
//   nest c[i, j] : f32                     nest c[i, j] : f32                           nest a.lhs[i, k, piece] : bf16
//     tensor a : f32 rank 2                  tensor a.lhs : bf16 rank 3                   tensor a : f32 rank 2
//     tensor b : f32 rank 2                  tensor b.rhs : bf16 rank 3                   …
//     read %r0 = a[i, k]                     iter piece reduction extent 6              nest b.rhs[k, j, piece] : bf16
//     read %r1 = b[k, j]                     read %r0 = a.lhs[i, k, piece]                …
//     precision tf32x3                       read %r1 = b.rhs[k, j, piece]
//     reduce sum (mul %r0 %r1)               precision tf32x3
//                                            reduce sum (mul (cast f32 %r0) (cast f32 %r1))
//
// An f32 has 24 bits, a bf16 8, and the same exponents: x = x0 + x1 + x2, where x0 is the bf16 next to x, x1 the one
// next to what is left, and x2 the rest. Of the nine products of pieces six make up x · y; x1 y2, x2 y1 and x2 y2, left
// out, are 2^-21 of it at most, and 2^-23 where both are below 128. The copies hold the pieces in the order of the
// products, the least first:
//
//   piece    0   1   2   3   4   5
//   lhs     x2  x0  x1  x1  x0  x0
//   rhs     y0  y2  y1  y0  y1  y0
//
// Pieces of numbers of 128 and more are rounded towards zero, so that all have one sign: products that overflow give an
// infinity and not the difference of two. An infinity has the pieces ±1, 0, ±inf, so that its products are those of
// exact arithmetic. What a piece cannot hold of numbers near the least ones is off by 2^-133, absolutely. Of numbers
// below 128 x0 y0 may be larger than x y by 2^-7 of it, and an infinity where that is just none.
//
// Matrix units cut off what they add, so that the sums of each stage are added to the others in f32 (use_matrix_units
// does so where the nest has this precision).
//
// It is done where an estimate says that it pays, and where the schedule's variant names a matrix unit. Left alone,
// and so computed exactly: what is no sum of products of two operands of f32 that are read at one iterator an axis;
// sums of fewer than 128 terms, unless a variant asks for it; copies past `most_repacked_bytes` of the target; other
// schedules.
//
// Requires: the schedule's passes have run. Ensures: verify(nest), with the copies run before it. It stands before
// repack_operands, which finds rows that are aligned.
#pragma once

#include "nest/passes/copy_operand.h"
#include "support/target.h"

namespace tilewright::nest {

OperandCopies split_factors(Nest& nest, Facts& facts, const GpuTarget& target);

}  // namespace tilewright::nest
