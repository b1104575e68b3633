// What a compiled statement's kernels rely on of the tensors that they are given, beside types and ranks. The library
// guards it at each call; a reader and a caller of exported source must be told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/compilation.h"

namespace tilewright::report {

/// Of an axis of a tensor as the kernels see it.
struct AxisAssumption {
  std::vector<std::size_t> axes;  ///< the tensor's own, outer ones first: each begins where the next one's points end
  nest::StrideClass stride = nest::StrideClass::other;
  std::int64_t multiple = 1;  ///< of class other: bytes that it is a multiple of
};

struct TensorAssumptions {
  std::string tensor;
  bool is_result = false;
  std::int64_t alignment = 1;  ///< bytes that its first element lies at a multiple of
  std::vector<AxisAssumption> axes;
};

/// By the nest's tensors, then the result.
std::vector<TensorAssumptions> assumptions_of(const Compilation& compilation);
/// "a: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element"
std::string to_text(const TensorAssumptions& tensor);

}  // namespace tilewright::report
