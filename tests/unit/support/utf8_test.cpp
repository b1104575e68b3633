// Well-formed and ill-formed UTF-8, after the Unicode Standard's table of well-formed byte sequences (3.9).
#include "support/utf8.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

void expect_valid(std::string_view text, std::size_t bytes, char32_t code_point) {
  const Utf8Character character = utf8_character(text, 0);
  EXPECT_TRUE(character.valid) << text;
  EXPECT_EQ(character.bytes, bytes) << text;
  EXPECT_EQ(character.code_point, code_point) << text;
}

void expect_invalid(std::string_view text) {
  const Utf8Character character = utf8_character(text, 0);
  EXPECT_FALSE(character.valid);
  EXPECT_EQ(character.bytes, 1u);
}

TEST(Utf8, WellFormed) {
  expect_valid("a", 1, U'a');
  expect_valid("\xC3\xA9x", 2, 0xE9);
  expect_valid("\xE2\x82\xAC", 3, 0x20AC);
  expect_valid("\xF0\x9F\x98\x80", 4, 0x1F600);
  expect_valid("\xF4\x8F\xBF\xBF", 4, 0x10FFFF);
  EXPECT_EQ(utf8_character("ab\xC3\xA9", 2).code_point, char32_t{0xE9});
}

TEST(Utf8, IllFormed) {
  expect_invalid("\x80");              // a continuation alone
  expect_invalid("\xC3");              // cut
  expect_invalid("\xC3(");             // no continuation
  expect_invalid("\xC0\xAF");          // overlong
  expect_invalid("\xE0\x80\xAF");      // overlong
  expect_invalid("\xED\xA0\x80");      // surrogate
  expect_invalid("\xF4\x90\x80\x80");  // above U+10FFFF
  expect_invalid("\xFF");
}

}  // namespace
}  // namespace tilewright
