// Operands for the code generator's tests: every special value, and many ordinary ones.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace tilewright::codegen {

/// A count that 1, 2, 3, 4, 5, 8, 16, 32 and 64 lanes divide.
constexpr std::size_t sample_count = 960;

template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)
    return {T(0),
            -T(0),
            T(1),
            T(-1),
            T(0.5),
            T(2.5),
            T(-2.5),
            Limits::max(),
            -Limits::max(),
            Limits::min(),
            -Limits::min(),
            Limits::denorm_min(),
            Limits::infinity(),
            -Limits::infinity(),
            Limits::quiet_NaN(),
            T(127.9),
            T(-128.9),
            T(255.5),
            T(32767.5),
            T(-32769),
            T(65536),
            T(2147483520.0),
            T(2147483648.0),
            T(-2147483648.0),
            T(4294967040.0),
            T(4294967296.0),
            T(9.2e18),
            T(9.3e18),
            T(-9.3e18),
            T(1.9e19)};
  else
    return {T(0),  T(1), T(2), T(-1), T(-2), T(3), Limits::max(), Limits::min(), static_cast<T>(Limits::min() + 1),
            T(100)};
}

/// Special values first, shuffled against each other by `seed`, then random bits (for floats every second one is of
/// ordinary size).
template <class T>
std::vector<T> samples(unsigned seed) {
  std::mt19937_64 random(seed);
  const std::vector<T> special = special_values<T>();
  std::vector<T> values;
  while (values.size() < sample_count) {
    const std::uint64_t bits = random();
    if (values.size() < sample_count / 2)
      values.push_back(special[bits % special.size()]);
    else if constexpr (std::is_same_v<T, float>)
      values.push_back(bits % 2 == 0 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32))
                                     : static_cast<float>(static_cast<std::int64_t>(bits) >> 40) / 1024.0F);
    else if constexpr (std::is_same_v<T, double>)
      values.push_back(bits % 2 == 0 ? std::bit_cast<double>(bits)
                                     : static_cast<double>(static_cast<std::int64_t>(bits) >> 20) / 1048576.0);
    else
      values.push_back(static_cast<T>(bits));
  }
  return values;
}

/// The same value and sign; any NaN equals any other.
template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

}  // namespace tilewright::codegen
