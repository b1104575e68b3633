// See value_uses.h. Uses are counted from the last op to the first, so that what only dead ops use is not there.
#include "codegen/metal/value_uses.h"

#include <algorithm>

#include "kernel/walk.h"

namespace tilewright::codegen::metal {

using kernel::Op;
using kernel::Opcode;
using kernel::OpEffect;
using kernel::ValueId;

namespace {

std::optional<std::int64_t> constant_of(const Op* op) {
  if (op == nullptr || op->code != Opcode::constant) return std::nullopt;
  return std::get<Scalar>(op->attribute).as_int();
}

}  // namespace

ValueUses::ValueUses(const kernel::LoweredKernel& lowered, const AddressClasses& classes)
    : lowered_(lowered), classes_(classes), uses_(lowered.kernel.values.size()) {
  define(lowered.kernel.body, 0);
  count_region(lowered.kernel.body);
  mark_flows();
  while (mark_from_memory(lowered.kernel.body)) {
  }
}

bool ValueUses::is_used_once(ValueId value) const {
  const Use& use = uses_[value.index];
  return use.count == 1 && use.used_in == use.defined_in;
}

void ValueUses::define(const kernel::Region& region, int number) {
  regions_.push_back(&region);
  for (ValueId argument : region.arguments) uses_[argument.index].defined_in = number;
  for (const Op& op : region.ops) {
    for (ValueId result : op.results) {
      uses_[result.index].definition = &op;
      uses_[result.index].defined_in = number;
    }
    for (const kernel::Region& inner : op.regions) define(inner, static_cast<int>(regions_.size()));
  }
}

void ValueUses::use(ValueId value, int region) {
  ++uses_[value.index].count;
  uses_[value.index].used_in = region;
}

const IntExpr* ValueUses::size_parameter(ValueId value) const {
  const auto& parameters = lowered_.kernel.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].value == value)
      if (const auto* size = std::get_if<kernel::SizeArgument>(&lowered_.arguments[i])) return &size->value;
  return nullptr;
}

bool ValueUses::is_divisible(ValueId bytes, std::int64_t size) const {
  const Op* op = definition(bytes);
  if (size == 1) return true;
  if (op == nullptr) {
    const IntExpr* parameter = size_parameter(bytes);
    return parameter != nullptr && is_multiple_of(*parameter, size);
  }
  const auto part = [&](std::size_t i) { return is_divisible(op->operands[i], size); };
  switch (op->code) {
    case Opcode::constant:
      return lowered_.kernel.values[bytes].type.lanes == 1 && *constant_of(op) % size == 0;
    case Opcode::mul:
      return part(0) || part(1);
    case Opcode::add:
    case Opcode::sub:
      return part(0) && part(1);
    default:
      return false;
  }
}

void ValueUses::use_elements(ValueId bytes, std::int64_t size, int region) {
  const Op* op = definition(bytes);
  if (size == 1) return use(bytes, region);
  if (op == nullptr) {
    if (const Divided entry{bytes, size}; std::ranges::find(divided_, entry) == divided_.end())
      divided_.push_back(entry);
    return use(bytes, region);
  }
  switch (op->code) {
    case Opcode::mul: {
      // As elements_of in printer_memory.cpp chooses.
      const std::size_t divided = is_divisible(op->operands[1], size) ? 1 : 0;
      use_elements(op->operands[divided], size, region);
      return use(op->operands[1 - divided], region);
    }
    case Opcode::add:
    case Opcode::sub:
      for (ValueId operand : op->operands) use_elements(operand, size, region);
      return;
    default:
      return;
  }
}

void ValueUses::count_region(const kernel::Region& region) {
  const auto number = static_cast<int>(std::ranges::find(regions_, &region) - regions_.begin());
  for (auto op = region.ops.rbegin(); op != region.ops.rend(); ++op) count_op(*op, number);
}

void ValueUses::count_op(const Op& op, int region) {
  for (auto inner = op.regions.rbegin(); inner != op.regions.rend(); ++inner) count_region(*inner);
  const bool is_dead = kernel::info(op.code).effect == OpEffect::pure &&
                       std::ranges::none_of(op.results, [&](ValueId result) { return is_used(result); });
  if (is_dead) return;
  if (op.code == Opcode::offset) {
    const std::int64_t size = kernel::bits(classes_.of(op.results[0]).element) / 8;
    use(op.operands[0], region);
    if (is_divisible(op.operands[1], size)) return use_elements(op.operands[1], size, region);
    return use(op.operands[1], region);
  }
  for (ValueId operand : op.operands) use(operand, region);
}

/// From stored values back through what they are computed from.
void ValueUses::mark_flows() {
  const kernel::Kernel& kernel = lowered_.kernel;
  std::vector<ValueId> pending;
  const auto mark = [&](ValueId value, Flow flow) {
    Use& use = uses_[value.index];
    if (use.flow >= flow || kernel::is_pointer(kernel.values[value].type.element)) return;
    use.flow = flow;
    pending.push_back(value);
  };
  std::vector<std::pair<ValueId, std::vector<ValueId>>> arguments;  // of loops: what comes to them
  kernel::walk(kernel.body, [&](const Op& op) {
    if (op.code == Opcode::store || op.code == Opcode::scatter) mark(op.operands[0], Flow::data);
    if (op.code == Opcode::atomic)
      for (std::size_t i = 1; i < op.operands.size(); ++i) mark(op.operands[i], Flow::data);
    if (op.code == Opcode::for_loop)
      for (std::size_t i = 0; i < op.results.size(); ++i)
        arguments.push_back(
            {op.regions[0].arguments[1 + i], {op.operands[3 + i], op.regions[0].ops.back().operands[i]}});
  });
  while (!pending.empty()) {
    const ValueId value = pending.back();
    pending.pop_back();
    const Flow flow = uses_[value.index].flow;
    const Op* op = definition(value);
    if (op == nullptr) {
      for (const auto& [argument, sources] : arguments)
        if (argument == value)
          for (ValueId source : sources) mark(source, flow);
      continue;
    }
    if (op->code == Opcode::load || op->code == Opcode::gather) continue;
    if (op->regions.empty()) {
      for (ValueId operand : op->operands) mark(operand, op->code == Opcode::cmp ? Flow::compared : flow);
      continue;
    }
    const auto place = static_cast<std::size_t>(std::ranges::find(op->results, value) - op->results.begin());
    for (const kernel::Region& inner : op->regions) mark(inner.ops.back().operands[place], flow);
    if (op->code == Opcode::for_loop) mark(op->operands[3 + place], flow);
  }
}

/// Whether anything was found that was not known before.
bool ValueUses::mark_from_memory(const kernel::Region& region) {
  bool found = false;
  const auto mark = [&](ValueId value, bool from_memory) {
    if (!from_memory || uses_[value.index].from_memory) return;
    uses_[value.index].from_memory = found = true;
  };
  const auto is_marked = [&](ValueId value) { return uses_[value.index].from_memory; };
  for (const Op& op : region.ops) {
    const bool reads = kernel::info(op.code).effect == OpEffect::reads || op.code == Opcode::atomic;
    for (std::size_t i = 0; op.code == Opcode::for_loop && i < op.results.size(); ++i)
      mark(op.regions[0].arguments[1 + i], is_marked(op.operands[3 + i]));
    for (const kernel::Region& inner : op.regions) {
      found = mark_from_memory(inner) || found;
      for (std::size_t i = 0; i < op.results.size(); ++i) {
        mark(op.results[i], is_marked(inner.ops.back().operands[i]));
        if (op.code == Opcode::for_loop) mark(inner.arguments[1 + i], is_marked(op.results[i]));
      }
    }
    for (ValueId result : op.results)
      mark(result, reads || (op.regions.empty() && std::ranges::any_of(op.operands, is_marked)));
  }
  return found;
}

bool ValueUses::may_wrap(ValueId value) const {
  const Use& use = uses_[value.index];
  if (use.flow != Flow::compared) return use.flow == Flow::data;
  if (use.from_memory || lowered_.kernel.values[value].type.element != kernel::Element::i64) return true;
  if (use.definition == nullptr || use.definition->code != Opcode::mul) return false;
  const auto is_small = [&](ValueId operand) {
    const auto constant = constant_of(definition(operand));
    return constant && *constant > INT32_MIN && *constant <= INT32_MAX;
  };
  return std::ranges::none_of(use.definition->operands, is_small);
}

}  // namespace tilewright::codegen::metal
