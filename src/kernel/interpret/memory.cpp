// Loads and stores, each lane that is touched checked.
#include <algorithm>

#include "kernel/interpret/machine.h"

namespace tilewright::kernel::interpreter {

namespace {

std::uint64_t address_at(Machine& m, std::uint32_t place) {
  return static_cast<std::uint64_t>(m.integer(place));
}

void offset(Machine& m, const Instruction& i) {
  const std::uint64_t* pointers = m.lanes<std::uint64_t>(i.a);
  const std::uint64_t* bytes = m.lanes<std::uint64_t>(i.b);
  std::uint64_t* result = m.lanes<std::uint64_t>(i.result);
  for (std::size_t lane = 0; lane < i.lanes; ++lane) result[lane] = pointers[lane] + bytes[lane];
}

/// A masked access touches the lanes whose mask is set; one with none set touches nothing.
bool any_lane(Machine& m, const Instruction& i, std::uint32_t mask) {
  const std::uint8_t* lanes = m.lanes<std::uint8_t>(mask);
  return std::any_of(lanes, lanes + i.lanes, [](std::uint8_t on) { return on != 0; });
}

/// The lanes of a masked access, by address; `touch(lane, address)` returns false to stop.
template <class Touch>
void each_lane(Machine& m, const Instruction& i, std::uint32_t mask, std::uint64_t address, Touch&& touch) {
  for (std::size_t lane = 0; lane < i.lanes; ++lane)
    if (m.lanes<std::uint8_t>(mask)[lane] != 0 && !touch(lane, address + lane * lane_bytes(i.element))) return;
}

bool read_lane(Machine& m, const Instruction& i, std::size_t lane, std::uint64_t address) {
  const std::size_t size = lane_bytes(i.element);
  const std::byte* from = m.read(i, address, size);
  if (from != nullptr) std::memcpy(m.at(i.result) + lane * size, from, size);
  return from != nullptr;
}

bool write_lane(Machine& m, const Instruction& i, std::size_t lane, std::uint64_t address) {
  const std::size_t size = lane_bytes(i.element);
  std::byte* to = m.write(i, address, size);
  if (to != nullptr) std::memcpy(to, m.at(i.a) + lane * size, size);
  return to != nullptr;
}

/// (ptr[, mask])
void load(Machine& m, const Instruction& i) {
  const std::uint64_t address = address_at(m, i.a);
  const std::size_t size = i.lanes * lane_bytes(i.element);
  if (i.masked) {
    std::memset(m.at(i.result), 0, size);
    if (!any_lane(m, i, i.b) || !m.check_alignment(i, address)) return;
    each_lane(m, i, i.b, address, [&](std::size_t lane, std::uint64_t at) { return read_lane(m, i, lane, at); });
    return;
  }
  if (!m.check_alignment(i, address)) return;
  if (const std::byte* from = m.read(i, address, size)) std::memcpy(m.at(i.result), from, size);
}

/// (value, ptr[, mask])
void store(Machine& m, const Instruction& i) {
  const std::uint64_t address = address_at(m, i.b);
  if (i.masked) {
    if (!any_lane(m, i, i.c) || !m.check_alignment(i, address)) return;
    each_lane(m, i, i.c, address, [&](std::size_t lane, std::uint64_t at) { return write_lane(m, i, lane, at); });
    return;
  }
  const std::size_t size = i.lanes * lane_bytes(i.element);
  if (!m.check_alignment(i, address)) return;
  if (std::byte* to = m.write(i, address, size)) std::memcpy(to, m.at(i.a), size);
}

/// Lane by lane in order; of two lanes that write one address the later one stays.
template <class Touch>
void each_offset(Machine& m, const Instruction& i, std::uint32_t pointer, std::uint32_t offsets, std::uint32_t mask,
                 Touch&& touch) {
  const std::int64_t* bytes = m.lanes<std::int64_t>(offsets);
  for (std::size_t lane = 0; lane < i.lanes; ++lane) {
    if (i.masked && m.lanes<std::uint8_t>(mask)[lane] == 0) continue;
    const std::uint64_t address = address_at(m, pointer) + static_cast<std::uint64_t>(bytes[lane]);
    if (!m.check_alignment(i, address) || !touch(lane, address)) return;
  }
}

/// (ptr, offsets[, mask])
void gather(Machine& m, const Instruction& i) {
  std::memset(m.at(i.result), 0, i.lanes * lane_bytes(i.element));
  each_offset(m, i, i.a, i.b, i.c, [&](std::size_t lane, std::uint64_t at) { return read_lane(m, i, lane, at); });
}

/// (value, ptr, offsets[, mask])
void scatter(Machine& m, const Instruction& i) {
  each_offset(m, i, i.b, i.c, i.d, [&](std::size_t lane, std::uint64_t at) { return write_lane(m, i, lane, at); });
}

/// A hint about any address.
void prefetch(Machine&, const Instruction&) {}

}  // namespace

Handler memory_handler(Opcode code) {
  switch (code) {
    case Opcode::offset:
      return offset;
    case Opcode::load:
      return load;
    case Opcode::store:
      return store;
    case Opcode::gather:
      return gather;
    case Opcode::scatter:
      return scatter;
    case Opcode::prefetch:
      return prefetch;
    default:
      return nullptr;
  }
}

}  // namespace tilewright::kernel::interpreter
