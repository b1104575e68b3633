// Samples of a result's indices. See sample.h.
#include "cli/sample.h"

#include <algorithm>

#include "support/tensor_view.h"

namespace tilewright::cli {
namespace {

/// Along an axis, the last tile of any size up to this is ragged within as many points of the end.
constexpr std::int64_t edge = 64;

/// Knuth's MMIX generator; the high bits.
class Generator {
 public:
  std::int64_t below(std::int64_t bound) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::int64_t>((state_ >> 11U) % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ULL;
};

std::int64_t coordinate(Generator& generator, std::int64_t extent, std::int64_t kind) {
  const std::int64_t near = std::min(extent, edge);
  switch (kind) {
    case 0:
      return generator.below(2) == 0 ? 0 : extent - 1;
    case 1:
      return extent - 1 - generator.below(near);
    case 2:
      return generator.below(near);
    default:
      return generator.below(extent);
  }
}

}  // namespace

std::vector<std::vector<std::int64_t>> sample_indices(const std::vector<std::int64_t>& shape, std::int64_t count) {
  std::vector<std::vector<std::int64_t>> indices;
  double total = 1;
  for (std::int64_t extent : shape) total *= static_cast<double>(extent);
  if (total <= static_cast<double>(count)) {
    for_each_index(shape, [&](const std::vector<std::int64_t>& index) { indices.push_back(index); });
    return indices;
  }
  Generator generator;
  for (std::int64_t n = 0; n < count; ++n) {
    std::vector<std::int64_t> index;
    for (std::int64_t extent : shape)  // half of the sample is anywhere, the others have some axes at an edge
      index.push_back(coordinate(generator, extent, n % 2 == 0 ? 3 : generator.below(4)));
    indices.push_back(std::move(index));
  }
  std::ranges::sort(indices);
  indices.erase(std::ranges::unique(indices).begin(), indices.end());
  return indices;
}

}  // namespace tilewright::cli
