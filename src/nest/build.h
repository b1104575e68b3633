// Typed statement → nest: casts made explicit, iterators in order, loops of step 1, no schedule applied yet.
#pragma once

#include "lang/bind.h"
#include "nest/ir.h"

namespace tilewright::nest {

Nest build_nest(const lang::TypedStatement& statement);

}  // namespace tilewright::nest
