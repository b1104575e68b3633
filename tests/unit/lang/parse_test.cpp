// What the parser builds from right text. Wrong text is in tests/diag.
#include "lang/parse.h"

#include <gtest/gtest.h>

#include "lang/schedule_lines.h"
#include "statements.h"

namespace tilewright::lang {
namespace {

std::string value_of(const std::string& expression) {
  const Statement s = parse_one("o[i, j, k] = " + expression + " + held[i, j, k]");
  const auto& sum = std::get<Apply>(s.exprs[s.value].node);
  return skeleton(s, sum.operands[0]);
}

TEST(Parse, statement_of_the_reference) {
  const Statement s = parse_one(R"(
mm[i, j] ++= a[i, k] * b[k, j] | (i, j, k) then relu(mm[i, j] + bias[j]) do:
  precision: tf32
  schedule:
    tile(i, 128)
    cache(a)
    threads = 256
    split(k, 4, atomics)
    auto
)");
  EXPECT_EQ(skeleton(s),
            "mm i j sum (mul (read a <1*i 0> <1*k 0>) (read b <1*k 0> <1*j 0>)) binding i j k "
            "then (relu (add (read mm <1*i 0> <1*j 0>) (read bias <1*j 0>))) precision tf32 "
            "schedule (tile i 128) (cache a) (threads = 256) (split k 4 atomics) (auto)");
  EXPECT_EQ(s.iterator_order(), (std::vector<std::string>{"i", "j", "k"}));
  EXPECT_EQ(s.tensors_read(), (std::vector<std::string>{"a", "b", "bias"}));
}

TEST(Parse, operators_and_spellings) {
  EXPECT_EQ(parse_one("o*[i] = a[i]").target_iterators.size(), 1U);
  EXPECT_EQ(parse_one("o:bf16[i] = a[i]").annotation, DType::bf16);
  EXPECT_EQ(parse_one("o[] *= a[i]").reduction, Monoid::product);
  EXPECT_EQ(parse_one("o[] max= a[i]").reduction, Monoid::max);
  EXPECT_EQ(parse_one("o[] min= a[i]").reduction, Monoid::min);
  EXPECT_EQ(parse_one("o[i] = a[i]").reduction, std::nullopt);
  EXPECT_EQ(parse_one("max[] max=a[i]").target.name, "max");
}

TEST(Parse, precedence) {
  EXPECT_EQ(value_of("a[i] + b[i] * c[i]"), "(add (read a <1*i 0>) (mul (read b <1*i 0>) (read c <1*i 0>)))");
  EXPECT_EQ(value_of("i - j - k"), "(sub (sub (iter i) (iter j)) (iter k))");
  EXPECT_EQ(value_of("i / j / k"), "(div (div (iter i) (iter j)) (iter k))");
  EXPECT_EQ(value_of("i / (j * k)"), "(div (iter i) (mul (iter j) (iter k)))");
  EXPECT_EQ(value_of("-i * j"), "(mul (neg (iter i)) (iter j))");
  EXPECT_EQ(value_of("i - -j"), "(sub (iter i) (neg (iter j)))");
  EXPECT_EQ(value_of("select(i < j and not j == k or i > k, i, j)"),
            "(select (logical_or (logical_and (lt (iter i) (iter j)) (logical_not (eq (iter j) (iter k)))) "
            "(gt (iter i) (iter k))) (iter i) (iter j))");
  EXPECT_EQ(value_of("(i + j < k) * 1"), "(mul (lt (add (iter i) (iter j)) (iter k)) (int 1))");
  EXPECT_EQ(value_of("cast(f16, pow(i, 2.)) * extent(k)"),
            "(mul (cast f16 (pow (iter i) (float 4000000000000000))) (extent k))");
}

TEST(Parse, numbers) {
  EXPECT_EQ(value_of("2"), "(int 2)");
  EXPECT_EQ(value_of("2.0"), "(float 4000000000000000)");
  EXPECT_EQ(value_of("2."), "(float 4000000000000000)");
  EXPECT_EQ(value_of(".5"), "(float 3fe0000000000000)");
  EXPECT_EQ(value_of("1e-3"), "(float 3f50624dd2f1a9fc)");
  EXPECT_EQ(value_of("1E3"), "(float 408f400000000000)");
  EXPECT_EQ(value_of("9223372036854775807"), "(int 9223372036854775807)");
  EXPECT_EQ(value_of("1e-999"), "(float 0)");
  EXPECT_EQ(value_of("0." + std::string(400, '0') + "1"), "(float 0)");
  EXPECT_EQ(value_of("0." + std::string(400, '0') + "1e20"), "(float 0)");
  EXPECT_EQ(value_of("1e-99999999999999999999"), "(float 0)");
  EXPECT_EQ(value_of("0e99999999999999999999"), "(float 0)");
  EXPECT_EQ(value_of("1.7976931348623157e308"), "(float 7fefffffffffffff)");
}

TEST(Parse, else_binds_tightest) {
  EXPECT_EQ(value_of("x[i - 1] else 0 + 1"), "(add (read x <1*i -1> else int 0) (int 1))");
  EXPECT_EQ(value_of("2 * x[i] else -1.5 * 3"),
            "(mul (mul (int 2) (read x <1*i 0> else float bff8000000000000)) (int 3))");
  EXPECT_EQ(value_of("-x[i] else inf"), "(neg (read x <1*i 0> else float 7ff0000000000000))");
  EXPECT_EQ(value_of("x[i] else -inf"), "(read x <1*i 0> else float fff0000000000000)");
  EXPECT_EQ(value_of("x[i] else nan"), "(read x <1*i 0> else float nan)");
  EXPECT_EQ(value_of("x[i] else -9223372036854775808"), "(read x <1*i 0> else int -9223372036854775808)");
}

TEST(Parse, affine_indices_are_simplified) {
  EXPECT_EQ(value_of("a[2*(i + j) - 1]"), "(read a <2*i 2*j -1>)");
  EXPECT_EQ(value_of("a[i*3, -i + 16, 7]"), "(read a <3*i 0> <-1*i 16> <7>)");
  EXPECT_EQ(value_of("a[j + i - j + 2*j, i - i + 3]"), "(read a <2*j 1*i 0> <3>)");
  EXPECT_EQ(value_of("a[-(2 - i)*(3 - 5)]"), "(read a <-2*i 4>)");
  EXPECT_EQ(value_of("a[(i - i + 2)*j]"), "(read a <2*j 0>)");
  EXPECT_EQ(value_of("a[(i, j + 1)]"), "(read a <1*i 0> <1*j 1>)");
  EXPECT_EQ(value_of("a[(i), (j)]"), "(read a <1*i 0> <1*j 0>)");
  EXPECT_EQ(value_of("a[(i + 1)*2]"), "(read a <2*i 2>)");
  EXPECT_EQ(value_of("a[i, i]"), "(read a <1*i 0> <1*i 0>)");
  // Near 2³¹ and 2⁶³: folding is exact.
  EXPECT_EQ(value_of("a[5794*5794*64*i - 2147483648]"), "(read a <2148507904*i -2147483648>)");
  EXPECT_EQ(value_of("a[i - 9223372036854775807 - 1]"), "(read a <1*i -9223372036854775808>)");
}

TEST(Parse, bindings) {
  const auto order = [](const std::string& binding) {
    return parse_one("o[i] ++= a[i, k, l] | " + binding).iterator_order();
  };
  EXPECT_EQ(order("(i, l, k)"), (std::vector<std::string>{"i", "l", "k"}));
  EXPECT_EQ(order("[l, k, i]"), (std::vector<std::string>{"i", "l", "k"}));
  EXPECT_EQ(order("k, i, l then 2 * o[i]"), (std::vector<std::string>{"i", "k", "l"}));
  EXPECT_EQ(parse_one("o[i] ++= a[i, k, l]").iterator_order(), (std::vector<std::string>{"i", "k", "l"}));
  EXPECT_EQ(parse_one("o[i] ++= l * a[i, k, l]").iterator_order(), (std::vector<std::string>{"i", "l", "k"}));
  const Statement s = parse_one("o[i, j] ++= 2.0 | (i in 0 ..< 4, j in 0..<8, r in 0 ..<0)");
  ASSERT_TRUE(s.binding);
  EXPECT_EQ((*s.binding)[1].extent, 8);
  EXPECT_EQ((*s.binding)[2].extent, 0);
  EXPECT_EQ(s.iterator_order(), (std::vector<std::string>{"i", "j", "r"}));
}

TEST(Parse, examples) {
  const Statement s = parse_one(
      "o[i] = a[i, 0, j - j] * alpha[] do:\n example: a = f32 64x3x0, alpha = f8e4m3\n"
      " example: alpha = i64, a = bool 2 x 3x 4\n");
  ASSERT_EQ(s.examples.size(), 2U);
  EXPECT_EQ(s.examples[0][0].shape, (std::vector<std::int64_t>{64, 3, 0}));
  EXPECT_EQ(s.examples[0][1].dtype, DType::f8e4m3);
  EXPECT_TRUE(s.examples[0][1].shape.empty());
  EXPECT_EQ(s.examples[1][1].shape, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(s.examples[1][1].dtype, DType::boolean);
}

TEST(Parse, programs) {
  const File file = parse_file(R"(
program mlp(x, w1, w2) -> (h, y):
  example: x = f32 8x4, w1 = f32 4x16, w2 = f32 16x2
  h[b, k] ++= x[b, j] * w1[j, k] then relu(h[b, k]) do:
    schedule:
      tile(b, 8)

  y[b, k] ++= h[b, j] * w2[j, k]
after[i] = a[i]
)");
  ASSERT_EQ(file.items.size(), 2U);
  const auto& program = std::get<Program>(file.items[0]);
  EXPECT_EQ(name_of(file.items[0]), "mlp");
  EXPECT_EQ(name_of(file.items[1]), "after");
  EXPECT_EQ(program.parameters.size(), 3U);
  EXPECT_EQ(program.results[1].name, "y");
  EXPECT_EQ(program.examples.size(), 1U);
  ASSERT_EQ(program.statements.size(), 2U);
  EXPECT_EQ(program.statements[0].schedule->size(), 1U);
  EXPECT_EQ(skeleton(program.statements[1]), "y b k sum (mul (read h <1*b 0> <1*j 0>) (read w2 <1*j 0> <1*k 0>))");
}

TEST(Parse, unused_parameter_is_a_warning) {
  Diagnostics warnings;
  const auto file = parse(source_of("program p(x, spare) -> (y):\n  y[i] = x[i]\n"), warnings);
  ASSERT_TRUE(file);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].code, "L067");
  EXPECT_EQ(warnings[0].severity, Severity::warning);
  EXPECT_EQ(warnings[0].span, (Span{13, 18}));
}

TEST(Parse, spans) {
  const std::string text = "o[i] ++= a[i, k] * b[2*k]  # note\n";
  const Statement s = parse_one(text);
  const auto covered = [&](Span span) { return text.substr(span.begin, span.end - span.begin); };
  EXPECT_EQ(covered(s.span), "o[i] ++= a[i, k] * b[2*k]");
  EXPECT_EQ(covered(s.op_span), "++=");
  EXPECT_EQ(covered(s.exprs[s.value].span), "a[i, k] * b[2*k]");
  const auto& product = std::get<Apply>(s.exprs[s.value].node);
  const auto& read = std::get<Read>(s.exprs[product.operands[1]].node);
  EXPECT_EQ(covered(read.name_span), "b");
  EXPECT_EQ(covered(read.indices[0].span), "2*k");
}

TEST(ParseSchedule, reads_lines_and_prints_them_again) {
  const std::string text = "tile(i.in, 8)\nthreads = 256\nsplit(k, 4, atomics)\nauto\n";
  const auto lines = parse_schedule(text);
  ASSERT_TRUE(lines) << render(lines.error());
  ASSERT_EQ(lines->size(), 4U);
  EXPECT_EQ((*lines)[0].name.name, "tile");
  EXPECT_EQ(std::get<std::string>((*lines)[0].arguments[0].value), "i.in");
  EXPECT_EQ(std::get<std::int64_t>((*lines)[0].arguments[1].value), 8);
  EXPECT_TRUE((*lines)[1].is_property);
  EXPECT_EQ(to_text(*lines), text);
  EXPECT_EQ(to_text(*parse_schedule("tile( i,8 )")), "tile(i, 8)\n");
}

TEST(ParseSchedule, of_no_text_has_no_lines) {
  EXPECT_TRUE(parse_schedule("")->empty());
  EXPECT_TRUE(parse_schedule("\n\n")->empty());
}

TEST(ParseSchedule, rejects_what_is_no_line) {
  const auto code = [](std::string_view text) {
    const auto lines = parse_schedule(text);
    return lines ? std::string("none") : lines.error().front().code;
  };
  EXPECT_EQ(code("tile(i, 0)"), "L052");
  EXPECT_EQ(code("fuse(i, j)"), "L050");
  EXPECT_EQ(code("auto\n  example: a = f32"), "L005");
  EXPECT_NE(code(")"), "none");
  EXPECT_NE(code("tile(i"), "none");
  EXPECT_EQ(code(std::string("auto\0", 5)), "L001");
}

TEST(ScheduleLines, a_block_of_auto_alone_leaves_all_to_the_compiler) {
  EXPECT_TRUE(has_automatic_schedule(parse_one("o[i] = a[i]")));
  EXPECT_TRUE(has_automatic_schedule(parse_one("o[i] = a[i] do:\n  schedule:\n    auto\n")));
  EXPECT_FALSE(has_automatic_schedule(parse_one("o[i] = a[i] do:\n  schedule:\n    tile(i, 8)\n    auto\n")));
}

}  // namespace
}  // namespace tilewright::lang
