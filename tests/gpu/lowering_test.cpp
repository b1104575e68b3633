// GPU lowering, end to end where there is no GPU: each form of statement at full, ragged and tiny extents gives what
// the statement may give on the tile evaluator, and kernels that verify and that NVIDIA's assembler takes without
// spills.
#include <gtest/gtest.h>

#include <cstdlib>

#include "codegen/llvm/nvptx.h"
#include "differential.h"
#include "ptxas.h"
#include "runtime/kernel.h"
#include "runtime/nvptx_compilation.h"
#include "runtime/recorded_call.h"

namespace tilewright::differential {
namespace {

Case statement(std::string text, std::vector<OperandSpec> operands) {
  Case result;
  result.statement = std::move(text);
  result.operands = std::move(operands);
  result.gpu_levels = true;
  return result;
}

OperandSpec operand(std::string name, std::vector<std::int64_t> shape, DType dtype = DType::f32) {
  OperandSpec spec;
  spec.name = std::move(name);
  spec.shape = std::move(shape);
  spec.dtype = dtype;
  return spec;
}

void expect_right(const Case& each, std::size_t kernels) {
  const Outcome outcome = run_everywhere(each);
  EXPECT_EQ(outcome.rejection, "") << to_text(each);
  ASSERT_EQ(outcome.difference, "") << to_text(each);
  EXPECT_EQ(outcome.gpu_kernels.size(), kernels) << to_text(each);
  for (const kernel::LoweredKernel& lowered : outcome.gpu_kernels) {
    const auto ptx = codegen::emit_ptx(lowered.kernel, *gpu_target_named("sm_90a"));
    ASSERT_TRUE(ptx.has_value()) << render(ptx.error()) << to_text(lowered.kernel);
    if (std::getenv("TILEWRIGHT_SHOW") != nullptr) std::printf("%s%s", to_text(lowered.kernel).c_str(), ptx->c_str());
    if (codegen::find_ptxas()) codegen::expect_clean("sm_90a", *ptx);
  }
}

TEST(GpuLowering, Elementwise) {
  expect_right(statement("c[i] = a[i] + b[i]", {operand("a", {4096}), operand("b", {4096})}), 1);
  expect_right(statement("c[i] = a[i] + b[i]", {operand("a", {1027}), operand("b", {1027})}), 1);
  expect_right(statement("c[i] = 2 * a[i]", {operand("a", {0})}), 1);
}

TEST(GpuLowering, Broadcast) {
  expect_right(statement("c[i, j] = a[i] * b[j]", {operand("a", {37}), operand("b", {70})}), 1);
  expect_right(statement("c[i, j] = a[i, j] + b[j]", {operand("a", {9, 33}), operand("b", {33})}), 1);
}

TEST(GpuLowering, Transpose) {
  expect_right(statement("c[j, i] = a[i, j]", {operand("a", {128, 64})}), 1);
  expect_right(statement("c[j, i] = a[i, j]", {operand("a", {67, 75})}), 1);
  expect_right(statement("c[k, j, i] = a[i, j, k]", {operand("a", {17, 3, 21}, DType::f16)}), 1);
}

TEST(GpuLowering, RowSums) {
  expect_right(statement("s[i] ++= a[i, k]", {operand("a", {7, 1024})}), 1);
  expect_right(statement("s[i] ++= a[i, k]", {operand("a", {19, 67})}), 1);
  expect_right(statement("s[i] max= a[i, k]", {operand("a", {3, 2500}, DType::f16)}), 1);
}

TEST(GpuLowering, ColumnSums) {
  expect_right(statement("s[j] ++= a[k, j]", {operand("a", {300, 64})}), 1);
  expect_right(statement("s[j] ++= a[k, j]", {operand("a", {77, 39})}), 1);
}

TEST(GpuLowering, WholeSumsAreSplit) {
  expect_right(statement("s[] ++= a[k] * b[k]", {operand("a", {300000}), operand("b", {300000})}), 2);
}

TEST(GpuLowering, ContractionsOfJoinedIterators) {
  expect_right(statement("c[i, j, m] ++= a[i, k, j] * b[k, m]", {operand("a", {5, 40, 19}), operand("b", {40, 33})}),
               1);
  expect_right(statement("c[m, i, j] ++= a[i, j, k, l] * b[k, m, l]",
                         {operand("a", {3, 6, 5, 7}, DType::f64), operand("b", {5, 70, 7}, DType::f64)}),
               1);
}

TEST(GpuLowering, ContractionsWithABatchAlongThreads) {
  const std::string text = "c[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o]";
  expect_right(statement(text, {operand("a", {4, 4, 16, 8, 16}), operand("b", {32, 4, 8, 16})}), 1);
  expect_right(statement(text, {operand("a", {3, 4, 5, 6, 11}), operand("b", {7, 4, 6, 11})}), 1);
  expect_right(statement(text, {operand("a", {2, 3, 5, 4, 9}, DType::f16), operand("b", {6, 3, 4, 9}, DType::f16)}), 1);
}

TEST(GpuLowering, ContractionsOfSmallMatrices) {
  const std::string text = "c[b, i, j] ++= x[b, i, k] * y[b, k, j]";
  expect_right(statement(text, {operand("x", {70, 4, 4}), operand("y", {70, 4, 4})}), 1);
  expect_right(statement(text, {operand("x", {33, 7, 6}), operand("y", {33, 6, 9})}), 1);
}

TEST(GpuLowering, ContractionsOfFewRows) {
  const std::string text = "c[i, j] ++= a[i, k] * b[k, j]";
  expect_right(statement(text, {operand("a", {16, 96}), operand("b", {96, 512})}), 1);
  expect_right(statement(text, {operand("a", {5, 37}), operand("b", {37, 259})}), 1);
  expect_right(statement(text, {operand("a", {3, 37}, DType::f16), operand("b", {37, 259}, DType::f16)}), 1);
}

TEST(GpuLowering, ContractionsOfManyTermsAreSplit) {
  expect_right(statement("c[i, j] ++= a[i, k] * b[k, j]", {operand("a", {24, 6000}), operand("b", {6000, 20})}), 2);
  expect_right(statement("c[i, j, o] ++= a[i, k, l, o] * b[j, k, l, o]",
                         {operand("a", {9, 20, 33, 8}), operand("b", {10, 20, 33, 8})}),
               2);
}

TEST(GpuLowering, ContractionsOfThreeFactors) {
  const std::string bilinear = "c[i, j] ++= x[i, k] * w[j, k, l] * y[i, l]";
  expect_right(statement(bilinear, {operand("x", {37, 5}), operand("w", {21, 5, 13}), operand("y", {37, 13})}), 1);
  expect_right(statement(bilinear, {operand("x", {32, 40}), operand("w", {32, 40, 32}), operand("y", {32, 32})}), 2);
  expect_right(statement("c[i, j] ++= x[i, k] * s[k] * y[j, k]",
                         {operand("x", {37, 29}), operand("s", {29}), operand("y", {35, 29})}),
               1);
}

TEST(GpuLowering, Contractions) {
  expect_right(statement("c[i, j] ++= a[i, k] * b[k, j]", {operand("a", {130, 33}), operand("b", {33, 140})}), 1);
  expect_right(statement("c[i, j] ++= a[i, k] * b[j, k]", {operand("a", {65, 64}), operand("b", {32, 64})}), 1);
  expect_right(
      statement("c[b, i, j] ++= x[b, i, k] * y[b, k, j]", {operand("x", {3, 17, 5}), operand("y", {3, 5, 40})}), 1);
}

// Filled by the copy engine: more tiles than blocks; parts; pairs of blocks, of which the last is past the end; no
// whole step, and none; stages that products do not run on behind.
TEST(GpuLowering, MatrixUnits) {
  const std::string text = "c[i, j] ++= a[i, k] * b[j, k]";
  const std::string schedule = " do:\n  schedule:\n";
  const auto factors = [](std::int64_t rows, std::int64_t columns, std::int64_t terms, DType dtype = DType::f16) {
    return std::vector<OperandSpec>{operand("a", {rows, terms}, dtype), operand("b", {columns, terms}, dtype)};
  };
  const auto of = [&](const std::string& more, const std::vector<OperandSpec>& both) {
    Case each = statement(text + more, both);
    each.gpu_variant = "warpgroup";
    each.simulated = true;
    return each;
  };
  expect_right(of(schedule + "    tile(i, 64)\n    tile(j, 8)\n", factors(130, 16, 136)), 1);
  expect_right(of(schedule + "    split(k, 3)\n", factors(40, 16, 260)), 2);
  expect_right(of(schedule + "    tile(i, 64)\n    tile(j, 8)\n    stages = 2\n", factors(570, 70, 8)), 1);
  expect_right(of(schedule + "    tile(i, 128)\n    tile(j, 64)\n", factors(70, 50, 16, DType::bf16)), 1);
  // A product that takes 128 registers by itself: no two such blocks share a multiprocessor's.
  expect_right(of(schedule + "    tile(i, 64)\n    tile(j, 256)\n", factors(70, 264, 16)), 1);
}

// Outputs leave by the copy engine: past both edges, turned, of a batch, with an epilogue.
TEST(GpuLowering, OutputsThroughSharedMemory) {
  const auto of = [&](const std::string& text, const std::string& tiles, const std::vector<OperandSpec>& both) {
    Case each = statement(text + " do:\n  schedule:\n" + tiles, both);
    each.gpu_variant = "warpgroup";
    each.simulated = true;
    return each;
  };
  const auto is_stored_by_engine = [](const Case& each) {
    const Outcome outcome = run_everywhere(each);
    return outcome.gpu_kernels.size() == 1 &&
           to_text(outcome.gpu_kernels[0].kernel).find("tensor_store") != std::string::npos;
  };
  const std::string square = "    tile(i, 64)\n    tile(j, 64)\n";
  const OperandSpec a = operand("a", {200, 16}, DType::f16);
  const OperandSpec b = operand("b", {72, 16}, DType::f16);
  const Case plain = of("c[i, j] ++= a[i, k] * b[j, k]", square, {a, b});
  EXPECT_TRUE(is_stored_by_engine(plain));
  expect_right(plain, 1);
  expect_right(of("c[j, i] ++= a[i, k] * b[j, k] then max(c[j, i] + q[i], 0.0)", square,
                  {a, b, operand("q", {200}, DType::f16)}),
               1);
  expect_right(of("c[i, z, j] ++= a[z, i, k] * b[z, j, k]", "    tile(i, 64)\n    tile(j, 128)\n",
                  {operand("a", {2, 70, 16}, DType::bf16), operand("b", {2, 136, 16}, DType::bf16)}),
               1);
  // Neighbours of more than 16 bytes, which the swizzle parts.
  expect_right(of("c:i64[i, j] ++= a[i, k] * b[j, k]", square,
                  {operand("a", {70, 32}, DType::i8), operand("b", {72, 32}, DType::i8)}),
               1);
  Case wide = of("c:f64[j, i] ++= a[k, i] * b[j, k]", "    tile(i, 128)\n    tile(j, 32)\n",
                 {operand("a", {12, 140}), operand("b", {40, 12})});
  wide.gpu_precision = Precision::tf32;
  EXPECT_TRUE(is_stored_by_engine(wide));
  expect_right(wide, 1);
  // Rows that go up in memory, which no map has.
  Case upwards = plain;
  upwards.output_strides = {-72, 1};
  EXPECT_FALSE(is_stored_by_engine(upwards));
  expect_right(upwards, 1);
  // Rows that begin at no multiple of 16 bytes.
  const Case odd = of("c[i, j] ++= a[i, k] * b[j, k]", square, {a, operand("b", {71, 16}, DType::f16)});
  EXPECT_FALSE(is_stored_by_engine(odd));
  expect_right(odd, 1);
}

// Rows whose neighbours in memory are points go through registers; columns are turned by their copies.
TEST(GpuLowering, MatrixUnitsOfTf32) {
  const std::string schedule = " do:\n  schedule:\n";
  const auto of = [&](const std::string& text, const std::vector<OperandSpec>& both) {
    Case each = statement(text, both);
    each.gpu_variant = "warpgroup";
    each.gpu_precision = Precision::tf32;
    each.simulated = true;
    return each;
  };
  const OperandSpec a = operand("a", {70, 44});
  const OperandSpec b = operand("b", {44, 72});
  const OperandSpec turned_a = operand("a", {44, 72});
  const OperandSpec turned_b = operand("b", {70, 44});
  expect_right(of("c[i, j] ++= a[i, k] * b[k, j]" + schedule + "    tile(i, 16)\n    tile(j, 64)\n", {a, b}), 1);
  expect_right(of("c[i, j] ++= a[i, k] * b[k, j]" + schedule + "    tile(i, 8)\n    tile(j, 128)\n", {a, b}), 1);
  expect_right(of("c[j, i] ++= a[i, k] * b[j, k]" + schedule + "    tile(i, 64)\n    tile(j, 8)\n", {a, turned_b}), 1);
  expect_right(of("c[i, j] ++= a[k, i] * b[k, j]" + schedule + "    tile(i, 64)\n    tile(j, 8)\n", {turned_a, b}), 1);
  expect_right(of("c[i, j] ++= a[k, i] * b[j, k]" + schedule + "    split(k, 2)\n", {turned_a, turned_b}), 2);
  // Points of two iterators, rows that no copy by the engine takes, an epilogue.
  expect_right(of("c[i, h, j] ++= a[i, k] * b[k, j, h] then max(c[i, h, j] + q[h], 0.0)",
                  {operand("a", {21, 33}), operand("b", {33, 13, 5}), operand("q", {5})}),
               1);
}

// They count points in 32 bits.
TEST(GpuLowering, MorePointsThanMatrixUnitsCount) {
  constexpr std::int64_t batches = 1 << 24;
  constexpr std::int64_t size = 4096;
  const Kernel kernel = Kernel::parse("c[z, i, j] ++= a[z, i, k] * b[z, k, j]").value();
  const TensorView factor{nullptr, DType::f16, {batches, size, size}, {0, size, 1}};
  const TensorView output{nullptr, DType::f16, {batches, size, size}, {size * size, size, 1}};
  NvptxCompiler compiler(*gpu_target_named("sm_90a"));
  const std::vector<nest::NamedView> operands{{"a", factor}, {"b", factor}};
  const nest::BoundNest bound = nest::bind_nest(*kernel.statement(), types_of(operands)).value();
  const auto compiled = compiler.compile(bound, operands, &output, false);
  ASSERT_TRUE(compiled.has_value()) << render(compiled.error());
  const auto recorded = record_call(*compiled->plan, {factor, factor, output});
  ASSERT_FALSE(recorded.has_value());
  EXPECT_EQ(recorded.error().front().code, "R080");
  EXPECT_EQ(recorded.error().front().message, "kernel c has 8589934592 blocks of outputs");
}

TEST(GpuLowering, StagesRunAhead) {
  const std::string schedule = " do:\n  schedule:\n    tile(i, 32)\n    tile(j, 32)\n    tile(k, 16)\n";
  const std::string caches = "    cache(a)\n    cache(b)\n    threads = 32\n    stages = 3\n";
  // More steps than stages, a ragged last one, and blocks on both edges; factors along either axis.
  expect_right(statement("c[i, j] ++= a[k, i] * b[k, j]" + schedule + caches,
                         {operand("a", {131, 70}), operand("b", {131, 36})}),
               1);
  // Terms of two iterators: the outer one comes back to the ring.
  expect_right(statement("c[i, j] ++= a[i, r, k] * b[r, k, j]" + schedule + "    tile(r, 1)\n" + caches,
                         {operand("a", {33, 3, 68}), operand("b", {3, 68, 36})}),
               1);
  // Narrow elements that no asynchronous copy takes one by one.
  expect_right(statement("c[i, j] ++= a[i, k] * b[k, j]" + schedule + caches,
                         {operand("a", {34, 71}, DType::f16), operand("b", {71, 33}, DType::f16)}),
               1);
}

}  // namespace
}  // namespace tilewright::differential
