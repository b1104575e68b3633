// Boxes from a buffer's layout. See engine_copy.h.
#include "tile/engine_copy.h"

#include <algorithm>
#include <set>
#include <utility>

#include "support/matrix_unit.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

// Of the copy engine (CUDA Driver API, "Tensor Map Object Management").
constexpr std::uint32_t least_align = 16;  ///< bytes, of the tensor and its strides
constexpr std::size_t most_axes = 5;
constexpr std::int64_t most_box = 256;
constexpr std::int64_t most_boxes = 16;  ///< that one thread starts for a copy
using matrix_unit::pattern_bytes;

/// Those of several points, the closest first.
std::vector<BufferLevel> levels_of(const Buffer& buffer) {
  std::vector<BufferLevel> levels;
  for (const BufferAxis& axis : buffer.axes)
    for (const BufferLevel& level : tile::levels_of(axis))
      if (level.count > 1) levels.push_back(level);
  std::ranges::sort(levels, {}, &BufferLevel::apart);
  return levels;
}

/// The iterators that the address depends on; nothing where the map cannot have such strides.
std::optional<std::set<IterId>> map_iters(const Tensor& tensor, const std::vector<Affine>& indices, IterId along) {
  const auto element = static_cast<std::int64_t>(size_of(tensor.dtype));
  std::set<IterId> iters;
  bool seen = false;
  for (std::size_t slot = 0; slot < indices.size(); ++slot) {
    const Affine& index = indices[slot];
    if (tensor.strides[slot] == StrideClass::zero) continue;
    if (tensor.strides[slot] == StrideClass::other && tensor.stride_align < least_align) return std::nullopt;
    if (tensor.strides[slot] == StrideClass::one) {
      const bool plain = index.terms.size() == 1 && index.terms[0].coefficient == 1 && index.terms[0].iter == along;
      if (!plain || index.constant * element % least_align != 0) return std::nullopt;
    }
    for (const Affine::Term& term : index.terms) {
      if (term.coefficient <= 0 || (term.iter == along && std::exchange(seen, true))) return std::nullopt;
      iters.insert(term.iter);
    }
  }
  return iters;
}

/// Cuts each box along its outermost axis that has several points. False: the parts would not begin where the swizzle's
/// pattern does.
bool cut_boxes(EngineCopy& plan, std::int64_t parts) {
  const auto axis = std::find_if(plan.axes.rbegin(), plan.axes.rend(), [](const auto& each) { return each.box > 1; });
  if (axis == plan.axes.rend() || axis + 1 == plan.axes.rend() || axis->box % parts != 0) return false;
  plan.box_bytes /= parts;
  axis->box /= parts;
  if (plan.box_bytes % pattern_bytes != 0) return false;
  std::vector<EngineCopy::Box> boxes;
  for (const EngineCopy::Box& box : plan.boxes)
    for (std::int64_t part = 0; part < parts; ++part) {
      boxes.push_back(box);
      boxes.back().points[axis->iter] += part * axis->box;
      boxes.back().bytes += part * plan.box_bytes;
    }
  plan.boxes = std::move(boxes);
  return true;
}

/// The loops around `loop`, outermost first, and itself; false where it stands in a branch or nowhere.
bool find_path(const Block& block, const For& loop, std::vector<const For*>& path) {
  for (const Op& op : block.ops) {
    const auto* here = std::get_if<For>(&op.node);
    if (here == nullptr) continue;
    path.push_back(here);
    if (here == &loop || find_path(here->body, loop, path)) return true;
    path.pop_back();
  }
  return false;
}

/// All but the last of these steps are multiples of the next.
bool are_nested(const std::vector<IntExpr>& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i)
    if (!steps[i].is_constant() || !is_multiple_of(steps[i - 1], steps[i].constant())) return false;
  return true;
}

}  // namespace

bool can_stage_by_engine(const Program& program, const For& loop) {
  std::vector<const For*> path;
  if (!find_path(program.body, loop, path)) return false;
  int with_stages = 0;
  walk(program.body, [&](const Op& op) {
    const auto* other = std::get_if<For>(&op.node);
    with_stages += other != nullptr && other != &loop && other->stages > 1 ? 1 : 0;
  });
  const bool by_points =
      std::ranges::all_of(path, [&](const For* around) { return around == &loop || around->step.is_constant(1); });
  if (with_stages > 0 || !by_points) return false;
  // Between two points of a block its warps do not wait for each other: other shared memory would be overwritten.
  std::ptrdiff_t staged = 0;
  for (std::size_t i = 0; i < staged_ops(program, loop.body); ++i)
    staged += std::holds_alternative<Allocate>(loop.body.ops[i].node) ? 1 : 0;
  const auto is_shared = [](const Buffer& buffer) { return buffer.space == Space::shared; };
  const std::ptrdiff_t stored = find_engine_store(program) != nullptr ? 1 : 0;
  if (std::ranges::count_if(program.buffers, is_shared) != staged + stored) return false;
  std::size_t copies = 0;
  for (std::size_t i = 0; i < staged_ops(program, loop.body); ++i) {
    const auto* copy = std::get_if<Copy>(&loop.body.ops[i].node);
    if (copy == nullptr) continue;
    if (!plan_engine_copy(program, *copy)) return false;
    ++copies;
    for (const BufferAxis& axis : program.buffers[copy->buffer].axes) {
      std::vector<IntExpr> steps;
      for (const GridAxis& cut : program.grid)
        if (cut.iter == axis.iter) steps.push_back(cut.step);
      for (const For* around : path)
        if (around->iter == axis.iter) steps.push_back(around->step);
      steps.push_back(axis.capacity);
      if (!are_nested(steps)) return false;
    }
  }
  return copies > 0;
}

namespace {

/// Between the buffer and the tensor at the index.
std::optional<EngineCopy> plan_boxes(const Tensor& tensor, const std::vector<Affine>& index, const Buffer& buffer) {
  const IterId along = contiguous_iter(tensor, index);
  if (!buffer.swizzled || !along.valid() || tensor.align < least_align) return std::nullopt;
  const std::optional<std::set<IterId>> iters = map_iters(tensor, index, along);
  if (!iters) return std::nullopt;
  const auto element = static_cast<std::int64_t>(size_of(buffer.dtype));
  const std::int64_t row = matrix_unit::row_bytes / element;
  EngineCopy plan{{{along, row}}, {{}}, 0};
  std::int64_t dense = row;
  const auto has_axis = [&](IterId iter) {
    return std::ranges::find(plan.axes, iter, &EngineCopy::Axis::iter) != plan.axes.end();
  };
  for (const BufferLevel& level : levels_of(buffer)) {
    if (!iters->contains(level.iter)) return std::nullopt;
    if (level.apart < row) {
      if (level.iter != along || level.step != 1 || level.apart != 1 || level.count > row) return std::nullopt;
    } else if (level.apart == dense && level.step == 1 && level.count <= most_box && !has_axis(level.iter)) {
      plan.axes.push_back({level.iter, level.count});
      dense *= level.count;
    } else {
      if (level.apart * element % pattern_bytes != 0 ||
          level.count * static_cast<std::int64_t>(plan.boxes.size()) > most_boxes)
        return std::nullopt;
      const std::vector<EngineCopy::Box> first = plan.boxes;
      for (std::int64_t i = 1; i < level.count; ++i)
        for (EngineCopy::Box box : first) {
          box.points[level.iter] += i * level.step;
          box.bytes += i * level.apart * element;
          plan.boxes.push_back(std::move(box));
        }
    }
  }
  for (IterId iter : *iters)
    if (!has_axis(iter)) plan.axes.push_back({iter, 1});
  if (plan.axes.size() > most_axes) return std::nullopt;
  plan.box_bytes = dense * element;
  const std::int64_t room = buffer.elements.constant() * element;
  if (std::ranges::any_of(plan.boxes, [&](const auto& box) { return box.bytes + plan.box_bytes > room; }))
    return std::nullopt;
  return plan;
}

/// Points along the iterator of a grid's block, where one axis of constant step cuts it.
std::optional<std::int64_t> points_of_block(const Program& program, IterId iter) {
  std::optional<std::int64_t> points;
  for (const GridAxis& axis : program.grid) {
    if (axis.iter != iter) continue;
    if (points || !axis.step.is_constant()) return std::nullopt;
    points = axis.step.constant();
  }
  return points;
}

}  // namespace

std::optional<EngineCopy> plan_engine_copy(const Program& program, const Copy& copy, std::int64_t parts) {
  if (copy.otherwise) return std::nullopt;
  std::optional<EngineCopy> plan = plan_boxes(program.tensors[copy.tensor], copy.index, program.buffers[copy.buffer]);
  if (!plan) return std::nullopt;
  const auto boxes = static_cast<std::int64_t>(plan->boxes.size());
  return boxes % parts == 0 || cut_boxes(*plan, parts) ? plan : std::nullopt;
}

std::optional<EngineCopy> plan_engine_store(const Program& program, const Store& store, const Buffer& buffer) {
  for (const StoreIndex& slot : store.index) {
    const auto axis = std::ranges::find(buffer.axes, slot.iter, &BufferAxis::iter);
    const std::int64_t held = axis == buffer.axes.end() ? 1 : axis->capacity.constant();
    if (slot.block || points_of_block(program, slot.iter) != held) return std::nullopt;
  }
  const std::optional<EngineCopy> plan = plan_boxes(program.tensors[store.tensor], index_of(store), buffer);
  // What a box takes beside the buffer's points would be stored, too.
  const auto bytes = buffer.elements.constant() * static_cast<std::int64_t>(size_of(buffer.dtype));
  const bool whole = plan && plan->box_bytes * static_cast<std::int64_t>(plan->boxes.size()) == bytes;
  return whole ? plan : std::nullopt;
}

bool is_shared_along(const Copy& copy, const GridAxis& axis) {
  return std::ranges::none_of(copy.index, [&](const Affine& slot) {
    return std::ranges::find(slot.terms, axis.iter, &Affine::Term::iter) != slot.terms.end();
  });
}

bool can_cluster(const Program& program, const GridAxis& axis, std::int64_t blocks) {
  const For* loop = find_engine_loop(program);
  if (loop == nullptr || !axis.step.is_constant() || axis.step.is_constant(1) || !find_threads(program, axis.iter))
    return false;
  std::size_t shared = 0;
  for (const Op& op : loop->body.ops) {
    const auto* copy = std::get_if<Copy>(&op.node);
    if (copy == nullptr || !is_shared_along(*copy, axis)) continue;
    if (!plan_engine_copy(program, *copy, blocks)) return false;
    ++shared;
  }
  return shared > 0;
}

const For* find_engine_loop(const Program& program) {
  const For* found = nullptr;
  walk(program.body, [&](const Op& op) {
    const auto* loop = std::get_if<For>(&op.node);
    if (loop == nullptr || loop->stages < 2) return;
    for (const Op& inner : loop->body.ops)
      if (const auto* copy = std::get_if<Copy>(&inner.node); copy && copy->by_engine) found = loop;
  });
  return found;
}

For* find_engine_loop(Program& program) {
  return const_cast<For*>(find_engine_loop(std::as_const(program)));
}

const Store* find_engine_store(const Program& program) {
  const Store* found = nullptr;
  walk(program.body, [&](const Op& op) {
    if (const auto* store = std::get_if<Store>(&op.node); store && store->through.valid()) found = store;
  });
  return found;
}

}  // namespace tilewright::tile
