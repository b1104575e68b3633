// Rejects what is no text, so that the lexer meets only valid UTF-8 without NUL bytes.
#include "lang/text_check.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/utf8.h"

namespace tilewright::lang {
namespace {

/// Spans hold 32-bit offsets; half of that leaves room for one past the end.
constexpr std::size_t largest_text = std::size_t{1} << 31U;

Diagnostic defect(const SourcePtr& source, std::string_view code, std::size_t at, std::string message) {
  const Span span{static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 1)};
  return {std::string(code), std::move(message), "a .tw file is UTF-8 text", source, span};
}

}  // namespace

std::optional<Diagnostic> find_text_defect(const SourcePtr& source) {
  const std::string_view text = source->text();
  if (text.size() >= largest_text)
    return Diagnostic{
        "L001", fmt::format("the text has {} bytes", text.size()), "at most 2 GiB are accepted", source, {}};
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\0')
      return defect(source, "L001", at, fmt::format("a NUL byte at offset {}: this is no text", at));
    const Utf8Character character = utf8_character(text, at);
    if (!character.valid)
      return defect(
          source, "L002", at,
          fmt::format("byte 0x{:02x} at offset {} is not valid UTF-8", static_cast<unsigned char>(text[at]), at));
    at += character.bytes;
  }
  return std::nullopt;
}

}  // namespace tilewright::lang
