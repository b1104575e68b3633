// Arenas: values that live at a common step share no byte, and no more is taken than what lives at once.
#include "runtime/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace tilewright {
namespace {

std::int64_t rounded(std::int64_t bytes) {
  return (std::max<std::int64_t>(bytes, 1) + arena_alignment - 1) / arena_alignment * arena_alignment;
}

/// The largest sum of what lives at one step.
std::int64_t peak(const std::vector<Lifetime>& lifetimes, std::size_t steps) {
  std::int64_t most = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    std::int64_t live = 0;
    for (const Lifetime& each : lifetimes)
      if (each.first <= step && step <= each.last) live += rounded(each.bytes);
    most = std::max(most, live);
  }
  return most;
}

/// At each step, each byte belongs to one value at most.
void expect_apart(const std::vector<Lifetime>& lifetimes, const Arena& arena, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<int> owners(static_cast<std::size_t>(arena.bytes), -1);
    for (std::size_t n = 0; n < lifetimes.size(); ++n) {
      if (lifetimes[n].first > step || step > lifetimes[n].last) continue;
      const std::int64_t end = arena.offsets[n] + lifetimes[n].bytes;
      ASSERT_LE(end, arena.bytes);
      for (std::int64_t byte = arena.offsets[n]; byte < end; ++byte) {
        int& owner = owners[static_cast<std::size_t>(byte)];
        ASSERT_EQ(owner, -1) << "byte " << byte << " of values " << owner << " and " << n << " at step " << step;
        owner = static_cast<int>(n);
      }
    }
  }
}

TEST(Arena, chain_of_equal_values_takes_two) {
  std::vector<Lifetime> lifetimes;
  for (std::size_t step = 0; step < 9; ++step) lifetimes.push_back({1024, step, step + 1});
  const Arena arena = plan_arena(lifetimes);
  EXPECT_EQ(arena.bytes, 2048);
  expect_apart(lifetimes, arena, 10);
}

TEST(Arena, random_lifetimes_stay_apart_and_equal_sizes_take_their_peak) {
  std::mt19937 random(7);
  const auto draw = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
  for (int round = 0; round < 300; ++round) {
    constexpr std::size_t steps = 9;
    const bool equal = round % 2 == 0;
    std::vector<Lifetime> lifetimes;
    for (std::size_t first = 0; first < steps; ++first)
      lifetimes.push_back({equal ? 700 : draw(1500), first,
                           first + static_cast<std::size_t>(draw(static_cast<std::int64_t>(steps - first)))});
    const Arena arena = plan_arena(lifetimes);
    for (const std::int64_t offset : arena.offsets) EXPECT_EQ(offset % arena_alignment, 0);
    expect_apart(lifetimes, arena, steps + 1);
    EXPECT_GE(arena.bytes, peak(lifetimes, steps + 1));
    if (equal) {
      EXPECT_EQ(arena.bytes, peak(lifetimes, steps + 1));
    }
  }
}

TEST(Arena, values_without_elements_have_places_of_their_own) {
  const Arena arena = plan_arena({{0, 0, 1}, {0, 1, 2}});
  EXPECT_NE(arena.offsets[0], arena.offsets[1]);
  EXPECT_EQ(plan_arena({}).bytes, 0);
}

TEST(Arena, more_than_63_bits_is_the_largest_number) {
  const std::int64_t half = std::numeric_limits<std::int64_t>::max() / 2 + 1;
  EXPECT_EQ(plan_arena({{half, 0, 1}, {half, 1, 2}}).bytes, std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace tilewright
