// Completes a nest's loops for a host: dispatches on its form, then writes the loops.
#include "nest/passes/schedule_for_host.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "nest/passes/host_schedule.h"

namespace tilewright::nest {
namespace host_schedule {

Problem::Problem(const Nest& nest_in, const Facts& facts_in, const HostTarget& target_in)
    : NestSizes(nest_in, facts_in), target(target_in) {
  std::size_t widest = size_of(nest.output);
  for (const Expr& expr : nest.exprs)
    if (!std::holds_alternative<ExtentValue>(expr.node)) widest = std::max(widest, size_of(expr.dtype));
  vector = target.vector_bytes / static_cast<std::int64_t>(widest);
  element_bytes = static_cast<std::int64_t>(size_of(nest.accumulate));
}

std::int64_t Problem::registers_of(const Choice& choice, IterId iter) const {
  const auto found = choice.registers.find(iter);
  return found == choice.registers.end() ? 1 : found->second;
}

namespace {

Choice choose(const Problem& p) {
  if (p.reductions.empty()) return choose_map(p);
  if (const auto contraction = as_contraction(p.nest)) {
    const auto wide = [&](const std::vector<IterId>& iters) { return p.points(iters) > 1; };
    const bool reuses = wide(contraction->m) && wide(contraction->n);
    if (reuses && p.points(p.reductions) > 0) return choose_contraction(p, *contraction);
  }
  return choose_reduction(p);
}

/// Writes `levels` and the register tile as the nest's loops.
void write_loops(Nest& nest, const Choice& choice) {
  std::map<IterId, std::string> names;
  const auto add = [&](IterId iter, IntExpr step) -> Loop& {
    std::string& name = names[iter];
    name = name.empty() ? nest.iterators[iter].name : name + ".in";
    nest.loops.push_back(Loop{name, iter, std::move(step)});
    return nest.loops.back();
  };
  nest.loops.clear();
  for (const Level& level : choice.levels) add(level.iter, level.step).parallel = level.parallel;
  std::vector<std::pair<IterId, std::int64_t>> registers(choice.registers.begin(), choice.registers.end());
  const auto lanes = std::ranges::find(registers, choice.lanes, &std::pair<IterId, std::int64_t>::first);
  if (lanes != registers.end()) std::rotate(lanes, lanes + 1, registers.end());
  for (const auto& [iter, size] : registers) {
    Loop& loop = add(iter, 1);
    loop.in_registers = true;
    (iter == choice.lanes ? loop.vector_width : loop.unroll) = size;
  }
}

/// The user's loops as levels: parallel ones first; where reads are cached and no order was given, outer tile loops
/// come before the loops inside tiles, so that a staged tile serves all of them.
std::vector<Level> written_levels(const Nest& nest) {
  std::vector<Loop> loops = nest.loops;
  bool in_place = true;
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (loops[i].name.ends_with(".in") && (i == 0 || loops[i].name != loops[i - 1].name + ".in")) in_place = false;
  const auto is_innermost = [&](const Loop& loop) {
    return std::ranges::none_of(loops, [&](const Loop& other) { return other.name == loop.name + ".in"; });
  };
  std::vector<Level> levels;
  const auto take = [&](auto&& wanted) {
    for (const Loop& loop : loops)
      if (wanted(loop)) levels.push_back({loop.iter, loop.step, loop.parallel});
  };
  const bool regroup = in_place && !nest.schedule.caches.empty();
  take([](const Loop& loop) { return loop.parallel; });
  if (regroup) {
    take([&](const Loop& loop) { return !loop.parallel && !is_innermost(loop); });
    take([&](const Loop& loop) { return !loop.parallel && is_innermost(loop); });
  } else {
    take([](const Loop& loop) { return !loop.parallel; });
  }
  return levels;
}

/// Whether a reduction loop stands outside of an output loop, so that accumulators wait in a buffer.
bool accumulates_in_buffer(const Nest& nest, const std::vector<Level>& levels) {
  if (accumulates_in_output(nest)) return false;
  bool reduces = false;
  for (const Level& level : levels) {
    if (nest.iterators[level.iter].role == IteratorRole::reduction)
      reduces = true;
    else if (reduces)
      return true;
  }
  return false;
}

/// Keeps what the schedule says and adds only the register tile: the innermost loop of each of its iterators steps by
/// that many points, no more than the tile around it.
Choice complete(const Problem& p) {
  const Choice automatic = choose(p);
  Choice choice;
  choice.lanes = automatic.lanes;
  choice.registers = automatic.registers;
  choice.caches = p.nest.schedule.caches;
  choice.levels = written_levels(p.nest);
  choice.reasons = automatic.reasons;
  for (const Loop& loop : p.nest.loops) {
    if (loop.vector_width > 1) choice.lanes = loop.iter, choice.registers[loop.iter] = loop.vector_width;
    if (loop.unroll > 1) choice.registers[loop.iter] = loop.unroll;
  }
  std::map<IterId, std::int64_t> around, divisor;  // the smallest tile, and what divides all of them
  std::map<IterId, int> tiles;                     // how many there are, one inside the other
  for (const Loop& loop : p.nest.loops) {
    const bool is_tiled =
        std::ranges::any_of(p.nest.loops, [&](const Loop& other) { return other.name == loop.name + ".in"; });
    if (!is_tiled || !loop.step.is_constant()) continue;
    const auto [tile, added] = around.emplace(loop.iter, loop.step.constant());
    if (!added) tile->second = std::min(tile->second, loop.step.constant());
    divisor[loop.iter] = std::gcd(divisor[loop.iter], loop.step.constant());
    ++tiles[loop.iter];
  }
  const bool in_buffer = accumulates_in_buffer(p.nest, choice.levels);
  for (auto entry = choice.registers.begin(); entry != choice.registers.end();) {
    auto& [iter, size] = *entry;
    const auto tile = around.find(iter);
    if (tile != around.end()) size = std::min(size, tile->second);
    if (size > 1 && iter == choice.lanes && size % p.vector != 0 && size > p.vector) size = size / p.vector * p.vector;
    // Accumulators in a buffer are stored as whole register tiles, which must not reach into the next tile; staged
    // panels are read as whole ones, which tiles inside of the staged one must not start in the middle of.
    const bool staged_inside = !choice.caches.empty() && tiles[iter] > 1;
    if ((in_buffer || staged_inside) && tile != around.end())
      while (divisor.at(iter) % size != 0) --size;
    entry = size > 1 ? std::next(entry) : choice.registers.erase(entry);
  }
  if (!choice.registers.contains(choice.lanes)) choice.lanes = {};
  for (const auto& [iter, size] : choice.registers) {
    const auto last = std::ranges::find(choice.levels.rbegin(), choice.levels.rend(), iter, &Level::iter);
    if (last != choice.levels.rend()) last->step = size;
  }
  if (std::ranges::none_of(choice.levels, &Level::parallel) && !choice.levels.empty()) {
    Level& first = choice.levels.front();
    first.parallel = p.nest.iterators[first.iter].role == IteratorRole::output;
  }
  if (p.nest.schedule.split_iter.valid() && p.nest.schedule.split > 1) choice.split = p.nest.schedule.split_iter;
  return choice;
}

}  // namespace
}  // namespace host_schedule

Reasons schedule_for_host(Nest& nest, const Facts& facts, const HostTarget& target) {
  using namespace host_schedule;
  const Problem problem(nest, facts, target);
  if (nest.schedule.split <= 1) nest.schedule.split = 0, nest.schedule.split_iter = {};  // one part is no split
  Choice choice = nest.schedule.automatic ? choose(problem) : complete(problem);
  if (!choice.lanes.valid()) choice.registers.erase(choice.lanes);
  if (choice.split.valid() && choice.part == 0) {
    // A part is whole steps of the loops inside of it, so there may be fewer parts than asked for.
    std::int64_t granule = 1;
    for (const Level& level : choice.levels)
      if (level.iter == choice.split && level.step.is_constant()) granule = std::max(granule, level.step.constant());
    const IntExpr pieces = ceil_div(nest.iterators[choice.split].extent, granule);
    const IntExpr part = max(ceil_div(pieces, nest.schedule.split), 1) * granule;
    choice.levels.insert(choice.levels.begin(), Level{choice.split, part, true});
  } else if (choice.split.valid()) {
    nest.schedule.split_iter = choice.split;
    nest.schedule.split = std::max<std::int64_t>(problem.bucket(choice.split) / choice.part, 2);
  }
  nest.schedule.lanes = choice.lanes;
  nest.schedule.caches = choice.caches;
  write_loops(nest, choice);
  return choice.reasons;
}

}  // namespace tilewright::nest
