// Loads and stores of the threads of a warp.
#include <numeric>

#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

using interpreter::lane_bytes;

std::byte* own(Warp& warp, std::uint32_t place, std::uint32_t bytes, unsigned lane) {
  return warp.machine.at(place) + std::size_t{lane} * bytes;
}

/// Values of one word, as most are, are copied as such.
void copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  if (bytes == 4)
    std::memcpy(to, from, 4);
  else if (bytes == 16)
    std::memcpy(to, from, 16);
  else
    std::memcpy(to, from, bytes);
}

/// `align`: 0 for the step's.
using Access = void (*)(Block&, const Step&, unsigned thread, std::uint64_t address, std::byte* value,
                        std::uint64_t bytes, std::uint64_t align);

/// What is not there to be read is 0.
void read_value(Block& block, const Step& step, unsigned thread, std::uint64_t address, std::byte* value,
                std::uint64_t bytes, std::uint64_t align) {
  if (const std::byte* from = block.read(step, thread, address, bytes, align))
    copy_bytes(value, from, bytes);
  else
    std::memset(value, 0, bytes);
}

void write_value(Block& block, const Step& step, unsigned thread, std::uint64_t address, std::byte* value,
                 std::uint64_t bytes, std::uint64_t align) {
  if (std::byte* to = block.write(step, thread, address, bytes, align)) copy_bytes(to, value, bytes);
}

/// Vectors lane by lane, each lane of all threads a request: lane l of a thread at its address + `offset(thread, l)`,
/// if `on(thread, l)`, at which the access is aligned by `align(l)` (0 for the step's).
template <Access access, class On, class Offset, class Align>
void by_lane(Block& block, Warp& warp, const Step& step, std::uint32_t mask, std::uint32_t value_place,
             std::uint32_t value_bytes, const std::uint64_t* addresses, On&& on, Offset&& offset, Align&& align) {
  const std::uint64_t size = lane_bytes(step.instruction.element);
  std::uint64_t places[warp_threads];
  for (std::size_t l = 0; l < step.instruction.lanes; ++l) {
    std::uint32_t active = 0;
    each_lane(mask, [&](unsigned lane) {
      if (!on(lane, l)) return;
      active |= std::uint32_t{1} << lane;
      places[lane] = addresses[lane] + offset(lane, l);
      access(block, step, warp.thread(lane), places[lane], own(warp, value_place, value_bytes, lane) + l * size, size,
             align(l));
    });
    if (active != 0) block.count(step, active, places, size);
  }
}

constexpr bool writes(Access access) {
  return access == write_value;
}

/// Accesses of a warp that need no look at single threads: see Block::reach_together.
template <Access access, std::size_t bytes>
void copy_together(const Block::Stretch& stretch, std::uint32_t mask, const std::uint64_t* addresses,
                   std::byte* values) {
  each_lane(mask, [&](unsigned lane) {
    std::byte* memory = stretch.data + (addresses[lane] - stretch.begin);
    if constexpr (writes(access))
      std::memcpy(memory, values + lane * bytes, bytes);
    else
      std::memcpy(values + lane * bytes, memory, bytes);
  });
}

template <Access access>
bool try_together(Block& block, Warp& warp, const Step& step, std::uint32_t mask, std::uint32_t value_place,
                  std::uint32_t value_bytes, const std::uint64_t* addresses) {
  const auto stretch = block.reach_together(step, mask, addresses, value_bytes, writes(access));
  if (!stretch) return false;
  std::byte* values = warp.machine.at(value_place);
  switch (value_bytes) {
    case 1:
      copy_together<access, 1>(*stretch, mask, addresses, values);
      return true;
    case 2:
      copy_together<access, 2>(*stretch, mask, addresses, values);
      return true;
    case 4:
      copy_together<access, 4>(*stretch, mask, addresses, values);
      return true;
    case 8:
      copy_together<access, 8>(*stretch, mask, addresses, values);
      return true;
    case 16:
      copy_together<access, 16>(*stretch, mask, addresses, values);
      return true;
    default:
      return false;
  }
}

template <Access access>
void adjacent(Block& block, Warp& warp, const Step& step, std::uint32_t mask, std::uint32_t value_place,
              std::uint32_t value_bytes, std::uint32_t address_place, std::uint32_t mask_place) {
  const std::uint64_t* addresses = warp.words(address_place);
  const std::uint64_t size = lane_bytes(step.instruction.element);
  if (step.instruction.masked) {
    const std::uint8_t* on = warp.machine.lanes<std::uint8_t>(mask_place);
    const std::size_t lanes = step.instruction.lanes;
    return by_lane<access>(
        block, warp, step, mask, value_place, value_bytes, addresses,
        [&](unsigned lane, std::size_t l) { return on[lane * lanes + l] != 0; },
        [&](unsigned, std::size_t l) { return l * size; },
        [&](std::size_t l) { return std::gcd(l * size, std::uint64_t{step.align}); });
  }
  if (!try_together<access>(block, warp, step, mask, value_place, value_bytes, addresses))
    each_lane(mask, [&](unsigned lane) {
      access(block, step, warp.thread(lane), addresses[lane], own(warp, value_place, value_bytes, lane), value_bytes,
             0);
    });
  block.count(step, mask, addresses, value_bytes);
}

template <Access access>
void scattered(Block& block, Warp& warp, const Step& step, std::uint32_t mask, std::uint32_t value_place,
               std::uint32_t value_bytes, std::uint32_t address_place, std::uint32_t offset_place,
               std::uint32_t mask_place) {
  const std::size_t lanes = step.instruction.lanes;
  const std::uint8_t* on = warp.machine.lanes<std::uint8_t>(mask_place);
  const std::uint64_t* offsets = warp.words(offset_place);
  by_lane<access>(
      block, warp, step, mask, value_place, value_bytes, warp.words(address_place),
      [&](unsigned lane, std::size_t l) { return !step.instruction.masked || on[lane * lanes + l] != 0; },
      [&](unsigned lane, std::size_t l) { return offsets[lane * lanes + l]; },
      [](std::size_t) { return std::uint64_t{0}; });
}

void clear(Warp& warp, const Step& step, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) {
    std::memset(own(warp, step.instruction.result, step.result_bytes, lane), 0, step.result_bytes);
  });
}

void load(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  if (i.masked) clear(warp, step, mask);
  adjacent<read_value>(block, warp, step, mask, i.result, step.result_bytes, i.a, i.b);
}

void store(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  adjacent<write_value>(block, warp, step, mask, i.a, step.a_bytes, i.b, i.c);
}

void gather(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  clear(warp, step, mask);
  scattered<read_value>(block, warp, step, mask, i.result, step.result_bytes, i.a, i.b, i.c);
}

void scatter(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  scattered<write_value>(block, warp, step, mask, i.a, step.a_bytes, i.b, i.c, i.d);
}

/// A hint about any address.
void prefetch(Block&, Warp&, const Step&, std::uint32_t) {}

}  // namespace

Behaviour access_behaviour(Opcode code) {
  switch (code) {
    case Opcode::load:
      return {load};
    case Opcode::store:
      return {store};
    case Opcode::gather:
      return {gather};
    case Opcode::scatter:
      return {scatter};
    case Opcode::prefetch:
      return {prefetch};
    default:
      return {};
  }
}

}  // namespace tilewright::kernel::simulator
