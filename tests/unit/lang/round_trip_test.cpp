// Laws over random statements: printing and parsing are inverse; formatting changes nothing but layout, and nothing a
// second time.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "lang/check.h"
#include "lang/lexer.h"
#include "random_statement.h"
#include "statements.h"

namespace tilewright::lang {
namespace {

/// The same text as a careless writer would lay it out: random blanks, line breaks in brackets, comments, blank lines.
std::string mess_up(const std::string& text) {
  const auto pick = [](int count) { return *rc::gen::inRange(0, count); };
  const SourcePtr source = source_of(text);
  const LexedText lexed = lex(source);
  std::string out = pick(2) == 0 ? "\n\n# top\n\n\n" : "";
  std::vector<int> widths = {0};
  int depth = 0;
  const Lexeme* last = nullptr;
  for (const Lexeme& lexeme : lexed.lexemes) {
    if (lexeme.kind == LexemeKind::indent) widths.push_back(widths.back() + 1 + pick(4));
    if (lexeme.kind == LexemeKind::dedent) widths.pop_back();
    if (lexeme.kind == LexemeKind::newline) {
      out += pick(4) == 0 ? "   # end\n\n  # own\n" : pick(4) == 0 ? "\n\n\n" : "\n";
      last = nullptr;
    }
    if (lexeme.text.empty()) continue;
    const bool glued = last != nullptr && last->span.end == lexeme.span.begin;
    if (last == nullptr)
      out.append(static_cast<std::size_t>(widths.back()), ' ');
    else if (!glued || pick(4) == 0)
      out += std::string(glued && lexeme.is(".") ? 0U : 1U, ' ');
    if (last != nullptr && depth > 0 && pick(6) == 0 && !lexeme.is(".") && !last->is("."))
      out += pick(2) == 0 ? "\n " : " # why\n   ";
    out += lexeme.text;
    if (lexeme.is("(") || lexeme.is("[")) ++depth;
    if (lexeme.is(")") || lexeme.is("]")) --depth;
    last = &lexeme;
  }
  return out;
}

/// A loop's `.in` parts are one word to the parser.
bool has_loop_parts(const Statement& s) {
  return s.schedule && to_text(s).find(".in") != std::string::npos;
}

TEST(RoundTrip, printed_statements_parse_to_themselves) {
  EXPECT_TRUE(rc::check("parse(to_text(s)) = s", [] {
    const Statement s = RandomStatement().draw();
    Diagnostics found;
    check_statement(s, found);
    RC_ASSERT(found.empty());
    const std::string text = to_text(s);
    RC_LOG() << text;
    RC_ASSERT(skeleton(parse_one(text)) == skeleton(s));
  }));
}

TEST(RoundTrip, printed_statements_are_formatted) {
  EXPECT_TRUE(rc::check("format(to_text(s)) = to_text(s)", [] {
    const std::string text = to_text(RandomStatement().draw());
    const auto result = format(source_of(text));
    RC_ASSERT(result.has_value());
    RC_ASSERT(*result == text);
  }));
}

TEST(RoundTrip, formatting_keeps_meaning_and_settles_at_once) {
  EXPECT_TRUE(rc::check("format is idempotent and changes layout alone", [] {
    const Statement s = RandomStatement().draw();
    RC_PRE(!has_loop_parts(s));
    const std::string messy = mess_up(to_text(s));
    RC_LOG() << messy;
    const auto once = format(source_of(messy));
    RC_ASSERT(once.has_value());
    RC_LOG() << *once;
    RC_ASSERT(skeleton(parse_one(*once)) == skeleton(s));
    RC_ASSERT(std::ranges::count(*once, '#') == std::ranges::count(messy, '#'));
    const auto twice = format(source_of(*once));
    RC_ASSERT(twice.has_value());
    RC_ASSERT(*twice == *once);
  }));
}

TEST(RoundTrip, formatting_keeps_calls_of_dot_general) {
  EXPECT_TRUE(rc::check("format of a dot_general is idempotent and changes layout alone", [] {
    const auto slots = [](int rank) {
      std::string text;
      for (int axis = 0; axis < rank; ++axis) text += axis == 0 ? ":" : ", :";
      return text;
    };
    const int lhs = *rc::gen::inRange(2, 6);
    const int rhs = *rc::gen::inRange(2, 6);
    std::string target;
    for (int axis = 0; axis < lhs + rhs - 3; ++axis) target += (axis == 0 ? "i" : ", i") + std::to_string(axis);
    const std::string text = fmt::format(
        "program p(x, b, d) -> (c):\n"
        "  c[{0}] = dot_general(x[{1}], b[{2}], contracting = [{3}] x [0], batch = [0] x [{4}]) then relu(c[{0}] + "
        "d[])\n",
        target, slots(lhs), slots(rhs), lhs - 1, rhs - 1);
    RC_PRE(lhs + rhs <= 11);
    const auto same = format(source_of(text));
    RC_ASSERT(same.has_value());
    RC_ASSERT(*same == text);
    const auto statement = [](const std::string& of) {
      return skeleton(std::get<Program>(parse_file(of).items.at(0)).statements.at(0));
    };
    const std::string messy = mess_up(text);
    RC_LOG() << messy;
    const auto once = format(source_of(messy));
    RC_ASSERT(once.has_value());
    RC_ASSERT(statement(*once) == statement(text));
    RC_ASSERT(std::ranges::count(*once, '#') == std::ranges::count(messy, '#'));
    const auto twice = format(source_of(*once));
    RC_ASSERT(twice.has_value());
    RC_ASSERT(*twice == *once);
  }));
}

/// Any bytes: an answer, no crash; and what parses, formats.
TEST(RoundTrip, arbitrary_bytes_get_an_answer) {
  EXPECT_TRUE(rc::check("parse answers", [] {
    const std::vector<std::string> words = {"o",
                                            "[",
                                            "]",
                                            "i",
                                            "(",
                                            ")",
                                            "=",
                                            "++=",
                                            "a",
                                            ",",
                                            "\n",
                                            "  ",
                                            "do:",
                                            "then",
                                            "|",
                                            "2",
                                            "else",
                                            "-",
                                            "schedule:",
                                            "tile",
                                            "in",
                                            "..<",
                                            ".",
                                            "\t",
                                            "#x",
                                            "*",
                                            "program",
                                            "->",
                                            "example:",
                                            "f32",
                                            "o[i] = dot_general(a[:], b[:], ",
                                            ":",
                                            "0",
                                            "contracting = [",
                                            "] x ["};
    std::string text;
    for (int n = *rc::gen::inRange(0, 60); n > 0; --n)
      text += words[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(words.size())))];
    RC_LOG() << text;
    const auto file = parse(source_of(text));
    const auto formatted = format(source_of(text));
    RC_ASSERT(file.has_value() == formatted.has_value());
    if (!file) RC_ASSERT(has_errors(file.error()));
  }));
}

}  // namespace
}  // namespace tilewright::lang
