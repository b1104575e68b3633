// The text form of the kernel IR, read. It checks what the text itself must get right (names, types, the parts of each
// op that its row of the op table asks for); the rest is verify's.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "kernel/ir.h"
#include "kernel/print.h"
#include "support/text.h"

namespace tilewright::kernel {

namespace {

constexpr std::string_view unknown_op = "K001";
constexpr std::string_view unknown_type = "K002";
constexpr std::string_view undefined_value = "K003";
constexpr std::string_view defined_twice = "K004";
constexpr std::string_view bad_attribute = "K005";
constexpr std::string_view too_deep = "K006";
constexpr std::string_view bad_results = "K007";
constexpr std::string_view trailing_text = "K008";

/// A deeper text is refused, so that no later stage has to bound its recursion.
constexpr int max_depth = 64;

/// Takes the value of a Result, or returns its error from the enclosing function.
#define TW_TAKE(name, expression)                                    \
  auto name##_result = (expression);                                 \
  if (!name##_result) return std::unexpected(name##_result.error()); \
  auto& name = *name##_result

#define TW_CHECK(expression) \
  if (auto checked = (expression); !checked) return std::unexpected(checked.error())

class Parser {
 public:
  explicit Parser(SourcePtr source) : cursor_(std::move(source)) {}

  Result<Kernel> parse() {
    TW_CHECK(cursor_.expect("kernel"));
    TW_TAKE(name, cursor_.expect_name("the kernel's name"));
    kernel_.name = name;
    TW_CHECK(parameters());
    if (cursor_.accept("gpu")) {
      TW_TAKE(shape, block());
      kernel_.block = shape;
    }
    TW_TAKE(body, region({}));
    kernel_.body = std::move(body);
    if (!cursor_.at_end())
      return cursor_.error_here(trailing_text, "text after the kernel's end", "write one kernel a text");
    return std::move(kernel_);
  }

 private:
  // ---- names and types

  /// The name and place of a value, before it is defined: results stand before their op.
  struct Named {
    std::string name;
    Span span;
  };

  Result<Named> new_name(std::string_view what) {
    const Span span = cursor_.peek().span;
    TW_TAKE(name, cursor_.expect_value(what));
    return Named{std::move(name), span};
  }

  Result<ValueId> define(const Named& named, Type type) {
    const bool number = std::ranges::all_of(named.name, [](char c) { return c >= '0' && c <= '9'; });
    const ValueId value = kernel_.values.add({type, number ? std::string() : named.name});
    if (!values_.emplace(named.name, value).second)
      return fail(defined_twice, fmt::format("%{} is defined twice", named.name), "give each value a name of its own",
                  cursor_.source(), named.span);
    return value;
  }

  Result<ValueId> use() {
    const Span span = cursor_.peek().span;
    TW_TAKE(name, cursor_.expect_value("a value"));
    const auto found = values_.find(name);
    if (found == values_.end())
      return fail(undefined_value, fmt::format("%{} is not defined before its use", name),
                  "define each value above its uses", cursor_.source(), span);
    return found->second;
  }

  /// `%a, %b, …`, at least one.
  Result<std::vector<ValueId>> uses() {
    std::vector<ValueId> values;
    do {
      TW_TAKE(value, use());
      values.push_back(value);
    } while (cursor_.accept(","));
    return values;
  }

  Result<Type> type() {
    if (cursor_.peek().kind == TokenKind::name)
      if (const auto type = type_from_text(cursor_.peek().text)) {
        cursor_.take();
        return *type;
      }
    return cursor_.error_here(
        unknown_type, fmt::format("'{}' is not a type", cursor_.peek().text.substr(0, 40)),
        "write an element (i1 i8 i16 i32 i64 f8e4m3 f8e5m2 f16 bf16 f32 f64 ptr ptr_shared), for a vector "
        "with x and 2 to 64 lanes: f32x8");
  }

  Type type_of(ValueId value) const { return kernel_.values[value].type; }

  // ---- structure

  Result<void> parameters() {
    TW_CHECK(cursor_.expect("("));
    if (cursor_.accept(")")) return {};
    do {
      TW_TAKE(named, new_name("a parameter"));
      TW_CHECK(cursor_.expect(":"));
      TW_TAKE(parameter_type, type());
      TW_TAKE(value, define(named, parameter_type));
      Parameter parameter{value};
      parameter.readonly = cursor_.accept("readonly");
      parameter.noalias = cursor_.accept("noalias");
      parameter.tensor_map = cursor_.accept("tensormap");
      if (cursor_.accept("align")) {
        TW_TAKE(align, alignment());
        parameter.align = align;
      }
      kernel_.parameters.push_back(parameter);
    } while (cursor_.accept(","));
    TW_CHECK(cursor_.expect(")"));
    return {};
  }

  /// `threads n [cluster n] [resident n] [in_order]`.
  Result<ThreadBlock> block() {
    ThreadBlock block;
    TW_CHECK(cursor_.expect("threads"));
    TW_TAKE(threads, small_number("a count of threads"));
    block.threads = threads;
    if (cursor_.accept("cluster")) {
      TW_TAKE(cluster, small_number("a count of blocks"));
      block.cluster = cluster;
    }
    if (cursor_.accept("resident")) {
      TW_TAKE(resident, small_number("a count of blocks"));
      block.resident = resident;
    }
    block.in_order = cursor_.accept("in_order");
    return block;
  }

  /// `{ ops }`; a region without a yield gets the one of nothing.
  Result<Region> region(std::vector<ValueId> arguments) {
    TW_CHECK(cursor_.expect("{"));
    if (++depth_ > max_depth)
      return cursor_.error_here(too_deep, fmt::format("regions nest deeper than {}", max_depth));
    Region region{std::move(arguments), {}};
    while (!cursor_.next_is("}")) {
      TW_TAKE(parsed, op());
      region.ops.push_back(std::move(parsed));
    }
    cursor_.take();
    --depth_;
    if (region.ops.empty() || region.ops.back().code != Opcode::yield)
      region.ops.push_back({Opcode::yield, {}, {}, {}, {}});
    return region;
  }

  Result<Op> op() {
    std::vector<Named> results;
    if (cursor_.peek().kind == TokenKind::value) {
      do {
        TW_TAKE(named, new_name("a result"));
        results.push_back(std::move(named));
      } while (cursor_.accept(","));
      TW_CHECK(cursor_.expect("="));
    }
    const auto code = opcode_from_name(cursor_.peek().kind == TokenKind::name ? cursor_.peek().text : "");
    if (!code)
      return cursor_.error_here(unknown_op, fmt::format("'{}' is not an op", cursor_.peek().text.substr(0, 40)),
                                "docs/ir/kernel.md lists the ops");
    if (info(*code).results >= 0 && static_cast<std::size_t>(info(*code).results) != results.size())
      return cursor_.error_here(bad_results, fmt::format("{} names {} results, and has {}", info(*code).name,
                                                         results.size(), info(*code).results));
    cursor_.take();
    if (*code == Opcode::for_loop) return for_loop(results);
    if (*code == Opcode::if_then) return if_then(results);
    return plain(*code, results);
  }

  Result<Op> for_loop(const std::vector<Named>& results) {
    Op op;
    op.code = Opcode::for_loop;
    TW_TAKE(variable, new_name("the loop's variable"));
    for (std::string_view separator : {"=", "to", "step"}) {
      TW_CHECK(cursor_.expect(separator));
      TW_TAKE(bound, use());
      op.operands.push_back(bound);
    }
    std::vector<Named> carried;
    if (cursor_.accept("carry")) do {
        TW_TAKE(named, new_name("a carried value"));
        TW_CHECK(cursor_.expect("="));
        TW_TAKE(initial, use());
        carried.push_back(std::move(named));
        op.operands.push_back(initial);
      } while (cursor_.accept(","));
    std::vector<ValueId> arguments;
    TW_TAKE(i, define(variable, {Element::i64, 1}));
    arguments.push_back(i);
    for (std::size_t c = 0; c < carried.size(); ++c) {
      TW_TAKE(argument, define(carried[c], type_of(op.operands[c + 3])));
      arguments.push_back(argument);
    }
    TW_TAKE(body, region(std::move(arguments)));
    op.regions.push_back(std::move(body));
    return with_results(std::move(op), results);
  }

  Result<Op> if_then(const std::vector<Named>& results) {
    Op op;
    op.code = Opcode::if_then;
    TW_TAKE(condition, use());
    op.operands.push_back(condition);
    TW_TAKE(then_region, region({}));
    op.regions.push_back(std::move(then_region));
    op.regions.emplace_back();
    if (cursor_.accept("else")) {
      TW_TAKE(else_region, region({}));
      op.regions[1] = std::move(else_region);
    } else {
      op.regions[1].ops.push_back({Opcode::yield, {}, {}, {}, {}});
    }
    return with_results(std::move(op), results);
  }

  /// Results of a for or if have the types that its first region yields.
  Result<Op> with_results(Op op, const std::vector<Named>& results) {
    const std::vector<ValueId>& yielded = op.regions.front().ops.back().operands;
    if (yielded.size() != results.size())
      return cursor_.error_here(bad_results, fmt::format("{} names {} results, and yields {}", info(op.code).name,
                                                         results.size(), yielded.size()));
    for (std::size_t i = 0; i < results.size(); ++i) {
      TW_TAKE(result, define(results[i], type_of(yielded[i])));
      op.results.push_back(result);
    }
    return op;
  }

  /// `name [word] [type] [operands] [attribute]`.
  Result<Op> plain(Opcode code, const std::vector<Named>& results) {
    Op op;
    op.code = code;
    const bool names_value_type = has_stored_type(code);
    TW_CHECK(leading_word(op));
    Type written;
    const Span type_span = cursor_.peek().span;
    if (!results.empty() || names_value_type) {
      TW_TAKE(parsed, type());
      written = parsed;
    }
    if (cursor_.peek().kind == TokenKind::value && takes_operands(code)) {
      TW_TAKE(operands, uses());
      op.operands = std::move(operands);
    }
    const bool from_operand = code == Opcode::cmp || names_value_type;
    if (from_operand && !op.operands.empty() && type_of(op.operands[0]) != written)
      return fail(
          unknown_type,
          fmt::format("{} of {} is given a {}", info(code).name, to_text(written), to_text(type_of(op.operands[0]))),
          "write the first operand's type", cursor_.source(), type_span);
    TW_CHECK(attribute(op, written));
    for (std::size_t i = 0; i < results.size(); ++i) {
      Type result_type = code == Opcode::cmp ? written.with(Element::i1) : written;
      // Of several, one for each of the last operands.
      if (i > 0 && op.operands.size() >= results.size())
        result_type = type_of(op.operands[op.operands.size() - results.size() + i]);
      TW_TAKE(result, define(results[i], result_type));
      op.results.push_back(result);
    }
    return op;
  }

  /// An op without operands may be followed by the next op's results.
  static bool takes_operands(Opcode code) { return info(code).operands != 0; }

  // ---- attributes

  std::string_view peeked_name() const {
    return cursor_.peek().kind == TokenKind::name ? cursor_.peek().text : std::string_view();
  }

  /// What of the attribute stands right after the op's name.
  Result<void> leading_word(Op& op) {
    switch (info(op.code).attribute) {
      case OpAttribute::predicate: {
        TW_TAKE(value, predicate());
        op.attribute = value;
        return {};
      }
      case OpAttribute::special:
        return word_into<Special>(op);
      case OpAttribute::shuffle_mode:
        return word_into<ShuffleMode>(op);
      case OpAttribute::vote:
        return word_into<Vote>(op);
      case OpAttribute::scope:
        return word_into<MemoryScope>(op);
      case OpAttribute::atomic: {
        TW_TAKE(what, word<AtomicOp>());
        op.attribute = Atomic{.op = what};
        return {};
      }
      default:
        return {};
    }
  }

  template <class Word>
  Result<Word> word() {
    const std::optional<Word> found = word_from_name<Word>(peeked_name());
    if (!found)
      return cursor_.error_here(bad_attribute, fmt::format("'{}' is no word here", cursor_.peek().text.substr(0, 40)),
                                fmt::format("one of {}", fmt::join(words<Word>(), ", ")));
    cursor_.take();
    return *found;
  }

  template <class Word>
  Result<void> word_into(Op& op) {
    TW_TAKE(found, word<Word>());
    op.attribute = found;
    return {};
  }

  Result<Predicate> predicate() {
    const auto predicate = predicate_from_name(peeked_name());
    if (!predicate)
      return cursor_.error_here(bad_attribute,
                                fmt::format("'{}' is not a comparison", cursor_.peek().text.substr(0, 40)),
                                "integers: eq ne slt sle sgt sge ult ule ugt uge; floats: oeq une olt ole ogt oge uno");
    cursor_.take();
    return *predicate;
  }

  Result<std::uint32_t> alignment() {
    TW_TAKE(value, cursor_.expect_int("an alignment in bytes"));
    if (value < 1 || value > (1 << 30))
      return cursor_.error_here(bad_attribute, fmt::format("an alignment of {} bytes", value),
                                "write a power of two up to 2^30");
    return static_cast<std::uint32_t>(value);
  }

  Result<std::int32_t> small_number(std::string_view what) {
    TW_TAKE(value, cursor_.expect_int(what));
    if (value < 0 || value > (1 << 20))
      return cursor_.error_here(bad_attribute, fmt::format("{} of {}", what, value), "write 0 to 2^20");
    return static_cast<std::int32_t>(value);
  }

  Result<std::int32_t> lane() {
    TW_TAKE(value, cursor_.expect_int("a lane"));
    if (value < 0 || value >= 2 * max_lanes)
      return cursor_.error_here(bad_attribute, fmt::format("lane {} of a vector", value),
                                fmt::format("lanes are 0 to {}", 2 * max_lanes - 1));
    return static_cast<std::int32_t>(value);
  }

  Result<Scalar> number(Type type) {
    if (is_float(type.element)) {
      TW_TAKE(value, cursor_.expect_number("a number"));
      return round_to(Scalar::of(value), float_dtype(type.element));
    }
    const Span span = cursor_.peek().span;
    TW_TAKE(value, cursor_.expect_int("an integer"));
    if (wrap_to(type.element, value) != value)
      return fail(bad_attribute, fmt::format("{} is not a value of {}", value, to_text(type)),
                  "integers are written with their sign, i1 as 0 or 1", cursor_.source(), span);
    return Scalar::of(value);
  }

  Result<Lanes> lanes() {
    Lanes lanes;
    TW_CHECK(cursor_.expect("["));
    do {
      TW_TAKE(value, lane());
      lanes.lanes.push_back(value);
    } while (cursor_.accept(","));
    TW_CHECK(cursor_.expect("]"));
    return lanes;
  }

  Result<Access> access() {
    Access access;
    TW_CHECK(cursor_.expect("align"));
    TW_TAKE(align, alignment());
    access.align = align;
    access.nontemporal = cursor_.accept("nontemporal");
    access.cache = cache_hint();
    return access;
  }

  /// A name that follows may be the next op's.
  CacheHint cache_hint() {
    const auto hint = word_from_name<CacheHint>(peeked_name());
    if (!hint || *hint == CacheHint::normal) return CacheHint::normal;
    cursor_.take();
    return *hint;
  }

  Result<TensorCopy> tensor_copy() {
    TensorCopy copy;
    TW_CHECK(cursor_.expect("rank"));
    TW_TAKE(rank, small_number("a rank"));
    copy.rank = rank;
    copy.multicast = cursor_.accept("multicast");
    copy.cache = cache_hint();
    return copy;
  }

  Result<WarpgroupProduct> warpgroup_product() {
    WarpgroupProduct product;
    TW_CHECK(cursor_.expect("n"));
    TW_TAKE(n, small_number("a count of columns"));
    product.n = n;
    TW_CHECK(cursor_.expect("of"));
    TW_TAKE(of, type());
    product.of = of.element;
    for (const auto& [word, layout] : {std::pair("a", &product.a), std::pair("b", &product.b)}) {
      if (!cursor_.accept(word)) continue;
      TW_TAKE(leading, small_number("a distance in bytes"));
      TW_TAKE(stride, small_number("a distance in bytes"));
      *layout = {leading, stride};
    }
    product.transposed_a = cursor_.accept("transposed_a");
    product.transposed_b = cursor_.accept("transposed_b");
    return product;
  }

  Result<SharedBuffer> buffer() {
    SharedBuffer buffer;
    TW_CHECK(cursor_.expect("bytes"));
    TW_TAKE(bytes, cursor_.expect_int("a size in bytes"));
    buffer.bytes = bytes;
    if (cursor_.accept("align")) {
      TW_TAKE(align, alignment());
      buffer.align = align;
    }
    return buffer;
  }

  Result<NamedBarrier> barrier() {
    NamedBarrier barrier;
    if (!cursor_.accept("id")) return barrier;
    TW_TAKE(id, small_number("a barrier"));
    TW_CHECK(cursor_.expect("threads"));
    TW_TAKE(threads, small_number("a count of threads"));
    return NamedBarrier{id, threads};
  }

  Result<void> attribute(Op& op, Type written) {
    switch (info(op.code).attribute) {
      case OpAttribute::none:
      case OpAttribute::predicate:
      case OpAttribute::special:
      case OpAttribute::shuffle_mode:
      case OpAttribute::vote:
      case OpAttribute::scope:
        return {};
      case OpAttribute::number: {
        TW_TAKE(value, number(written));
        op.attribute = value;
        return {};
      }
      case OpAttribute::lane: {
        TW_CHECK(cursor_.expect("lane"));
        TW_TAKE(value, lane());
        op.attribute = Lane{value};
        return {};
      }
      case OpAttribute::lanes: {
        TW_CHECK(cursor_.expect("lanes"));
        TW_TAKE(value, lanes());
        op.attribute = std::move(value);
        return {};
      }
      case OpAttribute::access: {
        TW_TAKE(value, access());
        op.attribute = value;
        return {};
      }
      case OpAttribute::bytes: {
        TW_CHECK(cursor_.expect("bytes"));
        TW_TAKE(value, cursor_.expect_int("a size in bytes"));
        op.attribute = Bytes{value};
        return {};
      }
      case OpAttribute::buffer: {
        TW_TAKE(value, buffer());
        op.attribute = value;
        return {};
      }
      case OpAttribute::atomic: {
        TW_TAKE(order, word<MemoryOrder>());
        TW_TAKE(scope, word<MemoryScope>());
        auto& atomic = std::get<Atomic>(op.attribute);
        atomic.order = order;
        atomic.scope = scope;
        return {};
      }
      case OpAttribute::barrier: {
        TW_TAKE(value, barrier());
        op.attribute = value;
        return {};
      }
      case OpAttribute::tensor: {
        TW_TAKE(value, tensor_copy());
        op.attribute = value;
        return {};
      }
      case OpAttribute::matrix:
        op.attribute = MatrixOrder{cursor_.accept("transposed")};
        return {};
      case OpAttribute::warpgroup: {
        TW_TAKE(value, warpgroup_product());
        op.attribute = value;
        return {};
      }
      case OpAttribute::count:
      case OpAttribute::pending: {
        TW_CHECK(cursor_.expect(name(info(op.code).attribute)));
        TW_TAKE(value, small_number("a count"));
        op.attribute = Count{value};
        return {};
      }
    }
    internal_error("an op attribute of no kind");
  }

  TextCursor cursor_;
  Kernel kernel_;
  std::unordered_map<std::string, ValueId> values_;
  int depth_ = 0;
};

}  // namespace

Result<Kernel> parse_kernel(SourcePtr source) {
  return Parser(std::move(source)).parse();
}

}  // namespace tilewright::kernel
