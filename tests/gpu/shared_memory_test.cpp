// A schedule that nobody wrote fits a block's shared memory, whatever a target has of it; one that somebody wrote and
// that does not fit is N052.
#include <gtest/gtest.h>

#include "differential.h"
#include "kernel/shared_memory.h"
#include "plan/build_gpu_plan.h"
#include "runtime/compilation.h"
#include "runtime/kernel.h"

namespace tilewright::differential {
namespace {

struct Sized {
  std::string statement;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> operands;
};

/// Of every form that stages: squares of several operands, contractions of all orders of memory, groups, a batch along
/// threads, several factors, parts.
const std::vector<Sized>& statements() {
  static const std::vector<Sized> all{
      {"x[i, j] = a[j, i] + b[j, i]", {{"a", {33, 33}}, {"b", {33, 33}}}},
      {"x[i, j] = a[j, i] + b[j, i] + c[j, i] + d[j, i]",
       {{"a", {700, 900}}, {"b", {700, 900}}, {"c", {700, 900}}, {"d", {700, 900}}}},
      {"x[k, j, i] = a[i, j, k] + b[i, k, j]", {{"a", {17, 9, 70}}, {"b", {17, 70, 9}}}},
      {"mm[i, j] ++= a[i, k] * b[k, j]", {{"a", {600, 600}}, {"b", {600, 600}}}},
      {"mm[i, j] ++= a[k, i] * b[j, k]", {{"a", {601, 603}}, {"b", {607, 601}}}},
      {"mm[i, j] ++= a[k, i] * b[k, j]", {{"a", {128, 4096}}, {"b", {128, 4096}}}},
      {"mm[i, j] ++= a[i, k] * b[j, k]", {{"a", {40, 65536}}, {"b", {24, 65536}}}},
      {"contract[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]",
       {{"a", {48, 12, 48, 8, 32}}, {"b", {48, 12, 8, 32}}}},
      {"bilinear[i, j] ++= x[i, k] * w[j, k, l] * y[i, l]", {{"x", {300, 40}}, {"w", {70, 40, 50}}, {"y", {300, 50}}}},
      {"bmm[i, j, l] ++= a[i, j, k] * b[i, k, l]", {{"a", {64, 256, 256}}, {"b", {64, 256, 256}}}},
      {"few[i, j] ++= a[i, k] * b[k, j]", {{"a", {4, 4096}}, {"b", {4096, 4096}}}},
      {"rows[i] ++= a[i, k] * b[i, k]", {{"a", {300, 70000}}, {"b", {300, 70000}}}},
      {"columns[j] ++= a[k, j]", {{"a", {70000, 300}}}},
  };
  return all;
}

struct Planned {
  std::string error;
  std::int64_t bytes = 0;  ///< of the kernel that takes the most shared memory
};

Planned plan_for(const GpuTarget& target, const Sized& each, DType dtype) {
  const auto kernel = tilewright::Kernel::parse(each.statement);
  if (!kernel) return {render(kernel.error())};
  std::vector<nest::NamedView> operands;
  for (const auto& [name, shape] : each.operands)
    operands.push_back({name, {nullptr, dtype, shape, row_major_strides(shape)}});
  const auto bound = nest::bind_nest(*kernel->statement(), types_of(operands));
  if (!bound) return {render(bound.error())};
  const auto compiled = compile_to_nest(*bound, operands, nullptr, nest::VectorLoads::aligned);
  if (!compiled) return {render(compiled.error())};
  const auto plan = plan::build_gpu_plan(compiled->nest, compiled->facts, target, nullptr);
  if (!plan) return {render(plan.error())};
  Planned planned;
  for (const kernel::LoweredKernel& lowered : plan->kernels)
    planned.bytes = std::max(planned.bytes, kernel::shared_layout(lowered.kernel).bytes);
  return planned;
}

TEST(GpuSharedMemory, HoldsWhatNobodyScheduled) {
  int staged = 0;
  for (const char* arch : {"sm_80", "metal"})
    for (const std::int64_t kib : {0, 16, 4}) {  // 0: what the target has
      GpuTarget target = *gpu_target_named(arch);
      if (kib > target.max_block_shared_bytes >> 10) continue;
      if (kib > 0) target.max_block_shared_bytes = kib << 10;
      for (const DType dtype : {DType::f32, DType::f16, DType::i64, DType::i8})
        for (const Sized& each : statements()) {
          const Planned planned = plan_for(target, each, dtype);
          EXPECT_EQ(planned.error, "") << arch << " " << kib << " KiB " << name(dtype) << " " << each.statement;
          ASSERT_LE(planned.bytes, target.max_block_shared_bytes) << each.statement;
          staged += planned.bytes > 1024 ? 1 : 0;
        }
    }
  EXPECT_GT(staged, 150);  // it is not by staging nothing
}

// What somebody wrote of stages counts too, of tiles that nobody wrote.
TEST(GpuSharedMemory, HoldsTheStagesThatAreAskedFor) {
  for (const char* arch : {"sm_80", "sm_89", "sm_90a", "metal"})
    for (const DType dtype : {DType::f32, DType::f16, DType::i64}) {
      const Planned planned = plan_for(*gpu_target_named(arch),
                                       {"mm[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    stages = 8\n    auto\n",
                                        {{"a", {600, 600}}, {"b", {600, 600}}}},
                                       dtype);
      EXPECT_EQ(planned.error, "") << arch << " " << name(dtype);
    }
}

TEST(GpuSharedMemory, DoesNotHoldEverythingThatIsWritten) {
  const Sized each{
      "mm[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    tile(i, 256)\n    tile(j, 64)\n    tile(k, 256)\n"
      "    cache(a)\n    cache(b)\n",
      {{"a", {600, 600}}, {"b", {600, 600}}}};
  const auto expected = [](const char* bytes, const char* arch, const char* most) {
    return fmt::format(
        "error[N052]: the staged tiles of mm take {} bytes of shared memory, and a block of {} has at most {}\n"
        "    = help: give smaller tiles, fewer stages, or cache fewer operands\n",
        bytes, arch, most);
  };
  // 256 · (256 + 64) elements of 4 bytes.
  EXPECT_EQ(plan_for(*gpu_target_named("sm_90a"), each, DType::f32).error, expected("327680", "sm_90a", "232448"));
  EXPECT_EQ(plan_for(*gpu_target_named("metal"), each, DType::f32).error, expected("327680", "metal", "32768"));
}

// 64 × 128 elements of 4 bytes fill the memory to its last byte, without a gap between rows.
TEST(GpuSharedMemory, IsFilledByAWrittenTile) {
  const std::string statement =
      "mm[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    tile(i, 64)\n    tile(j, 64)\n    tile(k, 64)\n"
      "    cache(a)\n    cache(b)\n";
  const Planned planned =
      plan_for(*gpu_target_named("metal"), {statement, {{"a", {600, 600}}, {"b", {600, 600}}}}, DType::f32);
  EXPECT_EQ(planned.error, "");
  EXPECT_EQ(planned.bytes, 32768);
}

// What is chosen for little memory is right.
TEST(GpuSharedMemory, OfAnySizeGivesTheSame) {
  const std::vector<Sized> small{
      {"x[i, j] = a[j, i] + b[j, i]", {{"a", {33, 75}}, {"b", {33, 75}}}},
      {"mm[i, j] ++= a[i, k] * b[j, k]", {{"a", {67, 45}}, {"b", {70, 45}}}},
      {"mm[i, j] ++= a[k, i] * b[k, j]", {{"a", {40, 130}}, {"b", {40, 66}}}},
      {"contract[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]", {{"a", {6, 5, 9, 4, 16}}, {"b", {17, 5, 4, 16}}}},
  };
  for (const std::int64_t bytes : {8192, 2048})
    for (const Sized& each : small)
      for (const DType dtype : {DType::f32, DType::i64}) {
        Case one{each.statement, {}};
        for (const auto& [name, shape] : each.operands) one.operands.push_back({name, dtype, shape});
        one.gpu_levels = one.simulated = true;
        one.host_levels = false;
        one.gpu_shared_bytes = bytes;
        EXPECT_EQ(disagreement(one), "") << bytes;
      }
}

}  // namespace
}  // namespace tilewright::differential
