// UTF-8 as positions and diagnostics need it: how long is the character here.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright {

struct Utf8Character {
  std::size_t bytes = 1;
  bool valid = false;
  char32_t code_point = 0;  ///< 0 where not valid
};

/// The character at `text[at]` (requires at < size): a well-formed sequence (no overlong form, no surrogate, at most
/// U+10FFFF), or one invalid byte.
Utf8Character utf8_character(std::string_view text, std::size_t at);

}  // namespace tilewright
