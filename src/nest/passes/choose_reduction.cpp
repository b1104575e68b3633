// The host scheduler's choice for reductions that move more than they compute: sums, dots, matrix-vector products.
#include <algorithm>

#include "nest/passes/host_schedule.h"

namespace tilewright::nest::host_schedule {
namespace {

constexpr std::int64_t chain = 512;            ///< additions of one lane before its sum joins the next level
constexpr std::int64_t part_points = 1 << 16;  ///< terms of one part of a split reduction
constexpr std::int64_t split_from = 1 << 18;   ///< terms that make a split worth two launches
constexpr std::int64_t rows_a_pass = 8;        ///< rows added into the output's vector before it is written again
constexpr std::int64_t row_segment = 4096;     ///< points of that vector: stays in the first-level cache

/// Splits the outermost reduction loop where the outputs alone cannot occupy the machine.
void consider_split(const Problem& p, Choice& choice, const std::vector<IterId>& reductions) {
  const std::int64_t outputs = std::max<std::int64_t>(p.points(p.outputs), 1);
  const std::int64_t terms = p.points(reductions);
  if (outputs > 64 || terms < split_from) return;
  const IterId iter = reductions.front();
  const std::int64_t inner = std::max<std::int64_t>(terms / std::max<std::int64_t>(p.bucket(iter), 1), 1);
  choice.split = iter;
  choice.part = std::max<std::int64_t>(part_points / inner, 1);
  choice.levels.insert(choice.levels.begin(), Level{iter, choice.part, true});
  choice.reasons.push_back("split over " + p.nest.iterators[iter].name + " in parts of " + std::to_string(choice.part) +
                           ": few outputs, many terms");
}

/// Points of a reduction iterator that one task runs over, about.
std::int64_t points_of_task(const Problem& p, const Choice& choice, IterId iter) {
  return iter == choice.split ? std::min(choice.part, p.bucket(iter)) : p.bucket(iter);
}

/// Lanes hold partial sums of the contiguous reduction iterator.
Choice across_lanes(const Problem& p, IterId lanes) {
  Choice choice;
  choice.lanes = lanes;
  // Four accumulators hide the latency of an addition. Four rows at once are four streams for the prefetchers, and
  // share the loads of an operand that they have in common.
  std::int64_t rows = 1;
  IterId shared;
  for (IterId iter : p.outputs)
    if (p.bucket(iter) >= 4 && depends_on(*p.main_read(), iter)) shared = iter;
  if (shared.valid()) choice.registers[shared] = rows = 4;
  const std::int64_t vectors = std::clamp<std::int64_t>(p.bucket(lanes) / p.vector, 1, rows > 1 ? 2 : 4);
  const std::int64_t length = std::min(vectors * p.vector, std::max<std::int64_t>(p.bucket(lanes), 2));
  choice.registers[lanes] = length;
  std::vector<IterId> reductions = p.reductions;
  std::erase(reductions, lanes);
  reductions.push_back(lanes);
  std::vector<IterId> outputs = p.outputs;
  if (shared.valid()) {
    std::erase(outputs, shared);
    outputs.push_back(shared);
  }
  add_parallel(p, choice.levels, outputs, p.points(reductions));
  if (shared.valid())
    for (Level& level : choice.levels)
      if (level.iter == shared && level.step.constant() < rows) level.step = rows;
  consider_split(p, choice, reductions);
  for (IterId iter : reductions) {
    if (iter != lanes)
      choice.levels.push_back({iter, 1, false});
    else if (reductions.size() > 1 ||
             (p.bucket(lanes) > 4 * chain * length && points_of_task(p, choice, lanes) > chain * length)) {
      choice.levels.push_back({lanes, chain * length, false});
      choice.levels.push_back({lanes, length, false});
    } else {
      choice.levels.push_back({lanes, length, false});
    }
  }
  choice.reasons.push_back("form: reduction with lanes of partial results along " + p.nest.iterators[lanes].name);
  return choice;
}

/// Rows are added into a vector along the contiguous output iterator.
Choice down_rows(const Problem& p, IterId lanes) {
  Choice choice;
  choice.lanes = lanes;
  const std::int64_t length = std::min(4 * p.vector, std::max<std::int64_t>(p.bucket(lanes), 2));
  choice.registers[lanes] = length;
  std::vector<IterId> others = p.outputs;
  std::erase(others, lanes);
  std::int64_t terms = p.points(p.reductions);
  const bool blocked = p.bucket(p.reductions.back()) > 2 * rows_a_pass && terms > 0;
  if (blocked) {
    for (IterId iter : others) choice.levels.push_back({iter, 1, true});
    choice.levels.push_back({lanes, row_segment, true});
  } else {
    add_parallel(p, choice.levels, others, p.bucket(lanes) * std::max<std::int64_t>(terms, 1));
    if (others.empty() || p.bucket(lanes) > row_segment) {
      choice.levels.clear();
      for (IterId iter : others) choice.levels.push_back({iter, 1, true});
      choice.levels.push_back({lanes, row_segment, true});
    }
  }
  consider_split(p, choice, p.reductions);
  for (IterId iter : p.reductions) {
    const bool innermost = iter == p.reductions.back();
    choice.levels.push_back({iter, innermost && blocked ? rows_a_pass : 1, false});
    if (innermost && blocked) break;
  }
  if (blocked) {
    choice.levels.push_back({lanes, length, false});
    choice.levels.push_back({p.reductions.back(), 1, false});
  } else {
    // The reduction loops stand inside the output loop over vectors.
    const auto first = std::ranges::find_if(choice.levels, [&](const Level& level) {
      return !level.parallel && std::ranges::find(p.reductions, level.iter) != p.reductions.end();
    });
    choice.levels.insert(first, Level{lanes, length, false});
  }
  choice.reasons.push_back("form: column reduction; " + std::to_string(blocked ? rows_a_pass : 1) +
                           " rows a pass, lanes along " + p.nest.iterators[lanes].name);
  return choice;
}

}  // namespace

Choice choose_reduction(const Problem& p) {
  const IterId lanes = p.contiguous_in(p.main_read());
  if (!lanes.valid()) {
    Choice choice;
    add_parallel(p, choice.levels, p.outputs, p.points(p.reductions));
    consider_split(p, choice, p.reductions);
    for (IterId iter : p.reductions) {
      if (points_of_task(p, choice, iter) > chain) choice.levels.push_back({iter, chain, false});
      choice.levels.push_back({iter, 1, false});
    }
    choice.reasons.push_back("form: reduction of scalars; no operand is contiguous along an iterator");
    return choice;
  }
  return p.nest.iterators[lanes].role == IteratorRole::reduction ? across_lanes(p, lanes) : down_rows(p, lanes);
}

}  // namespace tilewright::nest::host_schedule
