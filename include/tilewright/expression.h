// The parts of a statement written in C++: iterators, names of tensors, reads and expressions over them. What they mean
// is docs/language.md's business; docs/cpp.md shows the two spellings side by side. Nothing here fails: what is wrong
// with an expression (an index that is not affine, a number past 64 bits, …) is an error of the statement that uses it.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/export.h"
#include "tilewright/types.h"

namespace tilewright::TILEWRIGHT_ABI {

class Access;
class Loop;
class Statement;
struct IndexRange;

namespace detail {

struct ExprNode;
struct Name;
using NamePtr = std::shared_ptr<const Name>;

/// A number as C++ has it, and whether it fits the language's 64 bits.
struct Number {
  double value = 0;
  std::int64_t integer = 0;
  bool is_integer = false;
  bool fits = true;

  template <std::integral T>
  constexpr Number(T number)
      : value(static_cast<double>(number)),
        integer(static_cast<std::int64_t>(number)),
        is_integer(true),
        fits(std::in_range<std::int64_t>(number)) {}
  template <std::floating_point T>
  constexpr Number(T number) : value(static_cast<double>(number)) {}
};

template <class T>
concept NumberLike = (std::integral<T> && !std::same_as<T, bool>) || std::floating_point<T>;

}  // namespace detail

/// An iterator. Two with one text are the same iterator; one without a text differs from every other, its copies
/// excepted, and is given a free text (i, j, k, …) by the statement that uses it.
class TILEWRIGHT_API Index {
 public:
  Index();
  explicit Index(std::string_view name);

  /// In a binding: `i in 0 ..< n`.
  IndexRange below(std::int64_t n) const;
  /// The inner loop that tile(i, …) makes: `i.in`.
  Loop inner() const;

  const detail::NamePtr& name() const noexcept { return name_; }

 private:
  detail::NamePtr name_;
};

/// An iterator of a binding, with its range where it has one.
struct IndexRange {
  IndexRange(const Index& iterator) : index(iterator) {}
  IndexRange(const Index& iterator, std::int64_t end) : index(iterator), below(end) {}

  Index index;
  std::optional<std::int64_t> below = {};
};

/// A loop of a schedule: an iterator's own, or one that tiling made inside it.
class TILEWRIGHT_API Loop {
 public:
  Loop(const Index& index) : index_(index) {}
  /// `i.in.in` of `i.in`.
  Loop inner() const;

  const Index& index() const noexcept { return index_; }
  int depth() const noexcept { return depth_; }  ///< how many `.in` follow the iterator

 private:
  Index index_;
  int depth_ = 0;
};

/// A value: literals, reads, iterators, extents, and what operators and functions make of them. A handle to an
/// immutable tree; copying is cheap, and a tree may be a part of several.
class TILEWRIGHT_API Expr {
 public:
  /// A literal: an integer stands for any type, a floating-point number for any float.
  template <detail::NumberLike T>
  Expr(T number) : Expr(literal(detail::Number(number))) {}
  /// The iterator's value, an i64; in an index, the iterator.
  Expr(const Index& iterator);
  Expr(const Access& read);

  explicit Expr(std::shared_ptr<const detail::ExprNode> node) noexcept : node_(std::move(node)) {}
  const std::shared_ptr<const detail::ExprNode>& node() const noexcept { return node_; }

 private:
  static Expr literal(detail::Number number);

  std::shared_ptr<const detail::ExprNode> node_;
};

template <class T>
concept ExprLike = std::convertible_to<const T&, Expr>;

namespace detail {

/// An expression and the place in the program where it became a statement's right-hand side.
struct Located {
  template <ExprLike T>
  Located(const T& value, std::source_location location = std::source_location::current())
      : expr(value), at(location) {}

  Expr expr;
  std::source_location at;
};

}  // namespace detail

/// `name[index, …]`: a read where a value is needed, a target where a statement is made of it.
class TILEWRIGHT_API Access {
 public:
  /// Statements. As a target, each index is an iterator alone.
  Statement operator=(const detail::Located& value) const&&;   ///< `=`, which reduces nothing
  Statement operator+=(const detail::Located& value) const&&;  ///< `++=`, the sum
  Statement operator*=(const detail::Located& value) const&&;  ///< `*=`, the product
  Statement max_reduce(const detail::Located& value) const&&;  ///< `max=`
  Statement min_reduce(const detail::Located& value) const&&;  ///< `min=`

  /// `name[…] else v`: v where an index is outside. v may be infinite or NaN.
  template <detail::NumberLike T>
  Expr otherwise(T v) const {
    return read_otherwise(detail::Number(v));
  }

  Access(const Access&) = default;
  void operator=(const Access&) & = delete;  // or an assignment between two names would build no statement
  ~Access() = default;

 private:
  friend class TensorName;
  friend class Expr;
  Access(detail::NamePtr tensor, std::vector<Expr> indices)
      : tensor_(std::move(tensor)), indices_(std::move(indices)) {}
  Expr read_otherwise(detail::Number v) const;

  detail::NamePtr tensor_;
  std::vector<Expr> indices_;
};

/// The name of an operand or a result. Texts as for Index; one without a text becomes a, b, c, ….
class TILEWRIGHT_API TensorName {
 public:
  TensorName();
  explicit TensorName(std::string_view name);

  /// `a[i, 2 * j + 1]`, `alpha[]`: one index for each axis, 0 to 8, each affine in the iterators.
  template <ExprLike... Indices>
  Access operator[](const Indices&... indices) const {
    return {name_, {Expr(indices)...}};
  }

  const detail::NamePtr& name() const noexcept { return name_; }

 private:
  detail::NamePtr name_;
};

// ---- operators and functions: those of docs/language.md. `&&`, `||` and `!` are its and, or, not ----

TILEWRIGHT_API Expr operator+(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator-(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator*(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator/(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator-(const Expr& x);
TILEWRIGHT_API Expr operator<(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator<=(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator>(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator>=(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator==(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator!=(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator&&(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator||(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr operator!(const Expr& x);

/// x where `condition` holds, else y.
TILEWRIGHT_API Expr select(const Expr& condition, const Expr& x, const Expr& y);
TILEWRIGHT_API Expr min(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr max(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr abs(const Expr& x);
TILEWRIGHT_API Expr relu(const Expr& x);
TILEWRIGHT_API Expr exp(const Expr& x);
TILEWRIGHT_API Expr log(const Expr& x);
TILEWRIGHT_API Expr sqrt(const Expr& x);
TILEWRIGHT_API Expr rsqrt(const Expr& x);
TILEWRIGHT_API Expr tanh(const Expr& x);
TILEWRIGHT_API Expr sin(const Expr& x);
TILEWRIGHT_API Expr cos(const Expr& x);
TILEWRIGHT_API Expr erf(const Expr& x);
TILEWRIGHT_API Expr pow(const Expr& x, const Expr& y);
TILEWRIGHT_API Expr sigmoid(const Expr& x);
TILEWRIGHT_API Expr gelu(const Expr& x);
TILEWRIGHT_API Expr silu(const Expr& x);

/// The value converted to another element type.
TILEWRIGHT_API Expr cast(DType to, const Expr& x);
template <Element T>
  requires(sizeof(T) != 2)
Expr cast(const Expr& x) {
  return cast(dtype_of<T>, x);
}

/// The extent of an iterator, an i64.
TILEWRIGHT_API Expr extent(const Index& iterator);

}  // namespace tilewright::TILEWRIGHT_ABI
