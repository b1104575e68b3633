// Text → statements. Recovers at statement boundaries, block entries and schedule lines, so one call reports several
// errors, each with a stable code, a span and a remedy.
#pragma once

#include <optional>
#include <string_view>

#include "lang/ast.h"

namespace tilewright::lang {

/// Errors as language.md has them. Warnings (an unused program parameter) do not fail and are dropped; `check` uses the
/// second form to print them.
Result<File> parse(SourcePtr source);
Result<File> parse(SourcePtr source, Diagnostics& warnings);

/// The lines of a schedule block, without its indentation, one a line of `text`. Errors: those of the lines as `parse`
/// finds them, in a source of their own. No text, no lines.
Result<std::vector<ScheduleLine>> parse_schedule(std::string_view text);

/// A NumPy einsum string ("ij,jk->ik", implicit output, "...", blanks) over operands of these ranks, as a statement
/// that names the operands `names` and the target `target`. NumPy's rules; errors point into the string. With an
/// element type of the operands, NumPy's types too: a result of i8 or u8 wraps in that type, and products and sums of
/// bool are `and` and `or`.
Result<Statement> parse_einsum(std::string_view equation, const std::vector<std::size_t>& ranks,
                               const std::vector<std::string>& names, std::string_view target,
                               std::optional<DType> element = std::nullopt);

/// The axes of one operand of a dot_general, from 0; its other axes are free.
struct DotSide {
  std::size_t rank = 0;
  std::vector<std::size_t> contracting;
  std::vector<std::size_t> batch;
};
struct DotCall {
  DotSide lhs;
  DotSide rhs;
  Precision precision = Precision::exact;
  std::optional<DType> result_type;
};

/// StableHLO's dot_general of operands `a` and `b` as a statement that makes `result`; its source is the statement's
/// text with `dot_general(…)`, into which errors point. L022, L081 to L084: as for such a text.
Result<Statement> parse_dot_general(const DotCall& call);

/// Canonical layout of a file: idempotent, keeps comments, changes no meaning. Fails as parse does.
Result<std::string> format(SourcePtr source);

/// One statement as canonical text (no comments).
/// "++=", "*=", "max=", "min="; "=" where nothing is reduced.
std::string_view operator_text(const std::optional<Monoid>& reduction);
std::string to_text(const Statement& statement);
std::string to_text(const ScheduleLine& line);
/// The lines of a block, each with its line break, without indentation: what parse_schedule reads.
std::string to_text(const std::vector<ScheduleLine>& lines);
std::string to_text(const Statement& statement, ExprId expr);
/// One program as canonical text. `statements` receives the range of each statement in it, to past its last line.
std::string to_text(const Program& program);
std::string to_text(const Program& program, std::vector<Span>& statements);

}  // namespace tilewright::lang
