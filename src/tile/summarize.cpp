// The line of a tile program in a trace. See summarize.h.
#include "tile/summarize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/walk.h"

namespace tilewright::tile {
namespace {

std::string step_text(const Program& program, IterId iter, const IntExpr& step) {
  return fmt::format("{} by {}", program.iters[iter].name, to_text(step));
}

std::string axes_text(const Program& program, const TileType& type) {
  std::vector<std::string> axes;
  for (const Axis& axis : type.axes)
    axes.push_back(fmt::format("{} {}{}", program.iters[axis.iter].name, axis.size, axis.lanes ? " lanes" : ""));
  return fmt::format("[{}]", fmt::join(axes, ", "));
}

}  // namespace

std::string summarize(const Program& program) {
  std::vector<std::string> grid;
  for (const GridAxis& axis : program.grid) grid.push_back(step_text(program, axis.iter, axis.step));
  std::vector<std::string> loops;
  std::vector<std::string> stores;
  walk(program.body, [&](const Op& op) {
    if (const auto* loop = std::get_if<For>(&op.node)) loops.push_back(step_text(program, loop->iter, loop->step));
    if (const auto* store = std::get_if<Store>(&op.node))
      stores.push_back(fmt::format("{} {}{}", program.tensors[store->tensor].name,
                                   axes_text(program, program.values[store->value].type),
                                   store->nontemporal ? " past the caches" : ""));
  });
  std::string text = grid.empty() ? "one task" : fmt::format("grid {}", fmt::join(grid, ", "));
  if (!loops.empty()) text += fmt::format("; loops {}", fmt::join(loops, ", "));
  for (const Buffer& buffer : program.buffers)
    text += fmt::format("; buffer {} {} {}", buffer.name, name(buffer.dtype), to_text(buffer.elements));
  if (!stores.empty()) text += fmt::format("; stores {}", fmt::join(stores, ", "));
  return text;
}

}  // namespace tilewright::tile
