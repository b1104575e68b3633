// Types of a statement whose operands are known: language.md, Types. Private to bind.
#pragma once

#include "lang/bind_context.h"

namespace tilewright::lang {

/// Fills types, compute_types, accumulate and output of `typed`; reports errors into `context`.
/// Requires matched operands and well-placed reads of the target.
void infer_types(BindContext& context, TypedStatement& typed);

}  // namespace tilewright::lang
