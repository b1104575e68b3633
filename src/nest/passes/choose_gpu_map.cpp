// The GPU scheduler's choice for nests without a reduction: maps, broadcasts, permuting copies.
#include <algorithm>

#include "nest/passes/gpu_schedule.h"

namespace tilewright::nest::gpu_schedule {
namespace {

constexpr std::int64_t largest_square = 64;  ///< points of a staged square's side
constexpr std::int64_t least_square = 8;

Choice choose_squares(const Problem& p, IterId lanes, IterId cross, std::int64_t square) {
  Choice choice;
  choice.lanes = lanes;
  const std::int64_t vector = std::min(p.vector_along(lanes, nullptr), p.bucket(lanes));
  Dealt& along = choice.dealt[lanes];
  along.chunk = vector;
  along.threads = std::clamp<std::int64_t>(std::min(square, p.bucket(lanes)) / vector, 1, 32);
  along.pieces = std::max<std::int64_t>(std::min(square, p.bucket(lanes)) / (vector * along.threads), 1);
  Dealt& across = choice.dealt[cross];
  const std::int64_t rows = std::min(square, p.bucket(cross));
  across.threads = std::clamp<std::int64_t>(p.threads() / along.threads, 1, rows);
  across.pieces = rows / across.threads;
  choice.thread_order = {cross, lanes};
  std::vector<IterId> others = p.outputs;
  std::erase_if(others, [&](IterId iter) { return iter == lanes || iter == cross; });
  deal_rest(p, choice, others);
  // Read along their rows, and written along the output's.
  choice.caches = p.staged_crossing(lanes, cross, [&](IterId iter) { return choice.points(iter); });
  others.push_back(cross);
  others.push_back(lanes);
  add_grid(p, choice, others);
  choice.reasons.push_back("form: permuting copy through shared memory; an operand is contiguous along " +
                           p.nest.iterators[cross].name + ", the output along " + p.nest.iterators[lanes].name);
  if (square < largest_square)
    choice.reasons.push_back("squares of " + std::to_string(square) + ": of larger ones a block's shared memory, " +
                             std::to_string(p.target.max_block_shared_bytes) + " bytes, does not hold all operands'");
  return choice;
}

/// By the largest squares of which shared memory holds all operands'; nullopt: it holds none.
std::optional<Choice> through_squares(const Problem& p, IterId lanes, IterId cross) {
  for (std::int64_t square = largest_square; square >= least_square; square /= 2) {
    Choice choice = choose_squares(p, lanes, cross, square);
    if (p.bytes_of(choice.caches) <= p.staging_bytes()) return choice;
  }
  return std::nullopt;
}

}  // namespace

Choice choose_map(const Problem& p) {
  const IterId lanes = p.output_lanes();
  Choice choice;
  if (!lanes.valid()) {
    choice.reasons.push_back("one output: one thread");
    return choice;
  }
  if (const IterId cross = p.crossing(lanes, least_square); cross.valid() && p.bucket(lanes) >= least_square)
    if (std::optional<Choice> squares = through_squares(p, lanes, cross)) return *std::move(squares);
  choice.lanes = lanes;
  const std::int64_t vector = std::min(p.vector_along(lanes, nullptr), std::max<std::int64_t>(p.bucket(lanes), 1));
  Dealt& along = choice.dealt[lanes];
  along.chunk = vector;
  along.threads = std::clamp<std::int64_t>(p.bucket(lanes) / vector, 1, p.threads());
  choice.thread_order = {lanes};
  std::vector<IterId> others = p.outputs;
  std::erase(others, lanes);
  deal_rest(p, choice, others);
  others.push_back(lanes);
  add_grid(p, choice, others);
  choice.reasons.push_back("form: elementwise; threads along " + p.nest.iterators[lanes].name + ", " +
                           std::to_string(vector) + " points each");
  return choice;
}

}  // namespace tilewright::nest::gpu_schedule
