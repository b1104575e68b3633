// What both thread pools share: the number of threads and how a range is divided. See thread_pool.h.
#include "runtime/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <thread>

#ifdef __linux__
#include <sched.h>
#endif

namespace tilewright {

namespace {

/// Parts per thread. A thread that is late, or shares its core, leaves the rest of its share to the others.
constexpr std::int64_t parts_per_thread = 4;

/// Those this process may use, which may be fewer than the machine has.
int available_threads() {
#ifdef __linux__
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::atomic<int>& thread_limit() {
  static std::atomic<int> limit{available_threads()};
  return limit;
}

}  // namespace

void set_threads(int count) {
  thread_limit().store(count <= 0 ? available_threads() : std::min(count, detail::most_threads));
}

int threads() {
  return thread_limit().load(std::memory_order_relaxed);
}

namespace detail {

Parts divide(std::int64_t begin, std::int64_t end, std::int64_t grain, int thread_count) {
  const std::int64_t by_size = (end - begin) / std::max<std::int64_t>(grain, 1);
  const std::int64_t wanted = thread_count <= 1 ? 1 : thread_count * parts_per_thread;
  return {begin, end, std::max<std::int64_t>(1, std::min(by_size, wanted))};
}

}  // namespace detail

}  // namespace tilewright
