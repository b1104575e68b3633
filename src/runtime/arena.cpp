// Placing values by size. See arena.h.
#include "runtime/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tilewright {
namespace {

constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return a > most_bytes - b ? most_bytes : a + b;
}

/// Up to the next place for a value; nothing takes no place.
std::int64_t room_for(std::int64_t bytes) {
  return sum(std::max<std::int64_t>(bytes, 1), arena_alignment - 1) / arena_alignment * arena_alignment;
}

struct Placed {
  std::int64_t begin;
  std::int64_t end;
};

}  // namespace

Arena plan_arena(const std::vector<Lifetime>& lifetimes) {
  Arena arena{std::vector<std::int64_t>(lifetimes.size(), 0), 0};
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return lifetimes[a].bytes != lifetimes[b].bytes ? lifetimes[a].bytes > lifetimes[b].bytes : a < b;
  });
  for (std::size_t n = 0; n < order.size(); ++n) {
    const Lifetime& mine = lifetimes[order[n]];
    std::vector<Placed> others;
    for (std::size_t m = 0; m < n; ++m) {
      const Lifetime& other = lifetimes[order[m]];
      const std::int64_t begin = arena.offsets[order[m]];
      if (other.first <= mine.last && mine.first <= other.last)
        others.push_back({begin, sum(begin, room_for(other.bytes))});
    }
    std::ranges::sort(others, {}, &Placed::begin);
    std::int64_t offset = 0;
    for (const Placed& other : others) {
      if (other.begin >= sum(offset, room_for(mine.bytes))) break;
      offset = std::max(offset, other.end);
    }
    arena.offsets[order[n]] = offset;
    arena.bytes = std::max(arena.bytes, sum(offset, room_for(mine.bytes)));
  }
  return arena;
}

}  // namespace tilewright
