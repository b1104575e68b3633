// How strongly operators bind: one table for the parser and the printer. Weakest first: or, and, not, comparisons
// (which do not chain), + and -, * and /, unary minus.
#pragma once

#include <array>
#include <string_view>

#include "support/scalar_op.h"

namespace tilewright::lang {

inline constexpr int weakest_level = 0;
inline constexpr int not_level = 2;
inline constexpr int comparison_level = 3;
inline constexpr int minus_level = 6;
inline constexpr int operand_level = 7;  ///< a read, a call, a number, (…)

struct Infix {
  ScalarOp op;
  int level;
};
inline constexpr std::array<Infix, 12> infix_table = {{{ScalarOp::logical_or, weakest_level},
                                                       {ScalarOp::logical_and, 1},
                                                       {ScalarOp::lt, comparison_level},
                                                       {ScalarOp::le, comparison_level},
                                                       {ScalarOp::gt, comparison_level},
                                                       {ScalarOp::ge, comparison_level},
                                                       {ScalarOp::eq, comparison_level},
                                                       {ScalarOp::ne, comparison_level},
                                                       {ScalarOp::add, 4},
                                                       {ScalarOp::sub, 4},
                                                       {ScalarOp::mul, 5},
                                                       {ScalarOp::div, 5}}};

}  // namespace tilewright::lang
