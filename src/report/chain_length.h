// The h of the error bound (docs/language.md, Precision): the longest chain of additions that a plan makes.
#pragma once

#include <cstdint>

#include "runtime/compilation.h"

namespace tilewright::report {

/// Additions on the longest path from a term to a result, for the sizes that it was compiled for: the loops of each
/// launch are followed with their trip counts, sums over lanes and registers count as the trees that they are, and what
/// a launch leaves in the workspace counts on in the next one. At least 1.
std::int64_t chain_length(const Compilation& compilation);

}  // namespace tilewright::report
