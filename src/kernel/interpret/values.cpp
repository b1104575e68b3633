// Ops that move lanes about.
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
template <class Word>
void select(Machine& m, const Instruction& i) {
  const std::uint8_t* condition = m.lanes<std::uint8_t>(i.a);
  const Word* yes = m.lanes<Word>(i.b);
  const Word* no = m.lanes<Word>(i.c);
  Word* result = m.lanes<Word>(i.result);
  const std::size_t step = i.from_lanes == 1 ? 0 : 1;
  for (std::size_t lane = 0; lane < i.lanes; ++lane) result[lane] = condition[lane * step] != 0 ? yes[lane] : no[lane];
}

Handler select_handler(Element element) {
  switch (lane_bytes(element)) {
    case 1:
      return select<std::uint8_t>;
    case 2:
      return select<std::uint16_t>;
    case 4:
      return select<std::uint32_t>;
    default:
      return select<std::uint64_t>;
  }
}

void bitcast(Machine& m, const Instruction& i) {
  std::memcpy(m.at(i.result), m.at(i.a), i.lanes * lane_bytes(i.element));
}

}  // namespace

Handler value_handler(Opcode code, Element element) {
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
      return select_handler(element);
    case Opcode::bitcast:
      return bitcast;
    default:
      return nullptr;
  }
}

}  // namespace tilewright::kernel::interpreter
