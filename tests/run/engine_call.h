// What the tests that go through the runtime's Engine share: operands over guarded memory, and calls from text.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "operand.h"
#include "runtime/engine.h"

namespace tilewright::differential {

using Extents = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// The processor, or the device that TILEWRIGHT_DIFFERENTIAL_DEVICE names.
inline const Engine& tested_device() {
  const char* name = std::getenv("TILEWRIGHT_DIFFERENTIAL_DEVICE");
  static const Engine engine = Engine::open(name == nullptr ? "cpu" : name, {.disk_cache = false}).value();
  return engine;
}

/// The view's elements, borrowed: the memory must outlive the tensor.
inline Tensor tensor_over(const TensorView& view) {
  return Tensor::borrow({.data = view.data, .dtype = view.dtype, .shape = view.shape, .strides = view.strides}).value();
}

/// A tensor over memory between guards. Contents are given in row-major order, whatever the strides.
class GuardedTensor {
 public:
  GuardedTensor(DType dtype, const Extents& shape, const Extents& strides = {}, std::int64_t misalign = 0)
      : memory_(dtype, shape, strides, misalign), tensor_(tensor_over(memory_.view())) {}
  GuardedTensor(DType dtype, const Extents& shape, const Extents& strides, const Numbers& contents,
                std::int64_t misalign = 0)
      : GuardedTensor(dtype, shape, strides, misalign) {
    std::size_t n = 0;
    for_each_index(shape, [&](const Extents& index) {
      memory_.view().set(index, cast_scalar(Scalar::of(contents.at(n++)), DType::f64, dtype));
    });
  }

  const Tensor& tensor() const { return tensor_; }
  const GuardedMemory& memory() const { return memory_; }

 private:
  GuardedMemory memory_;
  Tensor tensor_;
};

/// first, first + 1, …
inline Numbers counting(std::int64_t count, double first = 0) {
  Numbers result;
  for (std::int64_t n = 0; n < count; ++n) result.push_back(first + static_cast<double>(n));
  return result;
}

inline Tensor tensor_of(DType dtype, const Extents& shape, const Numbers& contents) {
  const Tensor tensor = Tensor::allocate(dtype, shape).value();
  std::size_t n = 0;
  for_each_index(shape, [&](const Extents& index) {
    tensor.view().set(index, cast_scalar(Scalar::of(contents.at(n++)), DType::f64, dtype));
  });
  return tensor;
}

/// Row-major.
inline Numbers values_of(const Tensor& tensor) {
  Numbers result;
  const TensorView view = tensor.view();
  for_each_index(view.shape, [&](const Extents& index) { result.push_back(view.get(index).as_double()); });
  return result;
}

/// The result of a statement; fails the test where there is none.
inline Numbers evaluated(const std::string& statement, const std::vector<Operand>& operands) {
  const auto kernel = Kernel::parse(statement);
  if (!kernel) return ADD_FAILURE() << render(kernel.error()), Numbers{};
  const auto result = tested_device().eval(*kernel, operands);
  if (!result) return ADD_FAILURE() << render(result.error()), Numbers{};
  return values_of(*result);
}

/// Runs a statement into existing memory. The first code and message of the error; empty where there is none.
inline std::string written(const std::string& statement, const std::vector<Operand>& operands, const Tensor& output) {
  const auto kernel = Kernel::parse(statement);
  if (!kernel) return render(kernel.error());
  const auto done = tested_device().eval_into(*kernel, operands, output);
  return done ? "" : done.error().front().code + ": " + done.error().front().message;
}

}  // namespace tilewright::differential
