// The host scheduler's choice for nests without a reduction: maps, broadcasts, permuting copies.
#include <algorithm>

#include "nest/passes/host_schedule.h"

namespace tilewright::nest::host_schedule {
namespace {

constexpr std::int64_t task_points = 1 << 14;    ///< a task worth its dispatch: about 10 µs of streaming
constexpr std::int64_t transpose_rows = 128;     ///< points of an output row that a block writes one after the other
constexpr std::int64_t transpose_columns = 512;  ///< points of an operand's row that a block reads one after the other

}  // namespace

void add_parallel(const Problem& p, std::vector<Level>& levels, const std::vector<IterId>& iters, std::int64_t inner) {
  // From the innermost out: whole loops until a task is large enough, then one blocked loop, then loops of single
  // steps.
  std::vector<Level> grid, inside;
  std::int64_t points = std::max<std::int64_t>(inner, 1);
  for (auto iter = iters.rbegin(); iter != iters.rend(); ++iter) {
    if (points >= task_points) {
      grid.push_back({*iter, 1, true});
    } else if (points * p.bucket(*iter) <= task_points && iter + 1 != iters.rend()) {
      inside.push_back({*iter, 1, false});
    } else {
      grid.push_back({*iter, std::max<std::int64_t>(task_points / points, 1), true});
      inside.push_back({*iter, 1, false});
    }
    points *= std::max<std::int64_t>(p.bucket(*iter), 1);
  }
  levels.insert(levels.end(), grid.rbegin(), grid.rend());
  levels.insert(levels.end(), inside.rbegin(), inside.rend());
}

Choice choose_map(const Problem& p) {
  Choice choice;
  const IterId lanes = p.output_lanes();
  if (!lanes.valid() || p.bucket(lanes) <= 1) {
    add_parallel(p, choice.levels, p.outputs, 1);
    choice.reasons.push_back("no iterator fills a vector: scalars");
    return choice;
  }
  choice.lanes = lanes;
  std::vector<IterId> others = p.outputs;
  std::erase(others, lanes);
  const std::string& name = p.nest.iterators[lanes].name;
  if (const IterId cross = p.crossing(lanes, p.vector); cross.valid()) {
    std::erase(others, cross);
    for (IterId iter : others) choice.levels.push_back({iter, 1, true});
    choice.levels.push_back({lanes, transpose_rows, true});
    choice.levels.push_back({cross, transpose_columns, true});
    if (p.bucket(lanes) * p.bucket(cross) * p.element_bytes > p.target.l2_bytes) {
      // The rows of a staged block are written one after the other: many half-written lines at once are slow.
      // Turned while staged: long pieces on both sides, and rows that lie a power of two apart do not drive each other
      // out of the caches in between.
      choice.caches = p.staged_crossing(lanes, cross, [&](IterId iter) {
        return iter == lanes ? transpose_rows : iter == cross ? transpose_columns : 1;
      });
      choice.registers = {{lanes, 4 * p.vector}};
      choice.levels.push_back({cross, 1, false});
      choice.levels.push_back({lanes, 4 * p.vector, false});
    } else {
      // Whole cache lines on both sides: a vector or two each way.
      const std::int64_t line = std::max(p.vector, 64 / p.element_bytes);
      choice.registers = {{lanes, line}, {cross, p.vector}};
      choice.levels.push_back({cross, p.vector, false});
      choice.levels.push_back({lanes, line, false});
    }
    choice.reasons.push_back("form: blocked permuting copy; an operand is contiguous along " +
                             p.nest.iterators[cross].name + ", the output along " + name);
    return choice;
  }
  const std::int64_t length = std::min(4 * p.vector, std::max(p.bucket(lanes), std::min<std::int64_t>(p.vector, 2)));
  choice.registers = {{lanes, length}};
  if (p.bucket(lanes) > 2 * task_points) {
    for (IterId iter : others) choice.levels.push_back({iter, 1, true});
    choice.levels.push_back({lanes, task_points, true});
  } else {
    add_parallel(p, choice.levels, others, p.bucket(lanes));
  }
  choice.levels.push_back({lanes, length, false});
  choice.reasons.push_back("form: elementwise; lanes along " + name + ", " + std::to_string(length) + " points a step");
  return choice;
}

}  // namespace tilewright::nest::host_schedule
