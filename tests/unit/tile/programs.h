// Hand-written tile programs and what tests of them share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tile/evaluate.h"
#include "tile/ir.h"

namespace tilewright::tile {

inline SourcePtr text_source(std::string text) {
  return std::make_shared<Source>("test.tile", std::move(text));
}

/// Parses and verifies; a failure fails the test and gives an empty program.
inline Program program_of(const std::string& text) {
  Result<Program> program = parse_program(text_source(text));
  if (!program) {
    ADD_FAILURE() << render(program.error());
    return {};
  }
  if (Result<void> verified = verify(*program); !verified) ADD_FAILURE() << render(verified.error());
  return *std::move(program);
}

/// A row-major tensor of T with its view.
template <class T>
struct Dense {
  std::vector<std::int64_t> shape;
  std::vector<T> data;

  explicit Dense(std::vector<std::int64_t> extents, T value = T{}) : shape(std::move(extents)) {
    std::size_t count = 1;
    for (std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    data.assign(count, value);
  }
  T& at(std::int64_t i) { return data[static_cast<std::size_t>(i)]; }
  T& at(std::int64_t i, std::int64_t j) { return data[static_cast<std::size_t>(i * shape[1] + j)]; }

  TensorView view(DType dtype) {
    return {reinterpret_cast<std::byte*>(data.data()), dtype, shape, row_major_strides(shape)};
  }
};

/// Small integers in a pattern without symmetry: sums of their products are exact in f32.
template <class T>
void fill_pattern(Dense<T>& tensor, int seed) {
  for (std::size_t i = 0; i < tensor.data.size(); ++i)
    tensor.data[i] = static_cast<T>((static_cast<int>(i) * 7 + seed * 13 + static_cast<int>(i * i) * 3) % 11 - 5);
}

inline constexpr const char* ragged_matmul = R"(tile mm
  tensor a : f32 rank 2 strides (other, one) align 4
  tensor b : f32 rank 2 strides (other, one) align 4
  tensor mm : f32 rank 2 strides (other, one) align 4 output
  iter i extent a.0
  iter j extent b.1
  iter k extent a.1
  grid i by 6, j by 16
  %zero = fill 0 : f32 [i 6, j 16]
  %acc = for k by 1 carry %c = %zero {
    %x = load a[i, k] : f32 [i 6]
    %y = load b[k, j] : f32 [j 16]
    %z = contract %c, %x, %y : f32 [i 6, j 16]
    yield %z
  }
  store mm[i, j], %acc
)";

}  // namespace tilewright::tile
