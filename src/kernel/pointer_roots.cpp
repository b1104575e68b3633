// Flow of pointers from parameters, to a fixed point.
#include "kernel/pointer_roots.h"

#include "kernel/walk.h"

namespace tilewright::kernel {

namespace {

/// The operand through which the op writes what a parameter may reach.
std::optional<std::size_t> written_operand(Opcode code) {
  switch (code) {
    case Opcode::store:
    case Opcode::scatter:
      return 1;
    case Opcode::atomic:
    case Opcode::bulk_store:
      return 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

PointerRoots::PointerRoots(const Kernel& kernel) : kernel_(kernel), roots_(kernel.values.size()) {
  const std::size_t count = kernel.parameters.size();
  const auto start = [&](ValueId pointer, std::size_t root) {
    std::vector<bool>& own = roots_[pointer.index];
    own.resize(count + 1);
    own[root] = true;
  };
  for (std::size_t i = 0; i < count; ++i)
    if (kernel.values[kernel.parameters[i].value].type.element == Element::ptr) start(kernel.parameters[i].value, i);
  walk(kernel.body, [&](const Op& op) {
    if (op.code == Opcode::local) start(op.results[0], count);
  });
  // A loop's carried pointer depends on what its body yields: once more until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    walk(kernel.body, [&](const Op& op) { changed |= follow(op); });
  }
}

bool PointerRoots::merge(ValueId into, ValueId from) {
  std::vector<bool>& target = roots_[into.index];
  const std::vector<bool> source = roots_[from.index];
  if (source.empty()) return false;
  target.resize(kernel_.parameters.size() + 1);
  bool changed = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!source[i] || target[i]) continue;
    target[i] = true;
    changed = true;
  }
  return changed;
}

bool PointerRoots::follow(const Op& op) {
  bool changed = false;
  if (op.code == Opcode::offset) changed |= merge(op.results[0], op.operands[0]);
  if (op.code == Opcode::select) {
    changed |= merge(op.results[0], op.operands[1]);
    changed |= merge(op.results[0], op.operands[2]);
  }
  for (const Region& region : op.regions) {
    const std::vector<ValueId>& yielded = region.ops.back().operands;
    for (std::size_t i = 0; i < yielded.size(); ++i) {
      changed |= merge(op.results[i], yielded[i]);
      if (op.code != Opcode::for_loop) continue;
      changed |= merge(op.results[i], op.operands[i + 3]);
      changed |= merge(region.arguments[i + 1], op.operands[i + 3]);
      changed |= merge(region.arguments[i + 1], yielded[i]);
    }
  }
  return changed;
}

std::vector<std::size_t> PointerRoots::of(ValueId pointer) const {
  std::vector<std::size_t> parameters;
  const std::vector<bool>& roots = roots_[pointer.index];
  for (std::size_t i = 0; i + 1 < roots.size(); ++i)
    if (roots[i]) parameters.push_back(i);
  return parameters;
}

bool PointerRoots::may_be_local(ValueId pointer) const {
  const std::vector<bool>& roots = roots_[pointer.index];
  return !roots.empty() && roots.back();
}

void PointerRoots::for_each_written(const std::function<void(const Op&, const Parameter&)>& visit) const {
  walk(kernel_.body, [&](const Op& op) {
    const std::optional<std::size_t> place = written_operand(op.code);
    if (!place) return;
    for (std::size_t i : of(op.operands[*place])) visit(op, kernel_.parameters[i]);
  });
}

}  // namespace tilewright::kernel
