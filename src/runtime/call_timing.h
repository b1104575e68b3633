// How long repeated calls take, as their device measures it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/diagnostic.h"

namespace tilewright {

struct CallTiming {
  std::vector<double> seconds;  ///< of single calls, in the order in which they were made
  std::string method;           ///< what was measured: between what, and what the caches held
};

struct TimingEffort {
  double seconds = 0.5;  ///< to go on for, about
  int least_calls = 7;   ///< however long they take
};

/// By the host's clock: one call to warm up, then one after another.
Result<CallTiming> time_on_host(const std::function<Result<void>()>& call, const TimingEffort& effort);

}  // namespace tilewright
