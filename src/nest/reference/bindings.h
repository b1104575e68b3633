// A nest meets tensors: extents as numbers, and each read's address as an affine function of the iterators. The first
// step of the reference evaluator.
#pragma once

#include <vector>

#include "nest/evaluate.h"
#include "nest/ir.h"

namespace tilewright::nest {

/// `constant + Σ coefficients[iterator] · iterator`, modulo 2⁶⁴: right whenever the true value fits.
struct Linear {
  std::uint64_t constant = 0;
  std::vector<std::uint64_t> coefficients;  ///< by IterId
};

/// One read. `offset` is in bytes from `data`; `slots`, one an axis, are kept only where the read has an `else`.
struct BoundRead {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;
  Linear offset;
  struct Slot {
    Linear value;
    std::uint64_t extent = 0;
  };
  std::vector<Slot> slots;
};

struct Bindings {
  std::vector<std::int64_t> extents;    ///< by IterId
  std::vector<BoundRead> reads;         ///< by ReadId
  std::vector<std::int64_t> constants;  ///< by ExprId: the value of an ExtentValue, else 0
};

Result<Bindings> bind_views(const Nest& nest, const std::vector<NamedView>& operands);

}  // namespace tilewright::nest
