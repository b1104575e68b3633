// The function: its sizes, its parameters, regions and control. See printer.h.
#include "codegen/metal/printer.h"

#include <algorithm>

#include "kernel/walk.h"
#include "support/overloaded.h"
#include "support/tensor_symbol.h"

namespace tilewright::codegen::metal {

using kernel::Element;
using kernel::Opcode;
using kernel::OpEffect;

Printer::Printer(const MetalFunction& function, Prelude& prelude)
    : lowered_(*function.lowered),
      kernel_(lowered_.kernel),
      function_(function),
      prelude_(prelude),
      classes_(kernel_),
      uses_(lowered_, classes_),
      values_(kernel_.values.size()),
      addresses_(kernel_.values.size()) {
  kernel::walk(kernel_.body, [&](const Op& op) {
    if (op.code != Opcode::load && op.code != Opcode::gather) return;
    for (const kernel::Parameter& parameter : kernel_.parameters)
      if (kernel::is_pointer(type(parameter.value).element) && !parameter.readonly &&
          &classes_.of(parameter.value) == &classes_.of(op.operands[0]))
        reads_.insert(parameter.value.index);
  });
}

std::string Printer::run() {
  names_.unique("sizes");
  for (const kernel::Parameter& parameter : kernel_.parameters)
    if (kernel::is_pointer(type(parameter.value).element))
      addresses_[parameter.value.index] = {names_.unique(kernel_.values[parameter.value].name), {}, 0};
  declare_sizes();
  print_region(kernel_.body);
  return structure_ + signature() + body_ + "}\n";
}

/// "a_extent0" of a.0; "a_stride0_bytes" of a.s0 * 4, which in elements of 4 bytes is "a_stride0", and of a.s0 * 4 * 8
/// "a_stride0_x8_bytes"; else as the kernel's.
Printer::SizeName Printer::size_name(std::size_t parameter) const {
  const ValueId value = kernel_.parameters[parameter].value;
  const SizeName own{kernel_.values[value].name, kernel_.values[value].name + "_elements"};
  const auto* size = std::get_if<kernel::SizeArgument>(&lowered_.arguments[parameter]);
  if (size == nullptr) return own;
  IntExpr expression = size->value;
  std::int64_t factor = 1;
  for (; expression.op() == IntOp::mul && expression.rhs().is_constant(); expression = expression.lhs())
    if (__builtin_mul_overflow(factor, expression.rhs().constant(), &factor)) return own;
  const auto symbol = expression.op() == IntOp::symbol ? parse_tensor_symbol(expression.symbol_name()) : std::nullopt;
  if (!symbol) return own;
  const std::string tensor = legal_name(symbol->tensor);
  if (!symbol->stride) return factor == 1 ? SizeName{fmt::format("{}_extent{}", tensor, symbol->axis), ""} : own;
  const std::string stride = fmt::format("{}_stride{}", tensor, symbol->axis);
  if (factor == 1) return {stride, stride + "_elements"};
  for (const ValueUses::Divided& divided : uses_.divided()) {
    if (divided.first != value || factor % divided.second != 0) continue;
    const std::int64_t times = factor / divided.second;
    const std::string elements = times == 1 ? stride : fmt::format("{}_x{}", stride, times);
    return {elements + "_bytes", elements};
  }
  return own;
}

/// What the launch computes of extents and strides is one structure, in the order of the parameters.
void Printer::declare_sizes() {
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
    const ValueId value = kernel_.parameters[i].value;
    if (kernel::is_pointer(type(value).element)) continue;
    const std::string meaning = std::visit(
        Overloaded{
            [](const kernel::SizeArgument& size) { return to_text(size.value) + (size.is_distance ? " bytes" : ""); },
            [](const kernel::GridBeginArgument&) -> std::string { return "the launch's first group"; },
            [](const kernel::GridEndArgument&) -> std::string { return "one past its last point"; },
            [](const kernel::TensorArgument&) -> std::string { return ""; },
            [](const kernel::TensorMapArgument&) -> std::string { return ""; },
            [](const kernel::WorkspaceArgument&) -> std::string { return ""; }},
        lowered_.arguments[i]);
    const SizeName size = size_name(i);
    const std::string name = names_.unique(size.field);
    fields_.push_back({name, std::string(scalar_type(type(value).element)), i, meaning});
    values_[value.index].parts = {{"sizes." + name}};
    for (const ValueUses::Divided& divided : uses_.divided()) {
      if (divided.first != value) continue;
      const std::string elements = names_.unique(size.elements);
      line(fmt::format("const long {} = sizes.{} / {};", elements, name, divided.second));
      divided_.emplace_back(divided, elements);
    }
  }
  if (fields_.empty()) return;
  std::size_t longest = 0;
  const auto declared = [](const MetalField& field) { return fmt::format("{} {};", field.type, field.name); };
  for (const MetalField& field : fields_) longest = std::max(longest, declared(field).size());
  structure_ = fmt::format("struct {} {{\n", function_.structure);
  for (const MetalField& field : fields_)
    structure_ += fmt::format("  {:<{}}  // {}\n", declared(field), longest, field.formula);
  structure_ += "};\n\n";
}

std::string Printer::signature() {
  std::vector<std::string> parameters;
  int buffer = 0;
  for (const kernel::Parameter& parameter : kernel_.parameters) {
    if (!kernel::is_pointer(type(parameter.value).element)) continue;
    const AddressClass& own = classes_.of(parameter.value);
    parameters.push_back(fmt::format("{} {} [[buffer({})]]",
                                     pointer_type(parameter.value, own.element, 1, !own.readonly),
                                     addresses_[parameter.value.index].base, buffer++));
  }
  if (!structure_.empty())
    parameters.push_back(fmt::format("constant {}& sizes [[buffer({})]]", function_.structure, buffer));
  parameters.insert(parameters.end(), attributes_.begin(), attributes_.end());
  return fmt::format("[[kernel, max_total_threads_per_threadgroup({})]]\nvoid {}({}) {{\n", kernel_.block->threads,
                     function_.name, fmt::join(parameters, ",\n" + std::string(6 + function_.name.size(), ' ')));
}

void Printer::print_region(const kernel::Region& region) {
  for (const Op& op : region.ops) print_op(op);
}

void Printer::print_op(const Op& op) {
  if (kernel::info(op.code).effect == OpEffect::pure) {
    if (uses_.is_used(op.results[0])) print_pure(op);
    return;
  }
  switch (op.code) {
    case Opcode::load:
      return print_load(op);
    case Opcode::store:
      return print_store(op);
    case Opcode::gather:
      return print_gather(op);
    case Opcode::scatter:
      return print_scatter(op);
    case Opcode::shared:
      return print_shared(op);
    case Opcode::local:
      return print_local(op);
    case Opcode::for_loop:
      return print_for(op);
    case Opcode::if_then:
      return print_if(op);
    case Opcode::yield:
    case Opcode::prefetch:
      return;
    default:
      return print_together(op);
  }
}

void Printer::print_shared(const Op& op) {
  const AddressClass& own = classes_.of(op.results[0]);
  const int size = bytes_of(own.element);
  const std::string name = names_.unique(hint_of(op.results[0], "staged"));
  line(fmt::format("alignas(16) threadgroup {} {}[{}];", scalar_type(own.element), name,
                   (std::get<kernel::SharedBuffer>(op.attribute).bytes + size - 1) / size));
  addresses_[op.results[0].index] = {name, {}, 0};
}

void Printer::print_local(const Op& op) {
  const AddressClass& own = classes_.of(op.results[0]);
  const int size = bytes_of(own.element);
  const std::string name = names_.unique(hint_of(op.results[0], "own"));
  line(fmt::format("alignas(16) {} {}[{}];", scalar_type(own.element), name,
                   (std::get<kernel::Bytes>(op.attribute).bytes + size - 1) / size));
  addresses_[op.results[0].index] = {name, {}, 0};
}

std::vector<std::string> Printer::texts_of(ValueId value) {
  if (kernel::is_pointer(type(value).element)) return {pointer_text(value)};
  std::vector<std::string> texts;
  for (std::size_t p = 0; p < parts_of(type(value).lanes).size(); ++p)
    texts.push_back(operand(value, p, Sign::with, true).text);
  return texts;
}

std::vector<std::string> Printer::variable_names(ValueId variable) const {
  if (kernel::is_pointer(type(variable).element)) return {addresses_[variable.index].base};
  std::vector<std::string> names;
  for (const Expression& part : values_[variable.index].parts) names.push_back(part.text);
  return names;
}

/// Gives the value a name a part; the lines that declare them are the caller's.
void Printer::declare_variable(ValueId variable, std::string_view hint) {
  if (kernel::is_pointer(type(variable).element)) {
    const std::string& tensor = classes_.of(variable).name;
    addresses_[variable.index] = {names_.numbered(tensor.empty() ? std::string("at") : tensor), {}, 0};
    return;
  }
  values_[variable.index] = {};
  for (std::size_t p = 0; p < parts_of(type(variable).lanes).size(); ++p)
    values_[variable.index].parts.push_back({names_.numbered(hint_of(variable, hint))});
}

namespace {

bool mentions(std::string_view text, std::string_view name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !is_word(text[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

}  // namespace

/// Assigns what the region yields; by way of other names where one assignment would change what another reads.
void Printer::print_yield(const kernel::Region& region, const std::vector<ValueId>& variables) {
  struct Assignment {
    std::string type, name, text;
  };
  std::vector<Assignment> all;
  const std::vector<ValueId>& yielded = region.ops.back().operands;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].valid()) continue;
    const std::vector<std::string> names = variable_names(variables[i]);
    const std::vector<std::string> texts = texts_of(yielded[i]);
    const bool is_pointer = kernel::is_pointer(type(variables[i]).element);
    const AddressClass* own = is_pointer ? &classes_.of(variables[i]) : nullptr;
    for (std::size_t p = 0; p < names.size(); ++p)
      if (names[p] != texts[p])
        all.push_back({is_pointer ? pointer_type(variables[i], own->element, 1, !own->readonly)
                                  : "const " + type_name(type(variables[i]).element, part_lanes(variables[i], p)),
                       names[p], texts[p]});
  }
  bool clashes = false;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) clashes = clashes || mentions(all[i].text, all[k].name);
  if (clashes)
    for (Assignment& each : all) {
      const std::string next = names_.numbered("next");
      line(fmt::format("{} {} = {};", each.type, next, each.text));
      each.text = next;
    }
  for (const Assignment& each : all) line(fmt::format("{} = {};", each.name, each.text));
}

void Printer::print_for(const Op& op) {
  const kernel::Region& body = op.regions[0];
  const std::vector<ValueId> variables(body.arguments.begin() + 1, body.arguments.end());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::vector<std::string> texts = texts_of(op.operands[3 + i]);
    declare_variable(variables[i], "sum");
    const std::vector<std::string> names = variable_names(variables[i]);
    const bool is_pointer = kernel::is_pointer(type(variables[i]).element);
    for (std::size_t p = 0; p < names.size(); ++p) {
      const AddressClass* own = is_pointer ? &classes_.of(variables[i]) : nullptr;
      line(fmt::format("{} {} = {};",
                       is_pointer ? pointer_type(variables[i], own->element, 1, !own->readonly)
                                  : type_name(type(variables[i]).element, part_lanes(variables[i], p)),
                       names[p], texts[p]));
    }
  }
  const ValueId index = body.arguments[0];
  const Element element = type(index).element;
  const auto bound = [&](ValueId value) { return with_sign(atom(value, 0), element, 1).text; };
  const std::string begin = bound(op.operands[0]);
  const std::string end = bound(op.operands[1]);
  const std::string step = bound(op.operands[2]);
  const std::string name = names_.numbered(hint_of(index, "i"));
  values_[index.index].parts = {{name}};
  line(fmt::format("for ({} {} = {}; {} < {}; {} += {}) {{", scalar_type(element), name, begin, name, end, name, step));
  ++depth_;
  print_region(body);
  print_yield(body, variables);
  --depth_;
  line("}");
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    values_[op.results[i].index] = values_[variables[i].index];
    addresses_[op.results[i].index] = addresses_[variables[i].index];
  }
}

void Printer::print_if(const Op& op) {
  std::vector<ValueId> variables;
  for (ValueId result : op.results) {
    variables.push_back(uses_.is_used(result) ? result : ValueId{});
    if (!uses_.is_used(result)) continue;
    declare_variable(result, "v");
    const std::vector<std::string> names = variable_names(result);
    const bool is_pointer = kernel::is_pointer(type(result).element);
    for (std::size_t p = 0; p < names.size(); ++p) {
      const AddressClass* own = is_pointer ? &classes_.of(result) : nullptr;
      line(fmt::format("{} {};",
                       is_pointer ? pointer_type(result, own->element, 1, !own->readonly)
                                  : type_name(type(result).element, part_lanes(result, p)),
                       names[p]));
    }
  }
  line(fmt::format("if ({}) {{", operand(op.operands[0], 0).text));
  const auto branch = [&](const kernel::Region& region) {
    ++depth_;
    print_region(region);
    print_yield(region, variables);
    --depth_;
  };
  branch(op.regions[0]);
  const std::size_t before = body_.size();
  line("} else {");
  const std::size_t inside = body_.size();
  branch(op.regions[1]);
  if (body_.size() == inside) body_.resize(before);
  line("}");
}

}  // namespace tilewright::codegen::metal
