// The arithmetic of affine indices, for who builds them: the parser while it reads one, the C++ form from an
// expression. Until it is simplified, an index keeps its zero terms, so that iterators stay in the order in which they
// were seen.
#pragma once

#include <cstdint>

#include "lang/ast.h"

namespace tilewright::lang {

/// a += sign · b. False, with `a` unspecified, where a coefficient or the constant leaves 64 bits.
bool accumulate(AffineIndex& a, const AffineIndex& b, std::int64_t sign);
/// index *= factor; false as above.
bool scale(AffineIndex& index, std::int64_t factor);
/// No iterator has a coefficient other than 0.
bool is_constant(const AffineIndex& index);
/// Without the terms whose coefficient is 0.
void simplify(AffineIndex& index);

}  // namespace tilewright::lang
