// How the copy engine fills a swizzled buffer: boxes of a tensor map whose axes are iterators.
//
// A worked example. a[i, k] of f16 is contiguous along k; the buffer holds i 128 by k 64, rows of 128 bytes. The map's
// axes are k and i, and one box of 64 by 128 fills the buffer. b[k, j] is contiguous along j; the buffer holds four
// panels of k 64 by 64 neighbours along j: four boxes of 64 by 64, 8192 bytes apart.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tile/ir.h"

namespace tilewright::tile {

/// Of shared memory, for each stage that the engine fills: a full and an empty barrier.
inline constexpr std::int64_t stage_barrier_bytes = 2 * 8;

struct EngineCopy {
  struct Axis {
    IterId iter;
    std::int64_t box = 1;  ///< points that a box has along it
  };
  struct Box {
    std::map<IterId, std::int64_t> points;  ///< from the scopes' bases; 0 where there is none
    std::int64_t bytes = 0;                 ///< from the buffer's start
  };
  std::vector<Axis> axes;  ///< of the map, innermost first: points of the first are neighbours in memory
  std::vector<Box> boxes;
  std::int64_t box_bytes = 0;
};

/// With boxes in a multiple of `parts`, which as many blocks deal among them; halved along their last axis, if need be.
/// Nothing where the engine cannot do the copy, whatever extents and strides: it takes neighbours along one iterator,
/// rows of 16 bytes' alignment, at most five iterators, and puts rows of 128 bytes one behind the other. It may fill
/// room of the buffer's rows that lies outside of the capacities.
std::optional<EngineCopy> plan_engine_copy(const Program& program, const Copy& copy, std::int64_t parts = 1);

/// The boxes that the engine stores out of a buffer into what the store writes: rows of 128 bytes, as many points along
/// each iterator as the grid's blocks have. Nothing where it cannot.
std::optional<EngineCopy> plan_engine_store(const Program& program, const Store& store, const Buffer& buffer);

/// Whether the copy engine can fill the stages of a loop of the program, which is its only one with stages: it can do
/// each of the copies that open the body, which fill all shared memory but what it stores from, and what it copies past
/// a step's end lies past the iterators' extents: scopes that the loops and the grid cut end at multiples of the steps
/// inside of them. Loops around it go point by point.
bool can_stage_by_engine(const Program& program, const For& loop);

/// Whether a copy is the same for all points along a grid's axis.
bool is_shared_along(const Copy& copy, const GridAxis& axis);

/// Whether clusters of so many blocks along the axis share copies of the loop that the engine fills: tiles lie along
/// it, so that points past its end store nothing, and some of the copies are shared.
bool can_cluster(const Program& program, const GridAxis& axis, std::int64_t blocks);

/// The program's loop whose stages the copy engine fills; null: there is none.
const For* find_engine_loop(const Program& program);
For* find_engine_loop(Program& program);

/// The program's store through a buffer; null: there is none.
const Store* find_engine_store(const Program& program);

}  // namespace tilewright::tile
