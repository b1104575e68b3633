// Positions and lines, with multi-byte characters, CRLF and ends of text.
#include "support/source.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

void expect_position(const Source& source, std::uint32_t offset, std::uint32_t line, std::uint32_t column) {
  const Source::Position place = source.position(offset);
  EXPECT_EQ(place.line, line) << offset;
  EXPECT_EQ(place.column, column) << offset;
}

TEST(Source, PositionsCountLinesAndCharacters) {
  const Source source("f.tw", "ab\n\xC3\xA9\xE2\x82\xACz\n\nq");
  expect_position(source, 0, 1, 1);
  expect_position(source, 2, 1, 3);  // the line break belongs to its line
  expect_position(source, 3, 2, 1);
  expect_position(source, 4, 2, 1);  // inside é
  expect_position(source, 5, 2, 2);
  expect_position(source, 8, 2, 3);   // z
  expect_position(source, 10, 3, 1);  // the empty line
  expect_position(source, 11, 4, 1);
  expect_position(source, 12, 4, 2);  // the end
  expect_position(source, 99, 4, 2);  // past the end
}

TEST(Source, InvalidBytesCountOneEach) {
  const Source source("f.tw", "\xFF\xC3(x");
  expect_position(source, 3, 1, 4);
}

TEST(Source, LineText) {
  const Source source("f.tw", "first\r\nsecond\nlast");
  EXPECT_EQ(source.line_text(0), "first");
  EXPECT_EQ(source.line_text(6), "first");  // at the '\n'
  EXPECT_EQ(source.line_text(7), "second");
  EXPECT_EQ(source.line_text(14), "last");
  EXPECT_EQ(source.line_text(99), "last");
  EXPECT_EQ(Source("e.tw", "").line_text(0), "");
  EXPECT_EQ(Source("e.tw", "x\n").line_text(2), "");
}

}  // namespace
}  // namespace tilewright
