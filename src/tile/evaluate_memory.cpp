// The tile evaluator's access to tensors: affine loads and stores, with bounds, unspecified elements and elements of
// other grid points reported.
#include <fmt/format.h>

#include <algorithm>

#include "tile/evaluate_machine.h"

namespace tilewright::tile {

SlotIndex::SlotIndex(const std::vector<Affine>& slots, const std::vector<Axis>& axes) {
  for (const Affine& affine : slots) {
    Slot slot{affine.constant, affine.terms, std::vector<std::int64_t>(axes.size(), 0)};
    for (const Affine::Term& term : affine.terms) {
      const auto axis = std::ranges::find(axes, term.iter, &Axis::iter);
      if (axis == axes.end())
        others_.push_back(term.iter);
      else
        slot.coefficients[static_cast<std::size_t>(axis - axes.begin())] = term.coefficient;
    }
    slots_.push_back(std::move(slot));
  }
}

void SlotIndex::start(const Machine& machine) {
  for (Slot& slot : slots_) {
    slot.base = slot.constant;
    for (const Affine::Term& term : slot.terms)
      slot.base += static_cast<__int128>(term.coefficient) * machine.scope(term.iter).base;
  }
}

bool SlotIndex::inside(const Machine& machine) const {
  return std::ranges::all_of(others_,
                             [&](IterId iter) { return machine.scope(iter).base < machine.scope(iter).limit; });
}

Index SlotIndex::at(const std::int64_t* positions) const {
  Index index{};
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    __int128 sum = slots_[s].base;
    for (std::size_t axis = 0; axis < slots_[s].coefficients.size(); ++axis)
      sum += static_cast<__int128>(slots_[s].coefficients[axis]) * positions[axis];
    const auto narrow = static_cast<std::int64_t>(sum);
    index[s] = narrow == sum ? narrow : -1;
  }
  return index;
}

namespace {

/// Steps through the elements of a tile, row-major, with the position along each axis.
class Elements {
 public:
  explicit Elements(const std::vector<Axis>& axes)
      : axes_(axes), positions_(axes.size(), 0), offsets_(axes.size(), 0) {}
  /// How far the element stands from the base along each axis.
  const std::int64_t* offsets() const { return offsets_.data(); }
  void next() {
    for (std::size_t axis = axes_.size(); axis-- > 0;) {
      const bool more = ++positions_[axis] < axes_[axis].size;
      if (!more) positions_[axis] = 0;
      offsets_[axis] = axes_[axis].offset(positions_[axis]);
      if (more) return;
    }
  }
  bool inside(const Machine& machine) const {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const Scope at = machine.scope(axes_[axis].iter);
      if (at.base + offsets_[axis] >= at.limit) return false;
    }
    return true;
  }

 private:
  const std::vector<Axis>& axes_;
  std::vector<std::int64_t> positions_, offsets_;
};

std::string text(const Index& index, std::size_t rank) {
  std::string all;
  for (std::size_t i = 0; i < rank; ++i) all += fmt::format("{}{}", i == 0 ? "" : ", ", index[i]);
  return all;
}

bool stop_outside(Machine& machine, const Op& op, TensorId tensor, const Index& index) {
  const TensorView& view = machine.tensors[tensor.index].view;
  return machine.stop("T103", op,
                      fmt::format("[{}] is outside of {}, whose shape is [{}]", text(index, view.rank()),
                                  machine.program.tensors[tensor].name, fmt::join(view.shape, ", ")));
}

bool stop_race(Machine& machine, const Op& op, TensorId tensor, const Index& index) {
  return machine.stop(
      "T104", op,
      fmt::format("{}[{}] was written by another grid point or thread", machine.program.tensors[tensor].name,
                  text(index, machine.tensors[tensor.index].view.rank())));
}

/// Where a store goes: each slot's coordinate is `base + position` over `block`, or the base alone without an axis.
struct StoreSlot {
  IterId iter;
  std::int64_t block = 1;
  int axis = -1;
};

std::vector<StoreSlot> store_slots(Machine& machine, const Store& store, const std::vector<Axis>& axes) {
  std::vector<StoreSlot> slots;
  for (const StoreIndex& index : store.index) {
    StoreSlot slot{index.iter};
    if (index.block) slot.block = machine.resolve(*index.block, "a block of a store");
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (axes[axis].iter == index.iter) slot.axis = static_cast<int>(axis);
    slots.push_back(slot);
  }
  return slots;
}

Index store_index(const Machine& machine, const std::vector<StoreSlot>& slots, const std::int64_t* positions) {
  Index index{};
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const std::int64_t position = slots[s].axis >= 0 ? positions[slots[s].axis] : 0;
    index[s] = (machine.scope(slots[s].iter).base + position) / slots[s].block;
  }
  return index;
}

/// An iterator that is no axis and no block stands for one point; a longer scope would leave points unwritten.
bool check_store_scopes(Machine& machine, const Op& op, const Store& store, const std::vector<StoreSlot>& slots,
                        bool& any) {
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (slots[s].axis >= 0) continue;
    const Scope at = machine.scopes[slots[s].iter.index];
    any &= machine.scope(slots[s].iter).base < at.limit;
    if (!store.index[s].block && at.limit - at.base > machine.covered(slots[s].iter, 1))
      return machine.stop("T106", op,
                          fmt::format("{} is no axis of the value, but its scope here is [{}, {})",
                                      machine.program.iters[slots[s].iter].name, at.base, at.limit));
  }
  return true;
}

bool store_element(Machine& machine, const Op& op, const Store& store, const Index& index, const Cells& from,
                   std::size_t at) {
  TensorState& tensor = machine.tensors[store.tensor.index];
  if (!tensor.contains(index)) return stop_outside(machine, op, store.tensor, index);
  if (from.poisoned[at] != 0)
    return machine.stop(
        "T101", op,
        fmt::format("the element at {} is unspecified", machine.coordinates(machine.type(store.value).axes, at)));
  std::uint32_t& writer = tensor.writer[tensor.row_major(index)];
  if (writer != 0 && writer != machine.writer()) return stop_race(machine, op, store.tensor, index);
  writer = machine.writer();
  store_scalar(tensor.view.dtype, from.get(at), tensor.address(index));
  return true;
}

}  // namespace

bool load_element(Machine& machine, const Op& op, TensorId id, const Index& index,
                  const std::optional<Scalar>& otherwise, Cells& to, std::size_t at) {
  const TensorState& tensor = machine.tensors[id.index];
  if (!tensor.contains(index)) {
    if (!otherwise) return stop_outside(machine, op, id, index);
    to.set(at, *otherwise);
    return true;
  }
  if (tensor.output) {
    const std::uint32_t writer = tensor.writer[tensor.row_major(index)];
    if (writer == 0) {
      to.poison(at);
      return true;
    }
    if (writer != machine.writer()) return stop_race(machine, op, id, index);
  }
  to.set(at, load_scalar(tensor.view.dtype, tensor.address(index)));
  return true;
}

Action resolve_load(Machine& machine, const Op& op, const Load& load) {
  const ValueId result = op.results.front();
  const std::vector<Axis>& axes = machine.type(result).axes;
  return [&op, &load, &axes, result, slots = SlotIndex(load.index, axes)](Machine& m) mutable {
    if (!m.check_coverage(op, axes)) return false;
    slots.start(m);
    Cells& to = m.tile(result);
    const bool any = slots.inside(m);
    Elements elements(axes);
    for (std::size_t i = 0; i < to.poisoned.size(); ++i, elements.next()) {
      if (!any || !elements.inside(m))
        to.poison(i);
      else if (!load_element(m, op, load.tensor, slots.at(elements.offsets()), load.otherwise, to, i))
        return false;
    }
    return true;
  };
}

namespace {

/// The thread axes along which the first thread stores for all.
std::vector<IterId> idle_threads(const Program& program, const Store& store) {
  std::vector<IterId> idle;
  for (const ThreadAxis& axis : program.threads)
    if (std::ranges::none_of(store.index,
                             [&](const StoreIndex& slot) { return slot.iter == axis.iter && !slot.block; }))
      idle.push_back(axis.iter);
  return idle;
}

}  // namespace

Action resolve_store(Machine& machine, const Op& op, const Store& store) {
  const std::vector<Axis>& axes = machine.type(store.value).axes;
  return [&op, &store, &axes, idle = idle_threads(machine.program, store),
          slots = store_slots(machine, store, axes)](Machine& m) {
    if (std::ranges::any_of(idle, [&](IterId iter) { return m.thread_offsets[m.thread][iter.index] != 0; }))
      return true;
    bool any = true;
    if (!m.check_coverage(op, axes) || !check_store_scopes(m, op, store, slots, any)) return false;
    if (!any) return true;
    const Cells& from = m.tile(store.value);
    Elements elements(axes);
    for (std::size_t i = 0; i < from.poisoned.size(); ++i, elements.next())
      if (elements.inside(m) && !store_element(m, op, store, store_index(m, slots, elements.offsets()), from, i))
        return false;
    return true;
  };
}

}  // namespace tilewright::tile
