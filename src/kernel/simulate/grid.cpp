// A launch's memory and reports.
#include "kernel/simulate/grid.h"

#include <fmt/format.h>

#include "kernel/print.h"

namespace tilewright::kernel::simulator {

Grid::Grid(const Program& program, std::int64_t blocks, std::vector<std::int64_t> words,
           std::span<const SimulatedRange> memory, const SimulationOptions& options)
    : program_(program), options_(options), blocks_(blocks), words_(std::move(words)), random_(options.seed) {
  const std::uint64_t granule = global_granule(program, words_);
  for (const SimulatedRange& range : memory) {
    GlobalRange& made = ranges_.emplace_back();
    made.begin = reinterpret_cast<std::uint64_t>(range.data);
    made.bytes = static_cast<std::uint64_t>(range.bytes);
    made.writable = range.writable;
    made.states = range.states;
    made.shadow_begin = made.begin / granule * granule;
    if (options.full_checks && (range.writable || !range.written))
      made.shadow = std::make_unique<Shadow>(made.bytes + (made.begin - made.shadow_begin), granule, range.written, 0,
                                             range.states, made.begin - made.shadow_begin);
    const std::vector<Parameter>& parameters = program.kernel->parameters;
    for (std::size_t i = 0; i < parameters.size() && made.name.empty(); ++i) {
      auto word = static_cast<std::uint64_t>(words_[i]);
      if (parameters[i].tensor_map && word != 0) word = reinterpret_cast<std::uint64_t>(tensor_map_at(word).address);
      if (program.kernel->values[parameters[i].value].type.element == Element::ptr && word >= made.begin &&
          word - made.begin < made.bytes)
        made.name = value_text(*program.kernel, parameters[i].value);
    }
    if (made.name.empty()) made.name = fmt::format("range {}", ranges_.size() - 1);
  }
}

std::size_t Grid::choose(std::size_t count) {
  switch (options_.order) {
    case SimulationOrder::earliest:
      return 0;
    case SimulationOrder::latest:
      return count - 1;
    case SimulationOrder::random:
      return static_cast<std::size_t>(random_() % count);
  }
  internal_error("no order");
}

bool Grid::has_report(std::string_view code, const Step* step) const {
  return stopped() || reported_.contains({std::string(code), step == nullptr ? nullptr : step->instruction.op});
}

void Grid::report(std::string_view code, const Step* step, std::string message) {
  if (has_report(code, step)) return;
  const Op* op = step == nullptr ? nullptr : step->instruction.op;
  reported_.emplace(code, op);
  std::string text = fmt::format("kernel {}: {}", program_.kernel->name, message);
  if (op != nullptr) text += fmt::format(", in: {}", op_text(*program_.kernel, *op));
  reports_.push_back({std::string(code), std::move(text), {}, nullptr, {}});
}

}  // namespace tilewright::kernel::simulator
