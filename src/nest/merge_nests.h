// Two nests as one: the value that one stores and the other reads is computed where it is read. Whether that is worth
// it is not asked here (passes/fuse_statements.h asks); whether it is right is.
#pragma once

#include <expected>
#include <string>

#include "nest/ir.h"

namespace tilewright::nest {

/// The merged nest, or why there is none: a clause about the producer's value ("is read with 'else'").
using Merged = std::expected<Nest, std::string>;

/// The consumer as the producer's epilogue. Both are without schedule lines; the consumer does not reduce and reads the
/// producer's value at its own point alone. Iterators, loops, reduction and precision are the producer's, the name and
/// the type of the output the consumer's.
Merged merge_epilogue(const Nest& producer, const Nest& consumer);

/// The producer, which does not reduce, computed at each of the consumer's reads of its value: the affine maps are
/// composed. Iterators, loops, reduction and precision are the consumer's.
Merged merge_prologue(const Nest& producer, const Nest& consumer);

/// How many nodes the nest's expressions have when they are written as trees, at most 2⁶².
std::int64_t expression_size(const Nest& nest);

}  // namespace tilewright::nest
