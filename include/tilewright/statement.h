// Statements and programs written in C++:
//
//   Index i, j, k;
//   TensorName a("a"), b("b"), c("c"), bias("bias");
//   const Kernel kernel = (c[i, j] += a[i, k] * b[k, j])
//                             .then(relu(c[i, j] + bias[j]))
//                             .tile(i, 64).tile(j, 64).tile(k, 32).cache(a);
//
// is the kernel of the text
//
//   c[i, j] ++= a[i, k] * b[k, j] then relu(c[i, j] + bias[j]) do:
//     schedule:
//       tile(i, 64)
//       tile(j, 64)
//       tile(k, 32)
//       cache(a)
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/error.h"
#include "tilewright/export.h"
#include "tilewright/expression.h"
#include "tilewright/kernel.h"
#include "tilewright/types.h"

namespace tilewright::TILEWRIGHT_ABI {

/// One operand of an `example` line: `{a, DType::f32, {64, 64}}`.
struct ExampleOperand {
  TensorName tensor;
  DType dtype = DType::f32;
  Shape shape = {};
};

/// The third argument of Statement::split.
struct Atomics {};
inline constexpr Atomics atomics;

/// A statement: a value to be called on until it says everything, each call returning a new one. Errors show when a
/// kernel is made of it. Their source is "file.cpp:12", the place of the statement in the program, and their line,
/// column and carets are those of the statement's text.
class TILEWRIGHT_API Statement {
 public:
  // ---- what is computed ----

  /// The epilogue: in it the target, read at its own iterators, is the finished reduction.
  [[nodiscard]] Statement then(const Expr& epilogue) const;
  /// The binding: every iterator once, in the order of the loops, with a range where no read gives the extent.
  [[nodiscard]] Statement over(const std::vector<IndexRange>& binding) const;
  /// The result's element type (`c:f16[i, j] …`).
  [[nodiscard]] Statement result_type(DType type) const;
  /// How products and sums of f32 are formed; `exact` where this is not called.
  [[nodiscard]] Statement precision(Precision precision) const;
  /// Types and shapes to run, verify and tune the kernel with where nobody names operands.
  [[nodiscard]] Statement example(const std::vector<ExampleOperand>& operands) const;

  // ---- how: the schedule's lines, which apply in the order of the calls ----

  /// Splits a loop into an outer one of step n and an inner one of extent n, `i.inner()`; a default n where left out.
  [[nodiscard]] Statement tile(const Loop& loop) const;
  [[nodiscard]] Statement tile(const Loop& loop, std::int64_t n) const;
  /// Stages the reads of these tensors in near memory.
  template <std::same_as<TensorName>... Names>
    requires(sizeof...(Names) > 0)
  [[nodiscard]] Statement cache(const Names&... names) const {
    return cache_all({names...});
  }
  /// Threads of a block.
  [[nodiscard]] Statement threads(std::int64_t n) const;
  /// Runs a loop of the output across blocks or cores.
  [[nodiscard]] Statement parallel(const Loop& loop) const;
  /// The order of these loops, among the places that they have.
  template <std::convertible_to<Loop>... Loops>
    requires(sizeof...(Loops) > 0)
  [[nodiscard]] Statement reorder(const Loops&... loops) const {
    return reorder_all({Loop(loops)...});
  }
  /// Computes n neighbouring points of a loop at once, as lanes; of a reduction loop the lanes are summed as a tree.
  [[nodiscard]] Statement vectorize(const Loop& loop, std::int64_t n) const;
  /// Repeats a loop's body n times between two tests.
  [[nodiscard]] Statement unroll(const Loop& loop, std::int64_t n) const;
  /// Splits a reduction into n parts; with `atomics`, they are combined in place.
  [[nodiscard]] Statement split(const Loop& loop, std::int64_t n) const;
  [[nodiscard]] Statement split(const Loop& loop, std::int64_t n, Atomics) const;
  /// Depth of the pipeline of asynchronous copies.
  [[nodiscard]] Statement stages(std::int64_t n) const;
  /// Warps along the rows, the columns and, with k, the reduction of a tile.
  [[nodiscard]] Statement warps(std::int64_t m, std::int64_t n) const;
  [[nodiscard]] Statement warps(std::int64_t m, std::int64_t n, std::int64_t k) const;
  /// The lowering variant of this name.
  [[nodiscard]] Statement variant(std::string_view name) const;
  /// Lets the scheduler fill what is not said (`auto`).
  [[nodiscard]] Statement automatic() const;

  // ---- the kernel ----

  /// The same kernel each time, made at the first call. L0xx: errors of the language; A030 to A033: what only C++ can
  /// say wrong (a name that is none, a literal that no text has, …).
  Kernel kernel() const { return detail::value_or_throw(try_kernel()); }
  Result<Kernel> try_kernel() const noexcept;
  operator Kernel() const { return kernel(); }

  struct TILEWRIGHT_INNER Inside;  ///< the library's own

 private:
  friend Inside;
  explicit Statement(std::shared_ptr<const Inside> inside) noexcept : inside_(std::move(inside)) {}
  Statement cache_all(const std::vector<TensorName>& names) const;
  Statement reorder_all(const std::vector<Loop>& loops) const;

  std::shared_ptr<const Inside> inside_;
};

/// Several statements with a name: `program NAME(parameters) -> (results):`. They run in order, a name is assigned
/// once, and a target that is not returned is a temporary. A name object stands for one tensor throughout.
class TILEWRIGHT_API Program {
 public:
  Program(std::string_view name, const std::vector<TensorName>& parameters, const std::vector<TensorName>& results,
          const std::vector<Statement>& statements, std::source_location location = std::source_location::current());

  /// As Statement::example, of the parameters.
  [[nodiscard]] Program example(const std::vector<ExampleOperand>& operands) const;

  /// As Statement::kernel. An error in a statement has that statement's place.
  Kernel kernel() const { return detail::value_or_throw(try_kernel()); }
  Result<Kernel> try_kernel() const noexcept;
  operator Kernel() const { return kernel(); }

  struct TILEWRIGHT_INNER Inside;  ///< the library's own

 private:
  friend Inside;
  explicit Program(std::shared_ptr<const Inside> inside) noexcept : inside_(std::move(inside)) {}

  std::shared_ptr<const Inside> inside_;
};

}  // namespace tilewright::TILEWRIGHT_ABI
