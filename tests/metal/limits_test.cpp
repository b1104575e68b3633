// What a Metal target refuses, of statements, and the largest that it takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "metal_case.h"

namespace tilewright::metal_shim {
namespace {

using differential::Case;
using differential::OperandSpec;

std::string rejection_of(const std::string& statement, std::vector<OperandSpec> operands) {
  return MetalCase(Case{statement, std::move(operands)}).rejection();
}

TEST(MetalLimits, F64IsRefusedWhereItStands) {
  const OperandSpec x{"x", DType::f64, {4}};
  const OperandSpec y{"y", DType::f32, {4}};
  EXPECT_EQ(rejection_of("o[i] = cast(f32, x[i])", {x}),
            "error[N058]: the operand x of o is f64, which metal lacks\n    = help: any other type: f32, by cast(f32, "
            "...) or from operands of it\n");
  EXPECT_TRUE(rejection_of("o:f64[i] = cast(f64, y[i])", {y}).starts_with("error[N058]: the result of o is f64"));
  EXPECT_TRUE(rejection_of("o[i] = cast(f32, cast(f64, y[i]) * 2.0)", {y})
                  .starts_with("error[N058]: a value that o computes is f64"));
}

TEST(MetalLimits, SchedulesPastTheTargetAreRefused) {
  const std::string head = "o[i, j] ++= a[i, k] * b[k, j] | (i, j, k) do:\n  schedule:\n";
  const std::vector<OperandSpec> operands{{"a", DType::f32, {128, 128}}, {"b", DType::f32, {128, 128}}};
  EXPECT_TRUE(rejection_of(head + "    threads = 2048\n", operands).starts_with("error[N050]"));
  const std::string staged = rejection_of(
      head + "    tile(i, 64)\n    tile(j, 64)\n    tile(k, 128)\n    cache(a)\n    cache(b)\n    threads = 256\n",
      operands);
  EXPECT_TRUE(staged.starts_with("error[N052]: the staged tiles of o take ")) << staged;
  EXPECT_NE(staged.find("a block of metal has at most 32768"), std::string::npos) << staged;
  EXPECT_TRUE(rejection_of(head + "    variant = warpgroup\n", operands).starts_with("error[N053]"));
}

TEST(MetalLimits, ThirtyTensorsAreTheMost) {
  const auto sum_of = [](int operands) {
    std::string text = "o[i] = x0[i]";
    for (int n = 1; n < operands; ++n) text += fmt::format(" + x{}[i]", n);
    std::vector<OperandSpec> specs;
    for (int n = 0; n < operands; ++n) specs.push_back({fmt::format("x{}", n), DType::f32, {37}});
    return std::make_unique<MetalCase>(Case{text, specs});
  };
  std::vector<std::unique_ptr<MetalCase>> most;
  most.push_back(sum_of(29));
  EXPECT_EQ(disagreements(most), "");
  EXPECT_TRUE(sum_of(30)->rejection().starts_with("error[G007]: kernel o asks for 32 buffers, and metal has 31"));
}

TEST(MetalLimits, NamesOfTheLanguageAndOfMetalAreLegal) {
  std::vector<std::unique_ptr<MetalCase>> cases;
  cases.push_back(std::make_unique<MetalCase>(
      Case{"float[thread, device] = kernel[thread, device] + metal[device] * half[]",
           {{"kernel", DType::f32, {5, 9}}, {"metal", DType::f32, {9}}, {"half", DType::f32, {}}}}));
  cases.push_back(std::make_unique<MetalCase>(
      Case{"min[i] ++= v0[i, k] * sizes[k]", {{"v0", DType::f32, {5, 90}}, {"sizes", DType::f32, {90}}}}));
  cases.push_back(std::make_unique<MetalCase>(Case{"staged[i] ++= staged0[i, thread_index] * group[thread_index]",
                                                   {{"staged0", DType::f32, {3, 700}}, {"group", DType::f32, {700}}}}));
  cases.push_back(std::make_unique<MetalCase>(Case{"as_type[i, j] ++= simd[i, k] * packed_[k, j]",
                                                   {{"simd", DType::f32, {40, 9}}, {"packed_", DType::f32, {9, 33}}}}));
  EXPECT_EQ(disagreements(cases), "");
}

}  // namespace
}  // namespace tilewright::metal_shim
