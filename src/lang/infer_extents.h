// Extents of a statement whose operands are known: language.md, Extents. Private to bind.
#pragma once

#include "lang/bind_context.h"

namespace tilewright::lang {

/// Fills iterators and output_shape of `typed`; reports errors into `context`. Requires reads of the right rank.
void infer_extents(BindContext& context, TypedStatement& typed);

}  // namespace tilewright::lang
