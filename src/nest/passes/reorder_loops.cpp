// reorder(i, k, j). See reorder_loops.h.
#include "nest/passes/reorder_loops.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::nest {

Result<void> reorder_loops(Nest& nest, ScheduleContext& context) {
  const std::size_t count = context.line.arguments.size();
  if (count < 2) return context.fail_line("N027", "reorder of a single loop", "name at least two loops");
  std::vector<std::size_t> wanted;
  for (std::size_t argument = 0; argument < count; ++argument) {
    Result<std::size_t> place = context.find_loop(nest, argument);
    if (!place) return std::unexpected(std::move(place.error()));
    if (std::ranges::find(wanted, *place) != wanted.end())
      return context.fail_at(argument, "N027", fmt::format("'{}' is named twice", context.name_at(argument)),
                             "name each loop once");
    wanted.push_back(*place);
  }
  std::vector<std::size_t> places = wanted;
  std::ranges::sort(places);
  std::vector<Loop> loops = nest.loops;
  for (std::size_t position = 0; position < count; ++position) loops[places[position]] = nest.loops[wanted[position]];

  for (std::size_t place = 0; place < loops.size(); ++place) {
    const std::string_view enclosing = enclosing_loop(loops[place].name);
    const auto begin = loops.begin();
    if (enclosing.empty() || std::any_of(begin, begin + static_cast<std::ptrdiff_t>(place),
                                         [&](const Loop& outer) { return outer.name == enclosing; }))
      continue;
    return context.fail_line(
        "N027", fmt::format("'{}' would stand outside '{}', which it runs over", loops[place].name, enclosing),
        fmt::format("keep '{}' before '{}'", enclosing, loops[place].name));
  }
  nest.loops = std::move(loops);
  return {};
}

}  // namespace tilewright::nest
