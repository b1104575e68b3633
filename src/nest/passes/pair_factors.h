// The pairwise order of a product of several factors: which of them form the two sides of a contraction.
//
// Before                                            After
//   reduce sum (mul (mul x[i,k] w[j,k,l]) y[i,l])     reduce sum (mul (mul x[i,k] y[i,l]) w[j,k,l])
//
// Written from left to right, x · w holds every iterator, and y shares all of its own with it: each of the products
// would load y anew. With x · y on one side, i lies in that side alone and j in the other: a matrix product over the
// joined terms (k, l), whose left factor is formed while it is loaded. Products may be reassociated (docs/language.md).
//
// Of all ways to split the factors in two the one with the fewest loads a product is taken: an element of a side with
// f factors costs f loads and serves as many products as the other side has points in a tile. Ties stay as written.
//
// Requires: verify(nest). Ensures: verify(nest); a product of two factors, a sum of a few terms, or another value,
// stays as it is. It stands before a scheduler's choice, which asks as_contraction for the two sides.
#pragma once

#include <optional>
#include <string>

#include "nest/facts.h"
#include "nest/ir.h"

namespace tilewright::nest {

/// What it did, for the trace; nullopt: nothing.
std::optional<std::string> pair_factors(Nest& nest, const Facts& facts);

}  // namespace tilewright::nest
