// Takes each barrier, guard, mask and wait out of generated kernels in turn: the simulator reports it, or a value is
// wrong. What can be left out without harm is listed, with the reason.
#include "mutations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "differential.h"

namespace tilewright::differential {
namespace {

/// So many of a kind, at most, that the kernels may lack.
struct Harmless {
  Protection protection;
  std::size_t most;
  std::string reason;
};

struct Sample {
  std::string name;
  std::string statement;
  std::vector<OperandSpec> operands;
  std::size_t least_sites = 1;  ///< so many there are
  std::vector<Harmless> harmless = {};
  std::string variant = {};
  Precision precision = Precision::exact;
};

void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.name;
}

std::vector<Sample> samples() {
  return {
      {"transpose", "c[j, i] = a[i, j]", {{"a", DType::f32, {67, 75}}}, 3},
      {"matmul",
       "c[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    tile(i, 32)\n    tile(j, 32)\n    tile(k, 8)\n"
       "    cache(a)\n    cache(b)\n",
       {{"a", DType::f32, {37, 13}}, {"b", DType::f32, {13, 43}}},
       8,
       {{Protection::barrier, 2, "the last step's, after which nothing is staged"},
        {Protection::mask, 4, "of what is staged and not used: the loop over it ends where the mask does"},
        {Protection::guard, 2, "of copies past the last row: they are of no bytes"}}},
      {"stages",
       "c[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    tile(i, 32)\n    tile(j, 32)\n    tile(k, 8)\n"
       "    cache(a)\n    cache(b)\n    stages = 3\n",
       {{"a", DType::f32, {44, 28}}, {"b", DType::f32, {28, 44}}},
       8,
       {{Protection::guard, 2, "of copies past the last row: they are of no bytes"}}},
      {"engine",
       "c[i, j] ++= a[i, k] * b[j, k] do:\n  schedule:\n    tile(i, 64)\n    tile(j, 8)\n"
       "    stages = 3\n",
       {{"a", DType::f16, {72, 200}}, {"b", DType::f16, {9, 200}}},
       8,
       {},
       "warpgroup"},
      {"engine_stores",
       "c[i, j] ++= a[i, k] * b[j, k] do:\n  schedule:\n    tile(i, 64)\n    tile(j, 64)\n"
       "    stages = 2\n",
       {{"a", DType::f16, {136, 16}}, {"b", DType::f16, {72, 16}}},
       8,
       {{Protection::wait, 1, "of the producer, for a stage to be free: each of two points takes a stage of its own"},
        {Protection::guard, 4,
         "of the thread that has the engine store, and that gives stages back that nobody takes: "
         "others wait for nothing, and store the same"}},
       "warpgroup"},
      {"rows_in_registers",
       "c[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    tile(i, 8)\n    tile(j, 64)\n"
       "    stages = 2\n",
       {{"a", DType::f32, {9, 100}}, {"b", DType::f32, {100, 72}}},
       8,
       {{Protection::guard, 3, "of the thread that has the engine store: others wait for nothing, and store the same"}},
       "warpgroup",
       Precision::tf32},
      {"warps",
       "c[i, j] ++= a[i, k] * b[k, j] do:\n  schedule:\n    tile(i, 32)\n    tile(j, 32)\n    threads = 128\n"
       "    stages = 3\n",
       {{"a", DType::f16, {40, 200}}, {"b", DType::f16, {200, 20}}},
       4,
       {{Protection::guard, 2, "of copies past the last row: they are of no bytes"}},
       "warp"},
      {"across_warps",
       "s[i] ++= a[i, k]",
       {{"a", DType::f32, {3, 2501}}},
       4,
       {{Protection::barrier, 1, "before the first exchange: nothing was exchanged before"},
        {Protection::mask, 1, "of a row's end: what lies behind it is replaced by the sum's identity"}}},
      {"split",
       "s[] ++= a[k] * b[k] do:\n  schedule:\n    split(k, 3)\n",
       {{"a", DType::f32, {5003}}, {"b", DType::f32, {5003}}},
       4,
       {{Protection::barrier, 1, "before the first exchange: nothing was exchanged before"}}},
  };
}

Case case_of(const Sample& sample) {
  Case each;
  each.statement = sample.statement;
  each.operands = sample.operands;
  each.gpu_levels = each.simulated = true;
  each.gpu_variant = sample.variant;
  each.gpu_precision = sample.precision;
  return each;
}

/// A hazard or a wrong value, and no kernel that would not verify.
bool is_found(const std::string& difference) {
  return difference.starts_with("simulated GPU: ") && difference.find("error[K0") == std::string::npos;
}

class Mutations : public testing::TestWithParam<Sample> {};

TEST_P(Mutations, each_is_found) {
  const Sample& sample = GetParam();
  const Outcome whole = run_everywhere(case_of(sample));
  ASSERT_EQ(whole.rejection + whole.difference, "");
  std::size_t sites = 0;
  std::map<Protection, std::vector<std::string>> unfound;
  for (std::size_t k = 0; k < whole.gpu_kernels.size(); ++k)
    for (const Site& site : find_sites(whole.gpu_kernels[k].kernel)) {
      ++sites;
      Case mutated = case_of(sample);
      mutated.host_levels = false;
      mutated.change_gpu_kernels = [&](std::vector<kernel::LoweredKernel>& kernels) {
        kernels[k].kernel = without(std::move(kernels[k].kernel), site);
      };
      if (const std::string difference = run_everywhere(mutated).difference; !is_found(difference))
        unfound[site.protection].push_back(fmt::format("{} {} of kernel {}: {} {}\n", name(site.protection),
                                                       site.number, k, site.text, difference.substr(0, 400)));
    }
  EXPECT_GE(sites, sample.least_sites);
  for (const auto& [protection, texts] : unfound) {
    const auto known = std::ranges::find(sample.harmless, protection, &Harmless::protection);
    EXPECT_LE(texts.size(), known == sample.harmless.end() ? 0 : known->most)
        << fmt::format("{}", fmt::join(texts, ""));
  }
}

INSTANTIATE_TEST_SUITE_P(Generated, Mutations, testing::ValuesIn(samples()),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace tilewright::differential
