// From parts to a checked kernel. The built statement is printed and read back from its text, so that it has the spans,
// the checks and the errors of one that was written as text; the text's source is the place in the program.
#pragma once

#include "api/statement_parts.h"

#include "lang/ast.h"

namespace tilewright::v0 {

/// build_statement's errors, all that parsing finds, and A030: a name that the language cannot write.
Result<Kernel> build_kernel(const StatementParts& parts);
Result<Kernel> build_kernel(const ProgramParts& parts);

}  // namespace tilewright::v0
