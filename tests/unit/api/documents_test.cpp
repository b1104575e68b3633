// Every error code of the interface has a row in docs/errors.md and a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;
const fs::path root = TILEWRIGHT_SOURCE_DIR;

std::set<std::string> codes_in(const fs::path& path, const std::string& pattern) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::regex code(pattern);
  std::set<std::string> codes;
  for (auto it = std::sregex_iterator(all.begin(), all.end(), code); it != std::sregex_iterator(); ++it)
    codes.insert((*it)[1]);
  return codes;
}

std::set<std::string> codes_under(const fs::path& folder) {
  std::set<std::string> codes;
  for (const auto& entry : fs::directory_iterator(root / folder))
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".c" || entry.path().extension() == ".h")
      codes.merge(codes_in(entry.path(), "\"(A0[0-9][0-9])\""));
  return codes;
}

TEST(Documents, every_code_has_a_row_and_a_test) {
  std::set<std::string> given = codes_under("src/api");
  given.merge(codes_under("src/c"));
  EXPECT_GE(given.size(), 10U);
  EXPECT_EQ(given, codes_in(root / "docs/errors.md", "\\| (A0[0-9][0-9]) \\|"));
  std::set<std::string> tested = codes_under("tests/unit/api");
  tested.merge(codes_under("tests/c"));
  EXPECT_TRUE(std::ranges::includes(tested, given));
}

}  // namespace
