// Products by the matrix units of warps: what each element type, order of memory and arrangement of warps gives on the
// simulator, what their shared memory costs, and what NVIDIA's assembler makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/llvm/nvptx.h"
#include "differential.h"
#include "ptxas.h"
#include "runtime/kernel.h"
#include "runtime/nvptx_compilation.h"

namespace tilewright::differential {
namespace {

struct Written {
  std::string statement;
  std::vector<OperandSpec> operands;
  std::string schedule = {};  ///< its lines
  std::string arch = "sm_80";
  std::string variant = "warp";
  Precision precision = Precision::exact;
};

Outcome run(const Written& written) {
  Case each;
  each.statement = written.statement;
  if (!written.schedule.empty()) each.statement += " do:\n  schedule:\n" + written.schedule;
  each.operands = written.operands;
  each.gpu_levels = each.simulated = each.counted = true;
  each.host_levels = false;
  each.gpu_variant = written.variant;
  each.gpu_precision = written.precision;
  each.gpu_arch = written.arch;
  return run_everywhere(each);
}

/// Assembled for that architecture without spills.
void expect_assembled(const std::vector<kernel::LoweredKernel>& kernels, const std::string& arch) {
  bool multiplies = false;
  for (const kernel::LoweredKernel& lowered : kernels) {
    const auto ptx = codegen::emit_ptx(lowered.kernel, *gpu_target_named(arch));
    ASSERT_TRUE(ptx.has_value()) << render(ptx.error()) << to_text(lowered.kernel);
    multiplies = multiplies || ptx->find("mma.sync.aligned") != std::string::npos;
    if (std::getenv("TILEWRIGHT_SHOW") != nullptr) std::printf("%s%s", to_text(lowered.kernel).c_str(), ptx->c_str());
    if (codegen::find_ptxas()) codegen::expect_clean(arch, *ptx);
  }
  EXPECT_TRUE(multiplies);
}

/// Products are a simdgroup's, of f32.
void expect_simdgroups(const std::vector<kernel::LoweredKernel>& kernels) {
  EXPECT_TRUE(std::ranges::any_of(kernels, [](const kernel::LoweredKernel& lowered) {
    return to_text(lowered.kernel).find(" = mma f32x2 ") != std::string::npos;
  }));
}

enum class Conflicts { none, some };

/// What is assembled are tiles that nobody wrote.
void expect_right(const Written& written, Conflicts conflicts = Conflicts::some) {
  SCOPED_TRACE(written.statement + "\n" + written.schedule);
  const Outcome outcome = run(written);
  EXPECT_EQ(outcome.rejection, "");
  ASSERT_EQ(outcome.difference, "");
  if (conflicts == Conflicts::none) EXPECT_EQ(outcome.counters.bank_conflicts, 0);
  EXPECT_GT(outcome.counters.shared_requests, 0);
  if (written.variant == "simdgroup") return expect_simdgroups(outcome.gpu_kernels);
  if (written.schedule.empty()) expect_assembled(outcome.gpu_kernels, written.arch);
}

std::vector<OperandSpec> factors(DType dtype, std::vector<std::int64_t> a, std::vector<std::int64_t> b) {
  return {{"a", dtype, std::move(a)}, {"b", dtype, std::move(b)}};
}

const std::string plain = "c[i, j] ++= a[i, k] * b[k, j]";
const std::string simdgroup_arch = "metal";
const std::string square = "    tile(i, 64)\n    tile(j, 64)\n    threads = 128\n";

// Rows that are long enough leave no two threads in one bank, in loads of fragments and in copies. Of i8 the copy turns
// elements one by one.
TEST(WarpUnits, every_order_of_memory) {
  for (const DType dtype : {DType::f16, DType::i8, DType::f64}) {
    SCOPED_TRACE(name(dtype));
    const std::int64_t k = dtype == DType::f64 ? 40 : dtype == DType::i8 ? 144 : 72;
    const Conflicts turned = dtype == DType::i8 ? Conflicts::some : Conflicts::none;
    expect_right({"c[i, j] ++= a[i, k] * b[j, k]", factors(dtype, {40, k}, {24, k}), square}, Conflicts::none);
    expect_right({plain, factors(dtype, {24, k}, {k, 48}), square}, turned);
    expect_right({"c[i, j] ++= a[k, i] * b[k, j]", factors(dtype, {k, 64}, {k, 64}), square}, turned);
    expect_right({"c[i, j] ++= a[k, i] * b[j, k]", factors(dtype, {k, 32}, {72, k}), square}, turned);
  }
}

// Of f32 with 10 bits of mantissa.
TEST(WarpUnits, precision_tf32) {
  const auto of = [&](const std::string& text, std::vector<OperandSpec> operands, const std::string& schedule) {
    return Written{text, std::move(operands), schedule, "sm_80", "warp", Precision::tf32};
  };
  expect_right(of(plain, factors(DType::f32, {24, 72}, {72, 48}), square), Conflicts::none);
  expect_right(of("c[i, j] ++= a[k, i] * b[j, k]", factors(DType::f32, {72, 32}, {40, 72}), square), Conflicts::none);
  expect_right(of(plain, factors(DType::f32, {33, 21}, {21, 7}), ""));
}

TEST(WarpUnits, simdgroups) {
  const auto of = [&](const std::string& text, std::vector<OperandSpec> operands, const std::string& schedule = "") {
    return Written{text, std::move(operands), schedule, simdgroup_arch, "simdgroup"};
  };
  const std::string tiles = square;
  for (const DType dtype : {DType::f32, DType::f16}) {
    SCOPED_TRACE(name(dtype));
    expect_right(of("c[i, j] ++= a[i, k] * b[j, k]", factors(dtype, {40, 72}, {24, 72}), tiles), Conflicts::none);
    expect_right(of(plain, factors(dtype, {24, 72}, {72, 40}), tiles), Conflicts::none);
    expect_right(of("c[i, j] ++= a[k, i] * b[k, j]", factors(dtype, {72, 64}, {72, 32}), tiles), Conflicts::none);
    expect_right(of("c[i, j] ++= a[k, i] * b[j, k]", factors(dtype, {72, 32}, {40, 72}), tiles), Conflicts::none);
  }
  expect_right(of(plain, factors(DType::bf16, {65, 131}, {131, 17})));
  expect_right(of(plain, {{"a", DType::f32, {37, 9}, {18, 2}}, {"b", DType::f32, {9, 21}}}));
  expect_right(of("o[b, i, m, p] ++= x[b, i, k, l, p] * y[b, m, k, l]",
                  {{"x", DType::f32, {2, 9, 4, 5, 8}}, {"y", DType::f32, {2, 20, 4, 5}}}));
  expect_right(of("o[m, u, s, d] ++= x[m, c, k, d] * y[u, c, s, k]",
                  {{"x", DType::bf16, {2, 18, 2, 2}}, {"y", DType::bf16, {2, 18, 35, 2}}}));
  expect_right(of("o[i, j] ++= a[i, k] * b[k, j] then max(o[i, j] + bias[j], 0.0) * full[i, j]",
                  {{"a", DType::f16, {40, 72}},
                   {"b", DType::f16, {72, 24}},
                   {"bias", DType::f32, {24}},
                   {"full", DType::f32, {40, 24}}}));
  expect_right(of(plain, factors(DType::f32, {18, 420}, {420, 16}), "    split(k, 3)\n"));
}

TEST(WarpUnits, odd_extents_and_strides) {
  expect_right({plain, factors(DType::bf16, {65, 131}, {131, 17})});
  expect_right({plain, {{"a", DType::f16, {70, 40}, {1, 71}}, {"b", DType::f16, {40, 20}, {-20, 1}}}});
  expect_right({plain, {{"a", DType::f64, {37, 9}, {18, 2}}, {"b", DType::f64, {9, 21}}}});
  expect_right({plain, factors(DType::i8, {5, 3}, {3, 300})});
}

// Rows and columns of several iterators, batches, windows, terms of several iterators.
TEST(WarpUnits, groups_of_iterators) {
  expect_right({"o[b, i, m, p] ++= x[b, i, k, l, p] * y[b, m, k, l]",
                {{"x", DType::f16, {2, 9, 4, 5, 8}}, {"y", DType::f16, {2, 20, 4, 5}}}});
  expect_right(
      {"o[i, j, p] ++= x[p, k, l, i] * y[j, l, k]", {{"x", DType::f64, {3, 7, 3, 20}}, {"y", DType::f64, {19, 3, 7}}}});
  expect_right({"o[m, u, s, d] ++= x[m, c, k, d] * y[u, c, s, k]",
                {{"x", DType::bf16, {2, 18, 2, 2}}, {"y", DType::bf16, {2, 18, 35, 2}}}});
  expect_right({"o[p, i] ++= x[i + k] * w[p, k] | (i, p, k)", {{"x", DType::f16, {150}}, {"w", DType::f16, {24, 40}}}});
}

TEST(WarpUnits, arrangements_of_warps) {
  const std::vector<OperandSpec> both = factors(DType::f16, {72, 72}, {72, 40});
  for (const std::string& lines : {std::string("    tile(i, 16)\n    tile(j, 8)\n    threads = 32\n"),
                                   std::string("    tile(i, 128)\n    tile(j, 32)\n    threads = 256\n"),
                                   std::string("    tile(i, 16)\n    tile(j, 128)\n    warps(1, 4)\n"),
                                   std::string("    tile(i, 64)\n    tile(j, 128)\n    stages = 1\n"),
                                   std::string("    tile(i, 64)\n    tile(j, 64)\n    stages = 4\n")})
    expect_right({plain, both, lines, "sm_90a"});
}

TEST(WarpUnits, epilogues_and_parts) {
  const std::vector<OperandSpec> operands{{"a", DType::f16, {40, 72}},
                                          {"b", DType::f16, {72, 24}},
                                          {"bias", DType::f32, {24}},
                                          {"full", DType::f32, {40, 24}}};
  expect_right({"o[i, j] ++= a[i, k] * b[k, j] then max(o[i, j] + bias[j], 0.0) * full[i, j]", operands});
  expect_right({"o:f8e4m3[j, i] ++= a[i, k] * b[k, j]", {operands[0], operands[1]}});
  expect_right({plain, factors(DType::f16, {18, 420}, {420, 16}), "    split(k, 3)\n"});
  expect_right({plain, factors(DType::f64, {18, 200}, {200, 16}), "    split(k, 3)\n"});
}

// The largest sums of a thread, and copies that pass through registers beside them. Nothing is asked for but where
// wgmma would be chosen.
TEST(WarpUnits, large_tiles_spill_nothing) {
  const std::string epilogue = " then max(c[i, j] + bias[j], 0.0)";
  for (const auto& [dtype, arch] : {std::pair(DType::f16, "sm_80"), std::pair(DType::i8, "sm_80"),
                                    std::pair(DType::f64, "sm_90a"), std::pair(DType::bf16, "sm_90a")}) {
    SCOPED_TRACE(name(dtype));
    const tilewright::Kernel kernel =
        tilewright::Kernel::parse(plain + (dtype == DType::i8 ? "" : epilogue) +
                                  (dtype == DType::bf16 ? " do:\n  schedule:\n    variant = warp\n    auto\n" : ""))
            .value();
    const TensorView factor{nullptr, dtype, {4096, 4096}, {4096, 1}};
    const TensorView bias{nullptr, dtype == DType::f64 ? DType::f64 : DType::f32, {4096}, {1}};
    std::vector<nest::NamedView> operands{{"a", factor}, {"b", factor}};
    if (dtype != DType::i8) operands.push_back({"bias", bias});
    NvptxCompiler compiler(*gpu_target_named(arch));
    const nest::BoundNest bound = nest::bind_nest(*kernel.statement(), types_of(operands)).value();
    const auto compiled = compiler.compile(bound, operands, nullptr, false);
    ASSERT_TRUE(compiled.has_value()) << render(compiled.error());
    expect_assembled(compiled->plan->kernels, arch);
  }
}

}  // namespace
}  // namespace tilewright::differential
