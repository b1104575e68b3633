// The tile evaluator's buffers: allocation, packing copies, tiles in and out.
#include <fmt/format.h>

#include <algorithm>

#include "tile/evaluate_machine.h"

namespace tilewright::tile {
namespace {

/// Where the elements of a tile lie in a buffer.
struct BufferWalk {
  BufferId buffer;
  std::vector<std::vector<std::uint32_t>> positions;  ///< by buffer axis, then element of the tile

  /// The element's coordinates along the buffer's axes, relative to its origin; an iterator that is no axis of the tile
  /// stands at its base.
  void locate(const Machine& machine, std::size_t element, std::vector<std::int64_t>& relative) const {
    const BufferState& state = machine.buffers[buffer.index];
    for (std::size_t b = 0; b < positions.size(); ++b) {
      const IterId iter = state.axes[b].iter;
      const Scope at = state.shared ? machine.scope(iter) : machine.scopes[iter.index];
      relative[b] = at.base + static_cast<std::int64_t>(positions[b][element]) - state.axes[b].origin;
    }
  }
};

BufferWalk walk_of(const Machine& machine, BufferId buffer, const std::vector<Axis>& axes) {
  BufferWalk walk{buffer, {}};
  for (const BufferState::AxisState& axis : machine.buffers[buffer.index].axes)
    walk.positions.push_back(positions_along(axes, axis.iter));
  return walk;
}

bool stop_outside(Machine& machine, const Op& op, BufferId buffer, const std::vector<std::int64_t>& relative) {
  return machine.stop("T105", op,
                      fmt::format("[{}] from where buffer {} starts is outside of it", fmt::join(relative, ", "),
                                  machine.program.buffers[buffer].name));
}

}  // namespace

Action resolve_allocate(Machine&, const Op&, const Allocate& allocate) {
  return [id = allocate.buffer](Machine& m) {
    BufferState& buffer = m.buffers[id.index];
    for (BufferState::AxisState& axis : buffer.axes) axis.origin = m.scopes[axis.iter.index].base;
    buffer.cells.resize(m.threads());
    m.memory(buffer).resize(static_cast<std::size_t>(buffer.elements), m.program.buffers[id].dtype);
    return true;
  };
}

Action resolve_load_buffer(Machine& machine, const Op& op, const LoadBuffer& load) {
  const ValueId result = op.results.front();
  const std::vector<Axis>& axes = machine.type(result).axes;
  return [&op, &axes, result, walk = walk_of(machine, load.buffer, axes)](Machine& m) {
    if (!m.check_coverage(op, axes)) return false;
    BufferState& buffer = m.buffers[walk.buffer.index];
    const Cells& cells = m.memory(buffer);
    Cells& to = m.tile(result);
    std::vector<std::int64_t> relative(buffer.axes.size());
    for (std::size_t i = 0; i < to.poisoned.size(); ++i) {
      walk.locate(m, i, relative);
      const std::int64_t at = buffer.offset(relative);
      if (at < 0) return stop_outside(m, op, walk.buffer, relative);
      to.copy_element(i, cells, static_cast<std::size_t>(at));
    }
    return true;
  };
}

Action resolve_store_buffer(Machine& machine, const Op& op, const StoreBuffer& store) {
  const std::vector<Axis>& axes = machine.type(store.value).axes;
  return [&op, &axes, value = store.value, walk = walk_of(machine, store.buffer, axes)](Machine& m) {
    if (!m.check_coverage(op, axes)) return false;
    BufferState& buffer = m.buffers[walk.buffer.index];
    const Cells& from = m.tile(value);
    Cells& cells = m.memory(buffer);
    std::vector<std::int64_t> relative(buffer.axes.size());
    for (std::size_t i = 0; i < from.poisoned.size(); ++i) {
      walk.locate(m, i, relative);
      const std::int64_t at = buffer.offset(relative);
      if (at < 0) return stop_outside(m, op, walk.buffer, relative);
      cells.copy_element(static_cast<std::size_t>(at), from, i);
    }
    return true;
  };
}

namespace {

/// The buffer coordinates that a copy fills, relative to the origin: the current scope, and zeros up to the next
/// multiple of the inner length, of shared memory up to the capacity.
struct FillRange {
  std::int64_t begin, copied_end, end;
};

std::vector<FillRange> fill_ranges(const Machine& machine, const BufferState& buffer) {
  std::vector<FillRange> ranges;
  for (const BufferState::AxisState& axis : buffer.axes) {
    const Scope at = buffer.shared ? machine.scopes[axis.iter.index] : machine.scope(axis.iter);
    const std::int64_t end = at.limit - axis.origin;
    const std::int64_t rounded =
        buffer.shared ? std::max(end, axis.capacity) : end + (axis.inner - end % axis.inner) % axis.inner;
    ranges.push_back({at.base - axis.origin, end, rounded});
  }
  return ranges;
}

bool next(std::vector<std::int64_t>& relative, const std::vector<FillRange>& ranges) {
  for (std::size_t axis = ranges.size(); axis-- > 0;) {
    if (++relative[axis] < ranges[axis].end) return true;
    relative[axis] = ranges[axis].begin;
  }
  return false;
}

}  // namespace

Action resolve_copy(Machine& machine, const Op& op, const Copy& copy) {
  std::vector<Axis> axes;  // of SlotIndex: one for each axis of the buffer
  for (const BufferState::AxisState& axis : machine.buffers[copy.buffer.index].axes) axes.push_back({axis.iter, 1});
  const Scalar zero =
      is_floating(machine.program.buffers[copy.buffer].dtype) ? Scalar::of(0.0) : Scalar::of(std::int64_t{0});
  return [&op, &copy, zero, slots = SlotIndex(copy.index, axes)](Machine& m) mutable {
    BufferState& buffer = m.buffers[copy.buffer.index];
    Cells& cells = m.memory(buffer);
    const std::vector<FillRange> ranges = fill_ranges(m, buffer);
    std::vector<std::int64_t> relative, positions(ranges.size());
    for (const FillRange& range : ranges) {
      if (range.copied_end <= range.begin) return true;
      relative.push_back(range.begin);
    }
    if (!slots.inside(m)) return true;
    slots.start(m);
    do {
      const std::int64_t at = buffer.offset(relative);
      if (at < 0) return stop_outside(m, op, copy.buffer, relative);
      bool copied = true;
      for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
        copied &= relative[axis] < ranges[axis].copied_end;
        positions[axis] = relative[axis] - ranges[axis].begin;
      }
      const auto cell = static_cast<std::size_t>(at);
      if (!copied)
        cells.set(cell, zero);
      else if (!load_element(m, op, copy.tensor, slots.at(positions.data()), copy.otherwise, cells, cell))
        return false;
    } while (next(relative, ranges));
    return true;
  };
}

}  // namespace tilewright::tile
