// See address_classes.h. Classes are joined first; accesses and places are then noted of whole classes.
#include "codegen/metal/address_classes.h"

#include <algorithm>
#include <numeric>

#include "kernel/walk.h"

namespace tilewright::codegen::metal {

using kernel::Element;
using kernel::Op;
using kernel::Opcode;
using kernel::ValueId;

AddressClasses::AddressClasses(const kernel::Kernel& kernel)
    : kernel_(kernel), parents_(kernel.values.size()), classes_(kernel.values.size()) {
  std::iota(parents_.begin(), parents_.end(), 0U);
  follow(kernel.body);
  for (const kernel::Parameter& parameter : kernel.parameters) {
    if (!kernel::is_pointer(kernel.values[parameter.value].type.element)) continue;
    place(parameter.value, Space::device);
    AddressClass& own = classes_[find(parameter.value.index)];
    if (own.name.empty()) own.name = kernel.values[parameter.value].name;
  }
  kernel::walk(kernel.body, [&](const Op& op) {
    switch (op.code) {
      case Opcode::shared:
        return place(op.results[0], Space::threadgroup);
      case Opcode::local:
        return place(op.results[0], Space::thread);
      case Opcode::load:
      case Opcode::gather:
        return access(op.operands[0], kernel.values[op.results[0]].type.element, false);
      case Opcode::store:
      case Opcode::scatter:
        return access(op.operands[1], kernel.values[op.operands[0]].type.element, true);
      case Opcode::atomic:
        return access(op.operands[0], kernel.values[op.results[0]].type.element, true);
      default:
        return;
    }
  });
}

bool AddressClasses::any_mixed() const {
  return std::ranges::any_of(classes_, &AddressClass::is_mixed);
}

std::uint32_t AddressClasses::find(std::uint32_t value) const {
  while (parents_[value] != value) value = parents_[value] = parents_[parents_[value]];
  return value;
}

void AddressClasses::join(ValueId a, ValueId b) {
  if (kernel::is_pointer(kernel_.values[a].type.element)) parents_[find(a.index)] = find(b.index);
}

void AddressClasses::follow(const kernel::Region& region) {
  for (const Op& op : region.ops) {
    for (const kernel::Region& inner : op.regions) follow(inner);
    follow_op(op);
  }
}

void AddressClasses::follow_op(const Op& op) {
  switch (op.code) {
    case Opcode::offset:
      return join(op.results[0], op.operands[0]);
    case Opcode::select:
      join(op.results[0], op.operands[1]);
      return join(op.results[0], op.operands[2]);
    case Opcode::for_loop:
      for (std::size_t i = 0; i < op.results.size(); ++i) {
        join(op.results[i], op.operands[3 + i]);
        join(op.results[i], op.regions[0].arguments[1 + i]);
        join(op.results[i], op.regions[0].ops.back().operands[i]);
      }
      return;
    case Opcode::if_then:
      for (const kernel::Region& branch : op.regions)
        for (std::size_t i = 0; i < op.results.size(); ++i) join(op.results[i], branch.ops.back().operands[i]);
      return;
    default:
      return;
  }
}

void AddressClasses::access(ValueId pointer, Element element, bool stores) {
  AddressClass& own = classes_[find(pointer.index)];
  if (!own.accessed || kernel::bits(element) < kernel::bits(own.element)) own.element = element;
  own.accessed = true;
  own.readonly = own.readonly && !stores;
}

void AddressClasses::place(ValueId pointer, Space space) {
  AddressClass& own = classes_[find(pointer.index)];
  own.is_mixed = own.is_mixed || (own.space && *own.space != space);
  own.space = space;
}

}  // namespace tilewright::codegen::metal
