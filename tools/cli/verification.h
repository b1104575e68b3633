// A result against the f64 reference, with the bound of language.md: c · h · ε · Σ|terms| for a float sum, beside the
// roundings of its terms, of `then` and of the output; everything else bit for bit. docs/cli.md states c and h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "nest/evaluate.h"
#include "runtime/kernel.h"
#include "support/tensor_view.h"

namespace tilewright::cli {

/// The c of the bound, with ε the unit roundoff (2⁻²⁴ for f32): h additions give at most h·ε / (1 − h·ε).
inline constexpr double sum_constant = 1.01;

struct WrongValue {
  std::vector<std::int64_t> index;
  Scalar received;
  Scalar expected;
  double error = 0;
  double tolerance = 0;
};

struct Verification {
  std::int64_t values = 0;   ///< of the result
  std::int64_t checked = 0;  ///< of them; a sample where there are too many
  double largest_absolute = 0;
  double largest_relative = 0;
  double largest_tolerance = 0;  ///< of the values checked; 0: bit for bit
  std::int64_t chain = 1;        ///< h
  std::int64_t wrong = 0;
  std::vector<WrongValue> first_wrong;  ///< at most six, in row-major order of the values checked
  WrongValue worst;                     ///< furthest beyond its tolerance
  DType dtype = DType::f32;
  bool only_zeros = false;  ///< every value checked is 0 where the reference clearly has others: wrong

  bool is_right() const { return wrong == 0 && !only_zeros; }
};

/// How much of a large result is checked: what takes about a second, or about a sixteenth of it.
enum class Effort : std::uint8_t { thorough, brief };

/// What the reference makes of the values that are checked, kept for other results of the same nest, operands and
/// effort.
struct KnownReference {
  /// Of the values as the nest and as its statements say, and of the reductions that they are made of.
  struct Part {
    nest::ReferenceResult values, stated, reductions;
  };
  std::vector<Part> parts;
};

/// Compares `received`, what a nest (without schedule lines) computes from `operands`, whose plan's longest chain of
/// additions is `chain`. `statements`, where there are any, are those that the nest stands for: they say what is right,
/// the nest says how far a kernel of it may be from its own value, and where that is another one it may be off by
/// nothing. What `known` lacks of the reference is put there.
Result<Verification> verify_result(const nest::Nest& nest, const std::vector<nest::NamedView>& operands,
                                   const TensorView& received, std::int64_t chain, Progress& progress,
                                   Effort effort = Effort::thorough, std::span<const nest::Nest> statements = {},
                                   KnownReference* known = nullptr);

/// "right: 6 of 6 checked, …", and on a failure the lines that say where.
std::string to_text(const Verification& verification);

}  // namespace tilewright::cli
