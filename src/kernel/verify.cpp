// The legality of a kernel, run between stages. What holds of every kernel that verifies:
//
//   K010  An operand is defined above its use, in the same region or one around it.
//   K011  An op has as many operands as its row of the op table says; where that is 'any', as its own rule says.
//   K012  An op has as many results as its row says; every value is defined exactly once.
//   K013  Operand and result types obey the row's rule (one function a rule, below; special ops have one case each).
//   K014  An op's attribute is of the row's kind and within its range: a constant is a value of its type, lanes exist.
//   K015  Regions: `for` has one, with an i64 and the carried values as arguments; `if` has two without arguments;
//   other
//         ops and the body's arguments none. A yield stands last in each region and nowhere else, and yields the types
//         of the results (nothing, in the body).
//   K016  Alignments are powers of two; a nontemporal access is unmasked, contiguous and aligned to its whole width.
//   K017  Nothing is stored through a pointer that comes from a readonly parameter.
//   K018  A type has 1 to 64 lanes; a pointer is a scalar; a parameter is a pointer or a scalar integer, and only a
//         pointer is readonly, noalias or aligned; the kernel's name is a name.
//   K019  A `local` or `shared` stands in the body itself, not in a loop or branch.
//   K020  GPU ops stand in GPU kernels alone; a GPU kernel's block has a shape that a GPU can have.
//   K021  All threads of the block come to its barrier together, and all of a warp to what it does together: no loop or
//         branch around depends on what they do not agree on (uniformity.h).
//   K022  A tensor map is a parameter of a GPU kernel, and only copies of tensors take it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/gpu_rules.h"
#include "kernel/ir.h"
#include "kernel/pointer_roots.h"
#include "kernel/print.h"
#include "kernel/uniformity.h"
#include "kernel/walk.h"

namespace tilewright::kernel {

namespace {

constexpr std::size_t max_diagnostics = 20;
constexpr std::int64_t max_local_bytes = std::int64_t{1} << 30;
constexpr Type index_type{Element::i64, 1};

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel), in_scope_(kernel.values.size()), defined_(kernel.values.size()) {}

  Result<void> verify() {
    check_signature();
    check_values();
    if (!kernel_.body.arguments.empty()) report("K015", nullptr, "the body has arguments");
    check_region(kernel_.body, nullptr, {});
    if (diagnostics_.empty()) check_readonly();
    if (diagnostics_.empty()) check_tensor_maps();
    if (diagnostics_.empty() && kernel_.block) check_convergence();
    if (diagnostics_.empty()) return {};
    return std::unexpected(std::move(diagnostics_));
  }

 private:
  // ---- reports

  void report(std::string_view code, const Op* op, std::string_view what, std::string remedy = {}) {
    if (diagnostics_.size() >= max_diagnostics) return;
    std::string message = op == nullptr ? fmt::format("kernel {}: {}", kernel_.name, what)
                                        : fmt::format("{}, in: {}", what, op_text(kernel_, *op));
    diagnostics_.push_back({std::string(code), std::move(message), std::move(remedy), nullptr, {}});
  }

  /// Reports `what`, a text or a function that makes one, unless `holds`. Texts are made only when needed: a kernel is
  /// verified after every pass, and printing it costs more than checking it.
  template <class What>
  bool demand(bool holds, std::string_view code, const Op& op, const What& what, std::string remedy = {}) {
    if (holds) return true;
    if constexpr (std::is_invocable_v<What>)
      report(code, &op, what(), std::move(remedy));
    else
      report(code, &op, what, std::move(remedy));
    return false;
  }

  bool demand_types(bool hold, const Op& op, std::string_view remedy) {
    return hold ||
           demand(false, "K013", op, fmt::format("{} does not take these types ({})", info(op.code).name, types(op)),
                  std::string(remedy));
  }

  std::string types(const Op& op) const {
    const auto join = [&](const std::vector<ValueId>& values) {
      std::string text;
      for (ValueId value : values) text += (text.empty() ? "" : ", ") + to_text(type(value));
      return text;
    };
    return op.results.empty() ? join(op.operands) : fmt::format("{} -> {}", join(op.operands), join(op.results));
  }

  Type type(ValueId value) const { return kernel_.values[value].type; }
  Type operand(const Op& op, std::size_t i) const { return type(op.operands[i]); }
  Type result(const Op& op) const { return type(op.results[0]); }

  // ---- the kernel as a whole

  void check_signature() {
    if (!is_name(kernel_.name)) report("K018", nullptr, "the kernel's name is not a name");
    if (kernel_.block)
      if (const std::string wrong = check_block(*kernel_.block); !wrong.empty())
        report("K020", nullptr, wrong, "threads 1 to 1024, cluster 1 to 16, resident 0 to 32");
    for (const Parameter& parameter : kernel_.parameters) {
      if (!define(parameter.value, nullptr)) continue;
      const Type t = type(parameter.value);
      const bool pointer = t.element == Element::ptr;
      if (t.lanes != 1 || !(pointer || is_int(t.element)))
        report("K018", nullptr, fmt::format("a parameter is {}", to_text(t)), "take a pointer or a scalar integer");
      if (!pointer && (parameter.readonly || parameter.noalias || parameter.align != 1))
        report("K018", nullptr, "a parameter that is no pointer is readonly, noalias or aligned");
      if (!std::has_single_bit(parameter.align))
        report("K016", nullptr, fmt::format("a parameter's alignment is {}", parameter.align));
    }
  }

  static bool is_name(std::string_view text) {
    const auto in_name = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !text.empty() && std::ranges::all_of(text, in_name) && !(text[0] >= '0' && text[0] <= '9');
  }

  void check_values() {
    for (const Value& value : kernel_.values) {
      const Type t = value.type;
      const bool legal = t.lanes >= 1 && t.lanes <= max_lanes && (!is_pointer(t.element) || t.lanes == 1);
      if (!legal)
        report("K018", nullptr, fmt::format("a value of type {}", to_text(t)), "1 to 64 lanes; a pointer has one");
    }
  }

  bool define(ValueId value, const Op* op) {
    if (!kernel_.values.contains(value)) {
      report("K012", op, "a result or argument that is no value of the kernel");
      return false;
    }
    if (defined_[value.index]) {
      report("K012", op, fmt::format("{} is defined twice", value_text(kernel_, value)));
      return false;
    }
    defined_[value.index] = in_scope_[value.index] = true;
    return true;
  }

  void check_readonly() {
    const PointerRoots roots(kernel_);
    roots.for_each_written([&](const Op& op, const Parameter& parameter) {
      demand(!parameter.readonly, "K017", op, [&] {
        return fmt::format("a store through the readonly parameter {}", value_text(kernel_, parameter.value));
      });
    });
  }

  void check_tensor_maps() {
    std::vector<bool> maps(kernel_.values.size());
    for (const Parameter& parameter : kernel_.parameters) {
      maps[parameter.value.index] = parameter.tensor_map;
      if (parameter.tensor_map && (!kernel_.block || type(parameter.value).element != Element::ptr))
        report("K022", nullptr, "a tensor map that is no ptr of a GPU kernel");
    }
    walk(kernel_.body, [&](const Op& op) {
      const std::optional<std::size_t> place = tensor_map_operand(op.code);
      for (std::size_t i = 0; i < op.operands.size(); ++i)
        demand(maps[op.operands[i].index] == (place == i), "K022", op,
               place == i ? "a copy of a tensor that is given by no map" : "a tensor map in another op's hands",
               "write `tensormap` behind the parameter, and take it in tensor_load and tensor_store");
    });
  }

  void check_convergence() {
    const Uniformity uniformity(kernel_);
    check_ways(uniformity, kernel_.body, Agreement::block);
  }

  /// `way` is how far the threads agree to run the region.
  void check_ways(const Uniformity& uniformity, const Region& region, Agreement way) {
    for (const Op& op : region.ops) {
      demand(way <= Uniformity::required(op), "K021", op,
             way == Agreement::thread ? "not all threads of a warp come here together"
                                      : "not all threads of the block come here together",
             "move it out of the loops and branches that depend on the thread");
      for (const Region& inner : op.regions) check_ways(uniformity, inner, std::max(way, uniformity.into(op)));
    }
  }

  // ---- regions

  /// `parent` is the op around, null for the body; `yields` are the types that the region's yield must have.
  void check_region(const Region& region, const Op* parent, const std::vector<Type>& yields) {
    std::vector<ValueId> local_values;
    const auto enter = [&](ValueId value, const Op* op) {
      if (define(value, op)) local_values.push_back(value);
    };
    for (ValueId argument : region.arguments) enter(argument, parent);
    if (region.ops.empty() || region.ops.back().code != Opcode::yield)
      report("K015", parent, "a region that does not end in a yield");
    for (const Op& op : region.ops) {
      if (check_op(op, parent) && op.code == Opcode::yield) check_yield(op, &op == &region.ops.back(), yields);
      for (ValueId value : op.results) enter(value, &op);
    }
    for (ValueId value : local_values) in_scope_[value.index] = false;
  }

  void check_yield(const Op& op, bool last, const std::vector<Type>& expected) {
    std::vector<Type> yielded;
    for (ValueId value : op.operands) yielded.push_back(type(value));
    demand(last, "K015", op, "a yield that is not its region's last op");
    demand(yielded == expected, "K015", op, "a yield of other types than the op around has results");
  }

  /// Everything of an op but its place as a yield. False if its operands cannot be looked at.
  bool check_op(const Op& op, const Op* parent) {
    const OpInfo& row = info(op.code);
    bool sound = true;
    for (ValueId value : op.operands) {
      const bool visible = kernel_.values.contains(value) && in_scope_[value.index];
      sound &= demand(visible, "K010", op,
                      [&] { return fmt::format("{} is not defined here", value_text(kernel_, value)); });
    }
    for (ValueId value : op.results) sound &= kernel_.values.contains(value);
    sound &= demand(row.operands < 0 || op.operands.size() == static_cast<std::size_t>(row.operands), "K011", op,
                    [&] { return fmt::format("{} operands", op.operands.size()); });
    sound &= demand(row.results < 0 || op.results.size() == static_cast<std::size_t>(row.results), "K012", op,
                    [&] { return fmt::format("{} results", op.results.size()); });
    sound &= demand(has_attribute_kind(op, row.attribute), "K014", op, "an attribute of another kind");
    const bool structured = op.code == Opcode::for_loop || op.code == Opcode::if_then;
    sound &= demand(structured || op.regions.empty(), "K015", op, "an op that has no regions is given some");
    if (op.code == Opcode::local || op.code == Opcode::shared)
      demand(parent == nullptr, "K019", op, "a buffer in a loop or branch",
             "place it in the body: it lives for the call");
    sound &= demand(row.rule != OpRule::gpu || kernel_.block, "K020", op, "an op of GPUs in a host's kernel",
                    "say `gpu threads n` behind the parameters");
    if (sound) check_rule(op, row.rule);
    return sound;
  }

  static bool has_attribute_kind(const Op& op, OpAttribute kind) {
    switch (kind) {
      case OpAttribute::none:
        return std::holds_alternative<std::monostate>(op.attribute);
      case OpAttribute::number:
        return std::holds_alternative<Scalar>(op.attribute);
      case OpAttribute::lane:
        return std::holds_alternative<Lane>(op.attribute);
      case OpAttribute::lanes:
        return std::holds_alternative<Lanes>(op.attribute);
      case OpAttribute::predicate:
        return std::holds_alternative<Predicate>(op.attribute);
      case OpAttribute::access:
        return std::holds_alternative<Access>(op.attribute);
      case OpAttribute::bytes:
        return std::holds_alternative<Bytes>(op.attribute);
      case OpAttribute::buffer:
        return std::holds_alternative<SharedBuffer>(op.attribute);
      case OpAttribute::special:
        return std::holds_alternative<Special>(op.attribute);
      case OpAttribute::shuffle_mode:
        return std::holds_alternative<ShuffleMode>(op.attribute);
      case OpAttribute::vote:
        return std::holds_alternative<Vote>(op.attribute);
      case OpAttribute::atomic:
        return std::holds_alternative<Atomic>(op.attribute);
      case OpAttribute::scope:
        return std::holds_alternative<MemoryScope>(op.attribute);
      case OpAttribute::barrier:
        return std::holds_alternative<NamedBarrier>(op.attribute);
      case OpAttribute::pending:
      case OpAttribute::count:
        return std::holds_alternative<Count>(op.attribute);
      case OpAttribute::tensor:
        return std::holds_alternative<TensorCopy>(op.attribute);
      case OpAttribute::matrix:
        return std::holds_alternative<MatrixOrder>(op.attribute);
      case OpAttribute::warpgroup:
        return std::holds_alternative<WarpgroupProduct>(op.attribute);
    }
    return false;
  }

  // ---- one function a rule

  void check_rule(const Op& op, OpRule rule) {
    switch (rule) {
      case OpRule::same:
        return check_same(op);
      case OpRule::same_int:
        return check_same_int(op);
      case OpRule::same_float:
        return check_same_float(op);
      case OpRule::cmp:
        return check_cmp(op);
      case OpRule::choose:
        return check_choose(op);
      case OpRule::convert:
        return check_convert(op);
      case OpRule::special:
        return check_special(op);
      case OpRule::gpu:
        return check_gpu(op);
    }
  }

  bool all_of_result_type(const Op& op) const {
    return std::ranges::all_of(op.operands, [&](ValueId value) { return type(value) == result(op); });
  }

  void check_same(const Op& op) {
    demand_types(all_of_result_type(op) && !is_pointer(result(op).element), op, "operands and result of one type");
  }

  void check_same_int(const Op& op) {
    demand_types(all_of_result_type(op) && is_int(result(op).element), op, "operands and result of one integer type");
  }

  void check_same_float(const Op& op) {
    demand_types(all_of_result_type(op) && is_float(result(op).element), op, "operands and result of one float type");
  }

  void check_cmp(const Op& op) {
    const Type t = operand(op, 0);
    const bool by_float = is_float_predicate(std::get<Predicate>(op.attribute));
    const bool class_fits = by_float ? is_float(t.element) : is_int(t.element);
    demand_types(
        operand(op, 1) == t && result(op) == t.with(Element::i1) && class_fits, op,
        by_float ? "two floats of one type, to i1 of their lanes" : "two integers of one type, to i1 of lanes");
  }

  void check_choose(const Op& op) {
    const Type condition = operand(op, 0);
    const Type t = result(op);
    const bool lanes_fit = condition.lanes == 1 || condition.lanes == t.lanes;
    demand_types(condition.element == Element::i1 && lanes_fit && operand(op, 1) == t && operand(op, 2) == t, op,
                 "i1 of one lane or of the result's, and two of the result's type");
  }

  void check_convert(const Op& op) {
    const Element from = operand(op, 0).element;
    const Element to = result(op).element;
    const auto between = [&](bool from_fits, bool to_fits, bool relation, std::string_view remedy) {
      demand_types(from_fits && to_fits && relation && operand(op, 0).lanes == result(op).lanes, op, remedy);
    };
    switch (op.code) {
      case Opcode::trunc:
        return between(is_int(from), is_int(to), bits(to) < bits(from), "an integer to a narrower one");
      case Opcode::sext:
      case Opcode::zext:
        return between(is_int(from), is_int(to), bits(to) > bits(from), "an integer to a wider one");
      case Opcode::fconvert:
        return between(is_float(from), is_float(to), from != to, "a float to another");
      case Opcode::sitofp:
      case Opcode::uitofp:
        return between(is_int(from), is_float(to), true, "an integer to a float");
      case Opcode::fptosi:
      case Opcode::fptoui:
        return between(is_float(from), is_int(to), true, "a float to an integer");
      default:
        internal_error(fmt::format("no conversion rule for {}", info(op.code).name));
    }
  }

  void check_gpu(const Op& op) {
    for (const GpuViolation& violation : check_gpu_op(kernel_, op)) {
      if (violation.code == "K013")
        demand_types(false, op, violation.remedy);
      else
        report(violation.code, &op, violation.what, violation.remedy);
    }
  }

  // ---- special ops

  void check_special(const Op& op) {
    switch (op.code) {
      case Opcode::constant:
        return check_constant(op);
      case Opcode::iota:
        return void(demand_types(is_int(result(op).element), op, "an integer result"));
      case Opcode::splat:
        return void(demand_types(operand(op, 0) == result(op).scalar() && result(op).lanes > 1, op,
                                 "a scalar, to a vector of it"));
      case Opcode::extract:
      case Opcode::insert:
        return check_lane(op);
      case Opcode::shuffle:
        return check_shuffle(op);
      case Opcode::bitcast:
        return check_bitcast(op);
      case Opcode::offset:
        return void(demand_types(
            is_pointer(operand(op, 0).element) && operand(op, 1) == index_type && result(op) == operand(op, 0), op,
            "a pointer and an i64, to a pointer of the same memory"));
      case Opcode::load:
        return check_access(op, 0, 0, result_or_none(op));
      case Opcode::store:
        return check_access(op, 1, 0, value_or_none(op));
      case Opcode::gather:
        return check_access(op, 0, 1, result_or_none(op));
      case Opcode::scatter:
        return check_access(op, 1, 1, value_or_none(op));
      case Opcode::prefetch:
        return void(demand_types(operand(op, 0).element == Element::ptr, op, "a ptr"));
      case Opcode::local:
        return check_local(op);
      case Opcode::for_loop:
        return check_for(op);
      case Opcode::if_then:
        return check_if(op);
      case Opcode::yield:
        return;  // by check_region, which knows what is around
      default:
        internal_error(fmt::format("no rule for {}", info(op.code).name));
    }
  }

  void check_constant(const Op& op) {
    const Scalar& number = std::get<Scalar>(op.attribute);
    const Element element = result(op).element;
    if (!demand_types(!is_pointer(element), op, "a number; a pointer has no constants")) return;
    if (!demand(number.is_float() == is_float(element), "K014", op, "a constant of the wrong class")) return;
    const bool kept = number.is_float()
                          ? std::isnan(number.as_double()) || round_to(number, float_dtype(element)) == number
                          : wrap_to(element, number.as_int()) == number.as_int();
    demand(kept, "K014", op, "a constant that its type does not have");
  }

  void check_lane(const Op& op) {
    const bool into = op.code == Opcode::insert;
    const Type vector = operand(op, 0);
    const bool types_fit =
        into ? result(op) == vector && operand(op, 1) == vector.scalar() : result(op) == vector.scalar();
    demand_types(types_fit && vector.lanes > 1, op, "a vector and its element type");
    const std::int32_t lane = std::get<Lane>(op.attribute).lane;
    demand(lane >= 0 && lane < vector.lanes, "K014", op,
           [&] { return fmt::format("lane {} of {}", lane, to_text(vector)); });
  }

  void check_shuffle(const Op& op) {
    const Type from = operand(op, 0);
    const std::vector<std::int32_t>& lanes = std::get<Lanes>(op.attribute).lanes;
    demand_types(operand(op, 1) == from && result(op).element == from.element && !is_pointer(from.element), op,
                 "two operands of one type, and its element in the result");
    demand(lanes.size() == result(op).lanes, "K014", op,
           [&] { return fmt::format("{} lanes chosen for a result of {}", lanes.size(), to_text(result(op))); });
    const bool exist =
        std::ranges::all_of(lanes, [&](std::int32_t lane) { return lane >= 0 && lane < 2 * from.lanes; });
    demand(exist, "K014", op, "a lane past both operands");
  }

  /// A pointer's address may be looked at, but no pointer is made from an integer.
  void check_bitcast(const Op& op) {
    const Type from = operand(op, 0);
    const Type to = result(op);
    const bool alike = from.lanes == to.lanes && bits(from.element) == bits(to.element);
    const bool whole = std::min(bits(from.element), bits(to.element)) >= 8 &&
                       from.lanes * bits(from.element) == to.lanes * bits(to.element);
    demand_types((alike || (whole && !is_pointer(from.element))) && !is_pointer(to.element), op,
                 "as many bits; a pointer only to i64");
    demand_types(!is_pointer(from.element) || to.element == Element::i64, op, "a pointer only to i64");
  }

  std::optional<Type> result_or_none(const Op& op) const { return result(op); }
  std::optional<Type> value_or_none(const Op& op) const {
    return op.operands.empty() ? std::nullopt : std::optional(operand(op, 0));
  }

  /// load, store, gather, scatter: `values` operands of data, a pointer, `offsets` operands of i64xN, at most a mask.
  void check_access(const Op& op, std::size_t values, std::size_t offsets, std::optional<Type> data) {
    const std::size_t least = values + 1 + offsets;
    const bool masked = op.operands.size() == least + 1;
    if (!demand(
            data && (op.operands.size() == least || masked), "K011", op,
            [&] { return fmt::format("{} operands", op.operands.size()); },
            fmt::format("{}, or {} with a mask", least, least + 1)))
      return;
    const bool in_memory = !is_pointer(data->element) && data->element != Element::i1;
    demand_types(in_memory, op, "elements that memory holds: bool is i8 there, pointers come as parameters");
    demand_types(is_pointer(operand(op, values).element), op, "a pointer");
    if (offsets == 1)
      demand_types(operand(op, values + 1) == data->with(Element::i64) && data->lanes > 1, op,
                   "a vector, and one i64 byte offset a lane");
    if (masked) demand_types(operand(op, least) == data->with(Element::i1), op, "a mask of i1, one a lane");
    check_alignment(op, *data, masked || offsets == 1);
  }

  void check_alignment(const Op& op, Type data, bool masked_or_scattered) {
    const Access access = std::get<Access>(op.attribute);
    demand(
        std::has_single_bit(access.align), "K016", op, [&] { return fmt::format("an alignment of {}", access.align); },
        "write a power of two");
    if (!access.nontemporal) return;
    const auto width = static_cast<std::uint32_t>(data.lanes * bits(data.element) / 8);
    demand(!masked_or_scattered, "K016", op, "a nontemporal access that is masked or not contiguous");
    demand(access.align >= width, "K016", op,
           [&] { return fmt::format("a nontemporal access of {} bytes aligned to {}", width, access.align); });
  }

  void check_local(const Op& op) {
    demand_types(result(op).element == Element::ptr, op, "a ptr");
    const std::int64_t bytes = std::get<Bytes>(op.attribute).bytes;
    demand(
        bytes > 0 && bytes <= max_local_bytes, "K014", op, [&] { return fmt::format("a local of {} bytes", bytes); },
        fmt::format("1 to {} bytes", max_local_bytes));
  }

  std::vector<Type> result_types(const Op& op) const {
    std::vector<Type> types;
    for (ValueId value : op.results) types.push_back(type(value));
    return types;
  }

  void check_for(const Op& op) {
    if (!demand(op.operands.size() >= 3, "K011", op, "a loop without begin, end and step")) return;
    if (!demand(op.regions.size() == 1, "K015", op, "a loop has one region")) return;
    for (std::size_t i = 0; i < 3; ++i) demand_types(operand(op, i) == index_type, op, "begin, end and step of i64");
    const std::vector<ValueId>& arguments = op.regions[0].arguments;
    const std::size_t carried = op.operands.size() - 3;
    demand(op.results.size() == carried, "K012", op,
           [&] { return fmt::format("{} results of {} carried values", op.results.size(), carried); });
    bool arguments_fit = arguments.size() == carried + 1;
    for (std::size_t i = 0; arguments_fit && i < arguments.size(); ++i) {
      const Type expected = i == 0 ? index_type : operand(op, i + 2);
      arguments_fit = kernel_.values.contains(arguments[i]) && type(arguments[i]) == expected;
    }
    demand(arguments_fit, "K015", op, "a loop whose region's arguments are not an i64 and the carried values");
    bool results_fit = op.results.size() == carried;
    for (std::size_t i = 0; results_fit && i < carried; ++i) results_fit = type(op.results[i]) == operand(op, i + 3);
    demand_types(results_fit, op, "results of the carried values' types");
    check_region(op.regions[0], &op, result_types(op));
  }

  void check_if(const Op& op) {
    demand_types(operand(op, 0) == Type{Element::i1, 1}, op, "a condition of i1");
    if (!demand(op.regions.size() == 2, "K015", op, "a branch has two regions")) return;
    for (const Region& region : op.regions) {
      demand(region.arguments.empty(), "K015", op, "a branch whose region has arguments");
      check_region(region, &op, result_types(op));
    }
  }

  const Kernel& kernel_;
  std::vector<bool> in_scope_;  ///< by value: visible at the op under check
  std::vector<bool> defined_;   ///< by value: seen anywhere
  Diagnostics diagnostics_;
};

}  // namespace

Result<void> verify(const Kernel& kernel) {
  return Verifier(kernel).verify();
}

}  // namespace tilewright::kernel
