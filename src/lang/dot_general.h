// dot_general(a[:, :], b[:, :], contracting = [1] x [0], batch = [] x []): the call as written, its checks, and the
// reads that it stands for. The parser reads it (parse_dot_general.cpp) and makes an ordinary statement of it at once:
// c[i, j] ++= a[i, k0] * b[k0, j]. docs/adr/0014 has the reasons for the form.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "lang/ast.h"
#include "support/diagnostic.h"

namespace tilewright::lang {

struct DotAxis {
  std::int64_t number = 0;  ///< as written; the largest or lowest where 64 bits do not hold it
  Span span;
};

struct DotOperand {
  Named tensor;
  std::vector<Span> slots;  ///< a ':' for each axis
  Span span;
  std::vector<DotAxis> contracting;
  std::vector<DotAxis> batch;
};

struct DotForm {
  std::array<DotOperand, 2> operands;
  Span contracting_span;  ///< of both lists
  Span batch_span;
  Span span;
};

/// The axes: L022, L081 to L084. Where they are in order, whether the target has an iterator for each axis of the
/// result: L085.
void check_dot_general(const DotForm& form, const Statement& statement, Diagnostics& diagnostics);

/// The reads of the operands at the target's iterators and, along contracting axes, at k0, k1, …; one that is among
/// `taken` gets underscores. Also says in `statement` that it is a dot_general. Requires that the form was checked.
std::array<Read, 2> dot_general_reads(const DotForm& form, const std::unordered_set<std::string>& taken,
                                      Statement& statement);

}  // namespace tilewright::lang
