// Metal's scalars and vectors of 2 to 4 components. Part of the shim's metal_stdlib.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
static_assert(sizeof(long) == 8 && static_cast<char>(-1) < 0, "integers are not Metal's");

namespace metal {

#define TW_INLINE inline

/// 16 bits that convert from and to float alone, to nearest even.
struct half {
  _Float16 value;
  half() = default;
  TW_INLINE explicit half(float x) : value(static_cast<_Float16>(x)) {}
  TW_INLINE half(const half& other) : value(other.value) {}
  TW_INLINE half& operator=(const half& other) {
    value = other.value;
    return *this;
  }
  TW_INLINE explicit operator float() const { return static_cast<float>(value); }
};

struct bfloat {
  ushort value;
  bfloat() = default;
  TW_INLINE explicit bfloat(float x) {
    const uint bits = __builtin_bit_cast(uint, x);
    value = static_cast<ushort>(x != x ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  TW_INLINE bfloat(const bfloat& other) : value(other.value) {}
  TW_INLINE bfloat& operator=(const bfloat& other) {
    value = other.value;
    return *this;
  }
  TW_INLINE explicit operator float() const { return __builtin_bit_cast(float, static_cast<uint>(value) << 16); }
};

template <class T, int N>
struct vec;

#define TW_MEMBERS(N)                                                  \
  vec() = default;                                                     \
  TW_INLINE vec& operator=(const vec& other) {                         \
    for (int i = 0; i < N; ++i) (*this)[i] = other[i];                 \
    return *this;                                                      \
  }                                                                    \
  template <class U>                                                   \
  TW_INLINE explicit vec(const vec<U, N>& other) {                     \
    for (int i = 0; i < N; ++i) (*this)[i] = static_cast<T>(other[i]); \
  }                                                                    \
  TW_INLINE T& operator[](int i) {                                     \
    return i == 0 ? x : TW_OTHERS;                                     \
  }                                                                    \
  TW_INLINE const T& operator[](int i) const {                         \
    return i == 0 ? x : TW_OTHERS;                                     \
  }

template <class T>
struct alignas(2 * sizeof(T)) vec<T, 2> {
  T x, y;
  TW_INLINE vec(const vec& other) : x(other.x), y(other.y) {}
  TW_INLINE explicit vec(T all) : x(all), y(all) {}
  TW_INLINE vec(T a, T b) : x(a), y(b) {}
#define TW_OTHERS y
  TW_MEMBERS(2)
#undef TW_OTHERS
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 3> {
  T x, y, z;
  TW_INLINE vec(const vec& other) : x(other.x), y(other.y), z(other.z) {}
  TW_INLINE explicit vec(T all) : x(all), y(all), z(all) {}
  TW_INLINE vec(T a, T b, T c) : x(a), y(b), z(c) {}
  TW_INLINE vec(vec<T, 2> a, T b) : x(a.x), y(a.y), z(b) {}
#define TW_OTHERS (i == 1 ? y : z)
  TW_MEMBERS(3)
#undef TW_OTHERS
};

template <class T>
struct alignas(4 * sizeof(T)) vec<T, 4> {
  T x, y, z, w;
  TW_INLINE vec(const vec& other) : x(other.x), y(other.y), z(other.z), w(other.w) {}
  TW_INLINE explicit vec(T all) : x(all), y(all), z(all), w(all) {}
  TW_INLINE vec(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
  TW_INLINE vec(vec<T, 2> a, vec<T, 2> b) : x(a.x), y(a.y), z(b.x), w(b.y) {}
#define TW_OTHERS (i == 1 ? y : i == 2 ? z : w)
  TW_MEMBERS(4)
#undef TW_OTHERS
};
#undef TW_MEMBERS

template <class T, int N, class F>
TW_INLINE vec<T, N> map(vec<T, N> a, F function) {
  vec<T, N> r(a);
  for (int i = 0; i < N; ++i) r[i] = function(a[i]);
  return r;
}

#define TW_BINARY(op)                                                \
  template <class T, int N>                                          \
  TW_INLINE vec<T, N> operator op(vec<T, N> a, vec<T, N> b) {        \
    vec<T, N> r(a);                                                  \
    for (int i = 0; i < N; ++i) r[i] = static_cast<T>(a[i] op b[i]); \
    return r;                                                        \
  }
TW_BINARY(+)
TW_BINARY(-)
TW_BINARY(*)
TW_BINARY(/)
TW_BINARY(%)
TW_BINARY(&)
TW_BINARY(|)
TW_BINARY(^)
TW_BINARY(<<)
TW_BINARY(>>)
#undef TW_BINARY

template <class T, int N>
TW_INLINE vec<T, N> operator-(vec<T, N> a) {
  return map(a, [](T each) { return static_cast<T>(-each); });
}

#define TW_COMPARE(op)                                           \
  template <class T, int N>                                      \
  TW_INLINE vec<bool, N> operator op(vec<T, N> a, vec<T, N> b) { \
    vec<bool, N> r(false);                                       \
    for (int i = 0; i < N; ++i) r[i] = a[i] op b[i];             \
    return r;                                                    \
  }
TW_COMPARE(==)
TW_COMPARE(!=)
TW_COMPARE(<)
TW_COMPARE(<=)
TW_COMPARE(>)
TW_COMPARE(>=)
#undef TW_COMPARE

#define TW_LOGICAL(op)                                                 \
  template <int N>                                                     \
  TW_INLINE vec<bool, N> operator op(vec<bool, N> a, vec<bool, N> b) { \
    vec<bool, N> r(false);                                             \
    for (int i = 0; i < N; ++i) r[i] = a[i] op b[i];                   \
    return r;                                                          \
  }
TW_LOGICAL(&&)
TW_LOGICAL(||)
#undef TW_LOGICAL
#undef TW_INLINE

#define TW_NAMES(T)       \
  typedef vec<T, 2> T##2; \
  typedef vec<T, 3> T##3; \
  typedef vec<T, 4> T##4;
TW_NAMES(bool)
TW_NAMES(char)
TW_NAMES(uchar)
TW_NAMES(short)
TW_NAMES(ushort)
TW_NAMES(int)
TW_NAMES(uint)
TW_NAMES(long)
TW_NAMES(ulong)
TW_NAMES(half)
TW_NAMES(bfloat)
TW_NAMES(float)
#undef TW_NAMES

}  // namespace metal
