// Access analysis for schedulers.
#include "nest/access.h"

#include <algorithm>
#include <cmath>

#include "support/overloaded.h"

namespace tilewright::nest {

bool has_tensor(const Nest& nest, std::string_view name) {
  return std::ranges::find(nest.tensors, name, &Tensor::name) != nest.tensors.end();
}

bool is_same_read(const Read& a, const Read& b) {
  const auto is_nan = [](const std::optional<Scalar>& value) {
    return value && value->is_float() && std::isnan(value->as_double());
  };
  const bool same_else = a.otherwise == b.otherwise || (is_nan(a.otherwise) && is_nan(b.otherwise));
  return a.tensor == b.tensor && a.index == b.index && same_else;
}

bool depends_on(const Read& read, IterId iter) {
  return std::ranges::any_of(read.index, [&](const Affine& slot) {
    return std::ranges::any_of(slot.terms, [&](const Affine::Term& term) { return term.iter == iter; });
  });
}

StrideClass stride_along(const Nest&, const Facts& facts, const Read& read, IterId iter) {
  StrideClass result = StrideClass::zero;
  for (std::size_t slot = 0; slot < read.index.size(); ++slot)
    for (const Affine::Term& term : read.index[slot].terms) {
      const StrideClass stride = facts.operands[read.tensor.index].strides[slot];
      if (term.iter != iter || stride == StrideClass::zero) continue;
      const bool unit = stride == StrideClass::one && term.coefficient == 1 && result == StrideClass::zero;
      result = unit ? StrideClass::one : StrideClass::other;
    }
  return result;
}

StrideClass output_stride_along(const Nest& nest, const Facts& facts, IterId iter) {
  for (std::size_t axis = 0; axis < nest.output_index.size(); ++axis)
    if (nest.output_index[axis] == iter) return facts.output.strides[axis];
  return StrideClass::zero;
}

std::vector<ReadId> reads_below(const Nest& nest, ExprId expr) {
  std::vector<ReadId> reads;
  const auto visit = [&](auto&& self, ExprId id) -> void {
    std::visit(Overloaded{[](const Constant&) {}, [](const IterValue&) {}, [](const ExtentValue&) {},
                          [](const Accumulated&) {},
                          [&](const ReadValue& r) {
                            if (std::ranges::find(reads, r.read) == reads.end()) reads.push_back(r.read);
                          },
                          [&](const CastExpr& c) { self(self, c.operand); },
                          [&](const ApplyExpr& a) {
                            for (ExprId operand : a.operands) self(self, operand);
                          }},
               nest.exprs[id].node);
  };
  visit(visit, expr);
  return reads;
}

std::vector<ExprId> factors_of(const Nest& nest, ExprId expr) {
  const auto* product = std::get_if<ApplyExpr>(&nest.exprs[expr].node);
  if (!product || product->op != ScalarOp::mul) return {expr};
  std::vector<ExprId> factors = factors_of(nest, product->operands[0]);
  for (ExprId factor : factors_of(nest, product->operands[1])) factors.push_back(factor);
  return factors;
}

bool accumulates_in_output(const Nest& nest) {
  return nest.schedule.split == 0 && nest.output == nest.accumulate &&
         std::holds_alternative<Accumulated>(nest.exprs[nest.result].node);
}

std::optional<Contraction> as_contraction(const Nest& nest) {
  if (nest.reduction != Monoid::sum) return std::nullopt;
  const auto* product = std::get_if<ApplyExpr>(&nest.exprs[nest.value].node);
  if (!product || product->op != ScalarOp::mul) return std::nullopt;
  Contraction result{product->operands[0], product->operands[1], {}, {}, {}, {}};
  const std::vector<ReadId> lhs = reads_below(nest, result.lhs);
  const std::vector<ReadId> rhs = reads_below(nest, result.rhs);
  if (lhs.empty() || rhs.empty()) return std::nullopt;
  for (std::size_t i = 0; i < nest.iterators.size(); ++i) {
    const IterId iter{static_cast<std::uint32_t>(i)};
    const auto in = [&](const std::vector<ReadId>& reads) {
      return std::ranges::any_of(reads, [&](ReadId read) { return depends_on(nest.reads[read], iter); });
    };
    if (nest.iterators[iter].role == IteratorRole::reduction)
      result.k.push_back(iter);
    else if (in(lhs) && in(rhs))
      result.batch.push_back(iter);
    else
      (in(rhs) ? result.n : result.m).push_back(iter);
  }
  return result;
}

std::string free_name(const Nest& nest, std::string wanted) {
  const auto is_taken = [&] {
    return nest.name == wanted || has_tensor(nest, wanted) ||
           std::ranges::find(nest.iterators, wanted, &Iterator::name) != nest.iterators.end();
  };
  while (is_taken()) wanted += "_";
  return wanted;
}

}  // namespace tilewright::nest
