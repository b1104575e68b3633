// Statements of text with small operands in memory, for the tests of the nest and its evaluator.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/bind.h"
#include "lang/parse.h"
#include "nest/build.h"
#include "nest/evaluate.h"
#include "nest/ir.h"

namespace tilewright::nest {

/// A row-major tensor of these values. Integer types take whole numbers.
struct TestTensor {
  std::vector<std::byte> bytes;
  TensorView view;

  TestTensor(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& values) {
    view.dtype = dtype;
    view.strides = row_major_strides(shape);
    view.shape = std::move(shape);
    bytes.resize(values.size() * size_of(dtype) + 1);
    for (std::size_t index = 0; index < values.size(); ++index)
      store_scalar(dtype, cast_scalar(Scalar::of(values[index]), DType::f64, dtype),
                   bytes.data() + index * size_of(dtype));
    view.data = bytes.data();
  }
};

using Operands = std::map<std::string, TestTensor>;

inline lang::File parse_file(std::string_view text) {
  Result<lang::File> file = lang::parse(std::make_shared<const Source>("test.tw", std::string(text) + "\n"));
  if (file) return std::move(*file);
  ADD_FAILURE() << render(file.error());
  return {};
}

inline Nest nest_of(std::string_view text, const std::vector<lang::OperandType>& operands) {
  const lang::File file = parse_file(text);
  Result<lang::TypedStatement> typed = lang::bind(std::get<lang::Statement>(file.items.at(0)), operands);
  if (!typed) {
    ADD_FAILURE() << render(typed.error());
    return {};
  }
  Nest nest = build_nest(*typed);
  const Result<void> sound = verify(nest);
  if (!sound) ADD_FAILURE() << render(sound.error()) << to_text(nest);
  return nest;
}

inline std::vector<lang::OperandType> types_of(const Operands& operands) {
  std::vector<lang::OperandType> types;
  for (const auto& [name, tensor] : operands) types.push_back({name, tensor.view.dtype, tensor.view.shape});
  return types;
}

inline std::vector<NamedView> views_of(const Operands& operands) {
  std::vector<NamedView> views;
  for (const auto& [name, tensor] : operands) views.push_back({name, tensor.view});
  return views;
}

inline ReferenceResult evaluate_text(std::string_view text, const Operands& operands) {
  Result<ReferenceResult> result = evaluate(nest_of(text, types_of(operands)), views_of(operands));
  if (result) return std::move(*result);
  ADD_FAILURE() << render(result.error());
  return {};
}

inline std::vector<double> rounded(const ReferenceResult& result) {
  std::vector<double> values;
  for (const Scalar& value : result.rounded) values.push_back(value.as_double());
  return values;
}

/// The statement's rounded values, row-major.
inline std::vector<double> values_of(std::string_view text, const Operands& operands) {
  return rounded(evaluate_text(text, operands));
}

}  // namespace tilewright::nest
