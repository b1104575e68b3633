// Quartiles of repeated calls. See timing.h.
#include "report/timing.h"

#include <algorithm>

namespace tilewright::report {

Timing summarize(CallTiming calls) {
  std::ranges::sort(calls.seconds);
  const auto quantile = [&](std::size_t quarter) { return calls.seconds[(calls.seconds.size() - 1) * quarter / 4]; };
  return Timing{quantile(2), quantile(1), quantile(3), calls.seconds.size(), std::move(calls.method)};
}

}  // namespace tilewright::report
