// One expression of a nest as a straight program over blocks of points: a step for each operation, each of which runs
// over a whole block, with a lane of block_size values for each intermediate.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nest/reference/point_cursor.h"

namespace tilewright::nest {

/// A value for each point of a block: in `real` for the float types (f64), in `integer` for the others (bool as 0, 1).
struct Lane {
  std::array<double, block_size> real;
  std::array<std::int64_t, block_size> integer;
};

struct Frame {
  std::vector<Lane> lanes;
  const PointBlock* points = nullptr;
};

using Step = std::function<void(Frame&, std::size_t count)>;

/// Computes a tensor that no memory holds at a block of indices, by axis and point.
using Compute =
    std::function<void(const std::vector<std::vector<std::uint64_t>>& index, std::size_t count, Lane& values)>;
using ComputedTensors = std::map<std::string, Compute>;

class BlockProgram {
 public:
  /// `root` in terms of reads, iterators and, where it holds Accumulated, of the lane accumulated(). Tensors in
  /// `computed` are not loaded.
  BlockProgram(const Nest& nest, const Bindings& bindings, ExprId root, const ComputedTensors& computed);

  /// Evaluates the first `count` points of `points`; the result stays valid until the next run.
  const Lane& run(const PointBlock& points, std::size_t count);
  /// The result of the last run before its outermost cast, where that one converts float to float; else the result.
  const Lane& before_last_cast() const { return frame_.lanes[unrounded_]; }
  /// The finished reduction; filled by the caller before run.
  Lane& accumulated() { return frame_.lanes[0]; }

  const std::vector<bool>& reads() const { return reads_; }          ///< by ReadId: which it reads
  const std::vector<bool>& iterators() const { return iterators_; }  ///< by IterId: whose values it uses

 private:
  Frame frame_;
  std::vector<Step> steps_;
  std::size_t result_ = 0;
  std::size_t unrounded_ = 0;
  std::vector<bool> reads_;
  std::vector<bool> iterators_;
};

}  // namespace tilewright::nest
