// `EXPECT_TRUE(agrees(case))`: all levels give what the statement may give.
#pragma once

#include <gtest/gtest.h>

#include "differential.h"

namespace tilewright::differential {

/// Whether a case goes to a GPU's levels: under sanitizers, where they take most of the time, the first of a test's and
/// each fourth behind it.
inline bool goes_to_gpu() {
#ifdef TILEWRIGHT_INSTRUMENTED
  static int asked = 0;
  return asked++ % 4 == 0;
#else
  return true;
#endif
}

inline testing::AssertionResult agrees(Case each) {
  each.gpu_levels = each.simulated = goes_to_gpu();
  const std::string text = disagreement(each);
  return text.empty() ? testing::AssertionSuccess() : testing::AssertionFailure() << "\n" << text;
}

}  // namespace tilewright::differential
