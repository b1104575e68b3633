// See planned_step.h.
#include "aot/planned_step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lang/parse.h"

namespace tilewright::aot {
namespace {

/// An address of no memory, far from the others', of exactly this alignment: a call is recorded, not run.
std::byte* pretended(std::size_t number, std::size_t alignment, DType dtype) {
  if (alignment == 0) alignment = size_of(dtype);
  return reinterpret_cast<std::byte*>((std::uintptr_t{number} + 1) << 48U | alignment);
}

}  // namespace

Result<std::vector<PlannedStep>> plan_steps(const Kernel& kernel, const FusedProgram& fused,
                                            std::vector<nest::NamedView> operands, std::size_t alignment,
                                            const CompileNest& compile) {
  for (std::size_t n = 0; n < operands.size(); ++n)
    operands[n].view.data = pretended(n, alignment, operands[n].view.dtype);
  std::vector<PlannedStep> steps;
  for (const nest::BoundNest& bound : fused.program.nests) {
    const std::string& name = bound.nest.name;
    const lang::OperandType& type = *fused.program.tensor(name);
    const TensorView output{pretended(operands.size(), alignment, type.dtype), type.dtype, type.shape,
                            row_major_strides(type.shape)};
    auto compiled = compile(bound, operands, &output);
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    std::vector<TensorView> views = compiled->views.operands;
    views.push_back(compiled->views.output);
    auto recorded = record_call(*compiled->plan, views);
    if (!recorded) return std::unexpected(std::move(recorded.error()));
    for (const RecordedCall::Step& step : recorded->steps)
      if (std::holds_alternative<RecordedCall::FillStep>(step))
        return fail("R083", fmt::format("{} fills memory, which generated code does not", name),
                    "run it by the library");
    std::vector<std::string> tensors;
    for (const nest::Tensor& tensor : compiled->nest.tensors) tensors.push_back(tensor.name);
    tensors.push_back(name);
    steps.push_back({name, report::statements_of(kernel, bound.targets), std::move(*compiled), std::move(*recorded),
                     std::move(tensors)});
    operands.push_back({name, output});
  }
  return steps;
}

std::string_view c_type(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return "double";
    case DType::f32:
      return "float";
    case DType::f16:
    case DType::bf16:
      return "uint16_t";
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::u8:
    case DType::boolean:
      return "uint8_t";
    case DType::i8:
      return "int8_t";
    case DType::i32:
      return "int32_t";
    case DType::u32:
      return "uint32_t";
    case DType::i64:
      return "int64_t";
  }
  internal_error("an element type without a C type");
}

std::string c_name(const std::string& name) {
  return name + "_";
}

std::string described(DType dtype, const std::vector<std::int64_t>& shape) {
  return shape.empty() ? std::string(name(dtype)) : fmt::format("{} {}", name(dtype), fmt::join(shape, "x"));
}

std::string commented(std::string_view text) {
  std::string result = " * ";
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') {
      if (at + 1 < text.size()) result += "\n * ";
    } else {
      result += text[at];
      if (text[at] == '*' && at + 1 < text.size() && text[at + 1] == '/') result += ' ';
    }
  }
  return result + "\n";
}

}  // namespace tilewright::aot
