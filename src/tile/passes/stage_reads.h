// Cached reads → buffers.
//
// Before                                  After
//   for k by 16 {                           for k by 16 {
//     for k by 1 {                            allocate a.packed
//       %x = load a[i, k] : f32 [i 6]         copy a[i, k] -> a.packed
//                                             for k by 1 {
//                                               %x = load_buffer a.packed : f32 [i 6]
//
// A read is staged in the outermost block in which each of its iterators' scopes is no longer than its staged size. How
// the buffer lies is the target's business.
#pragma once

#include <functional>

#include "nest/ir.h"
#include "tile/ir.h"

namespace tilewright::tile {

/// What targets decide of staged reads.
struct StagingRule {
  /// The buffer of one cached read. `registers`: the axes of the tile that is loaded from it.
  std::function<Buffer(const Program& program, const nest::CachedRead& cache, const Load& load,
                       const std::vector<Axis>& registers)>
      buffer;
  bool replaces_outside = false;  ///< reads with an `otherwise` are staged too
};

void stage_reads(Program& program, const nest::Nest& nest, const StagingRule& rule);

}  // namespace tilewright::tile
