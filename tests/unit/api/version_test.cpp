// The version that a program sees is the one that the change log announces.
#include "tilewright/version.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace tilewright {
namespace {

TEST(Version, IsTheNewestOneOfTheChangeLog) {
  std::ifstream change_log(TILEWRIGHT_SOURCE_DIR "/CHANGELOG.md");
  std::string line;
  while (std::getline(change_log, line) && (!line.starts_with("## [") || line.starts_with("## [Unreleased]"))) {
  }
  const auto close = line.find(']');
  ASSERT_NE(close, std::string::npos) << "CHANGELOG.md has no line '## [MAJOR.MINOR.PATCH]'";
  EXPECT_EQ(version(), line.substr(4, close - 4));
}

}  // namespace
}  // namespace tilewright
