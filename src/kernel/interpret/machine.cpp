// The interpreter's main loop and its memory checks.
#include "kernel/interpret/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::kernel::interpreter {

void Machine::run(std::span<const Instruction> program) {
  next_ = 0;
  while (next_ < program.size() && !failed_) {
    const Instruction& instruction = program[next_++];
    instruction.run(*this, instruction);
  }
}

void Machine::fail(const Instruction& instruction, std::string_view code, std::string message) {
  if (failed_) return;
  failed_ = true;
  failure_ = {instruction.op, std::string(code), std::move(message)};
}

const Reachable* Machine::find(std::uint64_t address, std::uint64_t bytes, bool writable) const {
  for (const Reachable& memory : memory_) {
    const bool inside =
        address >= memory.begin && bytes <= memory.bytes && address - memory.begin <= memory.bytes - bytes;
    if (inside && (memory.writable || !writable)) return &memory;
  }
  return nullptr;
}

std::byte* Machine::read(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes) {
  const Reachable* memory = find(address, bytes, false);
  if (memory == nullptr) {
    fail_access(instruction, address, bytes);
    return nullptr;
  }
  if (memory->written != nullptr) {
    const auto first = memory->written->begin() + static_cast<std::ptrdiff_t>(address - memory->begin);
    const auto last = first + static_cast<std::ptrdiff_t>(bytes);
    if (std::find(first, last, false) != last) {
      fail(instruction, "K104",
           fmt::format("reads bytes {} to {} of a local, not all of which are written", address - memory->begin,
                       address - memory->begin + bytes - 1));
      return nullptr;
    }
  }
  return reinterpret_cast<std::byte*>(address);
}

std::byte* Machine::write(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes) {
  const Reachable* memory = find(address, bytes, true);
  if (memory == nullptr) {
    if (find(address, bytes, false) != nullptr)
      fail(instruction, "K103", fmt::format("writes {} bytes at {:#x}, in a read-only range", bytes, address));
    else
      fail_access(instruction, address, bytes);
    return nullptr;
  }
  if (memory->written != nullptr) {
    const auto first = memory->written->begin() + static_cast<std::ptrdiff_t>(address - memory->begin);
    std::fill(first, first + static_cast<std::ptrdiff_t>(bytes), true);
  }
  return reinterpret_cast<std::byte*>(address);
}

/// Says where the access is in relation to the nearest range: that tells an overrun from a wild address.
void Machine::fail_access(const Instruction& instruction, std::uint64_t address, std::uint64_t bytes) {
  std::string where = "the kernel is given no memory";
  std::uint64_t nearest = ~std::uint64_t{0};
  for (const Reachable& memory : memory_) {
    const bool before = address < memory.begin;
    const std::uint64_t distance = before ? memory.begin - address : address - memory.begin;
    if (distance >= nearest) continue;
    nearest = distance;
    where = fmt::format("the nearest range has {} bytes, and the access starts at its byte {}{}", memory.bytes,
                        before ? "-" : "", distance);
  }
  fail(instruction, "K101", fmt::format("accesses {} bytes outside of all memory: {}", bytes, where));
}

bool Machine::check_alignment(const Instruction& instruction, std::uint64_t address) {
  const std::uint32_t align = std::get<Access>(instruction.op->attribute).align;
  if (address % align == 0) return true;
  fail(instruction, "K102", fmt::format("the address is {} bytes past a multiple of {}", address % align, align));
  return false;
}

std::size_t lane_bytes(Element element) {
  return element == Element::i1 ? 1 : static_cast<std::size_t>(bits(element)) / 8;
}

namespace {

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store_as(std::int64_t value, std::byte* to) {
  const auto narrow = static_cast<T>(value);
  std::memcpy(to, &narrow, sizeof narrow);
}

}  // namespace

std::int64_t read_int(Element element, const std::byte* lane) {
  switch (lane_bytes(element)) {
    case 1:
      return load_as<std::int8_t>(lane);
    case 2:
      return load_as<std::int16_t>(lane);
    case 4:
      return load_as<std::int32_t>(lane);
    default:
      return load_as<std::int64_t>(lane);
  }
}

void write_int(Element element, std::int64_t value, std::byte* lane) {
  switch (lane_bytes(element)) {
    case 1:
      return store_as<std::int8_t>(element == Element::i1 ? value & 1 : value, lane);
    case 2:
      return store_as<std::int16_t>(value, lane);
    case 4:
      return store_as<std::int32_t>(value, lane);
    default:
      return store_as<std::int64_t>(value, lane);
  }
}

}  // namespace tilewright::kernel::interpreter
