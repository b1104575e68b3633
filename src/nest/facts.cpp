// Facts of concrete views, and their one-line text. See facts.h.
#include "nest/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "support/tensor_symbol.h"

namespace tilewright::nest {
namespace {

constexpr std::uint32_t largest_alignment = 64;
constexpr std::int64_t largest_bucket = std::int64_t{1} << 24;

StrideClass classify(std::int64_t extent, std::int64_t stride) {
  if (extent == 1 || stride == 0) return StrideClass::zero;
  return stride == 1 ? StrideClass::one : StrideClass::other;
}

/// An address that is not even aligned to its elements counts as aligned to them: the runtime rejects such views.
std::uint32_t alignment(const std::byte* data, DType dtype) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const auto element = static_cast<std::uint32_t>(size_of(dtype));
  if (address == 0) return largest_alignment;
  const std::uintptr_t divisor = std::uintptr_t{1} << std::countr_zero(address);
  return std::max(element, static_cast<std::uint32_t>(std::min<std::uintptr_t>(divisor, largest_alignment)));
}

TensorFacts facts_of(const TensorView& view) {
  TensorFacts facts;
  for (std::size_t axis = 0; axis < view.rank(); ++axis)
    facts.strides.push_back(classify(view.shape[axis], view.strides[axis]));
  facts.align = alignment(view.data, view.dtype);
  return facts;
}

/// Of a tensor that may be accessed in whole aligned vectors: rows count too.
TensorFacts row_facts(const TensorView& view) {
  TensorFacts facts = facts_of(view);
  for (std::size_t axis = 0; axis < view.rank(); ++axis) {
    if (facts.strides[axis] != StrideClass::other) continue;
    facts.descends = facts.descends || view.strides[axis] < 0;
    const auto bytes = static_cast<std::uint64_t>(view.strides[axis]) * size_of(view.dtype);
    const int zeros = std::min(std::countr_zero(bytes), std::countr_zero(largest_alignment));
    facts.stride_align = std::min(facts.stride_align, std::uint32_t{1} << zeros);
  }
  return facts;
}

/// The value of an extent symbol "NAME.AXIS" or a stride symbol "NAME.sAXIS".
std::optional<std::int64_t> symbol_value(const Nest& nest, const std::vector<TensorView>& operands,
                                         std::string_view symbol) {
  const std::optional<TensorSymbol> parsed = parse_tensor_symbol(symbol);
  if (!parsed) return std::nullopt;
  for (std::uint32_t t = 0; t < nest.tensors.size(); ++t) {
    const TensorView& view = operands[t];
    if (nest.tensors[TensorId{t}].name == parsed->tensor && parsed->axis < view.rank())
      return parsed->stride ? view.strides[parsed->axis] : view.shape[parsed->axis];
  }
  return std::nullopt;
}

std::int64_t bucket(std::int64_t extent) {
  if (extent >= largest_bucket) return largest_bucket;
  return extent <= 0 ? 0 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
}

char letter(StrideClass stride) {
  switch (stride) {
    case StrideClass::zero:
      return '0';
    case StrideClass::one:
      return '1';
    case StrideClass::other:
      return 's';
  }
  internal_error("an unknown stride class");
}

std::string text_of(const TensorFacts& facts) {
  std::string text;
  for (const StrideClass stride : facts.strides) text += letter(stride);
  return fmt::format("[{}]@{}{}", text, facts.align, facts.descends ? " descending" : "");
}

}  // namespace

Facts gather_facts(const Nest& nest, const std::vector<TensorView>& operands, const TensorView& output,
                   VectorLoads loads) {
  if (operands.size() != nest.tensors.size())
    internal_error(fmt::format("gather_facts: {} views for {} operands", operands.size(), nest.tensors.size()));
  Facts facts;
  for (const TensorView& operand : operands)
    facts.operands.push_back(loads == VectorLoads::aligned ? row_facts(operand) : facts_of(operand));
  facts.output = row_facts(output);
  facts.output.descends &= loads == VectorLoads::aligned;
  for (const Iterator& iterator : nest.iterators) {
    const std::optional<std::int64_t> extent =
        evaluate(iterator.extent, [&](std::string_view symbol) { return symbol_value(nest, operands, symbol); });
    if (!extent)
      internal_error(fmt::format("gather_facts: extent '{}' of iterator {} has no value", to_text(iterator.extent),
                                 iterator.name));
    facts.size_buckets.push_back(bucket(*extent));
  }
  return facts;
}

std::string to_text(const Facts& facts) {
  std::string text = "operands";
  for (const TensorFacts& operand : facts.operands) {
    text += " " + text_of(operand);
    if (operand.stride_align != largest_alignment) text += fmt::format("/{}", operand.stride_align);
  }
  text += fmt::format(" output {}/{} sizes", text_of(facts.output), facts.output.stride_align);
  for (const std::int64_t size : facts.size_buckets) text += fmt::format(" {}", size);
  return text;
}

}  // namespace tilewright::nest
