// The statement as written: the one representation under .tw text, the C++ embedded form and einsum strings. Untyped;
// names are names. bind.h gives it types and extents when operands are known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "support/diagnostic.h"
#include "support/dtype.h"
#include "support/id.h"
#include "support/scalar_op.h"

namespace tilewright::lang {

using ExprId = Id<struct ExprTag>;

/// A number as written. `is_integer` if it has neither point nor exponent (`2`), so that it may stand for any type.
struct Number {
  double value = 0;
  std::int64_t integer = 0;  ///< exact, where is_integer
  bool is_integer = false;
};

/// `+ Σ coefficient · iterator + constant`, simplified: no zero coefficients, iterators in first-seen order.
struct AffineIndex {
  struct Term {
    std::string iterator;
    std::int64_t coefficient = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  std::int64_t constant = 0;
  Span span;
  /// The iterator, if the index is one iterator alone.
  const std::string* bare() const {
    return terms.size() == 1 && constant == 0 && terms[0].coefficient == 1 ? &terms[0].iterator : nullptr;
  }
};

/// `name[index, …] else otherwise`. A read of the target itself (legal in `then`) is a Read with the target's name.
struct Read {
  std::string tensor;
  std::vector<AffineIndex> indices;
  std::optional<Number> otherwise;  ///< a signed literal; inf and nan are floats
  Span name_span;
};
struct Literal {
  Number number;
};
struct IteratorValue {
  std::string iterator;
};
struct ExtentOf {
  std::string iterator;
};
struct Cast {
  DType to;
  ExprId operand;
};
struct Apply {
  ScalarOp op;
  std::vector<ExprId> operands;
};

struct Expr {
  std::variant<Literal, Read, IteratorValue, ExtentOf, Cast, Apply> node;
  Span span;
};

struct Named {
  std::string name;
  Span span;
};

struct BoundIterator {
  Named iterator;
  std::optional<std::int64_t> extent;  ///< of `i in 0 ..< n`
};

/// One schedule line, kept as written: `tile(i.in, 8)` has arguments; `threads = 256` one argument and `is_property`.
struct ScheduleLine {
  struct Argument {
    std::variant<std::string, std::int64_t> value;  ///< a name (i, i.in, atomics) or an integer
    Span span;
  };
  Named name;
  std::vector<Argument> arguments;
  bool is_property = false;
  Span span;
};

/// One operand of an `example:` line: `a = f32 64x64`; an empty shape is a scalar.
struct ExampleOperand {
  Named name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  Span span;
};
using Example = std::vector<ExampleOperand>;

/// What the iterators of a statement that was written as `dot_general(…)` stand for, so that messages can speak of it.
/// The statement's value is the product of the two operands.
struct DotGeneral {
  std::vector<std::string> batch;        ///< one for each pair of axes, in the order of the lists
  std::vector<std::string> contracting;  ///< the same; these are summed over
};

struct Statement {
  SourcePtr source;
  Named target;
  std::optional<DType> annotation;
  std::vector<Named> target_iterators;
  std::optional<Monoid> reduction;  ///< nullopt for '='
  Span op_span;
  ExprId value;
  std::optional<DotGeneral> dot_general;
  std::optional<std::vector<BoundIterator>> binding;
  std::optional<ExprId> epilogue;
  std::optional<Precision> precision;
  Span precision_span;
  std::vector<Example> examples;
  std::optional<std::vector<ScheduleLine>> schedule;
  Table<ExprId, Expr> exprs;
  Span span;

  /// Target iterators, then the others: the binding's order, or as first read (value, then epilogue).
  std::vector<std::string> iterator_order() const;
  /// Names of the tensors read (never the target), each once, in order of first read.
  std::vector<std::string> tensors_read() const;
};

struct Program {
  Named name;
  std::vector<Named> parameters;
  std::vector<Named> results;
  std::vector<Example> examples;
  std::vector<Statement> statements;
  Span span;
};

struct File {
  SourcePtr source;
  std::vector<std::variant<Statement, Program>> items;
};

/// The name that `-k` selects: a statement's target or a program's name.
const std::string& name_of(const std::variant<Statement, Program>& item);

}  // namespace tilewright::lang
