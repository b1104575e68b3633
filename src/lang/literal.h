// Literals meet types: which numbers a type takes, and as which value.
#pragma once

#include <cstdint>
#include <string>

#include "lang/ast.h"
#include "support/scalar.h"

namespace tilewright::lang {

enum class LiteralFit : std::uint8_t {
  fits,
  inexact,   ///< a fraction, inf or nan where an integer is needed
  too_large  ///< past the type's range (a float may round, but not to infinity)
};

/// Bool takes 0 and 1. A float type takes inf and nan where it has them (f8e4m3 has no inf).
LiteralFit fit_literal(const Number& number, DType type);

/// "-128 to 127", "0 and 1", …: what would be legal.
std::string literal_range(DType type);

/// The number as a value of `type`, rounded to nearest for a float. Requires that it fits.
Scalar literal_scalar(const Number& number, DType type);

}  // namespace tilewright::lang
