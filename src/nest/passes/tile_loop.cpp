// tile(i, n). See tile_loop.h.
#include "nest/passes/tile_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilewright::nest {
namespace {

constexpr std::int64_t default_tile = 32;
constexpr std::size_t most_tiles = 8;  ///< of one iterator

}  // namespace

Result<void> tile_loop(Nest& nest, ScheduleContext& context) {
  Result<std::size_t> place = context.find_loop(nest, 0);
  if (!place) return std::unexpected(std::move(place.error()));
  const bool said = context.line.arguments.size() > 1;
  const std::int64_t size = said ? context.count_at(1) : default_tile;
  Loop& outer = nest.loops[*place];
  const std::string inner_name = outer.name + ".in";
  if (loop_place(nest, inner_name) < nest.loops.size())
    return context.fail_at(0, "N021", fmt::format("'{}' is already tiled by {}", outer.name, to_text(outer.step)),
                           fmt::format("tile({}, n) splits its inner loop again", inner_name));
  const IterId iter = outer.iter;
  if (static_cast<std::size_t>(std::ranges::count(nest.loops, iter, &Loop::iter)) > most_tiles)
    return context.fail_at(
        0, "N031", fmt::format("{} is tiled {} times already", nest.iterators[iter].name, most_tiles), "leave it out");
  const std::string_view enclosing = enclosing_loop(outer.name);
  if (!enclosing.empty()) {
    const IntExpr& step = nest.loops[loop_place(nest, enclosing)].step;
    if (step.is_constant() && size > step.constant())
      return context.fail_at(said ? 1 : 0, "N022",
                             fmt::format("a tile of {} in '{}', which runs over {}", size, outer.name, step.constant()),
                             fmt::format("give a tile of 1 to {}", step.constant()));
  }
  Loop inner{.name = inner_name, .iter = outer.iter, .step = outer.step};
  inner.vector_width = std::exchange(outer.vector_width, 0);
  inner.unroll = std::exchange(outer.unroll, 0);
  outer.step = IntExpr(size);
  context.entry.provenance.push_back(
      {fmt::format("tile of {} is {}", outer.name, size), said ? context.line_text() : "the default"});
  nest.loops.insert(nest.loops.begin() + static_cast<std::ptrdiff_t>(*place) + 1, std::move(inner));
  return {};
}

}  // namespace tilewright::nest
