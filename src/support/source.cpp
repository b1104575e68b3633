// Source positions. See source.h.
#include "support/source.h"

#include <algorithm>

#include "support/utf8.h"

namespace tilewright {
namespace {

std::size_t line_begin(std::string_view text, std::size_t offset) {
  if (offset == 0) return 0;
  const std::size_t line_break = text.rfind('\n', offset - 1);
  return line_break == std::string_view::npos ? 0 : line_break + 1;
}

}  // namespace

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

Source::Position Source::position(std::uint32_t offset) const {
  const std::string_view text = text_;
  const std::size_t place = std::min<std::size_t>(offset, text.size());
  const std::size_t begin = line_begin(text, place);
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  std::uint32_t column = 1;
  for (std::size_t at = begin; at < place; ++column) {
    const bool ascii = static_cast<unsigned char>(text[at]) < 0x80;  // long lines are mostly that
    at += ascii ? 1 : utf8_character(text, at).bytes;
    if (at > place) break;  // inside a sequence: the column of its character
  }
  return {static_cast<std::uint32_t>(line) + 1, column};
}

std::string_view Source::line_text(std::uint32_t offset) const {
  const std::string_view text = text_;
  const std::size_t place = std::min<std::size_t>(offset, text.size());
  const std::size_t begin = line_begin(text, place);
  std::string_view line = text.substr(begin, text.find('\n', place) - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace tilewright
