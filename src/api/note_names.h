// Which name objects a statement or a program has, in the order in which they are to be named.
#pragma once

#include "api/naming.h"
#include "api/statement_parts.h"

namespace tilewright::v0 {

/// Iterators: those of the target, of the binding, then as first seen. Tensors: as first seen, the target last.
void note_names(const StatementParts& parts, Naming& names);
void note_names(const ProgramParts& parts, Naming& names);

}  // namespace tilewright::v0
