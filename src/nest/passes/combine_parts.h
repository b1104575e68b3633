// The second half of a split reduction, as a nest of its own.
//
// Before                                     After
//   nest s[i] : f32                            nest s[i] : f32
//     iter i output extent a.0                   tensor s.partial : f32 rank 2
//     iter k reduction extent a.1                iter i output extent s.partial.1
//     reduce sum in f32 from 0 …                 iter part reduction extent s.partial.0
//     then …                                     read %r0 = s.partial[part, i]
//     split k 16                                 reduce sum in f32 from 0 %r0
//                                                then … (the epilogue of s)
//
// Requires: a nest with a split. Ensures: verify(result); together with the partial program of nest_to_tile it computes
// what the nest says. It is a nest so that combining many parts is scheduled, vectorised and if need be split like any
// other reduction.
#pragma once

#include "nest/ir.h"

namespace tilewright::nest {

Nest combine_parts(const Nest& nest);

}  // namespace tilewright::nest
