// parallel_for over oneTBB. See thread_pool.h.
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>

#include "runtime/thread_pool.h"

namespace tilewright::detail {

namespace {

/// oneTBB makes no more workers than there are cores unless the process allows more. Allowing it once is enough: what
/// is used is the arena's bound.
void allow_more_than_cores(int thread_count) {
  using tbb::global_control;
  const auto wanted = static_cast<std::size_t>(thread_count);
  if (wanted <= global_control::active_value(global_control::max_allowed_parallelism)) return;
  static const global_control allowed(global_control::max_allowed_parallelism, most_threads);
}

/// The arena that bounds the number of threads; a new one when the number changes. Callers that still use the old one
/// share it.
std::shared_ptr<tbb::task_arena> arena_for(int thread_count) {
  static std::mutex mutex;
  static std::shared_ptr<tbb::task_arena> arena;
  const std::lock_guard lock(mutex);
  if (!arena || arena->max_concurrency() != thread_count) {
    allow_more_than_cores(thread_count);
    arena = std::make_shared<tbb::task_arena>(thread_count);
  }
  return arena;
}

}  // namespace

void run_parts(const Parts& parts, int thread_count, RangeBody body) {
  const std::shared_ptr<tbb::task_arena> arena = arena_for(thread_count);
  arena->execute([&] {
    tbb::parallel_for(
        std::int64_t{0}, parts.count, [&](std::int64_t part) { body(parts.start_of(part), parts.start_of(part + 1)); },
        tbb::simple_partitioner());
  });
}

}  // namespace tilewright::detail
