// parallel_for: every index once, whatever the range, the grain, the number of threads and who calls.
#include "runtime/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

/// Restores the number of threads.
class ThreadPool : public testing::Test {
 protected:
  void TearDown() override { set_threads(0); }
};

TEST_F(ThreadPool, CoversEveryIndexOnceInPartsOfTheGrain) {
  for (int count : {1, 2, 3, 8}) {
    set_threads(count);
    for (std::int64_t size : {1, 2, 7, 64, 1000})
      for (std::int64_t grain : {1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(size));
        std::atomic<std::int64_t> smallest{size};
        parallel_for(-5, size - 5, grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t part = smallest;
               end - begin < part && !smallest.compare_exchange_weak(part, end - begin);) {
          }
          for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i + 5)];
        });
        EXPECT_TRUE(std::ranges::all_of(visits, [](const auto& count) { return count == 1; })) << size << " " << grain;
        EXPECT_GE(smallest, std::min(grain, size));
      }
  }
}

TEST_F(ThreadPool, AnEmptyRangeCallsNothing) {
  bool called = false;
  parallel_for(3, 3, 1, [&](std::int64_t, std::int64_t) { called = true; });
  parallel_for(3, 2, 1, [&](std::int64_t, std::int64_t) { called = true; });
  EXPECT_FALSE(called);
}

TEST_F(ThreadPool, OneThreadAndSmallRangesStayInTheCaller) {
  const auto caller = std::this_thread::get_id();
  set_threads(1);
  EXPECT_EQ(threads(), 1);
  int calls = 0;
  parallel_for(0, 1000, 1, [&](std::int64_t begin, std::int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(end - begin, 1000);
    ++calls;
  });
  set_threads(4);
  parallel_for(0, 199, 100, [&](std::int64_t, std::int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    ++calls;
  });
  EXPECT_EQ(calls, 2);
}

TEST_F(ThreadPool, UsesSeveralThreadsAndNoMoreThanAllowed) {
  set_threads(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  parallel_for(0, 12, 1, [&](std::int64_t, std::int64_t) {
    const int now = ++inside;
    for (int known = most; now > known && !most.compare_exchange_weak(known, now);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // long enough for the others to join
    --inside;
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_GE(seen.size(), 2U);
  EXPECT_LE(most, 3);
}

TEST_F(ThreadPool, DefaultIsWhatTheProcessMayUse) {
  set_threads(7);
  EXPECT_EQ(threads(), 7);
  set_threads(0);
  EXPECT_GE(threads(), 1);
  EXPECT_LE(threads(), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

TEST_F(ThreadPool, CallsNest) {
  set_threads(4);
  std::atomic<std::int64_t> sum{0};
  parallel_for(0, 16, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t outer = begin; outer < end; ++outer)
      parallel_for(0, 100, 1, [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t inner = b; inner < e; ++inner) sum += outer * inner;
      });
  });
  EXPECT_EQ(sum, 120 * 4950);
}

TEST_F(ThreadPool, CallersOnManyThreadsDoNotDisturbEachOther) {
  set_threads(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<std::int64_t> sum{0};
        parallel_for(0, 50 + caller, 1, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
        if (sum != 50 + caller) ++wrong;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, ABodyIsUsedInPlace) {
  struct Body {
    std::atomic<std::int64_t> total{0};
    void operator()(std::int64_t begin, std::int64_t end) { total += end - begin; }
  } body;
  set_threads(2);
  parallel_for(0, 10, 1, body);
  EXPECT_EQ(body.total, 10);
}

TEST(DividedRange, PartsAreEvenAndHugeRangesDoNotOverflow) {
  const detail::Parts parts = detail::divide(10, 20, 1, 1);
  EXPECT_EQ(parts.count, 1);
  const detail::Parts four = {10, 20, 4};
  EXPECT_EQ(four.start_of(0), 10);
  EXPECT_EQ(four.start_of(1), 13);
  EXPECT_EQ(four.start_of(2), 16);
  EXPECT_EQ(four.start_of(3), 18);
  EXPECT_EQ(four.start_of(4), 20);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const detail::Parts huge = detail::divide(0, most, 1, 8);
  EXPECT_EQ(huge.start_of(huge.count), most);
}

}  // namespace
}  // namespace tilewright
