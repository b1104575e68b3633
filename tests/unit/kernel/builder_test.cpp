// The builder and the printer: what lowerings write and what comes out, as text.
#include "kernel/builder.h"

#include <gtest/gtest.h>

namespace tilewright::kernel {
namespace {

constexpr Type pointer{Element::ptr, 1};
constexpr Type integer{Element::i64, 1};
constexpr Type f32x8{Element::f32, 8};

TEST(Builder, PrintsALoopOverMemory) {
  Builder b("axpy");
  const ValueId x = b.parameter("x", pointer, true, false, 64);
  const ValueId y = b.parameter("y", pointer, false, true, 64);
  const ValueId n = b.parameter("n", integer);
  b.for_loop(b.index(0), n, b.index(8), {}, [&](ValueId i, const std::vector<ValueId>&) {
    b.name(i, "i");
    const ValueId bytes = b.mul(i, b.index(4));
    const ValueId from = b.offset(x, bytes);
    const ValueId to = b.offset(y, bytes);
    const ValueId alpha = b.constant(f32x8, Scalar::of(1.5));
    b.store(b.fma(alpha, b.load(f32x8, from, {4}), b.load(f32x8, to, {32})), to, {32, true});
    return std::vector<ValueId>{};
  });
  EXPECT_EQ(to_text(b.finish()),
            "kernel axpy(%x: ptr readonly align 64, %y: ptr noalias align 64, %n: i64) {\n"
            "  %0 = constant i64 0\n"
            "  %1 = constant i64 8\n"
            "  %2 = constant i64 4\n"
            "  %3 = constant f32x8 1.5\n"
            "  for %i = %0 to %n step %1 {\n"
            "    %4 = mul i64 %i, %2\n"
            "    %5 = offset ptr %x, %4\n"
            "    %6 = offset ptr %y, %4\n"
            "    %7 = load f32x8 %5 align 4\n"
            "    %8 = load f32x8 %6 align 32\n"
            "    %9 = fma f32x8 %3, %7, %8\n"
            "    store f32x8 %9, %6 align 32 nontemporal\n"
            "  }\n"
            "}\n");
}

TEST(Builder, PrintsCarriedValuesAndBranches) {
  Builder b("clamp");
  const ValueId n = b.parameter("n", integer);
  const std::vector<ValueId> sum =
      b.for_loop(b.index(0), n, b.index(1), {b.index(7)}, [&](ValueId i, const std::vector<ValueId>& carried) {
        return b.if_then(
            b.cmp(Predicate::slt, i, n), [&] { return std::vector{b.add(carried[0], i)}; },
            [&] { return std::vector{carried[0]}; });
      });
  b.name(sum[0], "sum");
  b.if_then(
      b.cmp(Predicate::eq, sum[0], n),
      [&] {
        b.prefetch(b.local(64));
        return std::vector<ValueId>{};
      },
      [] { return std::vector<ValueId>{}; });
  EXPECT_EQ(to_text(b.finish()),
            "kernel clamp(%n: i64) {\n"
            "  %0 = constant i64 0\n"
            "  %1 = constant i64 1\n"
            "  %2 = constant i64 7\n"
            "  %3 = local ptr bytes 64\n"
            "  %sum = for %4 = %0 to %n step %1 carry %5 = %2 {\n"
            "    %6 = cmp slt i64 %4, %n\n"
            "    %7 = if %6 {\n"
            "      %8 = add i64 %5, %4\n"
            "      yield %8\n"
            "    } else {\n"
            "      yield %5\n"
            "    }\n"
            "    yield %7\n"
            "  }\n"
            "  %9 = cmp eq i64 %sum, %n\n"
            "  if %9 {\n"
            "    prefetch %3\n"
            "  }\n"
            "}\n");
}

TEST(Builder, FoldsIntegerIdentities) {
  Builder b("k");
  const ValueId n = b.parameter("n", integer);
  const ValueId zero = b.index(0);
  const ValueId one = b.index(1);
  EXPECT_EQ(b.add(n, zero), n);
  EXPECT_EQ(b.add(zero, n), n);
  EXPECT_EQ(b.sub(n, zero), n);
  EXPECT_EQ(b.mul(n, one), n);
  EXPECT_EQ(b.mul(one, n), n);
  EXPECT_EQ(b.mul(n, zero), zero);
  EXPECT_EQ(b.mul(zero, n), zero);
  EXPECT_EQ(b.binary(Opcode::shl, n, zero), n);
  EXPECT_NE(b.sub(zero, n), n);
}

TEST(Builder, FoldsIntegerConstants) {
  Builder b("k");
  const auto value = [&](ValueId id) { return b.constant_int(id); };
  EXPECT_EQ(value(b.add(b.index(40), b.index(2))), 42);
  EXPECT_EQ(value(b.mul(b.index(-6), b.index(7))), -42);
  const Type i8x4{Element::i8, 4};
  const ValueId wide = b.constant(i8x4, Scalar::of(std::int64_t{200}));
  EXPECT_EQ(value(wide), -56);
  EXPECT_EQ(value(b.add(wide, wide)), -112);
  EXPECT_EQ(value(b.binary(Opcode::udiv, wide, b.constant(i8x4, Scalar::of(std::int64_t{3})))), 66);
  EXPECT_EQ(value(b.binary(Opcode::sdiv, wide, b.constant(i8x4, Scalar::of(std::int64_t{3})))), -18);
  EXPECT_EQ(value(b.convert(Opcode::zext, wide, Element::i32)), 200);
  EXPECT_EQ(value(b.convert(Opcode::sext, wide, Element::i32)), -56);
  EXPECT_EQ(value(b.cmp(Predicate::ult, wide, b.constant(i8x4, Scalar::of(std::int64_t{100})))), 0);
  EXPECT_EQ(value(b.cmp(Predicate::slt, wide, b.constant(i8x4, Scalar::of(std::int64_t{100})))), 1);
  EXPECT_EQ(value(b.binary(Opcode::sdiv, b.index(1), b.index(0))), std::nullopt);
}

TEST(Builder, KeepsFloatsAsWritten) {
  Builder b("k");
  const ValueId x = b.parameter("x", {Element::f32, 1});
  const ValueId zero = b.constant({Element::f32, 1}, Scalar::of(0.0));
  const ValueId minus_zero = b.constant({Element::f32, 1}, Scalar::of(-0.0));
  EXPECT_NE(zero, minus_zero);
  EXPECT_NE(b.add(x, zero), x);  // -0.0 + 0.0 is 0.0
  EXPECT_NE(b.mul(x, zero), zero);
}

TEST(Builder, FindsPureOpsOfEnclosingRegionsOnly) {
  Builder b("k");
  const ValueId n = b.parameter("n", integer);
  const ValueId outside = b.mul(n, b.index(3));
  ValueId in_then;
  ValueId in_else;
  ValueId again;
  b.if_then(
      b.cmp(Predicate::eq, n, b.index(5)),
      [&] {
        again = b.mul(n, b.index(3));
        in_then = b.mul(n, b.index(4));
        return std::vector<ValueId>{};
      },
      [&] {
        in_else = b.mul(n, b.index(4));
        return std::vector<ValueId>{};
      });
  EXPECT_EQ(again, outside);
  EXPECT_NE(in_then, in_else);
  EXPECT_NE(b.mul(n, b.index(4)), in_then);
}

TEST(Builder, AddsUpConstantOffsets) {
  Builder b("k");
  const ValueId p = b.parameter("p", pointer);
  const ValueId four = b.offset(p, b.index(4));
  EXPECT_EQ(b.offset(four, b.index(-4)), p);
  EXPECT_EQ(b.offset(b.offset(p, b.index(1)), b.index(3)), four);
}

TEST(Builder, MisuseIsAnInternalError) {
  Builder b("k");
  const ValueId n = b.parameter("n", integer);
  const ValueId x = b.parameter("x", {Element::f32, 1});
  EXPECT_THROW(b.add(n, x), InternalError);
  EXPECT_THROW(b.constant(integer, Scalar::of(1.0)), InternalError);
  EXPECT_THROW(b.offset(n, n), InternalError);
}

TEST(Names, AreMadeUnique) {
  Builder b("k");
  b.name(b.parameter("x", integer), "x");
  b.parameter("x", integer);
  b.parameter("x.1", integer);
  b.parameter("a b%c.", integer);
  b.parameter("12", integer);
  EXPECT_EQ(to_text(b.finish()), "kernel k(%x: i64, %x.1: i64, %x.1.1: i64, %abc: i64, %0: i64) {\n}\n");
}

}  // namespace
}  // namespace tilewright::kernel
