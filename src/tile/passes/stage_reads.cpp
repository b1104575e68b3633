// Cached reads → buffers; on hosts, task buffers with packed layouts. See stage_reads.h.
#include "tile/passes/stage_reads.h"

#include <algorithm>
#include <map>

#include "tile/builder.h"
#include "tile/passes/place_for_host.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

using nest::CachedRead;
using nest::Nest;

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t page_bytes = 4096;  ///< apart, addresses share a set of the first-level cache

/// Elements of a packed buffer, from the slowest to the fastest: the panels of the axes that lie in registers, the axes
/// that do not, the axes in registers inside a panel, lanes last. With registers i 6 and tile (i 264, k 512) that is
/// i / 6, k, i % 6: one panel is 512 × 6 contiguous elements, one step of k 6 of them. Panels that would lie whole
/// pages apart are moved on by a cache line: packing writes to all of them in turn. Without a reduction there is no k
/// that steps through panels: the rows along the lanes are whole.
Buffer packed_buffer(const Program& program, const Nest& nest, const CachedRead& cache, const Load& load,
                     const std::vector<Axis>& registers) {
  Buffer buffer;
  const Tensor& tensor = program.tensors[load.tensor];
  buffer.name = tensor.name + ".packed";
  buffer.dtype = tensor.dtype;
  std::vector<std::pair<IterId, std::int64_t>> tile = cache.tile;
  const auto lanes = std::ranges::find(tile, nest.schedule.lanes, &std::pair<IterId, std::int64_t>::first);
  if (lanes != tile.end()) std::rotate(lanes, lanes + 1, tile.end());
  const bool is_map = std::ranges::none_of(
      nest.iterators, [](const nest::Iterator& iter) { return iter.role == nest::IteratorRole::reduction; });
  for (const auto& [iter, size] : tile) {
    const Axis* axis = find_axis(registers, iter);
    const std::int64_t panel = axis ? axis->size : 1;
    const std::int64_t inner = iter == nest.schedule.lanes && is_map ? (size + panel - 1) / panel * panel : panel;
    buffer.axes.push_back({iter, (size + inner - 1) / inner * inner, inner, 0, 1});
  }
  const auto bytes = static_cast<std::int64_t>(size_of(buffer.dtype));
  std::int64_t elements = 1;
  for (auto axis = buffer.axes.rbegin(); axis != buffer.axes.rend(); ++axis) {
    axis->inner_stride = elements;
    elements *= axis->inner;
  }
  for (const bool in_panel : {false, true})
    for (auto axis = buffer.axes.rbegin(); axis != buffer.axes.rend(); ++axis) {
      if ((axis->inner > 1) != in_panel) continue;
      if (in_panel && elements * bytes % page_bytes == 0) elements += line_bytes / bytes;
      // A scope's pointer moves by the distance of one point, so that panels of three are a multiple of three long.
      const bool has_panels = !axis->capacity.is_constant(axis->inner);
      while (has_panels && elements % axis->inner != 0) elements += line_bytes / bytes;
      axis->outer_stride = elements;
      elements *= axis->capacity.constant() / axis->inner;
    }
  buffer.elements = elements;
  return buffer;
}

class Staging {
 public:
  Staging(Program& program, const Nest& nest, const CachedRead& cache, const StagingRule& rule)
      : program_(program), cache_(cache), rule_(rule), read_(nest.reads[cache.read]) {}

  void run() {
    std::map<IterId, std::int64_t> steps;
    for (const GridAxis& axis : program_.grid)
      if (axis.step.is_constant()) steps[axis.iter] = axis.step.constant();
    stage_in(program_.body, steps);
  }

 private:
  bool matches(const Op& op) const {
    const auto* load = std::get_if<Load>(&op.node);
    return load && load->tensor == read_.tensor && load->index == read_.index && load->otherwise == read_.otherwise &&
           (rule_.replaces_outside || !load->otherwise);
  }

  /// True where every iterator of the read stands in a scope no longer than its staged size.
  bool is_stage(const std::map<IterId, std::int64_t>& steps) const {
    return std::ranges::all_of(cache_.tile, [&](const auto& entry) {
      const auto step = steps.find(entry.first);
      return step != steps.end() && step->second <= entry.second;
    });
  }

  void stage_in(Block& block, const std::map<IterId, std::int64_t>& steps) {
    const Op* first = nullptr;
    walk(block, [&](const Op& op) {
      if (!first && matches(op)) first = &op;
    });
    if (!first) return;
    if (is_stage(steps)) return stage_at(block, *first);
    for (Op& op : block.ops) {
      if (auto* loop = std::get_if<For>(&op.node)) {
        std::map<IterId, std::int64_t> inner = steps;
        if (loop->step.is_constant()) inner[loop->iter] = loop->step.constant();
        stage_in(loop->body, inner);
      } else {
        for_each_block(op, [&](Block& inner) { stage_in(inner, steps); });
      }
    }
  }

  /// Two reads of a tensor have a buffer each.
  std::string unused_name(std::string name) const {
    const std::string first = name;
    for (int number = 2; std::ranges::find(program_.buffers, name, &Buffer::name) != program_.buffers.end(); ++number)
      name = first + std::to_string(number);
    return name;
  }

  void stage_at(Block& block, const Op& first) {
    const Load load = std::get<Load>(first.node);
    const std::vector<Axis> registers = program_.values[first.results[0]].type.axes;
    Buffer planned = rule_.buffer(program_, cache_, load, registers);
    planned.name = unused_name(std::move(planned.name));
    const BufferId buffer = program_.buffers.add(std::move(planned));
    walk(block, [&](Op& op) {
      if (matches(op)) op.node = LoadBuffer{buffer};
    });
    std::vector<Op> staged;
    staged.push_back(Op{Allocate{buffer}, {}});
    staged.push_back(Op{Copy{load.tensor, load.index, buffer, load.otherwise}, {}});
    block.ops.insert(block.ops.begin(), std::make_move_iterator(staged.begin()), std::make_move_iterator(staged.end()));
  }

  Program& program_;
  const CachedRead& cache_;
  const StagingRule& rule_;
  const nest::Read& read_;
};

}  // namespace

void stage_reads(Program& program, const nest::Nest& nest, const StagingRule& rule) {
  for (const CachedRead& cache : nest.schedule.caches) Staging(program, nest, cache, rule).run();
}

void stage_reads(Program& program, const nest::Nest& nest) {
  stage_reads(program, nest,
              {[&](const Program& from, const CachedRead& cache, const Load& load, const std::vector<Axis>& registers) {
                return packed_buffer(from, nest, cache, load, registers);
              }});
}

}  // namespace tilewright::tile
