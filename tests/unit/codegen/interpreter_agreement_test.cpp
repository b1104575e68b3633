// Random kernels, compiled and interpreted: both must store the same bytes.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "kernel/interpret.h"
#include "map_lanes.h"
#include "samples.h"

namespace tilewright::codegen {
namespace {

using kernel::Builder;
using kernel::Element;
using kernel::Opcode;
using kernel::Predicate;
using kernel::Type;
using kernel::ValueId;

constexpr std::array elements{Element::i8, Element::i32, Element::i64, Element::f32, Element::f64};

// Writes a kernel of one loop whose body applies random ops to one value of each element. What C++ and LLVM leave open
// is kept out: division by zero, shifts beyond the width, a NaN's bits.
class Generator {
 public:
  Generator(unsigned seed, int lanes) : random_(seed), lanes_(static_cast<std::uint16_t>(lanes)), b_("random") {}

  /// Parameters: in (one vector of each element, 512 bytes apart), out (the same).
  kernel::Kernel make() {
    const ValueId in = b_.parameter("in", {Element::ptr, 1}, true);
    const ValueId out = b_.parameter("out", {Element::ptr, 1}, false, true);
    const ValueId n = b_.parameter("n", {Element::i64, 1});
    std::vector<ValueId> start;
    for (std::size_t e = 0; e < elements.size(); ++e)
      start.push_back(b_.load({elements[e], lanes_}, b_.offset(in, b_.index(static_cast<std::int64_t>(512 * e))),
                              {static_cast<std::uint32_t>(kernel::bits(elements[e])) / 8, false}));
    const auto results =
        b_.for_loop(b_.index(0), n, b_.index(1), start, [&](ValueId i, const std::vector<ValueId>& carried) {
          values_ = carried;
          values_[2] = b_.add(values_[2], lanes_ == 1 ? i : b_.splat(i, lanes_));
          for (int k = 0; k < 24; ++k) step();
          return values_;
        });
    for (std::size_t e = 0; e < elements.size(); ++e)
      b_.store(results[e], b_.offset(out, b_.index(static_cast<std::int64_t>(512 * e))), {1, false});
    return b_.finish();
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  ValueId number(Type type, std::int64_t value) { return b_.constant(type, Scalar::of(value)); }

  // Replaces one value by an op of it and, where types allow, of others.
  void step() {
    const std::size_t e = pick(elements.size());
    const Type type{elements[e], lanes_};
    const ValueId a = values_[e];
    if (pick(4) == 0)
      values_[e] = convert_into(e);
    else if (pick(4) == 0)
      values_[e] = choose(e);
    else
      values_[e] = kernel::is_float(type.element) ? float_op(a, from_int(type)) : int_op(a, convert_int(type));
  }
  // A float that is never −0 or NaN, and an integer, both of other values.
  ValueId from_int(Type type) { return b_.convert(Opcode::sitofp, values_[pick(2) + 1], type.element); }
  ValueId convert_int(Type type) {
    const std::size_t from = pick(3);
    const int change = kernel::bits(elements[from]) - kernel::bits(type.element);
    if (change == 0) return values_[from];
    return b_.convert(change > 0 ? Opcode::trunc : pick(2) ? Opcode::sext : Opcode::zext, values_[from], type.element);
  }
  ValueId convert_into(std::size_t e) {
    const Element to = elements[e];
    if (kernel::is_int(to)) return b_.convert(pick(2) ? Opcode::fptosi : Opcode::fptoui, values_[3 + pick(2)], to);
    if (pick(2)) return b_.convert(pick(2) ? Opcode::sitofp : Opcode::uitofp, values_[pick(3)], to);
    return b_.convert(Opcode::fconvert, values_[e == 3 ? 4 : 3], to);
  }
  ValueId choose(std::size_t e) {
    const std::size_t by = pick(elements.size());
    const bool by_float = kernel::is_float(elements[by]);
    constexpr std::array of_ints{Predicate::eq,  Predicate::ne,  Predicate::slt,
                                 Predicate::sge, Predicate::ult, Predicate::uge};
    constexpr std::array of_floats{Predicate::oeq, Predicate::une, Predicate::olt, Predicate::oge, Predicate::uno};
    const Predicate predicate = by_float ? of_floats[pick(of_floats.size())] : of_ints[pick(of_ints.size())];
    const Type type{elements[by], lanes_};
    const ValueId other = by_float ? from_int(type) : convert_int(type);
    const ValueId condition = b_.cmp(predicate, values_[by], other);
    ValueId moved = values_[e];
    if (lanes_ > 1) {
      std::vector<std::int32_t> lanes;
      for (int i = 0; i < lanes_; ++i) lanes.push_back(static_cast<std::int32_t>(pick(2U * lanes_)));
      moved = b_.shuffle(values_[e], values_[e], lanes);
    }
    return b_.select(condition, values_[e], moved);
  }
  ValueId float_op(ValueId a, ValueId b) {
    constexpr std::array codes{Opcode::add, Opcode::sub, Opcode::mul, Opcode::fdiv, Opcode::fmin, Opcode::fmax};
    const std::size_t k = pick(codes.size() + 3);
    const bool orders = k == 4 || k == 5;  // zeros of either sign too
    if (k < codes.size()) return b_.binary(codes[k], a, orders && pick(2) ? b_.unary(Opcode::neg, b) : b);
    constexpr std::array single{Opcode::neg, Opcode::abs, Opcode::sqrt};
    return b_.unary(single[k - codes.size()], a);
  }
  ValueId int_op(ValueId a, ValueId b) {
    constexpr std::array codes{Opcode::add,  Opcode::sub,  Opcode::mul,     Opcode::smin,   Opcode::smax,
                               Opcode::umin, Opcode::umax, Opcode::bit_and, Opcode::bit_or, Opcode::bit_xor};
    constexpr std::array shifts{Opcode::shl, Opcode::lshr, Opcode::ashr};
    constexpr std::array divisions{Opcode::sdiv, Opcode::udiv, Opcode::srem, Opcode::urem};
    const Type type = b_.type(a);
    switch (pick(4)) {
      case 0:
        return b_.binary(shifts[pick(shifts.size())], a, b_.binary(Opcode::bit_and, b, number(type, 7)));
      case 1:
        return b_.binary(divisions[pick(divisions.size())], a, b_.binary(Opcode::bit_or, b, number(type, 1)));
      case 2:
        return b_.unary(pick(2) ? Opcode::neg : Opcode::abs, a);
      default:
        return b_.binary(codes[pick(codes.size())], a, b);
    }
  }

  std::mt19937 random_;
  std::uint16_t lanes_;
  Builder b_;
  std::vector<ValueId> values_;
};

constexpr std::size_t image_bytes = 512 * elements.size();
struct alignas(64) Image {
  std::array<std::byte, image_bytes> bytes{};
};

template <class T>
void fill(Image& image, std::size_t e, unsigned seed) {
  const std::vector<T> values = samples<T>(seed);
  std::memcpy(image.bytes.data() + 512 * e, values.data(), 512);
}

template <class T>
void expect_same(const Image& got, const Image& expected, std::size_t e, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    T a;
    T b;
    std::memcpy(&a, got.bytes.data() + 512 * e + sizeof(T) * static_cast<std::size_t>(i), sizeof(T));
    std::memcpy(&b, expected.bytes.data() + 512 * e + sizeof(T) * static_cast<std::size_t>(i), sizeof(T));
    ASSERT_TRUE(same(a, b)) << "element " << e << " lane " << i << ": " << +a << ", interpreted " << +b;
  }
}

TEST(InterpreterAgreement, RandomKernelsStoreTheSameBytes) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const int lanes = std::array{1, 4, 8, 5, 16}[seed % 5];
    const kernel::Kernel kernel = Generator(seed, lanes).make();
    Image in;
    fill<std::int8_t>(in, 0, seed);
    fill<std::int32_t>(in, 1, seed);
    fill<std::int64_t>(in, 2, seed);
    fill<float>(in, 3, seed);
    fill<double>(in, 4, seed);
    const std::int64_t n = 1 + seed % 3;
    Image interpreted;
    const std::array<kernel::Argument, 3> arguments{in.bytes.data(), interpreted.bytes.data(), n};
    const std::array<kernel::MemoryRange, 2> memory{kernel::MemoryRange{in.bytes.data(), image_bytes, false},
                                                    kernel::MemoryRange{interpreted.bytes.data(), image_bytes, true}};
    const auto ran = kernel::interpret(kernel, arguments, memory);
    ASSERT_TRUE(ran.has_value()) << messages(ran.error());
    for (const HostTarget& target : runnable_targets()) {
      SCOPED_TRACE(target.cpu + ", seed " + std::to_string(seed) + "\n" + kernel::to_text(kernel));
      Image got;
      const auto slot = [](Image& image) {
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(image.bytes.data()));
      };
      call(kernel, target, {slot(in), slot(got), n});
      expect_same<std::int8_t>(got, interpreted, 0, lanes);
      expect_same<std::int32_t>(got, interpreted, 1, lanes);
      expect_same<std::int64_t>(got, interpreted, 2, lanes);
      expect_same<float>(got, interpreted, 3, lanes);
      expect_same<double>(got, interpreted, 4, lanes);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tilewright::codegen
