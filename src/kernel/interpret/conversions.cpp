// Conversions between elements.
#include <limits>

#include "kernel/fold.h"
#include "kernel/interpret/lanes.h"
#include "kernel/interpret/machine.h"

namespace tilewright::kernel::interpreter {

namespace {

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store_as(T value, std::byte* to) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

double read_float(Element element, const std::byte* lane) {
  switch (element) {
    case Element::f64:
      return load_as<double>(lane);
    case Element::f32:
      return static_cast<double>(load_as<float>(lane));
    case Element::f16:
      return F16Lane::get(load_as<std::uint16_t>(lane));
    case Element::bf16:
      return Bf16Lane::get(load_as<std::uint16_t>(lane));
    case Element::f8e4m3:
      return F8e4m3Lane::get(load_as<std::uint8_t>(lane));
    case Element::f8e5m2:
      return F8e5m2Lane::get(load_as<std::uint8_t>(lane));
    default:
      internal_error("a conversion from no float");
  }
}

void write_float(Element element, double value, std::byte* lane) {
  switch (element) {
    case Element::f64:
      return store_as(value, lane);
    case Element::f32:
      return store_as(static_cast<float>(value), lane);
    case Element::f16:
      return store_as(F16Lane::put(value), lane);
    case Element::bf16:
      return store_as(Bf16Lane::put(value), lane);
    case Element::f8e4m3:
      return store_as(F8e4m3Lane::put(value), lane);
    case Element::f8e5m2:
      return store_as(F8e5m2Lane::put(value), lane);
    default:
      internal_error("a conversion to no float");
  }
}

namespace {

void write_rounded(Element element, bool negative, std::uint64_t magnitude, std::byte* lane) {
  const double value = element == Element::f64 ? static_cast<double>(magnitude) : integer_to_odd(magnitude);
  write_float(element, negative ? -value : value, lane);
}

/// The range of an integer element: [low, high], as f64 only where that is exact; high + 1 always is.
std::int64_t truncate_signed(Element element, double value) {
  if (std::isnan(value)) return 0;
  const double beyond = std::ldexp(1.0, bits(element) - 1);
  const std::int64_t low = static_cast<std::int64_t>(~std::uint64_t{0} << (bits(element) - 1));
  if (value >= beyond) return ~low;
  return value <= -beyond ? low : static_cast<std::int64_t>(value);
}

std::int64_t truncate_unsigned(Element element, double value) {
  if (!(value > 0.0)) return 0;
  const double beyond = std::ldexp(1.0, bits(element));
  return value >= beyond ? -1 : static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
}

/// i1 as a signed number has -1 for its set bit.
std::int64_t read_signed(Element element, const std::byte* lane) {
  const std::int64_t value = read_int(element, lane);
  return element == Element::i1 ? -value : value;
}

void convert_lane(Opcode code, Element from, const std::byte* in, Element to, std::byte* out) {
  switch (code) {
    case Opcode::trunc:
    case Opcode::zext:
      return write_int(to, static_cast<std::int64_t>(unsigned_value(from, read_int(from, in))), out);
    case Opcode::sext:
      return write_int(to, read_signed(from, in), out);
    case Opcode::fconvert:
      return write_float(to, read_float(from, in), out);
    case Opcode::sitofp: {
      const std::int64_t value = read_signed(from, in);
      const auto word = static_cast<std::uint64_t>(value);
      return write_rounded(to, value < 0, value < 0 ? -word : word, out);
    }
    case Opcode::uitofp:
      return write_rounded(to, false, unsigned_value(from, read_int(from, in)), out);
    case Opcode::fptosi:
      return write_int(to, truncate_signed(to, read_float(from, in)), out);
    case Opcode::fptoui:
      return write_int(to, truncate_unsigned(to, read_float(from, in)), out);
    default:
      internal_error("no conversion");
  }
}

void convert(Machine& m, const Instruction& i) {
  const std::byte* in = m.at(i.a);
  std::byte* out = m.at(i.result);
  for (int lane = 0; lane < i.lanes; ++lane) {
    convert_lane(i.op->code, i.from, in, i.element, out);
    in += lane_bytes(i.from);
    out += lane_bytes(i.element);
  }
}

}  // namespace

Handler conversion_handler(Opcode code) {
  return info(code).rule == OpRule::convert ? convert : nullptr;
}

}  // namespace tilewright::kernel::interpreter
