// parallel_for over the standard library's threads. See thread_pool.h.
//
// A call puts a job into a queue and begins to claim its parts, one atomic increment each. Workers that find the job
// claim parts too. The caller waits only for parts that someone has claimed, so a worker that wakes late, or never
// (after a fork there are none), costs nothing; and as whoever has claimed a part runs it at once, calls may nest.
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tilewright::detail {

namespace {

/// Turns of a waiting loop before it sleeps: some 20 µs, what waking a sleeper costs its waker and itself. A worker
/// then offers its core to others for some 200 µs more, as kernels often follow each other at such distances.
constexpr int spins_before_sleep = 500;
constexpr int yields_before_sleep = 400;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

struct Job {
  Job(const Parts& parts_in, int helpers, RangeBody body_in)
      : parts(parts_in), body(body_in), helpers_wanted(helpers) {}

  const Parts parts;
  const RangeBody body;  ///< lives in the caller: only to be called for a part that was claimed
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> done{0};
  int helpers_wanted;  ///< guarded by the pool's mutex

  bool is_claimed() const { return next.load(std::memory_order_relaxed) >= parts.count; }
  /// Claims and runs parts until there are none.
  void work() {
    while (true) {
      const std::int64_t part = next.fetch_add(1, std::memory_order_relaxed);
      if (part >= parts.count) return;
      body(parts.start_of(part), parts.start_of(part + 1));
      if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == parts.count) done.notify_all();
    }
  }
  void wait() {
    for (int spin = 0; spin < spins_before_sleep; ++spin) {
      if (done.load(std::memory_order_acquire) == parts.count) return;
      pause();
    }
    for (std::int64_t seen = done.load(std::memory_order_acquire); seen != parts.count;
         seen = done.load(std::memory_order_acquire))
      done.wait(seen, std::memory_order_acquire);
  }
};

class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  void run(const Parts& parts, int thread_count, RangeBody body) {
    auto job = std::make_shared<Job>(parts, thread_count - 1, body);
    int sleeping = 0;
    {
      const std::lock_guard lock(mutex_);
      while (workers_.size() + 1 < static_cast<std::size_t>(thread_count)) workers_.emplace_back([this] { serve(); });
      jobs_.push_back(job);
      queued_.store(jobs_.size(), std::memory_order_release);
      sleeping = sleeping_;
    }
    for (int wanted = thread_count - 1; wanted > 0 && sleeping > 0; --wanted, --sleeping) wake_.notify_one();
    job->work();
    retire(job);
    job->wait();
  }

 private:
  void serve() {
    while (std::shared_ptr<Job> job = take()) job->work();
  }

  /// The next job that wants a helper; null when the pool ends.
  std::shared_ptr<Job> take() {
    const auto is_idle = [this] { return queued_.load(std::memory_order_acquire) == 0; };
    for (int spin = 0; spin < spins_before_sleep && is_idle(); ++spin) pause();
    for (int yield = 0; yield < yields_before_sleep && is_idle(); ++yield) std::this_thread::yield();
    std::unique_lock lock(mutex_);
    while (true) {
      if (stopping_) return nullptr;
      for (const std::shared_ptr<Job>& job : jobs_)
        if (job->helpers_wanted > 0 && !job->is_claimed()) {
          --job->helpers_wanted;
          return job;
        }
      ++sleeping_;
      wake_.wait(lock);
      --sleeping_;
    }
  }

  /// Takes a job whose parts are all claimed out of the queue.
  void retire(const std::shared_ptr<Job>& job) {
    const std::lock_guard lock(mutex_);
    std::erase(jobs_, job);
    queued_.store(jobs_.size(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::atomic<std::size_t> queued_{0};
  std::vector<std::thread> workers_;
  int sleeping_ = 0;
  bool stopping_ = false;
};

}  // namespace

void run_parts(const Parts& parts, int thread_count, RangeBody body) {
  static Pool pool;
  pool.run(parts, thread_count, body);
}

}  // namespace tilewright::detail
