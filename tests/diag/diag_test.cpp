// Runs every tests/diag/*.tw: the errors and warnings that a file gets are the ones that its `#~` lines state. A `#~`
// line speaks of the nearest line above that is none:
//
//   o[i, i] = a[i]
//   #~   ^ L021 the target's iterator 'i' stands twice
//
// The carets cover exactly the characters of the span (as far as its line goes). Where they would run into the `#~`,
// columns stand instead: `#~1-2 L012 …`. With TILEWRIGHT_BLESS=1 the files are rewritten with what the parser says now.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lang/parse.h"

namespace tilewright::lang {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_marker(const std::string& line) {
  return line.starts_with("#~");
}

/// What a diagnostic's marker line looks like.
std::string marker(const Diagnostic& diagnostic) {
  const auto [line, first] = diagnostic.source->position(diagnostic.span.begin);
  auto last = first;
  for (std::uint32_t at = diagnostic.span.begin + 1; at < diagnostic.span.end; ++at) {
    const auto position = diagnostic.source->position(at);
    if (position.line == line) last = position.column;
  }
  const std::string place =
      first > 2 ? fmt::format("{:{}}{:^>{}}", "", first - 3, "", last - first + 1) : fmt::format("{}-{}", first, last);
  return fmt::format("#~{} {} {}", place, diagnostic.code, diagnostic.message);
}

/// The file as it should be: its own lines, each followed by the markers of its diagnostics.
std::string annotate(const std::string& text, const Diagnostics& diagnostics) {
  std::string result;
  const std::vector<std::string> lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_marker(lines[i])) continue;
    result += lines[i] + "\n";
    for (const Diagnostic& d : diagnostics)
      if (d.source->position(d.span.begin).line == i + 1) result += marker(d) + "\n";
  }
  return result;
}

class DiagFile : public testing::TestWithParam<fs::path> {};

TEST_P(DiagFile, has_the_errors_that_it_states) {
  const std::string text = read_file(GetParam());
  const auto source = std::make_shared<const Source>(GetParam().filename().string(), text);
  Diagnostics found;
  if (auto file = parse(source, found); !file) found = file.error();
  for (const Diagnostic& d : found) EXPECT_TRUE(d.severity == Severity::warning || !d.message.empty()) << d.code;
  const std::string annotated = annotate(text, found);
  const char* bless = std::getenv("TILEWRIGHT_BLESS");
  if (bless != nullptr && std::string_view(bless) == "1") {
    std::ofstream(GetParam(), std::ios::binary) << annotated;
    return;
  }
  EXPECT_EQ(annotated, text);
}

/// A file without a marker tests nothing, unless it says that it is right.
TEST_P(DiagFile, states_something) {
  const std::vector<std::string> lines = split_lines(read_file(GetParam()));
  EXPECT_TRUE(std::ranges::any_of(lines, is_marker) || GetParam().filename().string().starts_with("right_"));
}

std::vector<fs::path> diag_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TILEWRIGHT_SOURCE_DIR) / "tests" / "diag"))
    if (entry.path().extension() == ".tw") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

INSTANTIATE_TEST_SUITE_P(, DiagFile, testing::ValuesIn(diag_files()),
                         [](const auto& param) { return param.param.stem().string(); });

}  // namespace
}  // namespace tilewright::lang
