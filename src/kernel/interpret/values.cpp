// Ops that move lanes about and integer arithmetic, whose meaning fold.h has.
#include <algorithm>

#include "kernel/fold.h"
#include "kernel/interpret/machine.h"

namespace tilewright::kernel::interpreter {

namespace {

/// The bytes of lane `lane` of a value at `place`.
std::byte* lane_of(Machine& m, std::uint32_t place, Element element, std::size_t lane) {
  return m.at(place) + lane * lane_bytes(element);
}

void copy_lane(Machine& m, const Instruction& i, std::size_t to_lane, std::uint32_t from, std::size_t from_lane) {
  std::memcpy(lane_of(m, i.result, i.element, to_lane), lane_of(m, from, i.element, from_lane), lane_bytes(i.element));
}

void splat(Machine& m, const Instruction& i) {
  for (std::size_t lane = 0; lane < i.lanes; ++lane) copy_lane(m, i, lane, i.a, 0);
}

void iota(Machine& m, const Instruction& i) {
  for (std::size_t lane = 0; lane < i.lanes; ++lane)
    write_int(i.element, static_cast<std::int64_t>(lane), lane_of(m, i.result, i.element, lane));
}

std::size_t lane_attribute(const Instruction& i) {
  return static_cast<std::size_t>(std::get<Lane>(i.op->attribute).lane);
}

void extract(Machine& m, const Instruction& i) {
  copy_lane(m, i, 0, i.a, lane_attribute(i));
}

void insert(Machine& m, const Instruction& i) {
  std::memcpy(m.at(i.result), m.at(i.a), i.lanes * lane_bytes(i.element));
  copy_lane(m, i, lane_attribute(i), i.b, 0);
}

void shuffle(Machine& m, const Instruction& i) {
  const std::vector<std::int32_t>& lanes = std::get<Lanes>(i.op->attribute).lanes;
  for (std::size_t lane = 0; lane < i.lanes; ++lane) {
    const auto chosen = static_cast<std::size_t>(lanes[lane]);
    const bool second = chosen >= i.from_lanes;
    copy_lane(m, i, lane, second ? i.b : i.a, second ? chosen - i.from_lanes : chosen);
  }
}

/// The condition is the first operand: one lane for all, or one for each.
void select(Machine& m, const Instruction& i) {
  const std::uint8_t* condition = m.lanes<std::uint8_t>(i.a);
  for (std::size_t lane = 0; lane < i.lanes; ++lane)
    copy_lane(m, i, lane, condition[i.from_lanes == 1 ? 0 : lane] != 0 ? i.b : i.c, lane);
}

void bitcast(Machine& m, const Instruction& i) {
  std::memcpy(m.at(i.result), m.at(i.a), i.lanes * lane_bytes(i.element));
}

void unary(Machine& m, const Instruction& i) {
  for (std::size_t lane = 0; lane < i.lanes; ++lane) {
    const std::int64_t a = read_int(i.element, lane_of(m, i.a, i.element, lane));
    write_int(i.element, *fold_unary(i.op->code, i.element, a), lane_of(m, i.result, i.element, lane));
  }
}

/// A division by zero and a shift out of range have no specified value; here they have 0.
void binary(Machine& m, const Instruction& i) {
  for (std::size_t lane = 0; lane < i.lanes; ++lane) {
    const std::int64_t a = read_int(i.element, lane_of(m, i.a, i.element, lane));
    const std::int64_t b = read_int(i.element, lane_of(m, i.b, i.element, lane));
    write_int(i.element, fold_binary(i.op->code, i.element, a, b).value_or(0), lane_of(m, i.result, i.element, lane));
  }
}

void cmp(Machine& m, const Instruction& i) {
  const Predicate predicate = std::get<Predicate>(i.op->attribute);
  for (std::size_t lane = 0; lane < i.lanes; ++lane) {
    const std::int64_t a = read_int(i.from, lane_of(m, i.a, i.from, lane));
    const std::int64_t b = read_int(i.from, lane_of(m, i.b, i.from, lane));
    write_int(Element::i1, *fold_cmp(predicate, i.from, a, b) ? 1 : 0, lane_of(m, i.result, Element::i1, lane));
  }
}

}  // namespace

Handler value_handler(Opcode code) {
  switch (code) {
    case Opcode::splat:
      return splat;
    case Opcode::iota:
      return iota;
    case Opcode::extract:
      return extract;
    case Opcode::insert:
      return insert;
    case Opcode::shuffle:
      return shuffle;
    case Opcode::select:
      return select;
    case Opcode::bitcast:
      return bitcast;
    default:
      return nullptr;
  }
}

Handler integer_handler(Opcode code) {
  if (code == Opcode::cmp) return cmp;
  if (code == Opcode::neg || code == Opcode::abs) return unary;
  // Whether an op is integer arithmetic is fold.h's to say; no operands make 1 op 1 fail.
  return fold_binary(code, Element::i64, 1, 1) ? binary : nullptr;
}

}  // namespace tilewright::kernel::interpreter
