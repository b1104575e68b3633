// What a kernel may rely on beyond types and ranks: the facts it is specialised on. Extents and strides themselves stay
// run-time values; two calls with equal facts share one kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nest/ir.h"
#include "support/tensor_view.h"

namespace tilewright::nest {

/// Of one axis, in elements. An axis of extent 1 counts as zero: its stride never matters.
enum class StrideClass : std::uint8_t { zero, one, other };

struct TensorFacts {
  std::vector<StrideClass> strides;  ///< one an axis
  std::uint32_t align = 1;  ///< largest power of two ≤ 64 that divides the base address (and ≥ the element size's)
  /// The same for its strides of class other, in bytes: of an output, and of operands where vectors have to be aligned;
  /// else 64.
  std::uint32_t stride_align = 64;
  bool descends = false;  ///< where vectors have to be aligned: one of the strides of class other is negative
  friend bool operator==(const TensorFacts&, const TensorFacts&) = default;
};

struct Facts {
  std::vector<TensorFacts> operands;  ///< by TensorId
  TensorFacts output;
  /// By IterId: the extent rounded up to a power of two (0 stays 0), at most 2²⁴: sizes that schedules are chosen for.
  std::vector<std::int64_t> size_buckets;
  friend bool operator==(const Facts&, const Facts&) = default;
};

/// Whether a target loads vectors only from addresses that are multiples of their size.
enum class VectorLoads : std::uint8_t { anywhere, aligned };

/// Facts of views that fit the nest; `operands` by TensorId.
Facts gather_facts(const Nest& nest, const std::vector<TensorView>& operands, const TensorView& output,
                   VectorLoads loads = VectorLoads::anywhere);
/// One line; equal texts are equal facts.
std::string to_text(const Facts& facts);

}  // namespace tilewright::nest
