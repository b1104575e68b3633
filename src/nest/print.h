// Text of a nest's parts, for traces, messages and comments in generated code. The whole nest's is to_text of ir.h.
#pragma once

#include <string>

#include "nest/ir.h"

namespace tilewright::nest {

std::string to_text(const Nest& nest, const Affine& index);  ///< "2*i + r - 1"
std::string to_text(const Nest& nest, const Read& read);     ///< "a[i, k] else 0"
std::string to_text(const Nest& nest, ExprId expr);          ///< "(mul f32 %r0 %r1)"

}  // namespace tilewright::nest
