// Ops that move the lanes of a thread's vector, for all threads of a warp in one call: `lanes` and `from_lanes` are a
// thread's. The interpreter's handlers of these do one thread.
#include "kernel/simulate/program.h"

namespace tilewright::kernel::simulator {

namespace {

using interpreter::Handler;
using interpreter::Machine;

constexpr std::size_t warp = 32;

template <class Word>
void extract(Machine& m, const Instruction& i) {
  const Word* from = m.lanes<Word>(i.a) + std::get<Lane>(i.op->attribute).lane;
  Word* to = m.lanes<Word>(i.result);
  for (std::size_t t = 0; t < warp; ++t) to[t] = from[t * i.from_lanes];
}

template <class Word>
void insert(Machine& m, const Instruction& i) {
  std::memcpy(m.at(i.result), m.at(i.a), warp * i.lanes * sizeof(Word));
  Word* to = m.lanes<Word>(i.result) + std::get<Lane>(i.op->attribute).lane;
  const Word* from = m.lanes<Word>(i.b);
  for (std::size_t t = 0; t < warp; ++t) to[t * i.lanes] = from[t];
}

template <class Word>
void splat(Machine& m, const Instruction& i) {
  const Word* from = m.lanes<Word>(i.a);
  Word* to = m.lanes<Word>(i.result);
  for (std::size_t t = 0; t < warp; ++t)
    for (std::size_t lane = 0; lane < i.lanes; ++lane) *to++ = from[t];
}

template <class Word>
void iota(Machine& m, const Instruction& i) {
  Word* to = m.lanes<Word>(i.result);
  for (std::size_t t = 0; t < warp; ++t)
    for (std::size_t lane = 0; lane < i.lanes; ++lane) *to++ = static_cast<Word>(lane);
}

template <class Word>
void shuffle(Machine& m, const Instruction& i) {
  const std::vector<std::int32_t>& lanes = std::get<Lanes>(i.op->attribute).lanes;
  const Word* first = m.lanes<Word>(i.a);
  const Word* second = m.lanes<Word>(i.b);
  Word* to = m.lanes<Word>(i.result);
  for (std::size_t t = 0; t < warp; ++t, first += i.from_lanes, second += i.from_lanes)
    for (const std::int32_t lane : lanes) {
      const auto chosen = static_cast<std::size_t>(lane);
      *to++ = chosen < i.from_lanes ? first[chosen] : second[chosen - i.from_lanes];
    }
}

void bitcast(Machine& m, const Instruction& i) {
  std::memcpy(m.at(i.result), m.at(i.a), warp * i.lanes * interpreter::lane_bytes(i.element));
}

template <class Word>
Handler handler(Opcode code) {
  switch (code) {
    case Opcode::extract:
      return extract<Word>;
    case Opcode::insert:
      return insert<Word>;
    case Opcode::splat:
      return splat<Word>;
    case Opcode::iota:
      return iota<Word>;
    case Opcode::shuffle:
      return shuffle<Word>;
    case Opcode::bitcast:
      return bitcast;
    default:
      return nullptr;
  }
}

}  // namespace

Handler lane_handler(Opcode code, Element element) {
  switch (interpreter::lane_bytes(element)) {
    case 1:
      return element == Element::i1 && code == Opcode::iota ? nullptr : handler<std::uint8_t>(code);
    case 2:
      return handler<std::uint16_t>(code);
    case 4:
      return handler<std::uint32_t>(code);
    default:
      return handler<std::uint64_t>(code);
  }
}

}  // namespace tilewright::kernel::simulator
