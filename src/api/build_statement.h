// What C++ said, as a statement of src/lang: all but the reading back of its text, which build_kernel.h does.
#pragma once

#include "api/naming.h"
#include "api/statement_parts.h"

#include "lang/ast.h"

namespace tilewright::v0 {

/// "file.cpp:12".
std::string place_text(const std::source_location& at);

/// An error of what has no place in a statement's text: `excerpt` is shown instead.
tilewright::Diagnostic excerpt_error(std::string_view code, const std::source_location& at, std::string excerpt,
                                     std::string message, std::string remedy);

/// Whether the language can write `text` as a name (reserved words count: the parser says more of them).
bool is_name(std::string_view text);

/// The statement of these parts, without spans, and the errors that its text could not show. L014: an expression with
/// too many parts. L020, L023, L024, L027: indices that are none. A031: a literal that no text has. A032: a call made
/// twice. A033: a variant's name that is none.
lang::Statement build_statement(const StatementParts& parts, const Naming& names, tilewright::Diagnostics& found);

lang::Example build_example(const std::vector<ExampleOperand>& operands, const Naming& names);

}  // namespace tilewright::v0
