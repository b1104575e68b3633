// The second half of a split reduction, as a nest of its own.
//
// Before                                     After
//   nest s : f32 reduce sum … split k 16       nest s : f32
//                                                tensor s.partial : f32 rank 2
//                                                iter p reduction extent s.partial.0
//                                                reduce sum in f32 s.partial[p, i]
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
