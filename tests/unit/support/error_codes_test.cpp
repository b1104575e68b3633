// docs/errors.md against the sources: each code that can be given has a row, each row a code, and each is provoked by
// a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Codes = std::set<std::string>;

constexpr std::string_view letters = "LBNTKGPRACX";

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A letter and three digits at `at`, with no letter or digit beside them.
bool is_code(std::string_view text, std::size_t at) {
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  if (letters.find(text[at]) == std::string_view::npos || (at > 0 && is_word(at - 1)) || is_word(at + 4)) return false;
  for (std::size_t i = at + 1; i < at + 4; ++i)
    if (i >= text.size() || std::isdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  return true;
}

/// All codes of a text, or those that are a string literal.
enum class Where { anywhere, literal };
Codes codes_in(std::string_view text, Where where) {
  Codes codes;
  for (std::size_t at = 0; at + 4 <= text.size(); ++at)
    if (is_code(text, at) &&
        (where == Where::anywhere || (at > 0 && text[at - 1] == '"' && at + 4 < text.size() && text[at + 4] == '"')))
      codes.emplace(text.substr(at, 4));
  return codes;
}

Codes codes_under(const std::vector<const char*>& folders, Where where) {
  constexpr std::array<std::string_view, 5> endings = {".c", ".cpp", ".h", ".tw", ".txt"};
  Codes codes;
  for (const char* folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TILEWRIGHT_SOURCE_DIR) / folder))
      if (std::ranges::find(endings, entry.path().extension().string()) != endings.end() &&
          entry.path().filename() != fs::path(__FILE__).filename())
        codes.merge(codes_in(read_file(entry.path()), where));
  return codes;
}

/// The first cell of every row: a code, several, or 'N040 to N048'.
Codes documented_codes() {
  Codes codes;
  std::istringstream document(read_file(fs::path(TILEWRIGHT_SOURCE_DIR) / "docs/errors.md"));
  for (std::string line; std::getline(document, line);) {
    if (!line.starts_with("| ") || !is_code(line, 2)) continue;
    const std::string cell = line.substr(2, line.find('|', 2) - 2);
    const Codes named = codes_in(cell, Where::anywhere);
    codes.insert(named.begin(), named.end());
    if (!cell.contains(" to ")) continue;
    for (int number = std::stoi(named.begin()->substr(1)); number < std::stoi(named.rbegin()->substr(1)); ++number) {
      std::string digits = std::to_string(number);
      digits.insert(0, 3 - digits.size(), '0');
      codes.insert(cell.front() + digits);
    }
  }
  return codes;
}

Codes without(const Codes& codes, const Codes& others) {
  Codes rest;
  std::ranges::set_difference(codes, others, std::inserter(rest, rest.end()));
  return rest;
}

TEST(ErrorCodes, AreDocumentedAndProvoked) {
  const Codes given = codes_under({"src", "tools"}, Where::literal);
  const Codes documented = documented_codes();
  EXPECT_GT(given.size(), 290U);
  EXPECT_EQ(without(given, documented), Codes{});
  EXPECT_EQ(without(documented, given), Codes{});
  // C019 takes a machine without memory for a few bytes; K208 an op of the IR that the simulator does not know yet.
  EXPECT_EQ(without(given, codes_under({"tests"}, Where::anywhere)), (Codes{"C019", "K208"}));
}

}  // namespace
}  // namespace tilewright
