// The bounded map: what it forgets, and use from several threads.
#include "runtime/lru.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tilewright {
namespace {

TEST(LruMap, ForgetsWhatWasUsedLongestAgo) {
  LruMap<std::string, int> map(2);
  map.insert("a", 1);
  map.insert("b", 2);
  EXPECT_EQ(map.find("a"), 1);  // now b is the older one
  map.insert("c", 3);
  EXPECT_EQ(map.find("b"), std::nullopt);
  EXPECT_EQ(map.find("a"), 1);
  EXPECT_EQ(map.find("c"), 3);
  EXPECT_EQ(map.size(), 2U);
}

TEST(LruMap, TheFirstValueStaysAndIsHandedOut) {
  LruMap<int, std::shared_ptr<int>> map(4);
  auto first = std::make_shared<int>(1);
  EXPECT_EQ(map.insert(7, first), first);
  EXPECT_EQ(map.insert(7, std::make_shared<int>(2)), first);
  EXPECT_EQ(map.find(7).value(), first);
}

TEST(LruMap, InsertingAgainCountsAsUse) {
  LruMap<int, int> map(2);
  map.insert(1, 1);
  map.insert(2, 2);
  map.insert(1, 10);
  map.insert(3, 3);
  EXPECT_EQ(map.find(2), std::nullopt);
  EXPECT_EQ(map.find(1), 1);
}

TEST(LruMap, CapacityZeroKeepsNothing) {
  LruMap<int, int> map(0);
  EXPECT_EQ(map.insert(1, 5), 5);
  EXPECT_EQ(map.find(1), std::nullopt);
}

TEST(LruMap, ClearForgetsAllButNotWhatWasHandedOut) {
  LruMap<int, std::shared_ptr<int>> map(2);
  map.insert(1, std::make_shared<int>(9));
  const auto kept = map.find(1).value();
  map.clear();
  EXPECT_EQ(map.size(), 0U);
  EXPECT_EQ(*kept, 9);
}

TEST(LruMap, ThreadsSeeWholeValues) {
  LruMap<int, int> map(8);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        const int key = (i * 7 + t) % 16;
        map.insert(key, key * 3);
        if (const auto value = map.find((key + 5) % 16); value && *value != (key + 5) % 16 * 3) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(map.size(), 8U);
}

}  // namespace
}  // namespace tilewright
