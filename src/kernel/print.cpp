// The text form of the kernel IR, written. docs/ir/kernel.md describes it; parse.cpp reads it.
#include "kernel/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "support/overloaded.h"
#include "support/text.h"

namespace tilewright::kernel {

namespace {

/// A name the reader reads back: letters, digits, '_' and inner '.', and something that is not a digit (numbers are for
/// values without a name).
std::string legal_name(const std::string& name) {
  std::string legal;
  bool numeric = true;
  for (char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    const bool dot = c == '.' && !legal.empty() && legal.back() != '.';
    if (letter || digit || dot) legal.push_back(c);
    numeric = numeric && digit;
  }
  while (!legal.empty() && legal.back() == '.') legal.pop_back();
  return numeric ? std::string() : legal;
}

/// One unique name a value: its own where it is free, `own.1`, `own.2`, … where not; a count for those without.
class Names {
 public:
  explicit Names(const Kernel& kernel) : kernel_(kernel), names_(kernel.values.size()) {
    for (const Parameter& parameter : kernel.parameters) define(parameter.value);
    define_region(kernel.body);
  }

  std::string operator()(ValueId value) const {
    const bool named = value.index < names_.size() && !names_[value.index].empty();
    return named ? "%" + names_[value.index] : "%undefined";
  }

 private:
  void define_region(const Region& region) {
    for (ValueId argument : region.arguments) define(argument);
    for (const Op& op : region.ops) {
      for (ValueId result : op.results) define(result);
      for (const Region& inner : op.regions) define_region(inner);
    }
  }

  void define(ValueId value) {
    if (value.index >= names_.size() || !names_[value.index].empty()) return;
    const std::string own = legal_name(kernel_.values[value].name);
    std::string unique = own.empty() ? std::to_string(next_number_++) : own;
    while (!taken_.insert(unique).second) unique = fmt::format("{}.{}", own, ++suffixes_[own]);
    names_[value.index] = unique;
  }

  const Kernel& kernel_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> suffixes_;  ///< by own name: the last one tried
  int next_number_ = 0;
};

/// Writes ops; it takes any op whose values exist, also one that verify rejects.
class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel), names_(kernel) {}

  std::string kernel_text() {
    std::vector<std::string> parameters;
    for (const Parameter& parameter : kernel_.parameters) parameters.push_back(parameter_text(parameter));
    writer_.open(
        fmt::format("kernel {}({}) {}{{", kernel_.name, fmt::join(parameters, ", "), block_text(kernel_.block)));
    print_region(kernel_.body);
    writer_.close("}");
    return writer_.take();
  }

  std::string head(const Op& op) const {
    switch (op.code) {
      case Opcode::for_loop:
        return results(op) + for_head(op);
      case Opcode::if_then:
        return results(op) + fmt::format("if {} {{", operands(op, 0));
      default:
        return results(op) + plain(op);
    }
  }

  std::string value(ValueId id) const { return names_(id); }

 private:
  std::string type_of(ValueId value) const {
    return kernel_.values.contains(value) ? to_text(kernel_.values[value].type) : "?";
  }

  std::string parameter_text(const Parameter& parameter) const {
    std::string text = fmt::format("{}: {}", names_(parameter.value), type_of(parameter.value));
    if (parameter.readonly) text += " readonly";
    if (parameter.noalias) text += " noalias";
    if (parameter.tensor_map) text += " tensormap";
    if (parameter.align != 1) text += fmt::format(" align {}", parameter.align);
    return text;
  }

  static std::string block_text(const std::optional<ThreadBlock>& block) {
    if (!block) return {};
    std::string text = fmt::format("gpu threads {} ", block->threads);
    if (block->cluster != 1) text += fmt::format("cluster {} ", block->cluster);
    if (block->resident != 0) text += fmt::format("resident {} ", block->resident);
    if (block->in_order) text += "in_order ";
    return text;
  }

  void print_region(const Region& region) {
    for (const Op& op : region.ops) {
      const bool last = &op == &region.ops.back();
      // A region's end is its yield of nothing.
      if (last && op.code == Opcode::yield && op.operands.empty()) continue;
      if (op.regions.empty())
        writer_.line(head(op));
      else
        print_regions(op);
    }
  }

  void print_regions(const Op& op) {
    writer_.open(head(op));
    print_region(op.regions.front());
    if (op.code == Opcode::if_then && op.regions.size() == 2 && !yields_nothing(op.regions[1])) {
      writer_.close({});
      writer_.open("} else {");
      print_region(op.regions[1]);
    }
    writer_.close("}");
  }

  static bool yields_nothing(const Region& region) {
    return region.ops.size() == 1 && region.ops[0].code == Opcode::yield && region.ops[0].operands.empty();
  }

  std::string results(const Op& op) const {
    if (op.results.empty()) return {};
    std::vector<std::string> names;
    for (ValueId result : op.results) names.push_back(names_(result));
    return fmt::format("{} = ", fmt::join(names, ", "));
  }

  std::string operands(const Op& op, std::size_t first) const {
    std::vector<std::string> names;
    for (std::size_t i = first; i < op.operands.size(); ++i) names.push_back(names_(op.operands[i]));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  std::string for_head(const Op& op) const {
    const bool whole = op.operands.size() >= 3 && !op.regions.empty() && !op.regions[0].arguments.empty();
    if (!whole) return fmt::format("for {} {{", operands(op, 0));
    const std::vector<ValueId>& arguments = op.regions[0].arguments;
    std::string text = fmt::format("for {} = {} to {} step {}", names_(arguments[0]), names_(op.operands[0]),
                                   names_(op.operands[1]), names_(op.operands[2]));
    const std::size_t carried = std::min(arguments.size() - 1, op.operands.size() - 3);
    for (std::size_t i = 0; i < carried; ++i)
      text += fmt::format("{} {} = {}", i == 0 ? " carry" : ",", names_(arguments[i + 1]), names_(op.operands[i + 3]));
    return text + " {";
  }

  /// `name [word] [type] [operands] [attribute]`.
  std::string plain(const Op& op) const {
    std::string text(info(op.code).name);
    if (const std::string_view word = leading_word(op.attribute); !word.empty()) text += fmt::format(" {}", word);
    if (const std::string type = written_type(op); !type.empty()) text += " " + type;
    if (!op.operands.empty()) text += " " + operands(op, 0);
    return text + attribute_text(op);
  }

  /// The result's type; of cmp the operands', since the result's follows; of a store the value's.
  std::string written_type(const Op& op) const {
    const bool from_operand = op.code == Opcode::cmp || has_stored_type(op.code);
    if (from_operand && !op.operands.empty()) return type_of(op.operands[0]);
    return op.results.empty() ? std::string() : type_of(op.results[0]);
  }

  /// What of the attribute stands right after the op's name.
  static std::string_view leading_word(const Attribute& attribute) {
    return std::visit(Overloaded{
                          [](std::monostate) { return std::string_view(); },
                          [](const Scalar&) { return std::string_view(); },
                          [](const Lane&) { return std::string_view(); },
                          [](const Lanes&) { return std::string_view(); },
                          [](Predicate predicate) { return name(predicate); },
                          [](const Access&) { return std::string_view(); },
                          [](const Bytes&) { return std::string_view(); },
                          [](const SharedBuffer&) { return std::string_view(); },
                          [](Special special) { return word_name(special); },
                          [](ShuffleMode mode) { return word_name(mode); },
                          [](Vote vote) { return word_name(vote); },
                          [](const Atomic& atomic) { return word_name(atomic.op); },
                          [](MemoryScope scope) { return word_name(scope); },
                          [](const NamedBarrier&) { return std::string_view(); },
                          [](const Count&) { return std::string_view(); },
                          [](const TensorCopy&) { return std::string_view(); },
                          [](const MatrixOrder&) { return std::string_view(); },
                          [](const WarpgroupProduct&) { return std::string_view(); },
                      },
                      attribute);
  }

  /// What of the attribute stands last.
  std::string attribute_text(const Op& op) const {
    return std::visit(
        Overloaded{
            [](std::monostate) { return std::string(); },
            [&](const Scalar& number) { return " " + number_text(op, number); },
            [](const Lane& lane) { return fmt::format(" lane {}", lane.lane); },
            [](const Lanes& lanes) { return fmt::format(" lanes [{}]", fmt::join(lanes.lanes, ", ")); },
            [](Predicate) { return std::string(); },
            [](const Access& access) { return access_text(access); },
            [](const Bytes& bytes) { return fmt::format(" bytes {}", bytes.bytes); },
            [](const SharedBuffer& buffer) {
              return fmt::format(" bytes {}", buffer.bytes) +
                     (buffer.align == SharedBuffer{}.align ? "" : fmt::format(" align {}", buffer.align));
            },
            [](Special) { return std::string(); },
            [](ShuffleMode) { return std::string(); },
            [](Vote) { return std::string(); },
            [](const Atomic& atomic) {
              return fmt::format(" {} {}", word_name(atomic.order), word_name(atomic.scope));
            },
            [](MemoryScope) { return std::string(); },
            [](const NamedBarrier& barrier) {
              return barrier == NamedBarrier{} ? std::string()
                                               : fmt::format(" id {} threads {}", barrier.id, barrier.threads);
            },
            [&](const Count& count) { return fmt::format(" {} {}", name(info(op.code).attribute), count.count); },
            [](const TensorCopy& copy) {
              return fmt::format(" rank {}{}", copy.rank, copy.multicast ? " multicast" : "") + cache_text(copy.cache);
            },
            [](const MatrixOrder& order) { return std::string(order.transposed ? " transposed" : ""); },
            [](const WarpgroupProduct& product) {
              return fmt::format(" n {} of {} a {} {} b {} {}{}{}", product.n, name(product.of), product.a.leading,
                                 product.a.stride, product.b.leading, product.b.stride,
                                 product.transposed_a ? " transposed_a" : "",
                                 product.transposed_b ? " transposed_b" : "");
            },
        },
        op.attribute);
  }

  static std::string access_text(const Access& access) {
    std::string text = fmt::format(" align {}", access.align);
    if (access.nontemporal) text += " nontemporal";
    return text + cache_text(access.cache);
  }

  static std::string cache_text(CacheHint cache) {
    return cache == CacheHint::normal ? std::string() : fmt::format(" {}", word_name(cache));
  }

  std::string number_text(const Op& op, const Scalar& number) const {
    if (!number.is_float()) return std::to_string(number.as_int());
    const bool typed = !op.results.empty() && kernel_.values.contains(op.results[0]);
    const Element element = typed ? kernel_.values[op.results[0]].type.element : Element::f64;
    // The exact value of an f8 is short, and clearer than the shortest number that saturates to it.
    const bool exact = !is_float(element) || bits(element) == 8;
    return to_text(number, exact ? DType::f64 : float_dtype(element));
  }

  const Kernel& kernel_;
  Names names_;
  TextWriter writer_;
};

}  // namespace

bool has_stored_type(Opcode code) {
  return code == Opcode::store || code == Opcode::scatter || code == Opcode::cluster_store ||
         code == Opcode::store_matrix;
}

std::string to_text(const Kernel& kernel) {
  return Printer(kernel).kernel_text();
}

std::string op_text(const Kernel& kernel, const Op& op) {
  return Printer(kernel).head(op);
}

std::string value_text(const Kernel& kernel, ValueId value) {
  return Printer(kernel).value(value);
}

}  // namespace tilewright::kernel
