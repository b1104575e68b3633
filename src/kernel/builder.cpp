// The kernel builder: shared constants, folding, value numbering within nested regions.
#include "kernel/builder.h"

#include <fmt/format.h>

#include "kernel/fold.h"

namespace tilewright::kernel {

namespace {

/// Misuse of the builder is a defect of the lowering that calls it.
void require(bool condition, std::string_view what) {
  if (!condition) internal_error(what);
}

}  // namespace

Builder::Builder(std::string name, std::optional<ThreadBlock> block) {
  kernel_.name = std::move(name);
  kernel_.block = block;
  frames_.emplace_back();
}

ValueId Builder::parameter(std::string name, Type type, bool readonly, bool noalias, std::uint32_t align) {
  const ValueId value = kernel_.values.add({type, std::move(name)});
  kernel_.parameters.push_back({value, readonly, noalias, align});
  return value;
}

ValueId Builder::parameter(std::string name, Type type, const Parameter& facts) {
  const ValueId value = kernel_.values.add({type, std::move(name)});
  kernel_.parameters.push_back(facts);
  kernel_.parameters.back().value = value;
  return value;
}

// ---- values

ValueId Builder::constant(Type type, Scalar value) {
  require(!is_pointer(type.element), "constant: a pointer has no constants");
  require(value.is_float() == is_float(type.element),
          fmt::format("constant: a number of the wrong class for {}", to_text(type)));
  const Scalar kept =
      value.is_float() ? round_to(value, float_dtype(type.element)) : Scalar::of(wrap_to(type.element, value.as_int()));
  const PureKey key = pure_key(Opcode::constant, {}, type, kept);
  if (const auto found = constants_.find(key); found != constants_.end()) return found->second;
  const ValueId result = add_value(type);
  head_.push_back({Opcode::constant, {}, {result}, kept, {}});
  constants_.emplace(key, result);
  constant_values_.emplace(result.index, kept);
  return result;
}

ValueId Builder::iota(Type type) {
  return pure(Opcode::iota, {}, type);
}

ValueId Builder::splat(ValueId scalar, int lanes) {
  const Type from = type(scalar);
  require(from.lanes == 1, "splat: the operand is a vector");
  if (lanes == 1) return scalar;
  const Type to{from.element, static_cast<std::uint16_t>(lanes)};
  if (const auto found = constant_values_.find(scalar.index); found != constant_values_.end())
    return constant(to, found->second);
  const ValueId result = pure(Opcode::splat, {scalar}, to);
  splats_.emplace(result.index, scalar);
  return result;
}

ValueId Builder::extract(ValueId vector, int lane) {
  const Type from = type(vector);
  require(lane >= 0 && lane < from.lanes, "extract: no such lane");
  if (from.lanes == 1) return vector;
  if (const auto found = constant_values_.find(vector.index); found != constant_values_.end())
    return constant(from.scalar(), found->second);
  if (const auto found = splats_.find(vector.index); found != splats_.end()) return found->second;
  return pure(Opcode::extract, {vector}, from.scalar(), Lane{lane});
}

ValueId Builder::insert(ValueId vector, ValueId scalar, int lane) {
  const Type into = type(vector);
  require(lane >= 0 && lane < into.lanes, "insert: no such lane");
  require(type(scalar) == into.scalar(), "insert: the scalar's type is not the vector's element");
  if (into.lanes == 1) return scalar;
  return pure(Opcode::insert, {vector, scalar}, into, Lane{lane});
}

ValueId Builder::shuffle(ValueId a, ValueId b, std::vector<std::int32_t> lanes) {
  require(type(a) == type(b), "shuffle: operands of two types");
  const Type result{type(a).element, static_cast<std::uint16_t>(lanes.size())};
  return pure(Opcode::shuffle, {a, b}, result, Lanes{std::move(lanes)});
}

// ---- arithmetic

ValueId Builder::unary(Opcode code, ValueId a) {
  const Type t = type(a);
  if (const auto value = constant_int(a))
    if (const auto folded = fold_unary(code, t.element, *value)) return constant(t, Scalar::of(*folded));
  return pure(code, {a}, t);
}

/// `a op b` where it is `a`, `b` or zero whatever the other is; an invalid id where no identity applies.
ValueId Builder::fold_identity(Opcode code, ValueId a, ValueId b) {
  const auto x = constant_int(a);
  const auto y = constant_int(b);
  switch (code) {
    case Opcode::add:
    case Opcode::bit_or:
    case Opcode::bit_xor:
      if (y == 0) return a;
      return x == 0 ? b : ValueId{};
    case Opcode::sub:
    case Opcode::shl:
    case Opcode::lshr:
    case Opcode::ashr:
      return y == 0 ? a : ValueId{};
    case Opcode::mul:
      if (y == 1 || x == 0) return a;
      return x == 1 || y == 0 ? b : ValueId{};
    case Opcode::bit_and:
      if (x == 0) return a;
      return y == 0 ? b : ValueId{};
    case Opcode::sdiv:
    case Opcode::udiv:
      return y == 1 ? a : ValueId{};
    default:
      return {};
  }
}

ValueId Builder::binary(Opcode code, ValueId a, ValueId b) {
  const Type t = type(a);
  require(t == type(b), fmt::format("{}: operands of types {} and {}", info(code).name, to_text(t), to_text(type(b))));
  if (is_int(t.element)) {
    const auto x = constant_int(a);
    const auto y = constant_int(b);
    if (x && y)
      if (const auto folded = fold_binary(code, t.element, *x, *y)) return constant(t, Scalar::of(*folded));
    // i1 keeps 1 as true, so x * 1 and the like hold for it as well.
    if (const ValueId same = fold_identity(code, a, b); same.valid()) return same;
  }
  return pure(code, {a, b}, t);
}

ValueId Builder::fma(ValueId a, ValueId b, ValueId c) {
  require(type(a) == type(b) && type(a) == type(c), "fma: operands of different types");
  return pure(Opcode::fma, {a, b, c}, type(a));
}

ValueId Builder::cmp(Predicate predicate, ValueId a, ValueId b) {
  const Type t = type(a);
  require(t == type(b), fmt::format("cmp: operands of types {} and {}", to_text(t), to_text(type(b))));
  const auto x = constant_int(a);
  const auto y = constant_int(b);
  if (x && y)
    if (const auto folded = fold_cmp(predicate, t.element, *x, *y))
      return constant(t.with(Element::i1), Scalar::of(std::int64_t{*folded}));
  return pure(Opcode::cmp, {a, b}, t.with(Element::i1), predicate);
}

ValueId Builder::select(ValueId condition, ValueId a, ValueId b) {
  require(type(a) == type(b), "select: alternatives of two types");
  if (a == b) return a;
  if (const auto known = constant_int(condition)) return *known != 0 ? a : b;
  return pure(Opcode::select, {condition, a, b}, type(a));
}

ValueId Builder::bitcast(ValueId a, Type to) {
  return type(a) == to ? a : pure(Opcode::bitcast, {a}, to);
}

ValueId Builder::convert(Opcode code, ValueId a, Element to) {
  const Type from = type(a);
  const Type result = from.with(to);
  const auto value = constant_int(a);
  if (code == Opcode::bitcast && from == result) return a;
  if (value && (code == Opcode::trunc || code == Opcode::zext))
    return constant(result, Scalar::of(static_cast<std::int64_t>(unsigned_value(from.element, *value))));
  if (value && code == Opcode::sext)
    return constant(result, Scalar::of(from.element == Element::i1 ? -*value : *value));
  return pure(code, {a}, result);
}

// ---- memory

ValueId Builder::offset(ValueId pointer, ValueId bytes) {
  require(is_pointer(type(pointer).element), "offset: the first operand is not a pointer");
  require(type(bytes) == Type{Element::i64, 1}, "offset: the second operand is not an i64");
  const auto count = constant_int(bytes);
  if (count == 0) return pointer;
  if (const auto inner = offsets_.find(pointer.index); count && inner != offsets_.end())
    if (const auto inner_count = constant_int(inner->second.bytes)) {
      const ValueId base = inner->second.pointer;
      return offset(base, binary(Opcode::add, index(*inner_count), bytes));
    }
  const ValueId result = pure(Opcode::offset, {pointer, bytes}, type(pointer));
  offsets_.insert_or_assign(result.index, Offset{pointer, bytes});
  return result;
}

namespace {

std::vector<ValueId> with_last(std::vector<ValueId> operands, ValueId last) {
  if (last.valid()) operands.push_back(last);
  return operands;
}

}  // namespace

ValueId Builder::load(Type type, ValueId pointer, Access access, ValueId mask) {
  return emit(Opcode::load, with_last({pointer}, mask), type, access);
}

void Builder::store(ValueId value, ValueId pointer, Access access, ValueId mask) {
  emit_void(Opcode::store, with_last({value, pointer}, mask), access);
}

ValueId Builder::gather(Type type, ValueId pointer, ValueId offsets, Access access, ValueId mask) {
  return emit(Opcode::gather, with_last({pointer, offsets}, mask), type, access);
}

void Builder::scatter(ValueId value, ValueId pointer, ValueId offsets, Access access, ValueId mask) {
  emit_void(Opcode::scatter, with_last({value, pointer, offsets}, mask), access);
}

void Builder::prefetch(ValueId pointer) {
  emit_void(Opcode::prefetch, {pointer});
}

ValueId Builder::local(std::int64_t bytes) {
  const ValueId result = add_value({Element::ptr, 1});
  head_.push_back({Opcode::local, {}, {result}, Bytes{bytes}, {}});
  return result;
}

// ---- GPU

ValueId Builder::special(Special what, Element element) {
  return pure(Opcode::special, {}, {element, 1}, what);
}

ValueId Builder::shared(std::int64_t bytes, std::int64_t align) {
  const ValueId result = add_value({Element::ptr_shared, 1});
  head_.push_back({Opcode::shared, {}, {result}, SharedBuffer{bytes, align}, {}});
  return result;
}

void Builder::barrier(NamedBarrier barrier) {
  emit_void(Opcode::barrier, {}, barrier);
}

ValueId Builder::warp_shuffle(ShuffleMode mode, ValueId value, ValueId lane) {
  return emit(Opcode::warp_shuffle, {value, lane}, type(value), mode);
}

ValueId Builder::warp_vote(Vote vote, ValueId condition) {
  return emit(Opcode::warp_vote, {condition}, {vote == Vote::ballot ? Element::i32 : Element::i1, 1}, vote);
}

ValueId Builder::atomic(Atomic how, ValueId pointer, ValueId value, ValueId replacement) {
  return emit(Opcode::atomic, with_last({pointer, value}, replacement), type(value), how);
}

void Builder::fence(MemoryScope scope) {
  emit_void(Opcode::fence, {}, scope);
}

void Builder::copy_async(ValueId to, ValueId from, std::int64_t bytes, ValueId valid) {
  emit_void(Opcode::copy_async, with_last({to, from}, valid), Bytes{bytes});
}

void Builder::commit_copies() {
  emit_void(Opcode::commit_copies, {});
}

void Builder::wait_copies(std::int32_t pending) {
  emit_void(Opcode::wait_copies, {}, Count{pending});
}

std::vector<ValueId> Builder::gpu_op(Opcode code, std::vector<ValueId> operands, const std::vector<Type>& results,
                                     Attribute attribute) {
  require(info(code).rule == OpRule::gpu, "gpu_op: an op of hosts too");
  std::vector<ValueId> values;
  for (const Type result : results) values.push_back(add_value(result));
  frames_.back().region.ops.push_back({code, std::move(operands), values, std::move(attribute), {}});
  return values;
}

// ---- regions

std::vector<ValueId> Builder::open_for(ValueId begin, ValueId end, ValueId step, const std::vector<ValueId>& carried) {
  Frame frame;
  frame.op.code = Opcode::for_loop;
  frame.op.operands = {begin, end, step};
  frame.region.arguments.push_back(add_value({Element::i64, 1}));
  for (ValueId initial : carried) {
    frame.op.operands.push_back(initial);
    frame.region.arguments.push_back(add_value(type(initial)));
  }
  std::vector<ValueId> arguments = frame.region.arguments;
  frames_.push_back(std::move(frame));
  return arguments;
}

/// Ends the innermost frame: its op, with the region yielding `yielded` as the last of its regions.
Op Builder::close_region(std::vector<ValueId> yielded) {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  frame.region.ops.push_back({Opcode::yield, std::move(yielded), {}, {}, {}});
  frame.op.regions.push_back(std::move(frame.region));
  return std::move(frame.op);
}

std::vector<ValueId> Builder::add_results(Op& op, const std::vector<ValueId>& yielded) {
  for (ValueId value : yielded) op.results.push_back(add_value(type(value)));
  return op.results;
}

std::vector<ValueId> Builder::close_for(std::vector<ValueId> yielded) {
  Op op = close_region(yielded);
  require(op.operands.size() == yielded.size() + 3, "for: as many values must be yielded as carried");
  std::vector<ValueId> results = add_results(op, yielded);
  frames_.back().region.ops.push_back(std::move(op));
  return results;
}

void Builder::open_if(ValueId condition) {
  Frame frame;
  frame.op.code = Opcode::if_then;
  frame.op.operands = {condition};
  frames_.push_back(std::move(frame));
}

void Builder::open_else(std::vector<ValueId> yielded) {
  Frame frame;
  frame.op = close_region(std::move(yielded));
  frames_.push_back(std::move(frame));
}

std::vector<ValueId> Builder::close_if(std::vector<ValueId> yielded) {
  Op op = close_region(yielded);
  require(op.regions.front().ops.back().operands.size() == yielded.size(),
          "if: both branches must yield as many values");
  std::vector<ValueId> results = add_results(op, yielded);
  frames_.back().region.ops.push_back(std::move(op));
  return results;
}

// ---- common

std::vector<ValueId> Builder::build(const Op& op, Type result) {
  const std::vector<ValueId>& in = op.operands;
  const auto lane = [&] { return static_cast<int>(std::get<Lane>(op.attribute).lane); };
  switch (op.code) {
    case Opcode::constant:
      return {constant(result, std::get<Scalar>(op.attribute))};
    case Opcode::splat:
      return {splat(in[0], result.lanes)};
    case Opcode::extract:
      return {extract(in[0], lane())};
    case Opcode::insert:
      return {insert(in[0], in[1], lane())};
    case Opcode::cmp:
      return {cmp(std::get<Predicate>(op.attribute), in[0], in[1])};
    case Opcode::select:
      return {select(in[0], in[1], in[2])};
    case Opcode::offset:
      return {offset(in[0], in[1])};
    case Opcode::local:
      return {local(std::get<Bytes>(op.attribute).bytes)};
    case Opcode::shared: {
      const SharedBuffer& buffer = std::get<SharedBuffer>(op.attribute);
      return {shared(buffer.bytes, buffer.align)};
    }
    default:
      break;
  }
  const OpInfo& row = info(op.code);
  const bool alike = row.rule == OpRule::same || row.rule == OpRule::same_int || row.rule == OpRule::same_float;
  if (alike && in.size() == 1) return {unary(op.code, in[0])};
  if (alike && in.size() == 2) return {binary(op.code, in[0], in[1])};
  if (op.code == Opcode::bitcast) return {bitcast(in[0], result)};
  if (row.rule == OpRule::convert) return {convert(op.code, in[0], result.element)};
  if (row.effect == OpEffect::pure) return {pure(op.code, in, result, op.attribute)};
  require(row.effect != OpEffect::control, "build: a for, if or yield");
  if (row.results < 0) {  // what warpgroups accumulate: a result for each of the last operands, of its type
    const std::size_t first = op.code == Opcode::wgmma ? 3 : 0;
    std::vector<Type> types;
    for (std::size_t i = first; i < in.size(); ++i) types.push_back(type(in[i]));
    return gpu_op(op.code, in, types, op.attribute);
  }
  if (row.results == 1) return {emit(op.code, in, result, op.attribute)};
  emit_void(op.code, in, op.attribute);
  return {};
}

ValueId Builder::add_value(Type type) {
  return kernel_.values.add({type, {}});
}

ValueId Builder::emit(Opcode code, std::vector<ValueId> operands, Type result, Attribute attribute) {
  const ValueId value = add_value(result);
  frames_.back().region.ops.push_back({code, std::move(operands), {value}, std::move(attribute), {}});
  return value;
}

void Builder::emit_void(Opcode code, std::vector<ValueId> operands, Attribute attribute) {
  frames_.back().region.ops.push_back({code, std::move(operands), {}, std::move(attribute), {}});
}

ValueId Builder::pure(Opcode code, std::vector<ValueId> operands, Type result, Attribute attribute) {
  require(info(code).effect == OpEffect::pure, fmt::format("{} is not a pure op", info(code).name));
  PureKey key = pure_key(code, operands, result, attribute);
  for (const Frame& frame : frames_)
    if (const auto found = frame.known.find(key); found != frame.known.end()) return found->second;
  const ValueId value = emit(code, std::move(operands), result, std::move(attribute));
  frames_.back().known.emplace(std::move(key), value);
  return value;
}

bool Builder::is_zero(ValueId value) const {
  const auto found = constant_values_.find(value.index);
  return found != constant_values_.end() && found->second.as_double() == 0;
}

std::optional<std::int64_t> Builder::constant_int(ValueId value) const {
  const auto found = constant_values_.find(value.index);
  if (found == constant_values_.end() || found->second.is_float()) return std::nullopt;
  return found->second.as_int();
}

void Builder::name(ValueId value, std::string name) {
  kernel_.values[value].name = std::move(name);
}

Kernel Builder::finish() {
  require(frames_.size() == 1, "finish: a region is still open");
  kernel_.body.ops = std::move(head_);
  std::vector<Op>& ops = frames_.back().region.ops;
  kernel_.body.ops.insert(kernel_.body.ops.end(), std::make_move_iterator(ops.begin()),
                          std::make_move_iterator(ops.end()));
  kernel_.body.ops.push_back({Opcode::yield, {}, {}, {}, {}});
  return std::move(kernel_);
}

}  // namespace tilewright::kernel
