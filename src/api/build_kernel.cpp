// build_kernel.h's functions.
#include "api/build_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/build_statement.h"
#include "api/note_names.h"
#include "lang/parse.h"

namespace tilewright::v0 {
namespace {

/// A030 for each given text that is no name.
void check_names(const Naming& names, const std::source_location& at, tilewright::Diagnostics& found) {
  for (const std::string& text : names.given())
    if (!is_name(text))
      found.push_back(excerpt_error("A030", at, text, fmt::format("'{}' is no name", text),
                                    "names are letters, digits and '_', and begin with no digit"));
}

SourcePtr source_at(const std::source_location& at, std::string text) {
  return std::make_shared<const Source>(place_text(at), std::move(text));
}

tilewright::Result<lang::Statement> read_back(const lang::Statement& built, const std::source_location& at) {
  auto file = lang::parse(source_at(at, lang::to_text(built)));
  if (!file) return std::unexpected(file.error());
  return std::get<lang::Statement>(std::move(file->items.front()));
}

/// The error of a program's text as one of the statement's that it lies in.
void move_into_statement(tilewright::Diagnostic& diagnostic, std::string_view text, const ProgramParts& parts,
                         const std::vector<Span>& spans) {
  for (std::size_t s = 0; s < spans.size(); ++s) {
    const Span span = spans[s];
    if (diagnostic.span.begin < span.begin || diagnostic.span.begin >= span.end) continue;
    diagnostic.source = source_at(parts.statements[s].at, std::string(text.substr(span.begin, span.end - span.begin)));
    diagnostic.span.begin -= span.begin;
    diagnostic.span.end = std::min(diagnostic.span.end, span.end) - span.begin;
    return;
  }
}

lang::Program build_program(const ProgramParts& parts, const Naming& names, tilewright::Diagnostics& found) {
  lang::Program program;
  program.name = {parts.name, {}};
  if (!is_name(parts.name))
    found.push_back(excerpt_error("A030", parts.at, parts.name, fmt::format("'{}' is no name", parts.name),
                                  "names are letters, digits and '_', and begin with no digit"));
  for (const TensorName& parameter : parts.parameters) program.parameters.push_back({names.text(parameter.name()), {}});
  for (const TensorName& result : parts.results) program.results.push_back({names.text(result.name()), {}});
  for (const auto& example : parts.examples) program.examples.push_back(build_example(example, names));
  for (const StatementParts& statement : parts.statements)
    program.statements.push_back(build_statement(statement, names, found));
  return program;
}

}  // namespace

Result<Kernel> build_kernel(const StatementParts& parts) {
  Naming names;
  note_names(parts, names);
  names.assign();
  tilewright::Diagnostics found;
  check_names(names, parts.at, found);
  const lang::Statement built = build_statement(parts, names, found);
  if (!found.empty()) return outer(found);
  auto statement = read_back(built, parts.at);
  if (!statement) return outer(statement.error());
  return Kernel::Inside::wrap(tilewright::Kernel(std::move(*statement)), names.assigned_tensors());
}

Result<Kernel> build_kernel(const ProgramParts& parts) {
  Naming names;
  note_names(parts, names);
  names.assign();
  tilewright::Diagnostics found;
  check_names(names, parts.at, found);
  const lang::Program built = build_program(parts, names, found);
  if (!found.empty()) return outer(found);
  std::vector<Span> spans;
  const std::string text = lang::to_text(built, spans);
  auto file = lang::parse(source_at(parts.at, text));
  if (!file) {
    for (tilewright::Diagnostic& diagnostic : file.error()) move_into_statement(diagnostic, text, parts, spans);
    return outer(file.error());
  }
  auto program = std::get<lang::Program>(std::move(file->items.front()));
  // Each statement from a text of its own, for what is found wrong when operands are bound.
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    auto statement = read_back(built.statements[s], parts.statements[s].at);
    if (!statement) return outer(statement.error());
    program.statements[s] = std::move(*statement);
  }
  return Kernel::Inside::wrap(tilewright::Kernel(std::move(program)), names.assigned_tensors());
}

}  // namespace tilewright::v0
