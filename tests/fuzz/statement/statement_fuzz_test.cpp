// Random statements at every level. TILEWRIGHT_FUZZ_COUNT sets how many (default 1,200); RC_PARAMS="seed=…", printed
// with each run, repeats one. TILEWRIGHT_DIFFERENTIAL_DEVICE, as "cuda", compares that device alone with the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <csignal>
#include <cstdlib>
#include <random>

#include <unistd.h>

#include "legal_rejection.h"
#include "random_case.h"

namespace tilewright::differential {
namespace {

#ifdef TILEWRIGHT_INSTRUMENTED
constexpr int default_count = 120;  // sanitizers cost a factor of ten
#else
constexpr int default_count = 1200;
#endif

/// A failing case is made smaller by at most so many runs.
constexpr int most_shrinks = 400;

int statements_a_test() {
  const char* count = std::getenv("TILEWRIGHT_FUZZ_COUNT");
  return std::max((count != nullptr ? std::atoi(count) : default_count) / 4, 1);
}

/// What a crash prints before the process ends.
std::string current_case;
void print_current_case(int signal) {
  (void)!write(STDERR_FILENO, current_case.data(), current_case.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool agree(Flavour flavour) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, print_current_case);
  const std::string parameters = fmt::format("max_success={} max_discard_ratio=5", statements_a_test());
  if (const char* given = std::getenv("RC_PARAMS"); given == nullptr || std::string(given).empty())
    setenv("RC_PARAMS", fmt::format("{} seed={}", parameters, std::random_device{}()).c_str(), 1);
  else
    setenv("RC_PARAMS", (parameters + " " + given).c_str(), 1);
  int runs_after_failure = -1;
  std::string smallest;  // the last case that failed: RapidCheck tells of its own last run, which may be cut off
  const bool holds = rc::check("every level agrees", [&] {
    Case each = draw_case(flavour);
    each.gpu_levels = each.simulated = true;
    each.repacked = each.seed % 2 == 0;
    if (runs_after_failure >= 0 && ++runs_after_failure > most_shrinks) return;
    current_case = to_text(each);
    const Outcome outcome = run_everywhere(each);
    if (!outcome.rejection.empty()) {
      if (is_legal_rejection(each.statement, outcome.rejection)) RC_DISCARD("not a legal statement");
      smallest = to_text(each) + outcome.rejection;
      RC_FAIL("rejected by a level below the language");
    }
    if (outcome.difference.empty()) return;
    runs_after_failure = std::max(runs_after_failure, 0);
    smallest = to_text(each) + outcome.difference;
    RC_FAIL("the levels differ");
  });
  if (!holds) ADD_FAILURE() << smallest;
  return holds;
}

TEST(StatementFuzz, limits_of_a_block_are_legal_only_where_a_schedule_meets_them) {
  const std::string plain = "o[i] = a[i]";
  const std::string cached = plain + " do:\n  schedule:\n    tile(i, 64)\n    cache(a)\n";
  EXPECT_TRUE(is_legal_rejection(plain, "error[B004]: ..."));
  EXPECT_TRUE(is_legal_rejection(cached, "k.tw:1:1: error[N052]: ..."));
  EXPECT_FALSE(is_legal_rejection(plain, "k.tw:1:1: error[N052]: ..."));
  EXPECT_FALSE(is_legal_rejection(cached, "error[N055]: ..."));
  EXPECT_FALSE(is_legal_rejection(cached, "error[T014]: ..."));
}
TEST(StatementFuzz, elementwise_statements_agree) {
  EXPECT_TRUE(agree(Flavour::elementwise));
}
TEST(StatementFuzz, reductions_agree) {
  EXPECT_TRUE(agree(Flavour::reduction));
}
TEST(StatementFuzz, contractions_agree) {
  EXPECT_TRUE(agree(Flavour::contraction));
}
TEST(StatementFuzz, scheduled_statements_agree) {
  EXPECT_TRUE(agree(Flavour::scheduled));
}

}  // namespace
}  // namespace tilewright::differential
