// Questions about a nest's accesses that schedulers ask: who is contiguous along what, and which iterators play which
// role in a product.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nest/facts.h"
#include "nest/ir.h"

namespace tilewright::nest {

/// How the read's address moves with `iter`: not at all, by one element, or otherwise.
StrideClass stride_along(const Nest& nest, const Facts& facts, const Read& read, IterId iter);
/// The same for the output.
StrideClass output_stride_along(const Nest& nest, const Facts& facts, IterId iter);

/// Whether the nest reads a tensor of that name.
bool has_tensor(const Nest& nest, std::string_view name);

/// Of one tensor, with one access map: an `else` that is NaN is one with itself.
bool is_same_read(const Read& a, const Read& b);

bool depends_on(const Read& read, IterId iter);
/// Reads below an expression, each once, in order.
std::vector<ReadId> reads_below(const Nest& nest, ExprId expr);
/// Factors of a product: `a * b * c` gives three, anything else itself. Only products in the accumulate type count.
std::vector<ExprId> factors_of(const Nest& nest, ExprId expr);

/// The output is of the accumulator's type and nothing follows the reduction: partial results may wait in it. Not where
/// a reduction is split: then parts are stored.
bool accumulates_in_output(const Nest& nest);

/// A sum of products, split into two sides: iterators by which side and the output they index.
struct Contraction {
  ExprId lhs, rhs;            ///< the sides; lhs * rhs is the value
  std::vector<IterId> batch;  ///< output, in both sides
  std::vector<IterId> m;      ///< output, in lhs only
  std::vector<IterId> n;      ///< output, in rhs only
  std::vector<IterId> k;      ///< reduction
};
/// nullopt unless the nest sums a product of two expressions that both read something.
std::optional<Contraction> as_contraction(const Nest& nest);

/// A name that neither the nest nor an iterator or operand of it has: `wanted`, or with underscores behind.
std::string free_name(const Nest& nest, std::string wanted);

}  // namespace tilewright::nest
