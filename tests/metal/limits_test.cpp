// What a Metal target refuses, of statements, and the largest that it takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "metal_case.h"
#include "report/metal_source.h"
#include "report/stages.h"
#include "runtime/kernel.h"

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
  EXPECT_EQ(rejection_of(head + "    variant = warpgroup\n", operands),
            "error[N053]: o is not to be had of metal by matrix units: variant 'warpgroup'\n"
            "    = help: 'block', or 'simdgroup' for matrix units; or leave the variant out\n");
  EXPECT_EQ(
      rejection_of(head + "    variant = simdgroup\n", {{"a", DType::i8, {128, 128}}, {"b", DType::i8, {128, 128}}}),
      "error[N053]: o is not to be had of metal by matrix units: variant 'simdgroup'\n"
      "    = help: sums of products of two operands of f32, f16 or bf16, both read plainly; or leave the variant "
      "out\n");
}

// Statements whose usual tiles a threadgroup has no room for.
TEST(MetalLimits, SchedulesThatNobodyWroteFit) {
  std::vector<std::unique_ptr<MetalCase>> cases;
  const auto add = [&](const char* statement, std::vector<OperandSpec> operands) {
    cases.push_back(std::make_unique<MetalCase>(Case{statement, std::move(operands)}));
  };
  add("x[i, j] = a[j, i] + b[j, i]", {{"a", DType::f32, {33, 33}}, {"b", DType::f32, {33, 33}}});
  add("x[i, j] = a[j, i] + b[j, i]", {{"a", DType::i64, {70, 65}}, {"b", DType::i64, {70, 65}}});
  add("x[i, j] = a[j, i] + b[j, i] + c[j, i] + d[j, i]", {{"a", DType::f32, {67, 40}},
                                                          {"b", DType::f32, {67, 40}},
                                                          {"c", DType::f32, {67, 40}},
                                                          {"d", DType::f32, {67, 40}}});
  add("mm[i, j] ++= a[i, k] * b[k, j]", {{"a", DType::i32, {150, 140}}, {"b", DType::i32, {140, 130}}});
  EXPECT_EQ(disagreements(cases), "");
}

// There are no asynchronous copies; a schedule may ask for their stages all the same.
TEST(MetalLimits, StagesAreNotedToBeOne) {
  const auto source_of = [](const std::string& schedule) {
    const auto kernel = Kernel::parse("o[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n" + schedule);
    if (!kernel) return render(kernel.error());
    const std::vector<std::int64_t> shape{128, 128}, strides{128, 1};
    const auto target = report::emit_target_named("metal");
    const auto steps = report::compile_for(
        *target, *kernel, {{"a", {nullptr, DType::f32, shape, strides}}, {"b", {nullptr, DType::f32, shape, strides}}});
    if (!steps) return render(steps.error());
    const auto source = report::metal_source(steps->front(), *target->gpu);
    return source ? source->text : render(source.error());
  };
  const std::string note = "\n// stages: one, since metal has no asynchronous copies\n";
  EXPECT_NE(source_of("    auto\n    stages = 3\n").find(note), std::string::npos);
  EXPECT_EQ(source_of("    auto\n    stages = 1\n").find("stages: "), std::string::npos);
  EXPECT_EQ(source_of("    auto\n").find("stages: "), std::string::npos);
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
  cases.push_back(
      std::make_unique<MetalCase>(Case{"mm[i, j] ++= mm_sizes[i, k] * sizes[k, j]",
                                       {{"mm_sizes", DType::f32, {33, 9}}, {"sizes", DType::f32, {9, 5}}}}));
  // Macros (shim/macros.h), functions, types: each as a tensor that is read, as one that is written, as an iterator.
  const std::vector<std::string> words{
      "INT_MAX", "INT_MIN", "UINT_MAX",  "LONG_MAX",  "ULONG_MAX", "CHAR_BIT",  "SCHAR_MAX", "SHRT_MAX",  "FLT_MAX",
      "FLT_MIN", "FLT_DIG", "HALF_MAX",  "MAXFLOAT",  "MAXHALF",   "HUGE_VALF", "HUGE_VALH", "INFINITY",  "NAN",
      "M_PI_F",  "M_E_F",   "M_SQRT2_H", "FP_ILOGB0", "dot",       "clamp",     "float4x4",  "texture2d", "uint8_t"};
  for (std::size_t n = 0; n < words.size(); ++n) {
    const std::string& a = words[n];
    const std::string& b = words[(n + 1) % words.size()];
    const std::string& c = words[(n + 2) % words.size()];
    cases.push_back(std::make_unique<MetalCase>(
        Case{fmt::format("{0}[{1}] ++= {2}[{1}, k] * 3", a, b, c), {{c, DType::f32, {5, 40}}}}));
  }
  EXPECT_EQ(disagreements(cases), "");
}

}  // namespace
}  // namespace tilewright::metal_shim
