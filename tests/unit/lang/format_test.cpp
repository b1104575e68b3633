// Exact layouts of the formatter and of printed statements. Laws over random statements are in round_trip_test.cpp.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "statements.h"

namespace tilewright::lang {
namespace {

std::string formatted(const std::string& text) {
  auto result = format(source_of(text));
  return result ? *result : render(result.error());
}

TEST(Format, spaces_comments_and_blank_lines) {
  EXPECT_EQ(formatted(R"(


# head


# second
mm*[i,j]++=a[(i,k)]*b[k,j]|i,j,k then relu(mm[i,j]+bias[j])do: # trailing
    # about precision

    precision:tf32
    example:a=f32 64 x 64,b=f32 64x 64,bias=f32 64   # ex

    schedule:

          tile( i.in,128 )
          # mid
          threads=256
          # end of schedule
    # end of block
# top
o:f16[i] = x[2*(i+r) -1 -2 * r] - -y[i] /(3)+y[ i ]   else -inf+ 1.  # cmt


)"),
            R"(# head

# second
mm[i, j] ++= a[i, k] * b[k, j] | (i, j, k) then relu(mm[i, j] + bias[j]) do:  # trailing
  # about precision

  precision: tf32
  example: a = f32 64x64, b = f32 64x64, bias = f32 64  # ex

  schedule:
    tile(i.in, 128)
    # mid
    threads = 256
    # end of schedule
  # end of block
# top
o:f16[i] = x[2*(i + r) - 1 - 2*r] - -y[i] / (3) + y[i] else -inf + 1.  # cmt
)");
}

TEST(Format, keeps_line_breaks_inside_a_statement) {
  EXPECT_EQ(formatted("o[i] = a[i] +   # first\n# between\n b[i] *\n       (c[i]\n- d[i]) | [i in 0..<5]\n"),
            "o[i] = a[i] +  # first\n"
            "    # between\n"
            "    b[i] *\n"
            "    (c[i]\n"
            "    - d[i]) | (i in 0 ..< 5)\n");
  // This '*' is what makes the line go on.
  EXPECT_EQ(formatted("o*\n[i] = a[i]\n"), "o *\n    [i] = a[i]\n");
}

TEST(Format, programs) {
  EXPECT_EQ(formatted("program   p( x,w )->( z ) :\n   example:x=f32,w=f32 4\n\n\n   # note\n   h[i]=x[]*w[i]\n"
                      "   z[i]=not h[i]\n   # tail of p\n\n# tail\n"),
            "program p(x, w) -> (z):\n"
            "  example: x = f32, w = f32 4\n"
            "\n"
            "  # note\n"
            "  h[i] = x[] * w[i]\n"
            "  z[i] = not h[i]\n"
            "  # tail of p\n"
            "\n"
            "# tail\n");
}

TEST(Format, operands_called_like_an_operator) {
  EXPECT_EQ(formatted("o[] max= max[i] do:\n  example: max=f32 8\n"), "o[] max= max[i] do:\n  example: max = f32 8\n");
}

TEST(Format, fails_as_parse_does) {
  const auto result = format(source_of("o[i, i] = a[i]\n"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].code, "L021");
}

TEST(Format, the_recipes_are_formatted) {
  std::ifstream file(std::string(TILEWRIGHT_SOURCE_DIR) + "/examples/recipes.tw");
  std::stringstream text;
  text << file.rdbuf();
  ASSERT_GT(text.str().size(), 1000U);
  EXPECT_EQ(formatted(text.str()), text.str());
}

TEST(Print, parentheses_only_where_needed) {
  const auto printed = [](const std::string& value) {
    const Statement s = parse_one("o[i, j, k] = " + value + " | (i in 0 ..< 2, j in 0 ..< 2, k in 0 ..< 2)");
    return to_text(s, s.value);
  };
  for (const char* text : {"i - j - k", "i - (j - k)", "(i + j) * k", "-(i + j)", "-i * j", "--i",
                           "not (i < j and j < k)", "not not i < j", "(i < j) == (j < k)", "(i or j) and k",
                           "i / (j * k)", "select(i < j, -i, x[2*i - 1] else -0.5)", "cast(f8e4m3, extent(k) + 1e+20)",
                           "x[-i + 16, -2*j - k, 0] else nan", "(not i) == j"})
    EXPECT_EQ(printed(text), text);
  EXPECT_EQ(printed("((i) + ((j * k)))"), "i + j * k");
  EXPECT_EQ(printed("x[(i, 3 - 2 + j)] + 2."), "x[i, j + 1] + 2.0");
}

TEST(Print, a_whole_statement) {
  EXPECT_EQ(to_text(parse_one(R"(
mm :f16 [i]++=1.5*a[i,k]|[i,k in 0..<8] then mm[i]+b[] do:
   schedule:
    warps( 2,4 )
    stages=3
    tile(i)
    auto
   example:a=f32 8 x8,b=f32
   precision:tf32x3
)")),
            R"(mm:f16[i] ++= 1.5 * a[i, k] | (i, k in 0 ..< 8) then mm[i] + b[] do:
  precision: tf32x3
  example: a = f32 8x8, b = f32
  schedule:
    warps(2, 4)
    stages = 3
    tile(i)
    auto
)");
  EXPECT_EQ(to_text(parse_one("o[]min=a[i]")), "o[] min= a[i]\n");
}

}  // namespace
}  // namespace tilewright::lang
