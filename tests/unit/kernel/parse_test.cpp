// The reader: round trips and the error of each malformed text, at its place.
#include <gtest/gtest.h>

#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

void expect_round_trip(std::string_view text) {
  EXPECT_EQ(to_text(read_kernel(text)), text);
}

TEST(KernelParse, RoundTripsEveryFormOfOp) {
  expect_round_trip(
      "kernel all_of_it(%x: ptr readonly align 64, %y: ptr readonly noalias, %z: ptr, %n: i64, %w: i8) {\n"
      "  %0 = constant i64 -9223372036854775808\n"
      "  %1 = constant i1x4 1\n"
      "  %2 = constant f32 0.1\n"
      "  %3 = constant f64 -inf\n"
      "  %4 = constant bf16x2 nan\n"
      "  %5 = constant f8e4m3 448\n"
      "  %6 = constant f32 -0\n"
      "  %buffer = local ptr bytes 96\n"
      "  %7 = iota i64x4\n"
      "  %8 = splat f32x4 %2\n"
      "  %9 = extract f32 %8 lane 3\n"
      "  %10 = insert f32x4 %8, %9 lane 0\n"
      "  %11 = shuffle f32x2 %8, %10 lanes [0, 7]\n"
      "  %12 = fma f32x4 %8, %8, %10\n"
      "  %13 = cmp olt f32x4 %12, %8\n"
      "  %14 = select f32x4 %13, %12, %8\n"
      "  %15 = fconvert f64x4 %14\n"
      "  %16 = bitcast i64x4 %15\n"
      "  %17 = offset ptr %x, %n\n"
      "  %18 = load f32x4 %17, %13 align 4\n"
      "  %19 = gather f32x4 %17, %7, %13 align 4\n"
      "  store f32x4 %19, %z align 16 nontemporal\n"
      "  scatter f32x4 %18, %z, %7 align 4\n"
      "  prefetch %17\n"
      "  %a, %b = for %i = %n to %n step %n carry %c = %18, %d = %2 {\n"
      "    %20 = cmp eq i64 %i, %n\n"
      "    if %20 {\n"
      "      store f32 %d, %buffer align 4\n"
      "    }\n"
      "    %21 = if %20 {\n"
      "      yield %c\n"
      "    } else {\n"
      "      yield %18\n"
      "    }\n"
      "    yield %21, %d\n"
      "  }\n"
      "}\n");
}

TEST(KernelParse, RoundTripsNames) {
  expect_round_trip("kernel k(%x: i64, %x.1: i64, %x.1.1: i64, %0: i64) {\n}\n");
}

TEST(KernelParse, ReadsTheExactFloat) {
  const Kernel kernel = read_kernel("kernel k() {\n  %0 = constant f32 0.1\n}\n");
  const Scalar& number = std::get<Scalar>(kernel.body.ops[0].attribute);
  EXPECT_EQ(number.as_double(), static_cast<double>(0.1f));
  EXPECT_NE(number.as_double(), 0.1);
}

TEST(KernelParse, AddsTheYieldOfNothing) {
  const Kernel kernel = read_kernel("kernel k(%c: i1) { if %c { } }");
  ASSERT_EQ(kernel.body.ops.size(), 2u);
  EXPECT_EQ(kernel.body.ops[1].code, Opcode::yield);
  ASSERT_EQ(kernel.body.ops[0].regions.size(), 2u);
  EXPECT_EQ(kernel.body.ops[0].regions[1].ops.at(0).code, Opcode::yield);
}

struct Malformed {
  const char* name;
  const char* text;
  const char* code;
  const char* at;  ///< what the error's span covers
};

void PrintTo(const Malformed& malformed, std::ostream* out) {
  *out << malformed.name;
}

class KernelParseError : public testing::TestWithParam<Malformed> {};

TEST_P(KernelParseError, HasItsCodeAndPlace) {
  const SourcePtr source = source_of(GetParam().text);
  const Result<Kernel> kernel = parse_kernel(source);
  ASSERT_FALSE(kernel.has_value());
  ASSERT_EQ(kernel.error().size(), 1u);
  const Diagnostic& diagnostic = kernel.error()[0];
  EXPECT_EQ(diagnostic.code, GetParam().code);
  EXPECT_EQ(source->text().substr(diagnostic.span.begin, diagnostic.span.end - diagnostic.span.begin), GetParam().at)
      << diagnostic.message;
}

INSTANTIATE_TEST_SUITE_P(
    KernelParse, KernelParseError,
    testing::Values(Malformed{"op", "kernel k() { jump }", "K001", "jump"},
                    Malformed{"type", "kernel k() { %0 = constant f33 1 }", "K002", "f33"},
                    Malformed{"one_lane", "kernel k() { %0 = iota i64x1 }", "K002", "i64x1"},
                    Malformed{"many_lanes", "kernel k() { %0 = iota i64x65 }", "K002", "i64x65"},
                    Malformed{"huge_lanes", "kernel k() { %0 = iota i64x99999999 }", "K002", "i64x99999999"},
                    Malformed{"store_type", "kernel k(%p: ptr, %n: i64) { store i32 %n, %p align 4 }", "K002", "i32"},
                    Malformed{"undefined", "kernel k(%p: ptr) { prefetch %q }", "K003", "%q"},
                    Malformed{"later", "kernel k() { %1 = splat i64x2 %0 %0 = constant i64 1 }", "K003", "%0"},
                    Malformed{"twice", "kernel k(%a: i64, %a: i64) { }", "K004", "%a"},
                    Malformed{"constant", "kernel k() { %0 = constant i8 200 }", "K005", "200"},
                    Malformed{"boolean", "kernel k() { %0 = constant i1 -1 }", "K005", "-"},
                    Malformed{"predicate", "kernel k(%a: i64) { %0 = cmp less i64 %a, %a }", "K005", "less"},
                    Malformed{"results", "kernel k() { constant i64 1 }", "K007", "constant"},
                    Malformed{"trailing", "kernel k() { } kernel", "K008", "kernel"},
                    Malformed{"brace", "kernel k() {", "K001", ""}, Malformed{"name", "kernel 5() { }", "X001", "5"}),
    [](const auto& info) { return info.param.name; });

TEST(KernelParse, RefusesDeepNesting) {
  std::string text = "kernel k(%c: i1) {";
  for (int i = 0; i < 100000; ++i) text += "if %c {";
  EXPECT_EQ(codes(parse_kernel(source_of(text))), "K006");
}

}  // namespace
}  // namespace tilewright::kernel
