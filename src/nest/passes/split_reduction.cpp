// split(k, n) and split(k, n, atomics). See split_reduction.h.
#include "nest/passes/split_reduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::nest {

Result<void> split_reduction(Nest& nest, ScheduleContext& context) {
  Result<std::size_t> place = context.find_loop(nest, 0);
  if (!place) return std::unexpected(std::move(place.error()));
  const Loop& loop = nest.loops[*place];
  const Iterator& iterator = nest.iterators[loop.iter];
  std::vector<std::string> legal;
  for (const Iterator& one : nest.iterators)
    if (one.role == IteratorRole::reduction) legal.push_back(one.name);
  const std::string remedy = legal.empty() ? "the statement has no reduction; parallel runs an output loop across cores"
                                           : fmt::format("split names one of {}", fmt::join(legal, ", "));
  if (iterator.role != IteratorRole::reduction)
    return context.fail_at(0, "N026", fmt::format("'{}' is an output loop", loop.name), remedy);
  if (loop.name != iterator.name)
    return context.fail_at(0, "N026", fmt::format("'{}' is an inner loop", loop.name), remedy);
  ScheduleFacts& facts = nest.schedule;
  if (facts.split != 0)
    return context.fail_line("N025",
                             fmt::format("'split' is given twice; '{}' is split into {} already",
                                         nest.iterators[facts.split_iter].name, facts.split),
                             "split one reduction");
  facts.split = context.count_at(1);
  facts.split_iter = loop.iter;
  facts.split_atomics = context.line.arguments.size() > 2;
  if (facts.split_atomics)
    context.entry.notes.push_back("atomics combine the parts in any order: results may differ between runs");
  return {};
}

}  // namespace tilewright::nest
