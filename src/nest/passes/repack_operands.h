// A contraction's operands whose rows start at odd addresses are copied once, to where rows start at multiples of 128
// bytes, and read from there. On a GPU each block stages what it needs in shared memory, 16 bytes at a time where rows
// allow; where they do not, it moves single elements, and every block that shares an operand does so again.
//
// Before                                 After                                   and, to run before it
//   nest c[i, j] : f32                     nest c[i, j] : f32                      nest a.packed[i, k] : f32
//     tensor a : f32 rank 2                  tensor a.packed : f32 rank 2            tensor a : f32 rank 2
//     iter i output extent a.0               iter i output extent a.packed.0         iter i output extent a.0
//     iter k reduction extent a.1            iter k reduction extent a.packed.1      iter k output extent a.1
//     read %r0 = a[i, k]                     read %r0 = a.packed[i, k]               read %r0 = a[i, k]
//
// The copy has the operand's axes; in memory the contiguous one (of what is turned, another) is innermost and padded,
// the others follow in order, the last one innermost. All of the nest's reads of the operand go to the copy, whatever
// their indices.
//
// It is done where an estimate says that it pays. A worked example, f32, c[i, j] ++= a[i, k] * b[k, j] with extents
// between 2049 and 4096, about 3072: a has 9.4 M elements, and 3072 / 128 = 24 blocks along j stage each of them. A
// piece of one element instead of four costs 0.3 · (1 − 1/4) cycles of a multiprocessor: 51 M cycles, 386 K on 132
// of them. Writing and reading 76 MB at 2112 bytes a cycle costs 36 K, and a launch 7 K: a is repacked. With extents
// below 1025 it is not, nor where b has few columns, nor where a product takes less time than its operands' way from
// memory.
//
// Elements of one byte are copied, too, where neighbours in memory are points and a matrix unit multiplies them: it
// takes rows of terms alone, which threads would make element by element. Rows of the copy are the longest axis of
// terms.
//
// So is one of two factors of f32 that both lie along their terms, where threads multiply: the one that has the
// output's neighbours, so that each thread has vectors of them.
//
// Left alone: an operand without exactly one contiguous axis, one that repeats along an axis (stride 0), one that the
// product reads at anything but one iterator an axis (x[i + r], x[i, i], an `else`), one that the schedule block does
// not cache, and one past `most_repacked_bytes` of the target.
//
// Requires: the schedule's passes have run, facts of VectorLoads::aligned. Ensures: verify(nest); with `copy` run into
// a tensor of these strides, whose base is a multiple of 64, the same results. It stands before schedule_for_gpu, which
// then sees rows that it can copy whole, and changes the nest and its facts together.
#pragma once

#include "nest/passes/copy_operand.h"
#include "support/target.h"

namespace tilewright::nest {

OperandCopies repack_operands(Nest& nest, Facts& facts, const GpuTarget& target);

}  // namespace tilewright::nest
