// Swizzles: a permutation of indices that moves rows of a shared-memory tile to different banks, composed with a
// layout.
//
// A worked example: a tile of 8 rows of 128 bytes, addressed in bytes, with swizzle(3,4,3). Bits 4 to 6 of the index
// say which 16-byte chunk of the row, bits 7 to 9 which row. The swizzle xors the row into the chunk: chunk c of row r
// lies where chunk c ^ r would. Reading chunk 0 of all eight rows then touches all eight chunk columns (all 32 banks)
// once, where without it the eight reads meet in the same four banks; and each row is still one run of 128 bytes.
#pragma once

#include <cstdint>

#include "layout/layout.h"
#include "support/diagnostic.h"

namespace tilewright::layout {

/// Xors `bits` bits of an index into others: bits [base + shift, base + shift + bits) into [base, base + bits). With a
/// negative shift, bits [base, base + bits) are xored into [base − shift, base − shift + bits). Its own inverse.
class Swizzle {
 public:
  Swizzle() = default;  ///< the identity
  /// Fails with X108 unless bits and base are not negative, |shift| ≥ bits and all bits lie below bit 63.
  static Result<Swizzle> make(std::int64_t bits, std::int64_t base, std::int64_t shift);

  int bits() const { return bits_; }
  int base() const { return base_; }
  int shift() const { return shift_; }
  /// The place of `index`, which is not negative.
  std::int64_t apply(std::int64_t index) const;
  friend bool operator==(const Swizzle&, const Swizzle&) = default;

 private:
  Swizzle(int bits, int base, int shift) : bits_(bits), base_(base), shift_(shift) {}
  int bits_ = 0;
  int base_ = 0;
  int shift_ = 0;
};

/// The function swizzle(layout(coordinate)).
struct SwizzledLayout {
  Swizzle swizzle;
  Layout layout;
  friend bool operator==(const SwizzledLayout&, const SwizzledLayout&) = default;
};

/// The index at `coordinate`; fails with X101 if it is not a static integer, X107 if it is negative.
Result<std::int64_t> index(const SwizzledLayout& layout, const Tuple& coordinate);
/// The function a(b(i)): the swizzle stays outermost. Fails as compose of layouts does.
Result<SwizzledLayout> compose(const SwizzledLayout& a, const Layout& b);

}  // namespace tilewright::layout
