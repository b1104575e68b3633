// Facts in words. See assumptions.h.
#include "report/assumptions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilewright::report {
namespace {

constexpr std::int64_t widest_access = 16;  ///< bytes: nothing relies on more

TensorAssumptions assumptions_of_tensor(std::string name, bool is_result, const nest::TensorFacts& facts,
                                        const nest::AxisGroups& groups) {
  TensorAssumptions result{std::move(name), is_result, std::min<std::int64_t>(facts.align, widest_access), {}};
  for (std::size_t axis = 0; axis < facts.strides.size(); ++axis)
    result.axes.push_back({groups.empty() ? std::vector{axis} : groups[axis], facts.strides[axis],
                           std::min<std::int64_t>(facts.stride_align, widest_access)});
  return result;
}

std::string text_of(const AxisAssumption& axis) {
  const std::string which =
      axis.axes.size() == 1
          ? fmt::format("axis {}", axis.axes.front())
          : fmt::format("axes {} (dense: each stride is the next one's times its extent)", fmt::join(axis.axes, ", "));
  switch (axis.stride) {
    case nest::StrideClass::zero:
      return which + " 0, or one point";
    case nest::StrideClass::one:
      return which + " one element";
    case nest::StrideClass::other:
      return axis.multiple > 1 ? fmt::format("{} any multiple of {} bytes", which, axis.multiple) : which + " any";
  }
  internal_error("an unknown class of strides");
}

}  // namespace

std::vector<TensorAssumptions> assumptions_of(const Compilation& compilation) {
  std::vector<TensorAssumptions> all;
  const nest::NestViews& views = compilation.views;
  for (std::size_t t = 0; t < compilation.nest.tensors.size(); ++t)
    all.push_back(assumptions_of_tensor(compilation.nest.tensors[nest::TensorId{static_cast<std::uint32_t>(t)}].name,
                                        false, compilation.facts.operands[t],
                                        views.operand_axes.empty() ? nest::AxisGroups{} : views.operand_axes[t]));
  all.push_back(assumptions_of_tensor(compilation.nest.name, true, compilation.facts.output, views.output_axes));
  return all;
}

std::string to_text(const TensorAssumptions& tensor) {
  std::string text = fmt::format("{}: at a multiple of {} bytes", tensor.tensor, tensor.alignment);
  for (std::size_t axis = 0; axis < tensor.axes.size(); ++axis)
    text += (axis == 0 ? "; strides: " : ", ") + text_of(tensor.axes[axis]);
  return text;
}

}  // namespace tilewright::report
