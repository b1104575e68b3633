// See names.h. The words are those of the Metal Shading Language Specification that source as ours could run into:
// C++'s keywords, the types, the qualifiers, and the functions that the printer calls without their namespace.
#include "codegen/metal/names.h"

#include <algorithm>
#include <array>

namespace tilewright::codegen::metal {
namespace {

// clang-format off
constexpr auto words = std::to_array<std::string_view>({
    // C++
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "class", "compl", "concept", "const", "const_cast", "constexpr", "continue", "decltype", "default", "delete", "do",
    "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "final", "float", "for",
    "friend", "goto", "if", "import", "inline", "int", "long", "main", "module", "mutable", "namespace", "new",
    "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "override", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
    "while", "xor", "xor_eq",
    // Metal's qualifiers, types and attributes
    "array", "atomic", "atomic_int", "atomic_uint", "atomic_float", "bfloat", "constant", "device", "fragment", "half",
    "kernel", "metal", "object", "mesh", "packed", "ptrdiff_t", "ray_data", "sampler", "size_t", "texture", "thread",
    "threadgroup", "threadgroup_imageblock", "uchar", "uint", "ulong", "ushort", "vec", "vertex", "visible", "simd",
    "simdgroup", "simdgroup_matrix", "buffer", "kernel_arguments", "function_constant", "stage_in", "user",
    "max_total_threads_per_threadgroup", "thread_index_in_threadgroup", "threadgroup_position_in_grid",
    "threadgroups_per_grid", "thread_index_in_simdgroup", "simdgroup_index_in_threadgroup",
    // functions, macros and values
    "abs", "all", "any", "as_type", "assert", "atomic_fetch_add_explicit", "fabs", "fma", "fmax", "fmin",
    "INFINITY", "NAN", "isnan", "max", "mem_flags", "memory_order_relaxed", "min", "mix", "precise", "fast", "select",
    "sign", "simd_all", "simd_any", "simd_ballot", "simd_shuffle", "simd_shuffle_down", "simd_shuffle_up",
    "simd_shuffle_xor", "simd_vote", "simdgroup_barrier", "simdgroup_load", "simdgroup_multiply_accumulate",
    "simdgroup_store", "make_filled_simdgroup_matrix", "sqrt", "threadgroup_barrier", "NULL", "M_PI_F",
    // what the printer writes
    "divide", "remainder", "minimum", "maximum", "to_int", "to_uint", "to_long", "to_ulong", "absolute", "sizes",
    "shuffle", "shuffle_down", "shuffle_up", "shuffle_xor", "matrix_product",
});
// clang-format on

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A scalar or vector type: "float4", "packed_half2", "simdgroup_float8x8".
bool is_type_like(std::string_view word) {
  for (const std::string_view start : {"simdgroup_", "packed_", "metal_", "simd_", "as_", "tw_", "atomic_"})
    if (word.starts_with(start)) return true;
  for (const std::string_view scalar : {"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                        "half", "bfloat", "float", "double", "int8", "int16", "int32", "int64"}) {
    if (!word.starts_with(scalar)) continue;
    const std::string_view rest = word.substr(scalar.size());
    const bool is_vector = rest.size() == 1 && rest[0] >= '2' && rest[0] <= '4';
    const bool is_matrix = rest.size() == 3 && is_digit(rest[0]) && rest[1] == 'x' && is_digit(rest[2]);
    if (is_vector || is_matrix || rest == "_t") return true;
  }
  return false;
}

}  // namespace

bool is_reserved(std::string_view word) {
  return std::ranges::find(words, word) != words.end() || is_type_like(word);
}

std::string legal_name(std::string_view name) {
  std::string legal;
  for (const char c : name) {
    if (is_letter(c) || (is_digit(c) && !legal.empty()))
      legal += c;
    else if (!legal.empty() && legal.back() != '_')
      legal += '_';
  }
  while (!legal.empty() && legal.back() == '_') legal.pop_back();
  if (legal.empty()) legal = "x";
  return is_reserved(legal) ? legal + "_" : legal;
}

std::string Names::unique(std::string_view name) {
  const std::string legal = legal_name(name);
  if (taken_.insert(legal).second) return legal;
  return numbered(is_digit(legal.back()) ? legal + "_" : legal);
}

std::string Names::numbered(std::string_view name) {
  std::string legal = name.ends_with('_') ? std::string(name) : legal_name(name);
  if (is_digit(legal.back())) legal += '_';
  // "simd_0" is as much a word of Metal's as "simd_" is.
  if (is_reserved(legal + "0")) legal.insert(0, "x_");
  int& next = next_[legal];
  std::string candidate;
  do candidate = legal + std::to_string(next++);
  while (is_reserved(candidate) || !taken_.insert(candidate).second);
  return candidate;
}

}  // namespace tilewright::codegen::metal
