#include "codegen/llvm/math_library.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

#include "support/diagnostic.h"

#if defined(__x86_64__) && defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 35)
#define TILEWRIGHT_HAS_LIBMVEC 1
#else
#define TILEWRIGHT_HAS_LIBMVEC 0
#endif

// The op, its operands' count, and the vector ABI's suffix of parameters.
#define TILEWRIGHT_MATH_FUNCTIONS(X) \
  X(exp, 1, v)                       \
  X(log, 1, v)                       \
  X(tanh, 1, v)                      \
  X(sin, 1, v)                       \
  X(cos, 1, v)                       \
  X(erf, 1, v)                       \
  X(erfc, 1, v)                      \
  X(pow, 2, vv)

#if TILEWRIGHT_HAS_LIBMVEC
// Only their addresses are taken; the vector types of their signatures would need the instruction sets here.
#define X(name, arity, suffix)                    \
  extern "C" void _ZGVbN4##suffix##_##name##f();  \
  extern "C" void _ZGVdN8##suffix##_##name##f();  \
  extern "C" void _ZGVeN16##suffix##_##name##f(); \
  extern "C" void _ZGVbN2##suffix##_##name();     \
  extern "C" void _ZGVdN4##suffix##_##name();     \
  extern "C" void _ZGVeN8##suffix##_##name();
TILEWRIGHT_MATH_FUNCTIONS(X)
#undef X
#endif

namespace tilewright::codegen {

namespace {

struct MathFunction {
  kernel::Opcode code;
  std::string_view name;
  std::string_view suffix;
};

constexpr std::array math_functions = {
#define X(name, arity, suffix) MathFunction{kernel::Opcode::name, #name, #suffix},
    TILEWRIGHT_MATH_FUNCTIONS(X)
#undef X
};

const MathFunction& math_function(kernel::Opcode code) {
  const auto* found = std::ranges::find(math_functions, code, &MathFunction::code);
  if (found == math_functions.end()) internal_error("an op that is no math function");
  return *found;
}

llvm::CallInst* call(llvm::IRBuilderBase& build, const std::string& name, llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Type* type = operands.front()->getType();
  const std::vector<llvm::Type*> parameters(operands.size(), type);
  llvm::FunctionCallee callee =
      build.GetInsertBlock()->getModule()->getOrInsertFunction(name, llvm::FunctionType::get(type, parameters, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  return build.CreateCall(callee, operands);
}

std::string scalar_name(const MathFunction& function, bool is_f32) {
  return std::string(function.name) + (is_f32 ? "f" : "");
}

llvm::Value* call_lanes(llvm::IRBuilderBase& build, const MathFunction& function,
                        llvm::ArrayRef<llvm::Value*> operands) {
  auto* type = llvm::cast<llvm::FixedVectorType>(operands.front()->getType());
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (std::uint64_t lane = 0; lane < type->getNumElements(); ++lane) {
    std::vector<llvm::Value*> scalars;
    for (llvm::Value* operand : operands) scalars.push_back(build.CreateExtractElement(operand, lane));
    llvm::Value* one = call(build, scalar_name(function, type->getElementType()->isFloatTy()), scalars);
    result = build.CreateInsertElement(result, one, lane);
  }
  return result;
}

// Lanes [first, first + count) of `vector`; past its end the last lane again, a value that is computed anyhow and so
// brings no slow path of its own.
llvm::Value* slice(llvm::IRBuilderBase& build, llvm::Value* vector, int first, int count) {
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements());
  if (first == 0 && count == lanes) return vector;
  std::vector<int> indices;
  for (int i = 0; i < count; ++i) indices.push_back(std::min(first + i, lanes - 1));
  return build.CreateShuffleVector(vector, indices);
}

// Lanes [0, first) of `into` and then those of `part`, both of part's or more lanes.
llvm::Value* place(llvm::IRBuilderBase& build, llvm::Value* into, llvm::Value* part, int first) {
  const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(into->getType())->getNumElements());
  const auto count = static_cast<int>(llvm::cast<llvm::FixedVectorType>(part->getType())->getNumElements());
  std::vector<int> widen;
  for (int i = 0; i < lanes; ++i) widen.push_back(i < count ? i : -1);
  llvm::Value* wide = count == lanes ? part : build.CreateShuffleVector(part, widen);
  if (first == 0) return wide;
  std::vector<int> merge;
  for (int i = 0; i < lanes; ++i) merge.push_back(i < first ? i : i - first < count ? lanes + i - first : i);
  return build.CreateShuffleVector(into, wide, merge);
}

struct VectorClass {
  char letter;
  int bytes;
};
constexpr std::array vector_classes = {VectorClass{'b', 16}, VectorClass{'d', 32}, VectorClass{'e', 64}};

llvm::Value* call_libmvec(llvm::IRBuilderBase& build, const MathFunction& function,
                          llvm::ArrayRef<llvm::Value*> operands, int vector_bytes) {
  auto* type = llvm::cast<llvm::FixedVectorType>(operands.front()->getType());
  const bool is_f32 = type->getElementType()->isFloatTy();
  const int element_bytes = is_f32 ? 4 : 8;
  const auto lanes = static_cast<int>(type->getNumElements());
  llvm::Value* result = llvm::PoisonValue::get(type);
  for (int first = 0; first < lanes;) {
    const VectorClass* chosen = vector_classes.data();
    while (chosen->bytes < vector_bytes && chosen->bytes / element_bytes < lanes - first) ++chosen;
    const int count = chosen->bytes / element_bytes;
    std::vector<llvm::Value*> parts;
    for (llvm::Value* operand : operands) parts.push_back(slice(build, operand, first, count));
    const std::string name = "_ZGV" + std::string(1, chosen->letter) + "N" + std::to_string(count) +
                             std::string(function.suffix) + "_" + scalar_name(function, is_f32);
    llvm::Value* part = call(build, name, parts);
    result = place(build, result, slice(build, part, 0, std::min(count, lanes - first)), first);
    first += count;
  }
  return result;
}

using Symbols = std::unordered_map<std::string_view, void*>;

Symbols make_symbols() {
  Symbols symbols;
  const auto add = [&](std::string_view name, auto* function) {
    symbols.emplace(name, reinterpret_cast<void*>(function));
  };
  using F32 = float (*)(float);
  using F64 = double (*)(double);
  using F32x2 = float (*)(float, float);
  using F64x2 = double (*)(double, double);
  add("expf", static_cast<F32>(::expf)), add("exp", static_cast<F64>(::exp));
  add("logf", static_cast<F32>(::logf)), add("log", static_cast<F64>(::log));
  add("tanhf", static_cast<F32>(::tanhf)), add("tanh", static_cast<F64>(::tanh));
  add("sinf", static_cast<F32>(::sinf)), add("sin", static_cast<F64>(::sin));
  add("cosf", static_cast<F32>(::cosf)), add("cos", static_cast<F64>(::cos));
  add("erff", static_cast<F32>(::erff)), add("erf", static_cast<F64>(::erf));
  add("erfcf", static_cast<F32>(::erfcf)), add("erfc", static_cast<F64>(::erfc));
  add("powf", static_cast<F32x2>(::powf)), add("pow", static_cast<F64x2>(::pow));
  add("memcpy", static_cast<void* (*)(void*, const void*, std::size_t)>(std::memcpy));
  add("memset", static_cast<void* (*)(void*, int, std::size_t)>(std::memset));
  add("memmove", static_cast<void* (*)(void*, const void*, std::size_t)>(std::memmove));
#if TILEWRIGHT_HAS_LIBMVEC
#define X(name, arity, suffix)                                           \
  add("_ZGVbN4" #suffix "_" #name "f", ::_ZGVbN4##suffix##_##name##f);   \
  add("_ZGVdN8" #suffix "_" #name "f", ::_ZGVdN8##suffix##_##name##f);   \
  add("_ZGVeN16" #suffix "_" #name "f", ::_ZGVeN16##suffix##_##name##f); \
  add("_ZGVbN2" #suffix "_" #name, ::_ZGVbN2##suffix##_##name);          \
  add("_ZGVdN4" #suffix "_" #name, ::_ZGVdN4##suffix##_##name);          \
  add("_ZGVeN8" #suffix "_" #name, ::_ZGVeN8##suffix##_##name);
  TILEWRIGHT_MATH_FUNCTIONS(X)
#undef X
#endif
  return symbols;
}

}  // namespace

llvm::Value* call_math_library(llvm::IRBuilderBase& build, kernel::Opcode code, llvm::ArrayRef<llvm::Value*> operands,
                               int vector_bytes) {
  const MathFunction& function = math_function(code);
  llvm::Type* type = operands.front()->getType();
  if (!type->isVectorTy()) return call(build, scalar_name(function, type->isFloatTy()), operands);
  if (!TILEWRIGHT_HAS_LIBMVEC) return call_lanes(build, function, operands);
  return call_libmvec(build, function, operands, vector_bytes);
}

void* host_symbol(std::string_view name) {
  static const Symbols symbols = make_symbols();
  const auto found = symbols.find(name);
  return found == symbols.end() ? nullptr : found->second;
}

}  // namespace tilewright::codegen
