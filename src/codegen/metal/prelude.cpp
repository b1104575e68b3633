// See prelude.h. {T} is the type, {U} the same without sign or the bits of a float, {S} the scalar.
#include "codegen/metal/prelude.h"

#include <algorithm>
#include <array>

#include "codegen/metal/types.h"
#include "support/diagnostic.h"

namespace tilewright::codegen::metal {
namespace {

struct Function {
  std::string_view name;
  std::string_view text;
};

constexpr std::array functions = {
    Function{"minimum", R"(// NaN if either is; -0 lies below +0.
inline {T} minimum({T} a, {T} b) {
  const {T} either = as_type<{T}>(as_type<{U}>(a) | as_type<{U}>(b));
  return select(select(either, b, b < a), a, a < b);
}
)"},
    Function{"maximum", R"(// NaN if either is; -0 lies below +0.
inline {T} maximum({T} a, {T} b) {
  const {T} both = as_type<{T}>(as_type<{U}>(a) & as_type<{U}>(b));
  return select(select(select(a + b, both, a == b), b, a < b), a, b < a);
}
)"},
    Function{"absolute", R"(// Wraps at the least integer.
inline {T} absolute({T} a) {
  return select(a, {T}({U}(0) - {U}(a)), a < {T}(0));
}
)"},
    Function{"divide", R"(// Wraps at the least integer; of 0 any number.
inline {S} divide({S} a, {S} b) {
  return b == {S}(0) ? {S}(0) : b == {S}(-1) ? {S}({u}(0) - {u}(a)) : {S}(a / b);
}
)"},
    Function{"remainder", R"(// Of 0 any number.
inline {S} remainder({S} a, {S} b) {
  return b == {S}(0) || b == {S}(-1) ? {S}(0) : {S}(a % b);
}
)"},
    Function{"to_int", R"(// Saturates; NaN is 0.
inline int to_int(float x) {
  return x >= 2147483648.0f ? 2147483647 : x < -2147483648.0f ? (-2147483647 - 1) : isnan(x) ? 0 : int(x);
}
)"},
    Function{"to_uint", R"(// Saturates; NaN is 0.
inline uint to_uint(float x) {
  return x >= 4294967296.0f ? 4294967295u : x > 0.0f ? uint(x) : 0u;
}
)"},
    Function{"to_long", R"(// Saturates; NaN is 0.
inline long to_long(float x) {
  return x >= 9223372036854775808.0f    ? 9223372036854775807L
         : x < -9223372036854775808.0f ? (-9223372036854775807L - 1L)
         : isnan(x)                    ? 0L
                                       : long(x);
}
)"},
    Function{"to_ulong", R"(// Saturates; NaN is 0.
inline ulong to_ulong(float x) {
  return x >= 18446744073709551616.0f ? 18446744073709551615uL : x > 0.0f ? ulong(x) : 0uL;
}
)"},
    Function{"to_char", R"(// Saturates; NaN is 0.
inline char to_char(float x) {
  return x >= 127.0f ? char(127) : x <= -128.0f ? char(-128) : isnan(x) ? char(0) : char(x);
}
)"},
    Function{"to_uchar", R"(// Saturates; NaN is 0.
inline uchar to_uchar(float x) {
  return x >= 255.0f ? uchar(255) : x > 0.0f ? uchar(x) : uchar(0);
}
)"},
    Function{"shuffle", R"(// 64 bits in two words.
inline long shuffle(long v, ushort lane) {
  return as_type<long>(simd_shuffle(as_type<uint2>(v), lane));
}
)"},
    Function{"shuffle_down", R"(// 64 bits in two words.
inline long shuffle_down(long v, ushort lanes) {
  return as_type<long>(simd_shuffle_down(as_type<uint2>(v), lanes));
}
)"},
    Function{"shuffle_up", R"(// 64 bits in two words.
inline long shuffle_up(long v, ushort lanes) {
  return as_type<long>(simd_shuffle_up(as_type<uint2>(v), lanes));
}
)"},
    Function{"matrix_product", R"(// Of a simdgroup's matrices of 8 x 8: a thread has two neighbours of a row of each.
inline float2 matrix_product(float2 a, float2 b, float2 c) {
  simdgroup_float8x8 left, right, sum;
  reinterpret_cast<thread float2&>(left.thread_elements()) = a;
  reinterpret_cast<thread float2&>(right.thread_elements()) = b;
  reinterpret_cast<thread float2&>(sum.thread_elements()) = c;
  simdgroup_multiply_accumulate(sum, left, right, sum);
  return reinterpret_cast<thread float2&>(sum.thread_elements());
}
)"},
    Function{"shuffle_xor", R"(// 64 bits in two words.
inline long shuffle_xor(long v, ushort lanes) {
  return as_type<long>(simd_shuffle_xor(as_type<uint2>(v), lanes));
}
)"}};

/// The unsigned integer of as many bits.
std::string_view bits_type(std::string_view scalar) {
  if (scalar == "char" || scalar == "uchar") return "uchar";
  if (scalar == "short" || scalar == "half" || scalar == "bfloat") return "ushort";
  return scalar == "long" ? "ulong" : "uint";
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

}  // namespace

void Prelude::need(std::string_view function, std::string_view scalar, int lanes) {
  const auto found = std::ranges::find(functions, function, &Function::name);
  if (found == functions.end()) internal_error("a function that Metal's prelude lacks");
  std::string text(found->text);
  replace_all(text, "{T}", vector_type(scalar, lanes));
  replace_all(text, "{U}", vector_type(bits_type(scalar), lanes));
  replace_all(text, "{S}", scalar);
  replace_all(text, "{u}", scalar == "char" || scalar == "short" ? "uint" : bits_type(scalar));
  if (std::ranges::find(known_, text) != known_.end()) return;
  known_.push_back(text);
  text_ += text + "\n";
}

}  // namespace tilewright::codegen::metal
