// Quartiles of repeated calls. See timing.h.
#include "cli/timing.h"

#include <algorithm>

namespace tilewright::cli {

Timing summarize(CallTiming calls) {
  std::ranges::sort(calls.seconds);
  const auto quantile = [&](std::size_t quarter) { return calls.seconds[(calls.seconds.size() - 1) * quarter / 4]; };
  return Timing{quantile(2), quantile(1), quantile(3), calls.seconds.size(), std::move(calls.method)};
}

}  // namespace tilewright::cli
