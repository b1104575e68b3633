// The time of repeated calls. See timing.h.
#include "cli/timing.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace tilewright::cli {

Result<Timing> measure(const std::function<Result<void>()>& call, double seconds, int least) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t most = 10'000;
  if (Result<void> warm = call(); !warm) return std::unexpected(std::move(warm.error()));
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  while (times.size() < most && (times.size() < static_cast<std::size_t>(least) ||
                                 std::chrono::duration<double>(now - start).count() < seconds)) {
    const Clock::time_point before = now;
    if (Result<void> done = call(); !done) return std::unexpected(std::move(done.error()));
    now = Clock::now();
    times.push_back(std::chrono::duration<double>(now - before).count());
  }
  std::ranges::sort(times);
  const auto quantile = [&](std::size_t quarter) { return times[(times.size() - 1) * quarter / 4]; };
  return Timing{quantile(2), quantile(1), quantile(3), static_cast<int>(times.size())};
}

}  // namespace tilewright::cli
