// See names.h. The words are those of the Metal Shading Language Specification 3.1 (keywords and qualifiers in sections
// 1, 4 and 5, types in 2, functions in 6): a name of a statement may be that of a function of the source, which stands
// in no namespace, as the library's do under `using namespace metal`. Macros have no scope at all; they are known by
// their looks.
#include "codegen/metal/names.h"

#include <algorithm>
#include <array>

namespace tilewright::codegen::metal {
namespace {

// clang-format off
constexpr auto words = std::to_array<std::string_view>({
    // C++
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr",
    "constinit", "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "final", "float", "for", "friend", "goto", "if", "import", "inline",
    "int", "long", "main", "module", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator",
    "or", "or_eq", "override", "private", "protected", "public", "register", "reinterpret_cast", "requires",
    "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "std", "struct",
    "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
    "union", "unsigned", "using", "virtual", "void", "volatile", "while", "xor", "xor_eq",
    // qualifiers and attributes
    "constant", "device", "fragment", "kernel", "metal", "object", "mesh", "ray_data", "object_data", "thread",
    "threadgroup", "threadgroup_imageblock", "vertex", "visible", "stitchable", "coherent", "intersection", "patch",
    "buffer", "kernel_arguments", "function_constant", "stage_in", "user", "max_total_threads_per_threadgroup",
    "thread_index_in_threadgroup", "threadgroup_position_in_grid", "threadgroups_per_grid",
    "thread_index_in_simdgroup", "simdgroup_index_in_threadgroup",
    // types
    "array", "array_ref", "atomic", "bfloat", "half", "imageblock", "matrix", "packed", "sampler", "texture", "uchar",
    "uint", "ulong", "ushort", "vec", "simd", "simdgroup", "command_buffer", "compute_command", "render_command",
    "intersector", "ray", "acceleration_structure", "interpolant", "tensor", "numeric_limits", "mem_flags",
    "raytracing",
    // functions: common, of integers, relational, of floats, of matrices and vectors, of graphics
    "clamp", "mix", "saturate", "sign", "smoothstep", "step",
    "abs", "absdiff", "addsat", "clz", "ctz", "extract_bits", "hadd", "insert_bits", "mad24", "madhi", "madsat", "max",
    "max3", "median3", "min", "min3", "mul24", "mulhi", "popcount", "reverse_bits", "rhadd", "rotate", "subsat",
    "all", "any", "isfinite", "isinf", "isnan", "isnormal", "isordered", "isunordered", "select", "signbit",
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "copysign", "cos", "cosh", "cospi", "divide",
    "exp", "exp2", "exp10", "fabs", "fdim", "floor", "fma", "fmax", "fmax3", "fmedian3", "fmin", "fmin3", "fmod",
    "fract", "frexp", "ilogb", "ldexp", "log", "log2", "log10", "modf", "nan", "nextafter", "pow", "powr", "rint",
    "round", "rsqrt", "sin", "sincos", "sinh", "sinpi", "sqrt", "tan", "tanh", "tanpi", "trunc", "precise", "fast",
    "determinant", "transpose", "cross", "distance", "distance_squared", "dot", "faceforward", "length",
    "length_squared", "normalize", "reflect", "refract", "dfdx", "dfdy", "fwidth", "discard_fragment",
    "threadgroup_barrier", "make_filled_simdgroup_matrix", "assert", "offsetof", "as_type",
    // what the printer writes
    "remainder", "minimum", "maximum", "to_int", "to_uint", "to_long", "to_ulong", "to_char", "to_uchar", "absolute",
    "sizes", "shuffle", "shuffle_down", "shuffle_up", "shuffle_xor", "matrix_product",
});
// clang-format on

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "INT_MAX", "NAN", "M_PI_F": capitals, at least two of them.
bool is_macro_like(std::string_view word) {
  constexpr std::ptrdiff_t least = 2;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return std::ranges::none_of(word, [&](char c) { return is_letter(c) && !is_capital(c); }) &&
         std::ranges::count_if(word, is_capital) >= least;
}

/// A scalar or vector type: "float4", "packed_half2", "simdgroup_float8x8"; or a function of a family.
bool is_type_like(std::string_view word) {
  for (const std::string_view start : {"simdgroup_",
                                       "packed_",
                                       "metal_",
                                       "simd_",
                                       "quad_",
                                       "as_",
                                       "tw_",
                                       "atomic_",
                                       "memory_order_",
                                       "thread_scope_",
                                       "texture1d",
                                       "texture2d",
                                       "texture3d",
                                       "texturecube",
                                       "texture_buffer",
                                       "depth2d",
                                       "depthcube",
                                       "pack_",
                                       "unpack_",
                                       "imageblock_",
                                       "intersection_",
                                       "visible_function_",
                                       "primitive_acceleration_",
                                       "instance_acceleration_"})
    if (word.starts_with(start)) return true;
  if (word.ends_with("_t")) return true;
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
  return std::ranges::find(words, word) != words.end() || is_macro_like(word) || is_type_like(word);
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
