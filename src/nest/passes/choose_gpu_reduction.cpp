// The GPU scheduler's choice for reductions that move more than they compute: sums, dots, matrix-vector products.
#include <algorithm>

#include "nest/passes/gpu_schedule.h"

namespace tilewright::nest::gpu_schedule {
namespace {

constexpr std::int64_t chain = 512;            ///< additions of one thread before its sum joins the next level
constexpr std::int64_t least_terms = 1 << 14;  ///< of one part of a split reduction
constexpr std::int64_t column_threads = 32;    ///< that lie along the output where columns are summed: a warp's width
constexpr std::int64_t most_pieces = 4;        ///< vectors a thread has on their way at once
constexpr std::int64_t most_parts = 8;         ///< of a few that one thread adds, likewise

std::int64_t power_below(std::int64_t value) {
  std::int64_t power = 1;
  while (2 * power <= value) power *= 2;
  return power;
}

/// Splits the largest reduction iterator where the outputs alone cannot occupy the device.
void consider_split(const Problem& p, Choice& choice) {
  const std::int64_t blocks = blocks_of(p, choice);
  const std::int64_t terms = p.points(p.reductions);
  if (blocks >= few_blocks || blocks == 0) return;
  std::int64_t outputs = 1;  // of one block: the threads that share them divide its terms
  for (IterId iter : p.outputs) outputs *= choice.points(iter);
  const std::int64_t parts = std::min(2 * few_blocks / blocks, terms * outputs / (4 * least_terms));
  if (parts < 2) return;
  const IterId iter = p.largest(p.reductions);
  const std::int64_t step = choice.points(iter);
  choice.split = iter;
  choice.part = std::max<std::int64_t>(power_below(p.bucket(iter) / std::min(parts, p.bucket(iter))) / step, 1) * step;
  if (choice.part >= p.bucket(iter)) {
    choice.split = {};
    return;
  }
  choice.levels.insert(choice.levels.begin(), Level{iter, choice.part, true});
  choice.reasons.push_back("split over " + p.nest.iterators[iter].name + " in parts of " + std::to_string(choice.part) +
                           ": few blocks, many terms");
}

/// The reduction loops, `last` innermost by its points of a block; long sums in two levels, so that chains stay short.
void add_reductions(const Problem& p, Choice& choice, IterId last) {
  std::vector<IterId> reductions = p.reductions;
  if (std::erase(reductions, last) > 0) reductions.push_back(last);
  for (IterId iter : reductions) {
    const std::int64_t step = choice.points(iter);
    const std::int64_t points = iter == choice.split ? choice.part : p.bucket(iter);
    if (points > 2 * chain * step) choice.levels.push_back({iter, chain * step});
    choice.levels.push_back({iter, step});
  }
}

void add_outputs(const Problem& p, Choice& choice, IterId last) {
  std::vector<IterId> outputs = p.outputs;
  if (std::erase(outputs, last) > 0) outputs.push_back(last);
  add_grid(p, choice, outputs);
}

/// Threads share the terms along the reduction iterator `shared`; where these are few, a block has several rows.
Choice share_terms(const Problem& p, IterId shared, std::int64_t vector) {
  Choice choice;
  choice.lanes = vector > 1 ? shared : IterId{};
  const std::int64_t vectors = std::max<std::int64_t>(p.bucket(shared) / vector, 1);
  Dealt& terms = choice.dealt[shared];
  terms.chunk = vector;
  terms.threads = std::min(power_below(p.threads()), vectors);
  terms.pieces = std::clamp<std::int64_t>(vectors / terms.threads, 1, most_pieces);
  choice.thread_order = {shared};
  deal_rest(p, choice, p.outputs);
  add_outputs(p, choice, {});
  consider_split(p, choice);
  add_reductions(p, choice, shared);
  choice.reasons.push_back("form: reduction; threads share the terms along " + p.nest.iterators[shared].name + ", " +
                           std::to_string(vector * terms.pieces) + " each a step");
  return choice;
}

/// Threads lie along the contiguous output iterator, and rows of them share the terms of the largest reduction.
Choice sum_columns(const Problem& p, IterId lanes) {
  Choice choice;
  choice.lanes = lanes;
  const IterId shared = p.largest(p.reductions);
  const std::int64_t vector = std::min(p.vector_along(lanes, p.main_read()), p.bucket(lanes));
  const bool many_terms = p.bucket(shared) >= 64;
  Dealt& columns = choice.dealt[lanes];
  columns.chunk = vector;
  columns.threads =
      std::clamp<std::int64_t>(p.bucket(lanes) / vector, 1, many_terms ? column_threads : power_below(p.threads()));
  choice.thread_order = {lanes};
  if (many_terms) {
    Dealt& rows = choice.dealt[shared];
    rows.threads = std::clamp<std::int64_t>(power_below(p.threads()) / columns.threads, 1, p.bucket(shared));
    rows.pieces = std::clamp<std::int64_t>(p.bucket(shared) / rows.threads, 1, most_pieces);
    choice.thread_order = {shared, lanes};
  } else if (const std::int64_t pieces = std::min(p.bucket(shared), most_parts); pieces > 1) {
    choice.dealt[shared].pieces = pieces;  // parts of a split: their loads are on their way together
    choice.thread_order = {shared, lanes};
  }
  std::vector<IterId> others = p.outputs;
  std::erase(others, lanes);
  deal_rest(p, choice, others);
  add_outputs(p, choice, lanes);
  consider_split(p, choice);
  add_reductions(p, choice, shared);
  choice.reasons.push_back("form: column reduction; threads along " + p.nest.iterators[lanes].name +
                           (many_terms ? ", rows of them share the terms" : ""));
  return choice;
}

/// No operand is contiguous where it matters: an output a thread.
Choice sum_scalars(const Problem& p) {
  Choice choice;
  deal_rest(p, choice, p.outputs);
  add_outputs(p, choice, {});
  add_reductions(p, choice, {});
  choice.reasons.push_back("form: reduction; an output a thread");
  return choice;
}

}  // namespace

Choice choose_reduction(const Problem& p) {
  constexpr std::int64_t few_terms = 16, few_outputs = 1 << 13;
  const Read* read = p.main_read();
  const IterId along = p.contiguous_in(read);
  const bool reduces = along.valid() && p.nest.iterators[along].role == IteratorRole::reduction;
  if (along.valid() && !reduces) return sum_columns(p, along);
  if (reduces && p.bucket(along) >= few_terms)
    return share_terms(p, along, std::min(p.vector_along(along, read), p.bucket(along)));
  if (const IterId most = p.largest(p.reductions);
      most.valid() && p.bucket(most) >= few_terms && p.points(p.outputs) < few_outputs)
    return share_terms(p, most, 1);
  return sum_scalars(p);
}

}  // namespace tilewright::nest::gpu_schedule
