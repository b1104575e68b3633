// A kernel's result against the f64 reference, before it is timed.
#pragma once

#include <string>
#include <vector>

#include "runtime/engine.h"

namespace tilewright::bench {

/// What the check found: empty if all is well, else what is wrong and where.
///
/// 64 points of the result, chosen by a fixed seed, and its first and last are compared. Statements without a reduction
/// of f32 must agree bit for bit. Sums may differ by 8·2⁻²⁴·Σ|terms|: with terms that are normal and centred, one
/// serial sum drifts by about half of 2⁻²⁴·Σ|terms|, and a lost or repeated term of a sum of under 10⁶ shows. A sum of
/// more than 2²² terms is too long for the reference and is compared with a serial sum in f64 of the products of its
/// one-dimensional or contiguous operands.
std::string verify(const Engine& engine, const Kernel& kernel, const std::vector<Operand>& operands,
                   const Tensor& result);

}  // namespace tilewright::bench
