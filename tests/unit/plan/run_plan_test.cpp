// Plans evaluated: several steps with workspace, fills, loops, choices; and what running one reports.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "plan/evaluate.h"
#include "plan/run.h"

namespace tilewright::plan {
namespace {

/// A sum over rows: in parts of 8 points along k and a second kernel, or in one part for short rows.
constexpr const char* split_sum = R"(plan s
  operand a : i32 rank 2
  output s : i32 rank 1
  guard stride(a, 1) is one
  choose {
    when a.1 > 8 {
      workspace part : i32 [ceil(a.1 / 8), a.0] strides (a.0, 1) bytes ceil(a.1 / 8) * a.0 * 4
      launch sums(a, s.partial = part) grid ceil(a.1 / 8), ceil(a.0 / 4) with length = 8
      launch combine(part, s) grid ceil(a.0 / 16) serial
    }
    otherwise {
      workspace one : i32 [1, a.0] strides (a.0, 1) bytes a.0 * 4
      fill one with -1000
      launch sums(a, s.partial = one) grid ceil(a.1 / max(a.1, 1)), ceil(a.0 / 4) with length = max(a.1, 1)
      launch combine(part = one, s) grid ceil(a.0 / 16)
    }
  }

tile sums
  tensor a : i32 rank 2 strides (other, one) align 4
  tensor s.partial : i32 rank 2 strides (other, one) align 4 output
  iter i extent a.0
  iter k extent a.1
  grid k by length, i by 4
  %zero = fill 0 : i32 [i 4]
  %sum = for k by 1 carry %c = %zero {
    %x = load a[i, k] : i32 [i 4]
    %n = map add %c, %x : i32 [i 4]
    yield %n
  }
  store s.partial[k / length, i], %sum

tile combine
  tensor part : i32 rank 2 strides (other, one) align 4
  tensor s : i32 rank 1 strides (one) align 4 output
  iter i extent part.1
  iter p extent part.0
  grid i by 16
  %zero = fill 0 : i32 [i 16]
  %sum = for p by 1 carry %c = %zero {
    %x = load part[p, i] : i32 [i 16]
    %n = map add %c, %x : i32 [i 16]
    yield %n
  }
  store s[i], %sum
)";

Plan plan_of(const std::string& text) {
  Result<Plan> plan = parse_plan(std::make_shared<Source>("test.plan", text));
  if (!plan) {
    ADD_FAILURE() << render(plan.error());
    return {};
  }
  if (Result<void> verified = verify(*plan); !verified) ADD_FAILURE() << render(verified.error());
  return *std::move(plan);
}

struct Rows {
  std::vector<std::int32_t> a, s;
  std::int64_t rows, columns;

  Rows(std::int64_t m, std::int64_t n)
      : a(static_cast<std::size_t>(m * n)), s(static_cast<std::size_t>(m), 77), rows(m), columns(n) {
    for (std::size_t e = 0; e < a.size(); ++e) a[e] = static_cast<std::int32_t>((e * e * 31 + 7 * e) % 1009) - 500;
  }
  std::vector<nest::NamedView> views() {
    return {{"a", {reinterpret_cast<std::byte*>(a.data()), DType::i32, {rows, columns}, {columns, 1}}},
            {"s", {reinterpret_cast<std::byte*>(s.data()), DType::i32, {rows}, {1}}}};
  }
  std::vector<std::int32_t> sums() const {
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i < rows; ++i) {
      std::int32_t sum = 0;
      for (std::int64_t k = 0; k < columns; ++k) sum += a[static_cast<std::size_t>(i * columns + k)];
      all.push_back(sum);
    }
    return all;
  }
};

TEST(RunPlan, ASplitReductionIsTwoSteps) {
  const Plan plan = plan_of(split_sum);
  for (const auto& [m, n] : {std::pair{19, 37}, {1, 9}, {16, 64}, {5, 8}, {3, 1}}) {
    Rows rows(m, n);
    const Result<void> done = evaluate_plan(plan, rows.views());
    ASSERT_TRUE(done) << render(done.error());
    EXPECT_EQ(rows.s, rows.sums()) << m << " x " << n;
  }
}

TEST(RunPlan, AFillStandsWhereALaunchHasAnEmptyGrid) {
  // Without columns the parts' grid is empty: what the plan filled its one part with is what is combined.
  Rows rows(3, 0);
  const Result<void> done = evaluate_plan(plan_of(split_sum), rows.views());
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(rows.s, (std::vector<std::int32_t>{-1000, -1000, -1000}));
}

TEST(RunPlan, GuardsRejectOtherCalls) {
  const Plan plan = plan_of(split_sum);
  Rows rows(4, 4);
  std::vector<nest::NamedView> views = rows.views();
  EXPECT_TRUE(guards_hold(plan, views));
  views[0].view.strides = {1, 4};
  EXPECT_FALSE(guards_hold(plan, views));
  const Result<void> done = evaluate_plan(plan, views);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "P101");
  EXPECT_EQ(done.error()[0].message, "plan s: the guard stride(a, 1) is one does not hold");
  EXPECT_EQ(rows.s, std::vector<std::int32_t>(4, 77));
  // A stride does not matter where there is one coordinate.
  views[0].view.shape = {4, 1};
  EXPECT_TRUE(guards_hold(plan, views));
}

/// Notes what a plan asks for.
class Recorder : public Executor {
 public:
  std::vector<std::string> calls;
  alignas(64) std::byte memory[4096];

  Result<std::byte*> allocate(std::int64_t bytes) override {
    calls.push_back("allocate " + std::to_string(bytes));
    return memory;
  }
  Result<void> fill(const TensorView& view, Scalar value) override {
    calls.push_back("fill " + std::to_string(view.element_count()) + " with " + to_text(value, view.dtype));
    return {};
  }
  Result<void> launch(const LaunchCall& call) override {
    std::string text = "launch " + std::to_string(call.kernel.index) + (call.launch->parallel ? "" : " serial");
    for (const std::int64_t points : call.grid) text += " " + std::to_string(points);
    for (const std::int64_t value : call.bindings) text += " with " + std::to_string(value);
    for (const TensorView& view : call.arguments) text += view.data == memory ? " workspace" : " caller's";
    calls.push_back(text);
    return {};
  }
};

TEST(RunPlan, TheExecutorGetsSizesAndViews) {
  const Plan plan = plan_of(split_sum);
  Rows rows(19, 37);
  Recorder recorder;
  ASSERT_TRUE(run_plan(plan, rows.views(), recorder));
  EXPECT_EQ(recorder.calls, (std::vector<std::string>{"allocate 380", "launch 0 5 5 with 8 caller's workspace",
                                                      "launch 1 serial 2 workspace caller's"}));
}

constexpr const char* looped = R"(plan o
  operand x : f32 rank 1
  output o : f32 rank 1
  fill o with 0.5
  for p = 1 to x.0 step 2 {
    for q = 0 to p step 1 {
      choose {
        when p == 3, q != 1, align(x) >= 4, stride(o, 0) is other {
          fill o with -inf
        }
        when p >= 5 {
          fill o with nan
        }
      }
    }
  }
)";

TEST(RunPlan, LoopsAndChoices) {
  std::vector<float> x(8), o(3);
  const std::vector<nest::NamedView> views = {{"x", {reinterpret_cast<std::byte*>(x.data()), DType::f32, {4}, {2}}},
                                              {"o", {reinterpret_cast<std::byte*>(o.data()), DType::f32, {3}, {1}}}};
  Recorder recorder;
  const Result<void> done = run_plan(plan_of(looped), views, recorder);
  ASSERT_FALSE(done);  // p = 1, q = 0 has no case
  EXPECT_EQ(done.error()[0].code, "P104");
  std::string text = looped;
  text.replace(text.find("p >= 5"), 6, "p <= 1");
  recorder.calls.clear();
  const Result<void> stopped = run_plan(plan_of(text), views, recorder);
  ASSERT_FALSE(stopped);  // p = 3, q = 1 has none either
  EXPECT_EQ(recorder.calls, (std::vector<std::string>{"fill 3 with 0.5", "fill 3 with nan", "fill 3 with -inf"}));
}

TEST(RunPlan, SizesOutOfRangeAreErrors) {
  const std::string head = "plan o\n  operand x : f32 rank 1\n  output o : f32 rank 1\n";
  std::vector<float> x(4), o(4);
  const std::vector<nest::NamedView> views = {{"x", {reinterpret_cast<std::byte*>(x.data()), DType::f32, {4}, {1}}},
                                              {"o", {reinterpret_cast<std::byte*>(o.data()), DType::f32, {4}, {1}}}};
  Recorder recorder;
  Result<void> done = run_plan(plan_of(head + "workspace w : f32 [x.0 - 5] strides (1) bytes 16"), views, recorder);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].message, "plan o: an extent of w, 'x.0 - 5', is -1; at least 0 is possible");
  done = run_plan(plan_of(head + "workspace w : f32 [x.0, 2] strides (3, 2) bytes 44"), views, recorder);
  ASSERT_FALSE(done);  // the last element is the 12th
  EXPECT_EQ(done.error()[0].message, "plan o: w does not fit its 44 bytes");
  done = run_plan(plan_of(head + "workspace w : f32 [x.0, 2] strides (3, 2) bytes 48"), views, recorder);
  EXPECT_TRUE(done);
  done = run_plan(plan_of(head + "workspace w : f32 [x.0 / (x.0 - 4)] strides (1) bytes 48"), views, recorder);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "P103");
  done = run_plan(plan_of(head), {views[0]}, recorder);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].message, "plan o: no view of o");
  EXPECT_EQ(done.error()[0].code, "P102");
}

TEST(RunPlan, AWorkspaceThatThereIsNoMemoryForIsAnError) {
  std::string text = split_sum;
  for (std::size_t at = text.find("bytes ceil"); at != std::string::npos; at = text.find("bytes ceil"))
    text.replace(at, 6, "bytes 1152921504606846976 + ");
  Rows rows(19, 37);
  const Result<void> done = evaluate_plan(plan_of(text), rows.views());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "P106");
}

TEST(RunPlan, AWrongGridIsFoundByTheEvaluator) {
  std::string text = split_sum;
  const std::string right = "grid ceil(a.0 / 16) serial";
  text.replace(text.find(right), right.size(), "grid ceil(a.0 / 8) serial");
  Rows rows(19, 37);
  const Result<void> done = evaluate_plan(plan_of(text), rows.views());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error()[0].code, "P105");
  EXPECT_EQ(done.error()[0].message, "plan s: launch combine has the grid [3]; the kernel's is [2]");
}

}  // namespace
}  // namespace tilewright::plan
