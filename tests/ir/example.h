// The input of a file test that is a statement with one example line: its nest, its schedule lines applied, and views
// without memory. `first: NAME` gives an operand a view whose first two axes are exchanged in memory.
#pragma once

#include "filetest.h"
#include "lang/bind.h"
#include "lang/parse.h"
#include "nest/build.h"
#include "nest/passes/coalesce_iterators.h"
#include "nest/passes/schedule_table.h"

namespace tilewright::filetest {

struct Example {
  std::string error;  ///< diagnostics, and nothing else; empty: none
  nest::Nest nest;
  nest::NestViews views;
  bool scheduled = false;  ///< the statement has a schedule block
};

inline TensorView view_of(DType dtype, std::vector<std::int64_t> shape, bool exchanged) {
  std::vector<std::int64_t> strides = row_major_strides(shape);
  if (exchanged) {
    std::swap(shape[0], shape[1]);
    strides = row_major_strides(shape);
    std::swap(shape[0], shape[1]);
    std::swap(strides[0], strides[1]);
  }
  return {nullptr, dtype, std::move(shape), std::move(strides)};
}

inline Example read_example(const FileTest& test) {
  Example example;
  const auto failed = [&](const Diagnostics& diagnostics) {
    example.error = render(diagnostics);
    return example;
  };
  const auto file = lang::parse(std::make_shared<const Source>("input.tw", test.input));
  if (!file) return failed(file.error());
  const lang::Statement& statement = std::get<lang::Statement>(file->items.at(0));
  example.scheduled = statement.schedule.has_value();
  const std::vector<std::string> exchanged = test.all("first");
  std::vector<lang::OperandType> types;
  for (const lang::ExampleOperand& operand : statement.examples.at(0))
    types.push_back({operand.name.name, operand.dtype, operand.shape});
  const auto typed = lang::bind(statement, types);
  if (!typed) return failed(typed.error());
  example.nest = nest::build_nest(*typed);
  nest::Trace trace;
  if (const auto done = nest::apply_schedule(example.nest, statement, trace); !done) return failed(done.error());
  for (const lang::OperandType& operand : typed->operands)
    example.views.operands.push_back(
        view_of(operand.dtype, operand.shape, std::ranges::find(exchanged, operand.name) != exchanged.end()));
  example.views.output = view_of(typed->output, typed->output_shape, false);
  return example;
}

}  // namespace tilewright::filetest
