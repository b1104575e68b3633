// The math functions of the host: which library routine serves an op, and the addresses that generated code may call.
//
// On x86-64 with glibc ≥ 2.35, vectors call libmvec (4, 8 or 16 lanes of f32; 2, 4 or 8 of f64, by the vector ABI's
// names); scalars, and vectors elsewhere, call the C library's function lane by lane. Largest error over all of f32,
// densely sampled against f64 (the test repeats it): exp 2.9 ulp, log 3.97, tanh 2.2, sin 2.2, cos 2.4, erf 2, pow 1;
// over f64: exp 3.1, log 1.6, tanh 2.2, sin 3.4, cos 3.6, erf 2.4, pow 1. Subnormal results, infinities, NaN and
// arguments of any size included; nothing is flushed.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <string_view>

#include "kernel/ops.h"

namespace tilewright::codegen {

/// Calls for one of exp, log, tanh, sin, cos, erf, pow on f32 or f64; vectors are split and widened to what the library
/// has for processors with `vector_bytes`.
llvm::Value* call_math_library(llvm::IRBuilderBase& build, kernel::Opcode code, llvm::ArrayRef<llvm::Value*> operands,
                               int vector_bytes);

/// The address of a routine that generated code may name: those above, and the memory routines that LLVM may call. Null
/// for any other name.
void* host_symbol(std::string_view name);

}  // namespace tilewright::codegen
