// The entry of the front end for .tw text.
#include "lang/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "lang/parser.h"

namespace tilewright::lang {

Result<File> parse(SourcePtr source, Diagnostics& warnings) {
  Diagnostics found;
  File file = Parser(std::move(source), found).parse_file();
  std::ranges::sort(found, {}, [](const Diagnostic& d) { return std::tuple(d.span.begin, d.span.end, d.code); });
  if (has_errors(found)) {
    if (found.size() > most_errors) {
      std::erase_if(found, [](const Diagnostic& d) { return d.severity != Severity::error; });
      found.resize(std::min(found.size(), most_errors));
    }
    return std::unexpected(std::move(found));
  }
  warnings.insert(warnings.end(), found.begin(), found.end());
  return file;
}

Result<File> parse(SourcePtr source) {
  Diagnostics warnings;
  return parse(std::move(source), warnings);
}

Result<std::vector<ScheduleLine>> parse_schedule(std::string_view text) {
  std::string statement = "o[] = 0.0 do:\n  schedule:\n";
  bool has_lines = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) statement += fmt::format("    {}\n", text.substr(at, end - at)), has_lines = true;
    at = end + 1;
  }
  if (!has_lines) return std::vector<ScheduleLine>();
  Result<File> file = parse(std::make_shared<const Source>("<schedule>", std::move(statement)));
  if (!file) return std::unexpected(std::move(file.error()));
  auto* parsed = std::get_if<Statement>(&file->items.front());
  if (parsed == nullptr) internal_error("a schedule's text is parsed as something else");
  return std::move(parsed->schedule).value_or(std::vector<ScheduleLine>());
}

}  // namespace tilewright::lang
