// Which op is expanded how. The bit manipulation is small_floats.cpp's.
#include "kernel/passes/expand_conversions.h"

#include "kernel/passes/small_floats.h"
#include "kernel/walk.h"

namespace tilewright::kernel {

NativeConversions native_conversions(const HostTarget& target) {
  return {.f16 = target.has_half};
}

NativeConversions native_conversions(const GpuTarget& target) {
  return {.f16 = true, .bf16 = true, .f64 = target.has_f64};
}

namespace {

class Expansion {
 public:
  Expansion(Builder& builder, const NativeConversions& native) : b_(builder), small_(builder, native) {}

  Replacement of(const Op& op, Type result) {
    if (op.operands.empty()) return std::nullopt;
    const Element from = b_.type(op.operands[0]).element;
    switch (info(op.code).rule) {
      case OpRule::convert:
        return conversion(op, from, result.element);
      case OpRule::cmp:
        if (!is_small_float(from)) return std::nullopt;
        return one(
            b_.cmp(std::get<Predicate>(op.attribute), small_.widen(op.operands[0]), small_.widen(op.operands[1])));
      case OpRule::same:
      case OpRule::same_float:
        if (!is_small_float(from)) return std::nullopt;
        return one(arithmetic(op, from));
      case OpRule::same_int:
      case OpRule::choose:
      case OpRule::special:
      case OpRule::gpu:
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  static Replacement one(ValueId value) { return std::vector{value}; }

  Replacement conversion(const Op& op, Element from, Element to) {
    const ValueId x = op.operands[0];
    if (!is_small_float(from) && !is_small_float(to)) return std::nullopt;
    if (op.code == Opcode::fconvert) return one(small_.convert(x, to));
    if (is_small_float(to)) return one(small_.from_integer(x, op.code == Opcode::sitofp, to));
    return one(b_.convert(op.code, small_.widen(x), to));
  }

  /// Computes in f64 where that makes two roundings as good as one, else in f32. (So does f32 but where its results are
  /// subnormal: 24 bits are twice f16's and bf16's, and two more.)
  ValueId arithmetic(const Op& op, Element element) {
    const std::vector<ValueId>& in = op.operands;
    switch (op.code) {
      case Opcode::neg:
      case Opcode::abs:
        return small_.change_sign(op.code, in[0]);
      case Opcode::fma:
        return small_.fma(in[0], in[1], in[2]);
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul:
      case Opcode::fdiv:
      case Opcode::sqrt:
        return computed_in(op, small_.wide(), element);
      default:
        return computed_in(op, Element::f32, element);
    }
  }

  ValueId computed_in(const Op& op, Element wide, Element element) {
    Op widened{op.code, {}, {}, op.attribute, {}};
    for (ValueId operand : op.operands) widened.operands.push_back(small_.convert(operand, wide));
    const Type type = b_.type(op.operands[0]).with(wide);
    return small_.convert(b_.build(widened, type).front(), element);
  }

  Builder& b_;
  SmallFloats small_;
};

}  // namespace

void expand_conversions(Kernel& kernel, const NativeConversions& native) {
  kernel = rewrite(
      kernel, [&](Builder& builder, const Op& op, Type result) { return Expansion(builder, native).of(op, result); });
}

}  // namespace tilewright::kernel
