// The host's clock around calls. See call_timing.h.
#include "runtime/call_timing.h"

#include <chrono>

namespace tilewright {

Result<CallTiming> time_on_host(const std::function<Result<void>()>& call, const TimingEffort& effort) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t most = 10'000;
  if (Result<void> warm = call(); !warm) return std::unexpected(std::move(warm.error()));
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  Clock::time_point now = start;
  while (times.size() < most && (times.size() < static_cast<std::size_t>(effort.least_calls) ||
                                 std::chrono::duration<double>(now - start).count() < effort.seconds)) {
    const Clock::time_point before = now;
    if (Result<void> done = call(); !done) return std::unexpected(std::move(done.error()));
    now = Clock::now();
    times.push_back(std::chrono::duration<double>(now - before).count());
  }
  return CallTiming{std::move(times), "host clock, one call after another"};
}

}  // namespace tilewright
