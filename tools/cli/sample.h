// Which values of a large result are compared with the reference.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewright::cli {

/// Indices of a result of `shape` in row-major order, at most `count`: all of them where there are no more; else the
/// corners, the places along the edges where tiles are ragged, and the inside, always the same for one shape.
std::vector<std::vector<std::int64_t>> sample_indices(const std::vector<std::int64_t>& shape, std::int64_t count);

}  // namespace tilewright::cli
