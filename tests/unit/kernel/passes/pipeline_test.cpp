// The small passes as text in, text out, and the runner.
#include "kernel/passes/pipeline.h"

#include <gtest/gtest.h>

#include "kernel/builder.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

std::string after(std::string_view pass, std::string_view text) {
  Kernel kernel = read_kernel(text);
  EXPECT_EQ(codes(verify(kernel)), "");
  kernel_pass_from_name(pass)->run(kernel, {});
  EXPECT_EQ(codes(verify(kernel)), "");
  return to_text(kernel);
}

TEST(HoistInvariants, MovesThroughNestedLoopsAsFarAsOperandsAllow) {
  EXPECT_EQ(after("hoist_invariants",
                  "kernel k(%p: ptr, %n: i64) {\n"
                  "  %0 = constant i64 0\n"
                  "  %1 = constant i64 1\n"
                  "  for %i = %0 to %n step %1 {\n"
                  "    for %j = %0 to %n step %1 {\n"
                  "      %far = mul i64 %n, %n\n"
                  "      %near = mul i64 %i, %far\n"
                  "      %here = add i64 %near, %j\n"
                  "      %q = offset ptr %p, %far\n"
                  "      store i64 %here, %q align 1\n"
                  "    }\n"
                  "  }\n"
                  "}\n"),
            "kernel k(%p: ptr, %n: i64) {\n"
            "  %0 = constant i64 0\n"
            "  %1 = constant i64 1\n"
            "  %far = mul i64 %n, %n\n"
            "  %q = offset ptr %p, %far\n"
            "  for %i = %0 to %n step %1 {\n"
            "    %near = mul i64 %i, %far\n"
            "    for %j = %0 to %n step %1 {\n"
            "      %here = add i64 %near, %j\n"
            "      store i64 %here, %q align 1\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(HoistInvariants, LeavesMemoryBranchesCarriedValuesAndConstantOffsets) {
  const char* text =
      "kernel k(%p: ptr, %n: i64, %c: i1) {\n"
      "  %0 = constant i64 0\n"
      "  %1 = constant i64 1\n"
      "  %2 = for %i = %0 to %n step %1 carry %x = %n {\n"
      "    %3 = offset ptr %p, %1\n"
      "    %4 = load i64 %3 align 1\n"
      "    %5 = add i64 %x, %4\n"
      "    if %c {\n"
      "      %6 = mul i64 %n, %n\n"
      "      store i64 %6, %p align 1\n"
      "    }\n"
      "    yield %5\n"
      "  }\n"
      "  store i64 %2, %p align 1\n"
      "}\n";
  EXPECT_EQ(after("hoist_invariants", text), text);
}

TEST(HoistInvariants, DoesNotTakeAnInnerLoopsResultForInvariant) {
  const char* text =
      "kernel k(%p: ptr, %n: i64) {\n"
      "  %0 = constant i64 0\n"
      "  %1 = constant i64 1\n"
      "  for %i = %0 to %n step %1 {\n"
      "    %2 = for %j = %0 to %n step %1 carry %x = %i {\n"
      "      %3 = add i64 %x, %j\n"
      "      yield %3\n"
      "    }\n"
      "    %4 = add i64 %2, %n\n"
      "    store i64 %4, %p align 1\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(after("hoist_invariants", text), text);
}

TEST(ShareOps, SharesWithinRegionsAndFolds) {
  EXPECT_EQ(after("share_ops",
                  "kernel k(%p: ptr, %n: i64, %c: i1) {\n"
                  "  %0 = constant i64 0\n"
                  "  %1 = constant i64 0\n"
                  "  %2 = constant i64 3\n"
                  "  %3 = mul i64 %2, %2\n"
                  "  %4 = mul i64 %n, %3\n"
                  "  %5 = add i64 %4, %1\n"
                  "  %6 = mul i64 %n, %3\n"
                  "  %7 = load i64 %p align 8\n"
                  "  %8 = load i64 %p align 8\n"
                  "  if %c {\n"
                  "    %9 = mul i64 %n, %3\n"
                  "    %10 = add i64 %9, %6\n"
                  "    store i64 %10, %p align 8\n"
                  "  }\n"
                  "  %11 = add i64 %5, %6\n"
                  "  %12 = add i64 %7, %8\n"
                  "  %13 = add i64 %11, %12\n"
                  "  store i64 %13, %p align 8\n"
                  "}\n"),
            "kernel k(%p: ptr, %n: i64, %c: i1) {\n"
            "  %0 = constant i64 0\n"
            "  %1 = constant i64 3\n"
            "  %2 = constant i64 9\n"
            "  %3 = mul i64 %n, %2\n"
            "  %4 = load i64 %p align 8\n"
            "  %5 = load i64 %p align 8\n"
            "  if %c {\n"
            "    %6 = add i64 %3, %3\n"
            "    store i64 %6, %p align 8\n"
            "  }\n"
            "  %7 = add i64 %3, %3\n"
            "  %8 = add i64 %4, %5\n"
            "  %9 = add i64 %7, %8\n"
            "  store i64 %9, %p align 8\n"
            "}\n");
}

TEST(RemoveDeadOps, RemovesOpsLoopsBranchesAndCarriedValues) {
  EXPECT_EQ(after("remove_dead_ops",
                  "kernel k(%p: ptr, %n: i64, %c: i1) {\n"
                  "  %0 = constant i64 0\n"
                  "  %1 = constant i64 1\n"
                  "  %unused = constant i64 77\n"
                  "  %buffer = local ptr bytes 8\n"
                  "  %loaded = load i64 %p align 8\n"
                  "  %sum, %walk = for %i = %0 to %n step %1 carry %x = %0, %q = %p {\n"
                  "    %s = add i64 %x, %i\n"
                  "    %r = offset ptr %q, %1\n"
                  "    yield %s, %r\n"
                  "  }\n"
                  "  for %j = %0 to %n step %1 {\n"
                  "    %t = add i64 %j, %n\n"
                  "    if %c {\n"
                  "      %u = load i64 %p align 8\n"
                  "    }\n"
                  "  }\n"
                  "  %a, %b = if %c {\n"
                  "    %v = mul i64 %sum, %n\n"
                  "    yield %n, %v\n"
                  "  } else {\n"
                  "    yield %sum, %n\n"
                  "  }\n"
                  "  store i64 %a, %p align 8\n"
                  "}\n"),
            "kernel k(%p: ptr, %n: i64, %c: i1) {\n"
            "  %0 = constant i64 0\n"
            "  %1 = constant i64 1\n"
            "  %sum = for %i = %0 to %n step %1 carry %x = %0 {\n"
            "    %s = add i64 %x, %i\n"
            "    yield %s\n"
            "  }\n"
            "  %a = if %c {\n"
            "    yield %n\n"
            "  } else {\n"
            "    yield %sum\n"
            "  }\n"
            "  store i64 %a, %p align 8\n"
            "}\n");
}

TEST(RemoveDeadOps, FollowsWhatIsCarriedFromOneIterationToTheNext) {
  // %a is read; it is the last iteration's %b, which is the one before's %c: all three stay. %d feeds none.
  EXPECT_EQ(after("remove_dead_ops",
                  "kernel k(%p: ptr, %n: i64) {\n"
                  "  %0 = constant i64 0\n"
                  "  %1 = constant i64 1\n"
                  "  %ra, %rb, %rc, %rd = for %i = %0 to %n step %1 carry %a = %0, %b = %0, %c = %0, %d = %0 {\n"
                  "    %e = add i64 %d, %a\n"
                  "    store i64 %a, %p align 8\n"
                  "    yield %b, %c, %i, %e\n"
                  "  }\n"
                  "}\n"),
            "kernel k(%p: ptr, %n: i64) {\n"
            "  %0 = constant i64 0\n"
            "  %1 = constant i64 1\n"
            "  %ra, %rb, %rc = for %i = %0 to %n step %1 carry %a = %0, %b = %0, %c = %0 {\n"
            "    store i64 %a, %p align 8\n"
            "    yield %b, %c, %i\n"
            "  }\n"
            "}\n");
}

TEST(RemoveDeadOps, KeepsEffects) {
  const char* text =
      "kernel k(%p: ptr, %n: i64) {\n"
      "  %buffer = local ptr bytes 8\n"
      "  store i64 %n, %buffer align 8\n"
      "  prefetch %p\n"
      "}\n";
  EXPECT_EQ(after("remove_dead_ops", text), text);
}

TEST(KernelPasses, AreObservedInOrder) {
  Kernel kernel = read_kernel("kernel k(%p: ptr, %n: i64) { %x = add i64 %n, %n }");
  std::vector<std::string> seen;
  run_kernel_passes(kernel, {}, [&](const KernelPass& pass, const Kernel&) { seen.emplace_back(pass.name); });
  EXPECT_EQ(seen, (std::vector<std::string>{"expand_conversions", "hoist_invariants", "share_ops", "remove_dead_ops"}));
  EXPECT_EQ(to_text(kernel), "kernel k(%p: ptr, %n: i64) {\n}\n");
  EXPECT_EQ(kernel_pass_from_name("vectorize"), nullptr);
}

}  // namespace
}  // namespace tilewright::kernel
