// What the requests of a warp cost. Shared memory serves 32 banks of 4 bytes in a wavefront; 8 bytes a thread take a
// wavefront for each half of the warp, and 16 bytes one for each quarter. Global memory moves sectors of 32 bytes.
#include <algorithm>
#include <array>
#include <bit>

#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::uint64_t widest = 16;
constexpr std::uint64_t word = 4;
constexpr std::size_t banks = 32;
constexpr std::uint64_t sector = 32;

/// Wavefronts for the words: the most of different ones that one bank holds.
template <class Words>
std::int64_t wavefronts(Words& words, std::size_t count) {
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<std::uint8_t, banks> held{};
  std::uint8_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0 && words[i] == words[i - 1]) continue;
    most = std::max(most, ++held[words[i] % banks]);
  }
  return most;
}

}  // namespace

void Block::count(const Step& step, std::uint32_t mask, const std::uint64_t* addresses, std::uint64_t bytes) {
  if (!grid_.options().counts) return;
  for (std::uint64_t skip = 0; skip < bytes; skip += widest) {
    const std::uint64_t piece = std::min(widest, bytes - skip);
    if (step.shared)
      count_banks(mask, addresses, skip, piece);
    else
      count_sectors(mask, addresses, skip, piece);
  }
}

void Block::count_banks(std::uint32_t mask, const std::uint64_t* addresses, std::uint64_t skip, std::uint64_t bytes) {
  SimulationCounters& counters = grid_.counters();
  ++counters.shared_requests;
  const unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;  // of a wavefront without conflicts
  for (unsigned first = 0; first < warp_threads; first += lanes) {
    const std::uint32_t part = mask & (lanes == 32 ? ~std::uint32_t{0} : ((std::uint32_t{1} << lanes) - 1) << first);
    if (part == 0) continue;
    std::array<std::uint64_t, 64> words;
    std::size_t count = 0;
    each_lane(part, [&](unsigned lane) {
      const std::uint64_t begin = (addresses[lane] & Buffer::address_mask) + skip;
      for (std::uint64_t i = begin / word; i <= (begin + bytes - 1) / word; ++i) words[count++] = i;
    });
    counters.bank_conflicts += wavefronts(words, count) - 1;
  }
}

void Block::count_sectors(std::uint32_t mask, const std::uint64_t* addresses, std::uint64_t skip, std::uint64_t bytes) {
  SimulationCounters& counters = grid_.counters();
  ++counters.global_requests;
  std::array<std::uint64_t, 2 * warp_threads> sectors;
  std::size_t count = 0;
  bool ascending = true;
  each_lane(mask, [&](unsigned lane) {
    const std::uint64_t begin = addresses[lane] + skip;
    for (std::uint64_t i = begin / sector; i <= (begin + bytes - 1) / sector; ++i) {
      if (count != 0 && sectors[count - 1] == i) continue;
      ascending &= count == 0 || sectors[count - 1] < i;
      sectors[count++] = i;
    }
  });
  if (!ascending) {
    std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
    count = static_cast<std::size_t>(
        std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count)) - sectors.begin());
  }
  const std::uint64_t least = (static_cast<std::uint64_t>(std::popcount(mask)) * bytes + sector - 1) / sector;
  counters.global_sectors += static_cast<std::int64_t>(count);
  counters.least_global_sectors += static_cast<std::int64_t>(std::min<std::uint64_t>(least, count));
}

}  // namespace tilewright::kernel::simulator
