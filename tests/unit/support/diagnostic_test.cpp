// Exact renderings.
#include "support/diagnostic.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string rendered(std::string text, Span span, std::string remedy = {}) {
  const auto source = std::make_shared<const Source>("k.tw", std::move(text));
  return render(Diagnostic{"L012", "bad thing", std::move(remedy), source, span, Severity::error});
}

TEST(Render, CaretsStandUnderTheSpan) {
  EXPECT_EQ(rendered("kernel k\ny[i] = xx[j]\n", {16, 18}, "declare 'xx'"),
            "k.tw:2:8: error[L012]: bad thing\n"
            "    y[i] = xx[j]\n"
            "           ^^\n"
            "    = help: declare 'xx'\n");
}

TEST(Render, WithoutSource) {
  EXPECT_EQ(render(Diagnostic{"R001", "no such file", {}, nullptr, {}, Severity::error}),
            "error[R001]: no such file\n");
}

TEST(Render, SeveritiesAndSeveralDiagnostics) {
  const Diagnostics diagnostics = {{"L001", "one", {}, nullptr, {}, Severity::warning},
                                   {"L002", "two", {}, nullptr, {}, Severity::note}};
  EXPECT_EQ(render(diagnostics), "warning[L001]: one\nnote[L002]: two\n");
  EXPECT_FALSE(has_errors(diagnostics));
  EXPECT_TRUE(has_errors(fail("L003", "three").error()));
}

TEST(Render, CharactersOfSeveralBytesTakeOneColumn) {
  EXPECT_EQ(rendered("\xC3\xA9\xE2\x82\xAC bad", {6, 9}),
            "k.tw:1:4: error[L012]: bad thing\n"
            "    \xC3\xA9\xE2\x82\xAC bad\n"
            "       ^^^\n");
}

TEST(Render, TabsControlCharactersAndInvalidBytes) {
  EXPECT_EQ(rendered("\t\x1B[\xFF"
                     "bad",
                     {4, 7}),
            "k.tw:1:5: error[L012]: bad thing\n"
            "      [\xEF\xBF\xBD"
            "bad\n"
            "        ^^^\n");
}

TEST(Render, EmptySpanAndEndOfText) {
  EXPECT_EQ(rendered("ab", {2, 2}),
            "k.tw:1:3: error[L012]: bad thing\n"
            "    ab\n"
            "      ^\n");
  EXPECT_EQ(rendered("", {0, 0}),
            "k.tw:1:1: error[L012]: bad thing\n"
            "    \n"
            "    ^\n");
}

TEST(Render, ASpanOfSeveralLinesEndsWithItsFirst) {
  EXPECT_EQ(rendered("y = f(\r\n  x)\n", {4, 12}),
            "k.tw:1:5: error[L012]: bad thing\n"
            "    y = f(\n"
            "        ^^\n");
}

TEST(Render, AVeryLongLineIsCutAroundTheSpan) {
  const std::string text = std::string(500, 'a') + "XYZ" + std::string(500, 'b');
  EXPECT_EQ(rendered(text, {500, 503}),
            "k.tw:1:501: error[L012]: bad thing\n"
            "    …" +
                std::string(40, 'a') + "XYZ" + std::string(57, 'b') + "…\n" + "    " + std::string(41, ' ') + "^^^\n");
  // At either end nothing is left out on that side, and carets stop where the text is cut.
  EXPECT_EQ(rendered(text, {0, 1000}),
            "k.tw:1:1: error[L012]: bad thing\n"
            "    " +
                std::string(100, 'a') + "…\n" + "    " + std::string(100, '^') + "\n");
  EXPECT_EQ(rendered(text, {1003, 1003}),
            "k.tw:1:1004: error[L012]: bad thing\n"
            "    …" +
                std::string(100, 'b') + "\n" + "    " + std::string(101, ' ') + "^\n");
}

TEST(Render, WhatATerminalWouldObeyIsReplaced) {
  const Diagnostic diagnostic{"C002", "cannot read '\x1b[31mred\xff': no\nsuch", "name\ra\u009bfile", nullptr, {}};
  EXPECT_EQ(render(diagnostic),
            "error[C002]: cannot read '\uFFFD[31mred\uFFFD': no\nsuch\n    = help: name\uFFFDa\uFFFDfile\n");
  const Diagnostic placed{"L012", "bad", {}, std::make_shared<const Source>("a\x1b.tw", "x"), {0, 1}};
  EXPECT_EQ(render(placed), "a\uFFFD.tw:1:1: error[L012]: bad\n    x\n    ^\n");
}

TEST(InternalError, IsThrown) {
  try {
    internal_error("lost a node");
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(), "internal error: lost a node");
  }
}

}  // namespace
}  // namespace tilewright
