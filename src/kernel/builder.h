// Builds a kernel op by op. Constants are shared, trivial arithmetic on constants is folded and a pure op that is
// already there is not built again, so that lowerings can be written plainly and still emit tidy code.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel/ir.h"
#include "kernel/pure_key.h"

namespace tilewright::kernel {

class Builder {
 public:
  /// With `block`, a GPU kernel.
  explicit Builder(std::string name, std::optional<ThreadBlock> block = {});

  ValueId parameter(std::string name, Type type, bool readonly = false, bool noalias = false, std::uint32_t align = 1);

  ValueId parameter(std::string name, Type type, const Parameter& facts);

  /// A vector type gives a splat. Constants stand at the start of the body, each once.
  ValueId constant(Type type, Scalar value);
  ValueId index(std::int64_t value) { return constant({Element::i64, 1}, Scalar::of(value)); }
  ValueId iota(Type type);
  ValueId splat(ValueId scalar, int lanes);
  ValueId extract(ValueId vector, int lane);
  ValueId insert(ValueId vector, ValueId scalar, int lane);
  ValueId shuffle(ValueId a, ValueId b, std::vector<std::int32_t> lanes);

  /// An op whose operands and result have one type. Folds integer x+0, x*1, x*0, x-0 and constants with constants.
  ValueId unary(Opcode code, ValueId a);
  ValueId binary(Opcode code, ValueId a, ValueId b);
  ValueId add(ValueId a, ValueId b) { return binary(Opcode::add, a, b); }
  ValueId sub(ValueId a, ValueId b) { return binary(Opcode::sub, a, b); }
  ValueId mul(ValueId a, ValueId b) { return binary(Opcode::mul, a, b); }
  ValueId fma(ValueId a, ValueId b, ValueId c);
  ValueId cmp(Predicate predicate, ValueId a, ValueId b);
  ValueId select(ValueId condition, ValueId a, ValueId b);
  /// The conversions, and bitcast between elements of one size (lanes kept).
  ValueId convert(Opcode code, ValueId a, Element to);

  /// The same bits as another type of as many.
  ValueId bitcast(ValueId a, Type to);

  /// Constant byte counts of nested offsets are added up.
  ValueId offset(ValueId pointer, ValueId bytes);
  ValueId load(Type type, ValueId pointer, Access access, ValueId mask = {});
  void store(ValueId value, ValueId pointer, Access access, ValueId mask = {});
  ValueId gather(Type type, ValueId pointer, ValueId offsets, Access access, ValueId mask = {});
  void scatter(ValueId value, ValueId pointer, ValueId offsets, Access access, ValueId mask = {});
  void prefetch(ValueId pointer);
  /// Stands at the start of the body, wherever it is called: one buffer a kernel call, not one an iteration.
  ValueId local(std::int64_t bytes);

  // Of GPU kernels.
  /// As i64, or i32.
  ValueId special(Special what, Element element = Element::i64);
  /// Stands at the start of the body, as a local does.
  ValueId shared(std::int64_t bytes, std::int64_t align = 128);
  void barrier(NamedBarrier barrier = {});
  ValueId warp_shuffle(ShuffleMode mode, ValueId value, ValueId lane);
  ValueId warp_vote(Vote vote, ValueId condition);
  /// Gives the old value. `cas` takes a `replacement` as well, stored where the old value is `value`.
  ValueId atomic(Atomic how, ValueId pointer, ValueId value, ValueId replacement = {});
  void fence(MemoryScope scope);
  /// `bytes` (4, 8 or 16) from memory to shared memory; with `valid`, an i32, only so many of them, and then zeros.
  void copy_async(ValueId to, ValueId from, std::int64_t bytes, ValueId valid = {});
  void commit_copies();
  void wait_copies(std::int32_t pending);
  /// Any other op of a GPU, its operands and attribute as its row says; the results have the types given.
  std::vector<ValueId> gpu_op(Opcode code, std::vector<ValueId> operands, const std::vector<Type>& results = {},
                              Attribute attribute = {});

  /// `body(i, carried)` builds the loop's region and returns what it yields; the loop's results come back.
  template <class Body>
  std::vector<ValueId> for_loop(ValueId begin, ValueId end, ValueId step, std::vector<ValueId> carried, Body&& body) {
    std::vector<ValueId> arguments = open_for(begin, end, step, carried);
    const ValueId i = arguments.front();
    arguments.erase(arguments.begin());
    return close_for(body(i, arguments));
  }
  /// Both bodies return as many values, of the same types.
  template <class Then, class Else>
  std::vector<ValueId> if_then(ValueId condition, Then&& then_body, Else&& else_body) {
    open_if(condition);
    open_else(then_body());
    return close_if(else_body());
  }

  /// An op of any code but for, if and yield, through the function above that builds it; its results come back.
  std::vector<ValueId> build(const Op& op, Type result);

  Type type(ValueId value) const { return kernel_.values[value].type; }
  /// Whether the value is a constant (scalar or splat) of zeros.
  bool is_zero(ValueId value) const;
  /// The constant's value, if `value` is a constant (scalar or splat) of integer elements.
  std::optional<std::int64_t> constant_int(ValueId value) const;
  void name(ValueId value, std::string name);

  /// Ends the body and gives the kernel away.
  Kernel finish();

 private:
  struct Frame {
    Op op;            ///< the for or if under construction; unused for the body
    Region region;    ///< the region that ops go to
    PureTable known;  ///< the pure ops of the region
  };
  struct Offset {
    ValueId pointer;
    ValueId bytes;
  };
  ValueId add_value(Type type);
  /// A pure op that an enclosing region has already is found instead.
  ValueId pure(Opcode code, std::vector<ValueId> operands, Type result, Attribute attribute = {});
  ValueId fold_identity(Opcode code, ValueId a, ValueId b);
  Op close_region(std::vector<ValueId> yielded);
  std::vector<ValueId> add_results(Op& op, const std::vector<ValueId>& yielded);
  ValueId emit(Opcode code, std::vector<ValueId> operands, Type result, Attribute attribute = {});
  void emit_void(Opcode code, std::vector<ValueId> operands, Attribute attribute = {});
  std::vector<ValueId> open_for(ValueId begin, ValueId end, ValueId step, const std::vector<ValueId>& carried);
  std::vector<ValueId> close_for(std::vector<ValueId> yielded);
  void open_if(ValueId condition);
  void open_else(std::vector<ValueId> yielded);
  std::vector<ValueId> close_if(std::vector<ValueId> yielded);

  Kernel kernel_;
  std::vector<Frame> frames_;
  std::vector<Op> head_;  ///< constants and locals, before all else of the body
  PureTable constants_;
  std::unordered_map<std::uint32_t, Scalar> constant_values_;  ///< by value: the (splat) constant
  std::unordered_map<std::uint32_t, ValueId> splats_;          ///< by value: the scalar of a splat
  std::unordered_map<std::uint32_t, Offset> offsets_;          ///< by value: what an offset adds to what
};

}  // namespace tilewright::kernel
