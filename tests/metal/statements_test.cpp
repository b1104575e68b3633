// Random statements, those of tests/fuzz/statement, as Metal source. TILEWRIGHT_FUZZ_COUNT sets how many (default
// 2,000); RC_PARAMS="seed=…", printed with each run, repeats them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "legal_rejection.h"
#include "metal_case.h"
#include "random_case.h"

namespace tilewright::metal_shim {
namespace {

using differential::Case;
using differential::Flavour;

#ifdef TILEWRIGHT_INSTRUMENTED
constexpr int default_count = 60;  // the machine is ten times as slow with sanitizers
#else
constexpr int default_count = 2000;
#endif
constexpr std::size_t batch = 64;

int statements_a_test() {
  const char* count = std::getenv("TILEWRIGHT_FUZZ_COUNT");
  return std::max((count != nullptr ? std::atoi(count) : default_count) / 4, 1);
}

void expect_agreement(Flavour flavour) {
  const int wanted = statements_a_test();
  // A few are not legal, and some only on targets with f64.
  const std::string parameters = fmt::format("max_success={}", wanted + wanted / 2 + 8);
  const char* given = std::getenv("RC_PARAMS");
  setenv("RC_PARAMS",
         given == nullptr || std::string(given).empty()
             ? fmt::format("{} seed={}", parameters, std::random_device{}()).c_str()
             : (parameters + " " + given).c_str(),
         1);
  std::vector<std::unique_ptr<MetalCase>> cases;
  std::string wrong;
  int agreed = 0;
  const auto run_batch = [&] {
    wrong += disagreements(cases);
    agreed += static_cast<int>(cases.size());
    cases.clear();
  };
  rc::check("statements are drawn", [&] {
    if (!wrong.empty()) return;
    if (agreed + static_cast<int>(cases.size()) >= wanted) return;
    Case each = differential::draw_case(flavour);
    each.repacked = each.seed % 2 == 0;
    auto made = std::make_unique<MetalCase>(each);
    if (made->rejection().empty())
      cases.push_back(std::move(made));
    else if (!differential::is_legal_rejection(each.statement, made->rejection()))
      wrong = to_text(each) + made->rejection();
    if (cases.size() == batch) run_batch();
  });
  if (wrong.empty()) run_batch();
  EXPECT_EQ(wrong, "");
  EXPECT_GE(agreed, wanted) << "statements that the target takes";
}

TEST(MetalStatements, ElementwiseOnesAgree) {
  expect_agreement(Flavour::elementwise);
}
TEST(MetalStatements, ReductionsAgree) {
  expect_agreement(Flavour::reduction);
}
TEST(MetalStatements, ContractionsAgree) {
  expect_agreement(Flavour::contraction);
}
TEST(MetalStatements, ScheduledOnesAgree) {
  expect_agreement(Flavour::scheduled);
}

}  // namespace
}  // namespace tilewright::metal_shim
