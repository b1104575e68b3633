// Text in, text out: the tests of the IRs' text forms and passes. A test is one file, tests/ir/<ir>/<pass>/<name>.txt:
//
//   # What the case shows.
//   run: tile(i, 128)
//   --- input
//   nest …
//   --- output
//   nest …
//
// Lines before `--- input` are comments and `key: value` settings (a key may stand several times). What the producer
// makes of the input must be the output, to the byte. With TILEWRIGHT_BLESS=1 the file's output is rewritten with what
// is produced now. An IR's runner lists its files with files_under and calls check on each:
//
//   class TileFiles : public testing::TestWithParam<std::string> {};
//   TEST_P(TileFiles, Output) { filetest::check(GetParam(), produce); }
//   INSTANTIATE_TEST_SUITE_P(Ir, TileFiles, testing::ValuesIn(filetest::files_under("tests/ir/tile")), filetest::name);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::filetest {

struct FileTest {
  std::string folder;  ///< the name of its folder: the pass
  std::vector<std::pair<std::string, std::string>> settings;
  std::string input;
  std::string output;

  /// The values of `key`, in order.
  std::vector<std::string> all(const std::string& key) const {
    std::vector<std::string> values;
    for (const auto& [name, value] : settings)
      if (name == key) values.push_back(value);
    return values;
  }
};

inline std::filesystem::path absolute(const std::string& file) {
  return std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / file;
}

/// Paths relative to the repository of the .txt files below `folder`, sorted.
inline std::vector<std::string> files_under(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(absolute(folder)))
    if (entry.path().extension() == ".txt")
      files.push_back(std::filesystem::relative(entry.path(), TILEWRIGHT_SOURCE_DIR).generic_string());
  std::ranges::sort(files);
  return files;
}

/// "tile_loop_ragged" for …/tile_loop/ragged.txt.
inline std::string name(const testing::TestParamInfo<std::string>& parameter) {
  const std::filesystem::path path(parameter.param);
  std::string text = path.parent_path().filename().string() + "_" + path.stem().string();
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline constexpr std::string_view input_mark = "--- input\n";
inline constexpr std::string_view output_mark = "--- output\n";

/// Fails the current test where the file has no input. A file without an output expects nothing yet: bless it.
inline FileTest parse(const std::string& file, const std::string& text) {
  FileTest test;
  test.folder = std::filesystem::path(file).parent_path().filename().string();
  const std::size_t input = text.find(input_mark);
  if (input == std::string::npos) {
    ADD_FAILURE() << file << " has no line '--- input'";
    return test;
  }
  std::istringstream head(text.substr(0, input));
  for (std::string line; std::getline(head, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos)
      ADD_FAILURE() << file << ": neither a comment nor a setting: " << line;
    else
      test.settings.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
  const std::size_t begin = input + input_mark.size();
  const std::size_t output = text.find(output_mark, begin);
  test.input = text.substr(begin, output - begin);
  if (output != std::string::npos) test.output = text.substr(output + output_mark.size());
  return test;
}

/// The one comparison of a test: `produce(FileTest)` against the file's output.
inline void check(const std::string& file, const std::function<std::string(const FileTest&)>& produce) {
  const std::string text = read(absolute(file));
  const FileTest test = parse(file, text);
  const std::string produced = produce(test);
  if (std::getenv("TILEWRIGHT_BLESS") != nullptr && produced != test.output) {
    std::ofstream(absolute(file), std::ios::binary)
        << text.substr(0, text.find(output_mark)) << output_mark << produced;
    return;
  }
  EXPECT_EQ(produced, test.output) << file << "\nTILEWRIGHT_BLESS=1 rewrites it";
}

}  // namespace tilewright::filetest
