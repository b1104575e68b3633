// Arithmetic, comparisons and lane ops as machine code, against C++'s own arithmetic.
#include <gtest/gtest.h>

#include "map_lanes.h"
#include "samples.h"

namespace tilewright::codegen {
namespace {

using kernel::Builder;
using kernel::Element;
using kernel::Opcode;
using kernel::Predicate;
using kernel::ValueId;
using Loaded = std::vector<ValueId>;

constexpr int lane_counts[] = {1, 3, 8, 32};

// `code` of two operands on every target and width, against `expected(a, b)`; `is_defined` leaves pairs out.
template <class T>
void expect_binary(Opcode code, T (*expected)(T, T), bool (*is_defined)(T, T) = nullptr) {
  const std::vector<T> a = samples<T>(1);
  const std::vector<T> b = samples<T>(2);
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : lane_counts) {
      const auto got =
          map_lanes<T>(target, lanes, [&](Builder& k, const Loaded& in) { return k.binary(code, in[0], in[1]); }, a, b);
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (is_defined && !is_defined(a[i], b[i])) continue;
        ASSERT_TRUE(same(got[i], expected(a[i], b[i])))
            << info(code).name << ' ' << +a[i] << ' ' << +b[i] << " = " << +got[i] << ", not " << +expected(a[i], b[i])
            << ", lanes " << lanes << ", bits " << 8 * sizeof(T) << ", " << target.cpu;
      }
    }
}

template <class T>
void expect_unary(Opcode code, T (*expected)(T)) {
  const std::vector<T> a = samples<T>(3);
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : lane_counts) {
      const auto got =
          map_lanes<T>(target, lanes, [&](Builder& k, const Loaded& in) { return k.unary(code, in[0]); }, a);
      for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_TRUE(same(got[i], expected(a[i])))
            << info(code).name << ' ' << +a[i] << " = " << +got[i] << ", lanes " << lanes << ", " << target.cpu;
    }
}

// Wrapped arithmetic in 64 unsigned bits, cut to T.
template <class T>
std::uint64_t bits(T value) {
  return static_cast<std::uint64_t>(value);
}

template <class T>
class IntegerOps : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(IntegerOps, Integers);

TYPED_TEST(IntegerOps, AddSubtractMultiplyWrap) {
  using T = TypeParam;
  expect_binary<T>(Opcode::add, [](T a, T b) { return static_cast<T>(bits(a) + bits(b)); });
  expect_binary<T>(Opcode::sub, [](T a, T b) { return static_cast<T>(bits(a) - bits(b)); });
  expect_binary<T>(Opcode::mul, [](T a, T b) { return static_cast<T>(bits(a) * bits(b)); });
  expect_unary<T>(Opcode::neg, [](T a) { return static_cast<T>(-bits(a)); });
  expect_unary<T>(Opcode::abs, [](T a) { return a < 0 ? static_cast<T>(-bits(a)) : a; });
}

TYPED_TEST(IntegerOps, DivideTruncatesWrapsAndNeverTraps) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  const auto by_nonzero = [](T, T b) { return b != 0; };  // zeros are in the operands, but have no stated quotient
  expect_binary<T>(
      Opcode::sdiv, [](T a, T b) { return b == -1 ? static_cast<T>(-bits(a)) : static_cast<T>(a / b); }, by_nonzero);
  expect_binary<T>(Opcode::srem, [](T a, T b) { return b == -1 ? T(0) : static_cast<T>(a % b); }, by_nonzero);
  expect_binary<T>(
      Opcode::udiv, [](T a, T b) { return static_cast<T>(static_cast<U>(a) / static_cast<U>(b)); }, by_nonzero);
  expect_binary<T>(
      Opcode::urem, [](T a, T b) { return static_cast<T>(static_cast<U>(a) % static_cast<U>(b)); }, by_nonzero);
}

TYPED_TEST(IntegerOps, DivideByAConstant) {
  using T = TypeParam;
  const std::vector<T> a = samples<T>(4);
  for (const HostTarget& target : runnable_targets())
    for (const std::int64_t divisor : {-1, 3, 10})
      for (const int lanes : {1, 8}) {
        const auto got = map_lanes<T>(
            target, lanes,
            [&](Builder& k, const Loaded& in) {
              return k.binary(Opcode::sdiv, in[0], k.constant(k.type(in[0]), Scalar::of(divisor)));
            },
            a);
        for (std::size_t i = 0; i < a.size(); ++i)
          ASSERT_EQ(got[i], divisor == -1 ? static_cast<T>(-bits(a[i])) : static_cast<T>(a[i] / divisor))
              << +a[i] << " / " << divisor;
      }
}

TYPED_TEST(IntegerOps, MinimumAndMaximumBySign) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  expect_binary<T>(Opcode::smin, [](T a, T b) { return a < b ? a : b; });
  expect_binary<T>(Opcode::smax, [](T a, T b) { return a > b ? a : b; });
  expect_binary<T>(Opcode::umin, [](T a, T b) { return static_cast<U>(a) < static_cast<U>(b) ? a : b; });
  expect_binary<T>(Opcode::umax, [](T a, T b) { return static_cast<U>(a) > static_cast<U>(b) ? a : b; });
}

TYPED_TEST(IntegerOps, BitsAndShifts) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  expect_binary<T>(Opcode::bit_and, [](T a, T b) { return static_cast<T>(a & b); });
  expect_binary<T>(Opcode::bit_or, [](T a, T b) { return static_cast<T>(a | b); });
  expect_binary<T>(Opcode::bit_xor, [](T a, T b) { return static_cast<T>(a ^ b); });
  const auto in_range = [](T, T b) { return b >= 0 && b < static_cast<int>(8 * sizeof(T)); };
  expect_binary<T>(Opcode::shl, [](T a, T b) { return static_cast<T>(bits(a) << b); }, in_range);
  expect_binary<T>(Opcode::ashr, [](T a, T b) { return static_cast<T>(a >> b); }, in_range);
  expect_binary<T>(Opcode::lshr, [](T a, T b) { return static_cast<T>(static_cast<U>(a) >> b); }, in_range);
}

template <class T>
class FloatOps : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatOps, Floats);

TYPED_TEST(FloatOps, ArithmeticRoundsOnce) {
  using T = TypeParam;
  expect_binary<T>(Opcode::add, [](T a, T b) { return a + b; });
  expect_binary<T>(Opcode::sub, [](T a, T b) { return a - b; });
  expect_binary<T>(Opcode::mul, [](T a, T b) { return a * b; });
  expect_binary<T>(Opcode::fdiv, [](T a, T b) { return a / b; });
  expect_unary<T>(Opcode::neg, [](T a) { return -a; });
  expect_unary<T>(Opcode::abs, [](T a) { return std::fabs(a); });
  expect_unary<T>(Opcode::sqrt, [](T a) { return std::sqrt(a); });
}

/// NaN if either is; −0 lies below +0.
template <class T>
T greater(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
T lesser(T a, T b) {
  return -greater(-a, -b);
}

TYPED_TEST(FloatOps, MinimumAndMaximumKeepNanAndOrderZeros) {
  using T = TypeParam;
  expect_binary<T>(Opcode::fmin, lesser<T>);
  expect_binary<T>(Opcode::fmax, greater<T>);
  // The samples meet few zeros: all pairs of special values, in vectors and alone.
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const std::array values{T(0),
                          -T(0),
                          T(1),
                          T(-1),
                          infinity,
                          -infinity,
                          std::numeric_limits<T>::quiet_NaN(),
                          -std::numeric_limits<T>::quiet_NaN(),
                          std::numeric_limits<T>::denorm_min(),
                          -std::numeric_limits<T>::denorm_min()};
  std::vector<T> a;
  std::vector<T> b;
  for (std::size_t n = 0; n < 192; ++n) {
    a.push_back(values[n % values.size()]);
    b.push_back(values[n / values.size() % values.size()]);
  }
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : lane_counts)
      for (const bool is_max : {false, true}) {
        const Opcode code = is_max ? Opcode::fmax : Opcode::fmin;
        const auto both = map_lanes<T>(
            target, lanes, [&](Builder& k, const Loaded& in) { return k.binary(code, in[0], in[1]); }, a, b);
        for (std::size_t i = 0; i < a.size(); ++i)
          ASSERT_TRUE(same(both[i], is_max ? greater(a[i], b[i]) : lesser(a[i], b[i])))
              << a[i] << ' ' << b[i] << ' ' << is_max << ' ' << lanes << ' ' << target.cpu;
        for (const T constant : values)
          for (const bool first : {false, true}) {
            const auto with = map_lanes<T>(
                target, lanes,
                [&](Builder& k, const Loaded& in) {
                  const auto fixed = k.constant(k.type(in[0]), Scalar::of(static_cast<double>(constant)));
                  return first ? k.binary(code, fixed, in[0]) : k.binary(code, in[0], fixed);
                },
                a);
            for (std::size_t i = 0; i < a.size(); ++i)
              ASSERT_TRUE(same(with[i], is_max ? greater(a[i], constant) : lesser(a[i], constant)))
                  << a[i] << " and the constant " << constant << ' ' << is_max << ' ' << lanes << ' ' << target.cpu;
          }
      }
}

TYPED_TEST(FloatOps, FmaRoundsOnceWhereTheProcessorHasIt) {
  using T = TypeParam;
  const std::vector<T> a = samples<T>(5);
  const std::vector<T> b = samples<T>(6);
  const std::vector<T> c = samples<T>(7);
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : lane_counts) {
      const auto got =
          map_lanes<T>(target, lanes, [](Builder& k, const Loaded& in) { return k.fma(in[0], in[1], in[2]); }, a, b, c);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const volatile T product = a[i] * b[i];  // kept apart: no contraction
        const T expected = target.has_fma ? std::fma(a[i], b[i], c[i]) : product + c[i];
        ASSERT_TRUE(same(got[i], expected)) << a[i] << ' ' << b[i] << ' ' << c[i] << ' ' << target.cpu;
      }
    }
}

// Each predicate in C++, on any class of number.
template <class T>
bool holds(Predicate predicate, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const auto ua = static_cast<std::make_unsigned_t<T>>(a);
    const auto ub = static_cast<std::make_unsigned_t<T>>(b);
    switch (predicate) {
      case Predicate::eq:
        return a == b;
      case Predicate::ne:
        return a != b;
      case Predicate::slt:
        return a < b;
      case Predicate::sle:
        return a <= b;
      case Predicate::sgt:
        return a > b;
      case Predicate::sge:
        return a >= b;
      case Predicate::ult:
        return ua < ub;
      case Predicate::ule:
        return ua <= ub;
      case Predicate::ugt:
        return ua > ub;
      default:
        return ua >= ub;
    }
  } else {
    switch (predicate) {
      case Predicate::oeq:
        return a == b;
      case Predicate::une:
        return a != b;
      case Predicate::olt:
        return a < b;
      case Predicate::ole:
        return a <= b;
      case Predicate::ogt:
        return a > b;
      case Predicate::oge:
        return a >= b;
      default:
        return std::isnan(a) || std::isnan(b);
    }
  }
}

template <class T>
void expect_predicates() {
  const std::vector<T> a = samples<T>(8);
  const std::vector<T> b = samples<T>(9);
  constexpr Predicate all[] = {
#define X(name) Predicate::name,
      TILEWRIGHT_KERNEL_PREDICATES(X)
#undef X
  };
  for (const HostTarget& target : runnable_targets())
    for (const int lanes : {1, 3, 8, 16})
      for (const Predicate predicate : all) {
        if (kernel::is_float_predicate(predicate) != std::is_floating_point_v<T>) continue;
        const auto got = map_lanes<std::int8_t>(
            target, lanes,
            [&](Builder& k, const Loaded& in) {
              return k.convert(Opcode::zext, k.cmp(predicate, in[0], in[1]), Element::i8);
            },
            a, b);
        for (std::size_t i = 0; i < a.size(); ++i)
          ASSERT_EQ(got[i], holds(predicate, a[i], b[i]) ? 1 : 0)
              << +a[i] << ' ' << kernel::name(predicate) << ' ' << +b[i] << ", lanes " << lanes;
      }
}

TEST(EmitValues, ComparesByEveryPredicate) {
  expect_predicates<std::int8_t>();
  expect_predicates<std::int32_t>();
  expect_predicates<std::int64_t>();
  expect_predicates<float>();
  expect_predicates<double>();
}

TEST(EmitValues, SelectsByLaneOrAsAWhole) {
  const std::vector<float> a = samples<float>(10);
  const std::vector<float> b = samples<float>(11);
  for (const HostTarget& target : runnable_targets()) {
    const auto by_lane = map_lanes<float>(
        target, 8,
        [](Builder& k, const Loaded& in) {
          const ValueId positive = k.cmp(Predicate::ogt, in[0], k.constant(k.type(in[0]), Scalar::of(0.0)));
          return k.select(positive, in[0], in[1]);
        },
        a, b);
    const auto whole = map_lanes<float>(
        target, 8,
        [](Builder& k, const Loaded& in) {
          const ValueId first = k.extract(in[0], 0);
          return k.select(k.cmp(Predicate::ogt, first, k.constant(k.type(first), Scalar::of(0.0))), in[0], in[1]);
        },
        a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_TRUE(same(by_lane[i], a[i] > 0 ? a[i] : b[i])) << i;
      ASSERT_TRUE(same(whole[i], a[i / 8 * 8] > 0 ? a[i] : b[i])) << i;
    }
  }
}

TEST(EmitValues, MovesLanes) {
  std::vector<std::int32_t> a(sample_count);
  std::vector<std::int32_t> b(sample_count);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::int32_t>(i);
    b[i] = static_cast<std::int32_t>(i) + 100000;
  }
  for (const HostTarget& target : runnable_targets()) {
    const auto shuffled = map_lanes<std::int32_t>(
        target, 4, [](Builder& k, const Loaded& in) { return k.shuffle(in[0], in[1], {3, 4, 0, 7}); }, a, b);
    const auto splatted = map_lanes<std::int32_t>(
        target, 4, [](Builder& k, const Loaded& in) { return k.splat(k.extract(in[0], 2), 4); }, a);
    const auto inserted = map_lanes<std::int32_t>(
        target, 4, [](Builder& k, const Loaded& in) { return k.insert(in[0], k.extract(in[1], 0), 3); }, a, b);
    const auto counted = map_lanes<std::int32_t>(
        target, 4, [](Builder& k, const Loaded& in) { return k.add(k.iota(k.type(in[0])), in[0]); }, a);
    for (int i = 0; i < static_cast<int>(sample_count); i += 4) {
      const auto at = [&](const std::vector<std::int32_t>& v) {
        return std::vector<std::int32_t>(v.begin() + i, v.begin() + i + 4);
      };
      ASSERT_EQ(at(shuffled), (std::vector<std::int32_t>{i + 3, i + 100000, i, i + 100003}));
      ASSERT_EQ(at(splatted), (std::vector<std::int32_t>{i + 2, i + 2, i + 2, i + 2}));
      ASSERT_EQ(at(inserted), (std::vector<std::int32_t>{i, i + 1, i + 2, i + 100000}));
      ASSERT_EQ(at(counted), (std::vector<std::int32_t>{i, i + 2, i + 4, i + 6}));
    }
  }
}

}  // namespace
}  // namespace tilewright::codegen
