// Statements of a program that are computed as one: elementwise statements after a reduction become its epilogue,
// elementwise statements before their only reader are computed where it reads them. What nothing reads goes.
//
// Before                                     After
//   nest mm[i, j] : f16                        nest y[i, j] : f16
//     read %r0 = a[i, k]                         read %r0 = a[i, k]
//     read %r1 = b[k, j]                         read %r1 = b[k, j]
//     reduce sum in f32 …                        read %r2 = bias[j]
//     then (cast f16 %acc)                       reduce sum in f32 …
//   nest y[i, j] : f16                           then (cast f16 (relu f32 (add f32
//     read %r0 = mm[i, j]                              (cast f32 (cast f16 %acc)) (cast f32 %r2))))
//     read %r1 = bias[j]
//     value in f32 (relu f32 (add f32 …))
//
// Requires: nests as bind_program leaves them. Ensures: verify of each nest; the results are computed, by nests that
// read parameters and targets of nests before them. A value that is handed over is rounded to the type it was stored in
// (its cast stays), so that what an elementwise statement computes from it keeps every bit; a sum of such values may
// be another plan's, as language.md says of sums. Each nest keeps the schedule and the precision of one statement,
// whose lines mean what they meant: its iterators are still there, and its cached tensors have no reads more or less.
//
// A value is handed over if it is no result and has one reader, and
//   - it is reduced, and its reader stores, at each point, what it makes of the value at that point; or
//   - it is not reduced, and no `else` guards its reads, and computing it once for each read costs less than storing
//   it:
//     operations that are repeated (an addition 1, a division 4, a function 16, an operand's load 1) against 4 for each
//     byte that is neither written nor read and 65,536 for a launch less. A factor of a product that has several rows
//     and columns is computed before it, unless it is a copy with permuted axes: matrix units and packed panels take
//     reads.
//
// It stands between bind_program and the schedule lines: these name iterators of the nests that are left.
#pragma once

#include <string>
#include <vector>

#include "nest/bind_program.h"

namespace tilewright::nest {

/// What became of each statement and why, a line each: "mm joins y: …", "e stays: …".
std::vector<std::string> fuse_statements(BoundProgram& program);

}  // namespace tilewright::nest
