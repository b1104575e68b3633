// Printing, reading and verifying plans.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "plan/ir.h"

namespace tilewright::plan {
namespace {

/// Every construct once; the printer writes exactly this, but for `o = o`.
constexpr const char* everything = R"(plan all.steps
  operand a : f32 rank 2
  operand b : bool rank 0
  output o : f32 rank 1
  guard stride(a, 1) is one, stride(a, 0) is zero, align(a) >= 64, a.s0 % 8 == 0, a.0 < a.1
  workspace w : f32 [min(a.0, 4), 2] strides (2, 1) bytes min(a.0, 4) * 8
  fill w with -0.25
  launch copy(x = a, w) grid ceil(a.0 / 4), 1 with n = a.1, m = 2 serial
  for p = a.0 - 1 to a.1 step 4 {
    choose {
      when p != 3, p <= a.0 {
        launch point(o = o)
      }
      when p > 3 {
      }
      otherwise {
        fill o with inf
      }
    }
  }

tile copy
  tensor x : f32 rank 2 strides (other, one) align 64
  tensor w : f32 rank 2 strides (other, one) align 64 output
  iter i extent w.0
  iter j extent n
  grid i by 4, j by m
  %x = load x[i, j] : f32 [i 4, j 8]
  store w[i, j], %x

tile point
  tensor o : f32 rank 1 strides (one) align 4 output
  iter i extent 1
  %x = fill 0 : f32
  store o[i], %x
)";

Result<Plan> read(const std::string& text) {
  return parse_plan(std::make_shared<Source>("test.plan", text));
}

TEST(PlanText, PrintsWhatItRead) {
  const Result<Plan> plan = read(everything);
  ASSERT_TRUE(plan) << render(plan.error());
  const Result<void> verified = verify(*plan);
  EXPECT_TRUE(verified) << render(verified.error());
  std::string expected = everything;
  expected.replace(expected.find("point(o = o)"), 12, "point(o)");
  EXPECT_EQ(to_text_with_kernels(*plan), expected);
  EXPECT_EQ(to_text(*plan), expected.substr(0, expected.find("\ntile copy")));
}

TEST(PlanText, RowMajorWorkspace) {
  Plan plan;
  const PlanTensorId id = plan.tensors.add({"w", DType::f16, 3, Role::workspace});
  const IntExpr n = IntExpr::symbol("a.0");
  plan.steps.push_back({row_major_workspace(plan, id, {n, 3, 5})});
  EXPECT_NE(to_text(plan).find("workspace w : f16 [a.0, 3, 5] strides (15, 5, 1) bytes a.0 * 15 * 2"),
            std::string::npos)
      << to_text(plan);
}

struct Broken {
  const char* name;
  const char* right;  ///< a piece of `everything`
  const char* wrong;  ///< what stands there instead
  const char* code;
  const char* message;
};

class PlanErrors : public testing::TestWithParam<Broken> {};

TEST_P(PlanErrors, Are) {
  const Broken& broken = GetParam();
  std::string text = everything;
  text.replace(text.find(broken.right), std::string(broken.right).size(), broken.wrong);
  const Result<Plan> plan = read(text);
  Diagnostics errors;
  if (!plan) {
    errors = plan.error();
  } else {
    const Result<void> verified = verify(*plan);
    ASSERT_FALSE(verified);
    errors = verified.error();
  }
  EXPECT_EQ(errors[0].code, broken.code);
  EXPECT_EQ(errors[0].message, broken.message);
}

INSTANTIATE_TEST_SUITE_P(
    All, PlanErrors,
    testing::Values(
        Broken{"UnknownTensor", "fill w with", "fill v with", "P020", "no tensor is named 'v'"},
        Broken{"RepeatedTensor", "operand b", "operand a", "P021", "a second tensor is named 'a'"},
        Broken{"UnknownKernel", "launch point", "launch points", "P020", "no kernel is named 'points'"},
        Broken{"RepeatedKernel", "tile point", "tile copy", "P021", "a second kernel is named 'copy'"},
        Broken{"Comparison", "a.0 < a.1", "a.0 and a.1", "X001", "expected a comparison"},
        Broken{"LoopName", "for p =", "for a.0 =", "P001", "plan all.steps: 'a.0' cannot name a loop here"},
        Broken{"GuardAxis", "stride(a, 1)", "stride(a, 2)", "P002",
               "plan all.steps: stride(a, 2) is one: its rank is 2"},
        Broken{"GuardAlign", "align(a) >= 64", "align(a) >= 48", "P002",
               "plan all.steps: align(a) >= 48: not a power of two"},
        Broken{"UnknownSymbol", "a.s0 % 8", "a.s2 % 8", "P003",
               "plan all.steps: 'a.s2' in 'a.s2 % 8' is not known here"},
        Broken{"LoopOutside", "[min(a.0, 4), 2]", "[min(p, 4), 2]", "P003",
               "plan all.steps: 'p' in 'min(p, 4)' is not known here"},
        Broken{"WorkspaceRank", "strides (2, 1)", "strides (2)", "P004",
               "plan all.steps: w of rank 2 has 2 extents and 1 strides"},
        Broken{"ArgumentType", "x = a", "x = b", "P005",
               "plan all.steps: launch copy: b is bool of rank 0; x is f32 of rank 2"},
        Broken{"ArgumentMissing", "(x = a, w)", "(w)", "P005", "plan all.steps: launch copy: 0 arguments for x"},
        Broken{"ArgumentExtra", "(o = o)", "(o, a)", "P005",
               "plan all.steps: launch point: the kernel has no tensor 'a'"},
        Broken{"WritesAnOperand", "(x = a, w)", "(x = w, w = a)", "P005",
               "plan all.steps: launch copy writes the operand a"},
        Broken{"InPlace", "x = a, w", "x = w, w", "P005",
               "plan all.steps: launch copy: w is written and is another argument too"},
        Broken{"GridAxes", "grid ceil(a.0 / 4), 1 with", "grid 1 with", "P006",
               "plan all.steps: launch copy: 1 grid extents for a grid of 2 axes"},
        Broken{"Unbound", "n = a.1, m = 2", "n = a.1", "P007", "plan all.steps: launch copy: 'm' is not bound"},
        Broken{"BoundTwice", "n = a.1, m = 2", "n = a.1, m = 2, n = 1", "P007",
               "plan all.steps: launch copy: the kernel has no symbol 'n' to bind"},
        Broken{"FillsAnOperand", "fill w with", "fill a with", "P008", "plan all.steps: a fill writes the operand a"},
        Broken{"Kernel", "store w[i, j]", "store x[i, j]", "T007", "tile copy: `store x[i, j], %x`: x is no output"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PlanVerify, ChoicesNeedACaseAndEndInTheOneWithoutGuards) {
  Plan plan;
  plan.name = "p";
  plan.steps.push_back({Choose{}});
  Result<void> verified = verify(plan);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error()[0].message, "plan p: a choice without a case");
  plan.steps[0].node = Choose{{{{}, {}}, {{CompareGuard{1, Comparison::eq, 1}}, {}}}};
  verified = verify(plan);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error()[0].code, "P009");
  EXPECT_EQ(verified.error()[0].message, "plan p: a case without guards before the last one");
}

TEST(PlanText, ManyKernelsAreAnErrorValue) {
  std::string text = "plan p\n";
  for (int i = 0; i < 100000; ++i) text += "tile t\n";
  const Result<Plan> plan = read(text);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error()[0].message, "more than 256 kernels");
}

}  // namespace
}  // namespace tilewright::plan
