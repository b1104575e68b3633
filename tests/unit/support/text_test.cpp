// Tokens, the cursor's expectations and the writer.
#include "support/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilewright {
namespace {

TextCursor cursor_over(std::string text) {
  return TextCursor(std::make_shared<const Source>("t", std::move(text)));
}

using Tokens = std::vector<std::pair<TokenKind, std::string>>;

Tokens tokens(std::string text) {
  TextCursor cursor = cursor_over(std::move(text));
  Tokens result;
  while (!cursor.at_end()) {
    const Token token = cursor.take();
    result.emplace_back(token.kind, std::string(token.text));
  }
  return result;
}

constexpr TokenKind name = TokenKind::name;
constexpr TokenKind value = TokenKind::value;
constexpr TokenKind integer = TokenKind::integer;
constexpr TokenKind floating = TokenKind::floating;
constexpr TokenKind string = TokenKind::string;
constexpr TokenKind punctuation = TokenKind::punctuation;
constexpr TokenKind invalid = TokenKind::invalid;

TEST(Tokens, NamesAndValues) {
  EXPECT_EQ(tokens("a.s0 _x9 a..b a."), (Tokens{{name, "a.s0"},
                                                {name, "_x9"},
                                                {name, "a"},
                                                {punctuation, ".."},
                                                {name, "b"},
                                                {name, "a"},
                                                {punctuation, "."}}));
  EXPECT_EQ(tokens("%x %12 % 64"), (Tokens{{value, "%x"}, {value, "%12"}, {punctuation, "%"}, {integer, "64"}}));
}

TEST(Tokens, Numbers) {
  EXPECT_EQ(tokens("0..64 1.5 2e-3 1e+20 7.x 3e"), (Tokens{{integer, "0"},
                                                           {punctuation, ".."},
                                                           {integer, "64"},
                                                           {floating, "1.5"},
                                                           {floating, "2e-3"},
                                                           {floating, "1e+20"},
                                                           {integer, "7"},
                                                           {punctuation, "."},
                                                           {name, "x"},
                                                           {integer, "3"},
                                                           {name, "e"}}));
  EXPECT_EQ(tokens("64x32"), (Tokens{{integer, "64"}, {name, "x32"}}));
}

TEST(Tokens, PunctuationIsTheLongestMatch) {
  EXPECT_EQ(tokens("++= -> <= < == = != ! ->>"), (Tokens{{punctuation, "++="},
                                                         {punctuation, "->"},
                                                         {punctuation, "<="},
                                                         {punctuation, "<"},
                                                         {punctuation, "=="},
                                                         {punctuation, "="},
                                                         {punctuation, "!="},
                                                         {punctuation, "!"},
                                                         {punctuation, "->"},
                                                         {punctuation, ">"}}));
}

TEST(Tokens, CommentsAndStrings) {
  EXPECT_EQ(tokens("a # b \"c\n\"d # e\" \"x\\\"y\""), (Tokens{{name, "a"}, {string, "d # e"}, {string, "x\\\"y"}}));
  EXPECT_EQ(tokens("# only"), Tokens{});
}

TEST(Tokens, InvalidOnes) {
  EXPECT_EQ(tokens("\"open\nx"), (Tokens{{invalid, "\"open"}, {name, "x"}}));
  EXPECT_EQ(tokens("\"open\\"), (Tokens{{invalid, "\"open\\"}}));
  EXPECT_EQ(tokens("\xC3\xA9 \xFF \x01"), (Tokens{{invalid, "\xC3\xA9"}, {invalid, "\xFF"}, {invalid, "\x01"}}));
}

TEST(Tokens, SpansCoverTheQuotes) {
  TextCursor cursor = cursor_over("  ab \"cd\"");
  EXPECT_EQ(cursor.take().span, (Span{2, 4}));
  EXPECT_EQ(cursor.take().span, (Span{5, 9}));
  EXPECT_EQ(cursor.peek().kind, TokenKind::end);
  EXPECT_EQ(cursor.peek().span, (Span{9, 9}));
}

TEST(TextCursor, AcceptLooksAtNamesAndPunctuationOnly) {
  TextCursor cursor = cursor_over("\"for\" for");
  EXPECT_FALSE(cursor.accept("for"));
  cursor.take();
  EXPECT_TRUE(cursor.next_is("for"));
  EXPECT_TRUE(cursor.accept("for"));
  EXPECT_TRUE(cursor.at_end());
}

TEST(TextCursor, ExpectedThingsAreTaken) {
  TextCursor cursor = cursor_over("foo %v -5 12 -inf nan -1.5e3 7 -0 -> ");
  EXPECT_EQ(cursor.expect_name("a name"), "foo");
  EXPECT_EQ(cursor.expect_value("a value"), "v");
  EXPECT_EQ(cursor.expect_int("an integer"), -5);
  EXPECT_EQ(cursor.expect_int("an integer"), 12);
  EXPECT_EQ(cursor.expect_number("a number"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(*cursor.expect_number("a number")));
  EXPECT_EQ(cursor.expect_number("a number"), -1500.0);
  EXPECT_EQ(cursor.expect_number("a number"), 7.0);
  EXPECT_TRUE(std::signbit(*cursor.expect_number("a number")));
  EXPECT_EQ(cursor.expect("->")->text, "->");
}

TEST(TextCursor, NumbersAtTheEndsOfTheirRange) {
  EXPECT_EQ(cursor_over("-9223372036854775808").expect_int("an integer"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(cursor_over("5e-324").expect_number("a number"), 0x1p-1074);
  EXPECT_EQ(cursor_over("1.7976931348623157e308").expect_number("a number"), std::numeric_limits<double>::max());
  EXPECT_EQ(cursor_over("-9223372036854775809").expect_int("an integer").error()[0].code, "X002");
  EXPECT_EQ(cursor_over("1e999").expect_number("a number").error()[0].code, "X002");
}

TEST(TextCursor, ErrorsSayWhatWasExpectedAndFound) {
  const auto error = [](std::string text) {
    TextCursor cursor = cursor_over(std::move(text));
    return render(cursor.expect("->").error());
  };
  EXPECT_EQ(error("foo"), "t:1:1: error[X001]: expected '->', found 'foo'\n    foo\n    ^^^\n");
  EXPECT_EQ(error("  "), "t:1:3: error[X001]: expected '->', found the end of the text\n    \n      ^\n");
  EXPECT_EQ(error("\"s\""), "t:1:1: error[X001]: expected '->', found a string\n    \"s\"\n    ^^^\n");
  TextCursor cursor = cursor_over("7");
  EXPECT_EQ(cursor.expect_name("a tile's name").error()[0].message, "expected a tile's name, found '7'");
  EXPECT_EQ(cursor.expect_value("an operand").error()[0].message, "expected an operand, found '7'");
  EXPECT_EQ(cursor_over("1.5").expect_int("an extent").error()[0].message, "expected an extent, found '1.5'");
}

TEST(TextWriter, Indents) {
  TextWriter writer;
  writer.open("for i {");
  writer.line("body");
  writer.open("if {");
  writer.line("deep");
  writer.close("");
  writer.close("}");
  EXPECT_EQ(writer.take(), "for i {\n  body\n  if {\n    deep\n}\n");
}

}  // namespace
}  // namespace tilewright
