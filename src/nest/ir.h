// Nest IR: what is computed, as a nest of ordered loops, and the facts that a schedule adds. Sits between the typed
// statement and the tile IR. docs/ir/nest.md is the reference of the text form.
//
//   nest mm[i, j] : f32
//     tensor a : f32 rank 2
//     tensor b : f32 rank 2
//     iter i output extent a.0
//     iter j output extent b.1
//     iter k reduction extent a.1
//     read %r0 = a[i, k]
//     read %r1 = b[k, j]
//     reduce sum in f32 from 0 (mul f32 %r0 %r1)
//     then (relu f32 %acc)
//     loop i step 128
//     loop i.in step 1 ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lang/bind.h"
#include "support/diagnostic.h"
#include "support/dtype.h"
#include "support/id.h"
#include "support/int_expr.h"
#include "support/scalar.h"
#include "support/scalar_op.h"

namespace tilewright::nest {

using lang::IteratorRole;
using IterId = Id<struct IterTag>;
using TensorId = Id<struct TensorTag>;
using ReadId = Id<struct ReadTag>;
using ExprId = Id<struct NestExprTag>;

/// Axes of a tensor: a value has at most eight, and the parts of a split reduction are one more.
inline constexpr std::int64_t most_axes = 9;

/// `Σ coefficient · iterator + constant`.
struct Affine {
  struct Term {
    IterId iter;
    std::int64_t coefficient = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;  ///< no zero coefficients, each iterator once
  std::int64_t constant = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};

struct Iterator {
  std::string name;
  IteratorRole role = IteratorRole::output;
  IntExpr extent;
};

/// An operand. Its extents are the symbols "NAME.AXIS" and its strides, in elements, "NAME.sAXIS".
struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  int rank = 0;
};

struct Read {
  TensorId tensor;
  std::vector<Affine> index;
  std::optional<Scalar> otherwise;  ///< value where any slot is outside the tensor; without it no slot ever is
};

struct Constant {
  Scalar value;
};
struct ReadValue {
  ReadId read;
};
struct IterValue {
  IterId iter;
};  ///< i64
struct ExtentValue {
  IntExpr value;
};  ///< i64
struct Accumulated {};  ///< in `result` only: the finished reduction, or `value` where there is none
struct CastExpr {
  ExprId operand;
};  ///< to Expr::dtype
struct ApplyExpr {
  ScalarOp op;
  std::vector<ExprId> operands;
};  ///< operands share one type, except select's condition

struct Expr {
  std::variant<Constant, ReadValue, IterValue, ExtentValue, Accumulated, CastExpr, ApplyExpr> node;
  DType dtype = DType::f32;
};

/// One loop of the nest. `tile(i, 128)` turns the loop `i` (step 1) into `i` (step 128) and `i.in` (step 1) that runs
/// over one step of its parent. A loop runs from its parent's point (or 0) over its parent's step (or the extent),
/// never past the extent.
struct Loop {
  std::string name;  ///< "i", "i.in", "i.in.in"
  IterId iter;
  IntExpr step = 1;  ///< points of the iterator between two iterations
  bool parallel = false;
  bool in_registers = false;  ///< an axis of the register tile, as long as the step around it; such loops are innermost
  /// Of a GPU: its iterations are dealt to so many threads of the block, which is as many as it has: its step times
  /// this is the step around it. Such loops stand among those in registers; a loop in registers around one leaves each
  /// thread pieces that lie its step apart.
  std::int64_t threads = 0;
  std::int64_t vector_width = 0;  ///< of vectorize(…); 0: not said
  std::int64_t unroll = 0;        ///< of unroll(…); 0: not said
};

/// A cached read: its access map's tile is staged before the loops that use it.
struct CachedRead {
  ReadId read;
  std::vector<std::pair<IterId, std::int64_t>> tile;  ///< iterators that the read depends on, with the staged size
};

/// What the schedule says beyond the loops. Zero and empty mean 'not said'.
struct ScheduleFacts {
  std::vector<CachedRead> caches;
  std::int64_t threads = 0;
  std::int64_t stages = 0;
  std::vector<std::int64_t> warps;  ///< (m, n) or (m, n, k)
  std::int64_t split = 0;
  IterId split_iter;
  bool split_atomics = false;
  std::string variant;
  IterId lanes;            ///< of the axes in registers, the one along vector lanes; none: scalars
  bool automatic = false;  ///< `auto` was written, or there was no schedule block
};

struct Nest {
  std::string name;  ///< of the target
  DType output = DType::f32;
  std::vector<IterId> output_index;  ///< the target's iterators, one an axis
  Table<TensorId, Tensor> tensors;   ///< operands; the output is no member
  Table<IterId, Iterator> iterators;
  Table<ReadId, Read> reads;
  Table<ExprId, Expr> exprs;        ///< operands before their users
  std::optional<Monoid> reduction;  ///< nullopt: one value an output point
  DType accumulate = DType::f32;    ///< type of `value` and of Accumulated
  /// What the reduction folds from, of type `accumulate`: 0, 1, or the lowest or highest value of the output's type.
  Scalar identity;
  ExprId value;   ///< the summand, of type `accumulate`; without a reduction the one value
  ExprId result;  ///< what is stored: of type `output`, over Accumulated (at least a cast or itself)
  Precision precision = Precision::exact;
  std::vector<Loop> loops;  ///< outermost first
  ScheduleFacts schedule;
};

std::string to_text(const Nest& nest);
Result<Nest> parse_nest(SourcePtr source);
/// Every invariant of this file and of language.md that a nest must keep. The header of verify.cpp lists them.
Result<void> verify(const Nest& nest);

}  // namespace tilewright::nest
