// `EXPECT_TRUE(agrees(case))`: all levels give what the statement may give.
#pragma once

#include <gtest/gtest.h>

#include "differential.h"

namespace tilewright::differential {

inline testing::AssertionResult agrees(Case each) {
  each.gpu_levels = each.simulated = true;
  const std::string text = disagreement(each);
  return text.empty() ? testing::AssertionSuccess() : testing::AssertionFailure() << "\n" << text;
}

}  // namespace tilewright::differential
