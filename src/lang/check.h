// What language.md demands of a statement, a program and a file before any operand is known. The parser calls these; a
// statement built in C++ or from an einsum string passes through check_statement too.
#pragma once

#include "lang/ast.h"
#include "support/diagnostic.h"

namespace tilewright::lang {

/// Names, ranks, bindings, the epilogue's reads, iterators without an extent, examples: L021, L022, L031 to L040, L046
/// to L049.
void check_statement(const Statement& statement, Diagnostics& diagnostics);

/// Names assigned once and before they are read, parameters, results, ranks across statements: L031, L039, L046 to
/// L049, L061 to L064, and the warning L067. Its statements have passed check_statement.
void check_program(const Program& program, Diagnostics& diagnostics, const SourcePtr& source);

/// Kernel names are unique: L060.
void check_file(const File& file, Diagnostics& diagnostics);

}  // namespace tilewright::lang
