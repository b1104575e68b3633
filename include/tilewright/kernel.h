// Kernel: a statement or a program, checked and ready to be called on an engine.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tilewright/error.h"
#include "tilewright/export.h"
#include "tilewright/types.h"

namespace tilewright::TILEWRIGHT_ABI {

/// Which axes of the two operands of a dot_general go together, counted from 0: the first of `lhs_contracting` with the
/// first of `rhs_contracting`, and so on. Axes that are in no list are free.
struct DotAxes {
  std::vector<std::size_t> lhs_contracting = {};  ///< multiplied and summed over, with …
  std::vector<std::size_t> rhs_contracting = {};
  std::vector<std::size_t> lhs_batch = {};  ///< run along together, with …
  std::vector<std::size_t> rhs_batch = {};
};

struct DotOptions {
  Precision precision = Precision::exact;  ///< how products and sums of f32 are formed
  std::optional<DType> result_type = {};   ///< the result's element type; absent: what the operands' makes
};

/// A handle, immutable and safe to share between threads; copies share the compiled code of earlier calls, so keep one
/// rather than parsing again. A Statement of tilewright/statement.h converts to a Kernel.
class TILEWRIGHT_API Kernel {
 public:
  /// The only kernel of a text in the statement language (docs/language.md). `source_name` is how messages call the
  /// text. L0xx: errors of the language, several at once. R070: no kernel, or several.
  static Kernel parse(std::string_view text, std::string_view source_name = "<statement>") {
    return detail::value_or_throw(try_parse(text, source_name));
  }
  static Result<Kernel> try_parse(std::string_view text, std::string_view source_name = "<statement>") noexcept;

  /// All kernels of a text, in order, as a .tw file has them; a text without any gives none. L0xx as parse().
  static std::vector<Kernel> parse_all(std::string_view text, std::string_view source_name = "<statement>") {
    return detail::value_or_throw(try_parse_all(text, source_name));
  }
  static Result<std::vector<Kernel>> try_parse_all(std::string_view text,
                                                   std::string_view source_name = "<statement>") noexcept;

  /// NumPy's einsum: "ij,jk->ik", implicit output, "...", blanks. One rank for each operand; operands are named a, b, c
  /// … in order, the result `result`. L070 to L076: errors in the string.
  static Kernel einsum(std::string_view equation, const std::vector<std::size_t>& ranks) {
    return detail::value_or_throw(try_einsum(equation, ranks));
  }
  static Result<Kernel> try_einsum(std::string_view equation, const std::vector<std::size_t>& ranks) noexcept;

  /// StableHLO's dot_general: axes of the result are the batch axes in the order of lhs_batch, then the left operand's
  /// free axes, then the right one's, both in order. Operands are named a and b, the result `result`; both have one
  /// element type. Without contracting axes nothing is summed. L081: an axis that is none. L082, L083: an axis in two
  /// places. L084: lists of different lengths. L022: a rank above 8.
  static Kernel dot_general(std::size_t lhs_rank, std::size_t rhs_rank, const DotAxes& axes,
                            const DotOptions& options = {}) {
    return detail::value_or_throw(try_dot_general(lhs_rank, rhs_rank, axes, options));
  }
  static Result<Kernel> try_dot_general(std::size_t lhs_rank, std::size_t rhs_rank, const DotAxes& axes,
                                        const DotOptions& options = {}) noexcept;

  /// A statement's target, a program's name.
  const std::string& name() const noexcept;
  /// Names of the operands, in order of first read (a program's parameters).
  const std::vector<std::string>& operand_names() const noexcept;
  /// Names of what it computes: the target (a program's results).
  const std::vector<std::string>& result_names() const noexcept;
  /// The statement or program as canonical text, which parses to the same.
  const std::string& text() const noexcept;

  struct TILEWRIGHT_INNER Inside;  ///< the library's own

 private:
  friend Inside;
  explicit Kernel(std::shared_ptr<const Inside> inside) noexcept : inside_(std::move(inside)) {}

  std::shared_ptr<const Inside> inside_;
};

}  // namespace tilewright::TILEWRIGHT_ABI
