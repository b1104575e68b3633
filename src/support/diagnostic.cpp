// Rendering of diagnostics. See diagnostic.h.
#include "support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/utf8.h"

namespace tilewright {
namespace {

constexpr std::string_view margin = "    ";
constexpr std::size_t longest_line = 100;  // characters of a source line that are shown
constexpr std::size_t context = 40;        // characters shown before the span where a line is cut

// In the order of Severity.
constexpr std::array<std::string_view, 3> severity_names = {"error", "warning", "note"};

constexpr std::string_view replacement = "\uFFFD";  // stands for what no terminal should be sent

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/// Calls `visit(character, its bytes)` for each character of `text`.
template <class Visit>
void each_character(std::string_view text, Visit&& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = utf8_character(text, at);
    visit(character, text.substr(at, character.bytes));
    at += character.bytes;
  }
}

/// A piece of a source line as it is printed: blanks for control characters.
std::string printed_line(std::string_view line) {
  std::string text;
  each_character(line, [&](const Utf8Character& character, std::string_view bytes) {
    text += !character.valid ? replacement : is_control(character.code_point) ? std::string_view(" ") : bytes;
  });
  return text;
}

/// A message as it is printed: names of files and bytes of the user's may be anything.
std::string printed_message(std::string_view message) {
  std::string text;
  each_character(message, [&](const Utf8Character& character, std::string_view bytes) {
    const bool printable = character.valid && (!is_control(character.code_point) || bytes == "\n" || bytes == "\t");
    text += printable ? bytes : replacement;
  });
  return text;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count)
    at += static_cast<unsigned char>(text[at]) < 0x80 ? 1 : utf8_character(text, at).bytes;
  return count;
}

/// Characters `begin` to `end` of a text.
std::string_view characters(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t at = 0;
  std::size_t first = 0;
  for (std::size_t number = 0; number < end && at < text.size(); ++number) {
    if (number == begin) first = at;
    at += static_cast<unsigned char>(text[at]) < 0x80 ? 1 : utf8_character(text, at).bytes;
  }
  return text.substr(first, at - first);
}

/// The columns, from 0, that the carets stand under: the span's part on the first line, at least one.
struct CaretRange {
  std::size_t begin;
  std::size_t end;
};
CaretRange caret_range(const Source& source, Span span, std::size_t line_length) {
  const Source::Position begin = source.position(span.begin);
  const Source::Position end = source.position(std::max(span.begin, span.end));
  const std::size_t first = std::min<std::size_t>(begin.column - 1, line_length);
  const std::size_t last = end.line == begin.line ? std::min<std::size_t>(end.column - 1, line_length) : line_length;
  return {first, std::max(last, first + 1)};
}

/// The source line and the carets under it; a long line is cut to `longest_line` characters around the span.
std::string render_place(const Source& source, Span span) {
  const std::string_view whole = source.line_text(span.begin);
  const std::size_t length = count_characters(whole);
  const CaretRange carets = caret_range(source, span, length);
  std::size_t begin = 0;
  std::size_t end = length;
  if (length > longest_line) {
    begin = std::min(carets.begin > context ? carets.begin - context : 0, length - longest_line);
    end = begin + longest_line;
  }
  std::string line(begin > 0 ? "…" : "");
  line += printed_line(characters(whole, begin, end));
  if (end < length) line += "…";
  line.erase(line.find_last_not_of(' ') + 1);

  const std::size_t blanks = carets.begin - begin + (begin > 0 ? 1 : 0);
  const std::size_t count = std::max<std::size_t>(std::min(carets.end, end), carets.begin + 1) - carets.begin;
  return fmt::format("{}{}\n{}{}{}\n", margin, line, margin, std::string(blanks, ' '), std::string(count, '^'));
}

}  // namespace

std::unexpected<Diagnostics> fail(std::string_view code, std::string message, std::string remedy, SourcePtr source,
                                  Span span) {
  return std::unexpected(Diagnostics{
      {std::string(code), std::move(message), std::move(remedy), std::move(source), span, Severity::error}});
}

std::string render(const Diagnostic& diagnostic) {
  std::string text;
  if (diagnostic.source) {
    const Source::Position place = diagnostic.source->position(diagnostic.span.begin);
    text += fmt::format("{}:{}:{}: ", printed_message(diagnostic.source->name()), place.line, place.column);
  }
  text += fmt::format("{}[{}]: {}\n", severity_names[static_cast<std::size_t>(diagnostic.severity)], diagnostic.code,
                      printed_message(diagnostic.message));
  if (diagnostic.source) text += render_place(*diagnostic.source, diagnostic.span);
  if (!diagnostic.remedy.empty()) text += fmt::format("{}= help: {}\n", margin, printed_message(diagnostic.remedy));
  return text;
}

std::string render(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic);
  return text;
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::ranges::any_of(diagnostics, [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void internal_error(std::string_view message) {
  throw InternalError(fmt::format("internal error: {}", message));
}

}  // namespace tilewright
