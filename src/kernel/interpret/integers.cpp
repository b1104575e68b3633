// Arithmetic and comparisons of integers, whose meaning fold.h has; one loop an op and width.
#include "kernel/fold.h"
#include "kernel/interpret/machine.h"

namespace tilewright::kernel::interpreter {

namespace {

/// A division by zero and a shift out of range have no specified value; here they have 0.
template <class Int, Opcode code>
void binary(Machine& m, const Instruction& i) {
  Int* result = m.lanes<Int>(i.result);
  const Int* a = m.lanes<Int>(i.a);
  const Int* b = m.lanes<Int>(i.b);
  for (int lane = 0; lane < i.lanes; ++lane) result[lane] = fold_binary_as(code, a[lane], b[lane]).value_or(Int{0});
}

template <class Int>
void cmp(Machine& m, const Instruction& i) {
  const Predicate predicate = std::get<Predicate>(i.op->attribute);
  std::uint8_t* result = m.lanes<std::uint8_t>(i.result);
  const Int* a = m.lanes<Int>(i.a);
  const Int* b = m.lanes<Int>(i.b);
  for (int lane = 0; lane < i.lanes; ++lane) result[lane] = *fold_cmp_as(predicate, a[lane], b[lane]) ? 1 : 0;
}

/// neg and abs.
void unary(Machine& m, const Instruction& i) {
  const std::size_t size = lane_bytes(i.element);
  for (std::size_t lane = 0; lane < i.lanes; ++lane) {
    const std::int64_t a = read_int(i.element, m.at(i.a) + lane * size);
    write_int(i.element, *fold_unary(i.op->code, i.element, a), m.at(i.result) + lane * size);
  }
}

// An i1 is a byte of 0 or 1, which no C++ type computes with as one bit.

void binary_i1(Machine& m, const Instruction& i) {
  std::uint8_t* result = m.lanes<std::uint8_t>(i.result);
  const std::uint8_t* a = m.lanes<std::uint8_t>(i.a);
  const std::uint8_t* b = m.lanes<std::uint8_t>(i.b);
  for (int lane = 0; lane < i.lanes; ++lane)
    result[lane] = static_cast<std::uint8_t>(fold_binary(i.op->code, Element::i1, a[lane], b[lane]).value_or(0));
}

void cmp_i1(Machine& m, const Instruction& i) {
  const Predicate predicate = std::get<Predicate>(i.op->attribute);
  std::uint8_t* result = m.lanes<std::uint8_t>(i.result);
  const std::uint8_t* a = m.lanes<std::uint8_t>(i.a);
  const std::uint8_t* b = m.lanes<std::uint8_t>(i.b);
  for (int lane = 0; lane < i.lanes; ++lane) result[lane] = *fold_cmp(predicate, Element::i1, a[lane], b[lane]) ? 1 : 0;
}

template <class Int>
Handler handler(Opcode code) {
  switch (code) {
    case Opcode::cmp:
      return cmp<Int>;
    case Opcode::neg:
    case Opcode::abs:
      return unary;
#define X(code)      \
  case Opcode::code: \
    return binary<Int, Opcode::code>;
      X(add)
      X(sub)
      X(mul)
      X(sdiv)
      X(udiv)
      X(srem)
      X(urem)
      X(smin)
      X(smax)
      X(umin)
      X(umax)
      X(bit_and)
      X(bit_or)
      X(bit_xor)
      X(shl)
      X(lshr)
      X(ashr)
#undef X
    default:
      return nullptr;
  }
}

Handler handler_i1(Opcode code) {
  if (code == Opcode::cmp) return cmp_i1;
  return handler<std::int8_t>(code) == nullptr || code == Opcode::neg || code == Opcode::abs
             ? handler<std::int8_t>(code)
             : binary_i1;
}

}  // namespace

Handler integer_handler(Opcode code, Element element) {
  switch (bits(element)) {
    case 1:
      return handler_i1(code);
    case 8:
      return handler<std::int8_t>(code);
    case 16:
      return handler<std::int16_t>(code);
    case 32:
      return handler<std::int32_t>(code);
    default:
      return handler<std::int64_t>(code);
  }
}

}  // namespace tilewright::kernel::interpreter
