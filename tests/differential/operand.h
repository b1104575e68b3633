// Operands of differential tests: tensors of any strides over memory that notices what happens around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/tensor_view.h"

namespace tilewright::differential {

/// Contents, drawn from a seed.
enum class Values : std::uint8_t {
  normal,    ///< floats of about unit size; small integers
  whole,     ///< whole numbers from −4 to 4 (0 to 7 where unsigned): sums of them are exact
  positive,  ///< floats from 0.5 to 2; integers from 1 to 5
  near_one,  ///< floats within a quarter of ±1, for products; integers −2 to 2
  extreme    ///< floats: also nan, infinities, ±0, subnormal and largest values; integers: all of the type
};
inline constexpr int values_kinds = 5;

struct OperandSpec {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides = {};  ///< in elements, of any sign; empty: row-major
  Values values = Values::normal;
  std::int64_t misalign = 0;      ///< elements from a 64-byte boundary to the lowest element
  std::vector<double> data = {};  ///< row-major contents instead of drawn ones
};

/// The lowest and the highest element offset that a view of this shape and strides reaches, from element (0, …, 0).
struct Reach {
  std::int64_t low = 0, high = 0;
};
Reach reach(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides);

/// Memory of exactly a view's range, between guards. Gaps and guards hold a pattern that shows when it is written.
class GuardedMemory {
 public:
  GuardedMemory(DType dtype, const std::vector<std::int64_t>& shape, std::vector<std::int64_t> strides,
                std::int64_t misalign);

  const TensorView& view() const { return view_; }
  std::byte* begin() const { return lowest_; }   ///< of the lowest element
  std::int64_t bytes() const { return bytes_; }  ///< from there past the end of the highest one
  /// Puts the pattern everywhere.
  void reset();
  /// Offset, from begin(), of the first byte outside of the view's elements that no longer holds the pattern, as text;
  /// empty where there is none.
  std::string damage() const;
  /// The whole memory, guards too.
  const std::vector<std::byte>& all() const { return memory_; }

 private:
  std::vector<std::byte> memory_;
  TensorView view_;
  std::byte* lowest_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Writes the contents that the spec asks for.
void fill_operand(const OperandSpec& spec, std::uint64_t seed, const TensorView& view);

}  // namespace tilewright::differential
