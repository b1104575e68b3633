// Characters, lines and blocks: what a text editor, a careless paste or a fuzzer may bring.
#include "lang/lexer.h"

#include <gtest/gtest.h>

#include "statements.h"

namespace tilewright::lang {
namespace {

using namespace std::string_literals;

TEST(Lexer, line_breaks_and_byte_order_mark) {
  const std::string unix_text = "o[i] = a[i] +\n  b[i] do:\n  schedule:\n    tile(i, 8)\n";
  std::string dos_text = "\xEF\xBB\xBF";
  for (char c : unix_text) dos_text += c == '\n' ? "\r\n"s : std::string(1, c);
  EXPECT_EQ(skeleton(parse_one(dos_text)), skeleton(parse_one(unix_text)));
  EXPECT_EQ(skeleton(parse_one("o[i] = a[i]")), skeleton(parse_one("o[i] = a[i]\n")));
  EXPECT_EQ(codes_of("o[i] = a[i]\rp[i] = a[i]\n"), "L006");
  EXPECT_EQ(codes_of("o[i] = \xEF\xBB\xBF"
                     "a[i]\n"),
            "L006");
}

TEST(Lexer, lines_continue_in_brackets_and_after_operators) {
  const std::string expected = skeleton(parse_one("o[i] ++= a[i, k] * b[k] | (i, k) then 2 * o[i]"));
  EXPECT_EQ(skeleton(parse_one("o[i] ++=\n a[i,\nk]*\n\n # note\nb[k] |\n (i,\n\n      k) then\n2 *\no[i]\n")),
            expected);
  EXPECT_EQ(codes_of("o[i] = a[i]\n+ b[i]\n"), "L011");
}

TEST(Lexer, any_deeper_consistent_indentation_opens_a_block) {
  const std::string expected = skeleton(parse_one("o[i] = a[i] do:\n  precision: exact\n  schedule:\n    auto\n"));
  EXPECT_EQ(skeleton(parse_one("o[i] = a[i] do:\n precision: exact\n schedule:\n            auto\n")), expected);
  EXPECT_EQ(skeleton(parse_one("o[i] = a[i] do:\n     # x\n   schedule:\n\n# y\n    auto\n   precision: exact\n")),
            "o i plain (read a <1*i 0>) precision exact schedule (auto)");
}

TEST(Lexer, no_text) {
  EXPECT_EQ(codes_of("o[i] = a\0[i]\n\0"s), "L001");
  EXPECT_EQ(codes_of("# \0\n"s), "L001");
  EXPECT_EQ(codes_of("# \xC3\x28\no[i, i] = a[i]\n"), "L002");
  EXPECT_EQ(codes_of("\xFF\xFEo\0[\0"s), "L002");
  EXPECT_EQ(codes_of("# \xED\xA0\x80\n"), "L002");  // a surrogate
  EXPECT_EQ(codes_of("# caf\xC3\xA9 \xE2\x86\x92 \xF0\x9F\x99\x82\no[i] = a[i]\n"), "");
}

TEST(Lexer, tabs) {
  EXPECT_EQ(codes_of("o[i] = a[i] do:\n\tprecision: exact\n\tschedule:\n\t\tauto\n"), "L003 L003 L003");
  EXPECT_EQ(codes_of("o[i]\t=\ta[i]\t# tab\n"), "");
  EXPECT_EQ(codes_of("o[i] = a[i]\n\t\n\t# note\np[i] = a[i]\n"), "");
}

TEST(Lexer, nothing) {
  EXPECT_TRUE(parse_file("").items.empty());
  EXPECT_TRUE(parse_file("\n\n  # only a comment").items.empty());
}

TEST(Lexer, deep_nesting_is_one_error) {
  const auto repeat = [](const std::string& piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
  };
  constexpr std::size_t deep = 10'000;
  EXPECT_EQ(codes_of("o[i] = " + repeat("(", deep) + "a[i]" + repeat(")", deep)), "L014");
  EXPECT_EQ(codes_of("o[i] = " + repeat("-", deep) + "a[i]"), "L014");
  EXPECT_EQ(codes_of("o[i] = " + repeat("not ", deep) + "a[i]"), "L014");
  EXPECT_EQ(codes_of("o[i] = " + repeat("exp(", deep) + "a[i]" + repeat(")", deep)), "L014");
  EXPECT_EQ(codes_of("o[i] = a[i]" + repeat(" + a[i]", deep)), "L014");
  EXPECT_EQ(codes_of("o[i] = a[" + repeat("(", deep) + "i" + repeat(")", deep) + "]"), "L014");
  EXPECT_EQ(codes_of("o[i] = a[" + repeat("-", deep) + "i]"), "L014");
  EXPECT_EQ(codes_of("o[i] = " + repeat("(", deep)), "L009");
  EXPECT_EQ(codes_of("o[i] = " + repeat("[", deep)), "L009");
  EXPECT_EQ(codes_of("o[i] = " + repeat(")", deep)), "L010");
  EXPECT_EQ(codes_of("o[i] = " + repeat("(", 200) + "a[i]" + repeat(")", 200)), "");
  EXPECT_EQ(codes_of("o[i] = a[i]" + repeat(" + a[i]", 900)), "");
}

TEST(Lexer, errors_of_a_hopeless_file_are_bounded) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "what is this?\n";
  const auto file = parse(source_of(text));
  ASSERT_FALSE(file);
  EXPECT_LE(file.error().size(), 101U);
}

TEST(Lexer, numbers_end_where_ranges_begin) {
  const SourcePtr source = source_of("0..<5 2.e1 i.in .5");
  const LexedText lexed = lex(source);
  std::vector<std::string> texts;
  for (const Lexeme& lexeme : lexed.lexemes)
    if (!lexeme.text.empty()) texts.emplace_back(lexeme.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"0", "..<", "5", "2.e1", "i", ".", "in", ".5"}));
}

}  // namespace
}  // namespace tilewright::lang
