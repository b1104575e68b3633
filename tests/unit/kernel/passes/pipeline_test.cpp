// The runner of the kernel passes. What each pass does is tested in tests/ir/kernel.
#include "kernel/passes/pipeline.h"

#include <gtest/gtest.h>

#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

TEST(KernelPasses, AreObservedInOrder) {
  Kernel kernel = read_kernel("kernel k(%p: ptr, %n: i64) { %x = add i64 %n, %n }");
  std::vector<std::string> seen;
  run_kernel_passes(kernel, {}, [&](const KernelPass& pass, const Kernel&) { seen.emplace_back(pass.name); });
  EXPECT_EQ(seen, (std::vector<std::string>{"expand_conversions", "expand_functions", "hoist_invariants", "share_ops",
                                            "remove_dead_ops"}));
  EXPECT_EQ(to_text(kernel), "kernel k(%p: ptr, %n: i64) {\n}\n");
  EXPECT_EQ(kernel_pass_from_name("vectorize"), nullptr);
}

}  // namespace
}  // namespace tilewright::kernel
