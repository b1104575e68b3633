// Names of the printed source: each once, none of Metal's own words.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace tilewright::codegen::metal {

/// Whether Metal's language or library, or what the printer writes of itself, has the word.
bool is_reserved(std::string_view word);

/// A name as one of Metal: letters, digits and inner underscores, behind a letter, no reserved word. "x" where nothing
/// is left of it.
std::string legal_name(std::string_view name);

class Names {
 public:
  /// The name made legal, with a number behind it where it is taken.
  std::string unique(std::string_view name);
  /// The first free one of name0, name1, …
  std::string numbered(std::string_view name);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;
};

}  // namespace tilewright::codegen::metal
