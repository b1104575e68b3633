// Copies of operands, which kernels of their own make before a nest runs: how one lies in memory, the nest that writes
// it, and the nest that reads it in the operand's place. Private to the passes that decide on copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nest/facts.h"
#include "nest/ir.h"
#include "nest/passes/schedule_for_host.h"

namespace tilewright::nest {

struct OperandCopy {
  Nest nest;  ///< named as the copy
  Facts facts;
  std::vector<IntExpr> strides;  ///< of the copy, in elements
  IntExpr elements;              ///< that its memory has, with padding
};

/// What a pass decided: copies to be made before the nest runs.
struct OperandCopies {
  std::vector<OperandCopy> operands;
  Reasons reasons;
};

inline constexpr std::int64_t copy_row_bytes = 128;  ///< that rows of copies start at multiples of
/// Bytes that a multiprocessor of sm_90 reads or writes in a cycle, to weigh copies by.
inline constexpr double copied_bytes_per_cycle = 16;

/// Points, by the buckets, whose extents lie between their half and themselves.
double expected(const Facts& facts, IterId iter);
double expected(const Facts& facts, const std::vector<IterId>& iters);

/// One iterator in each slot, each in one of them: then the slots' iterators.
std::optional<std::vector<IterId>> plain_index(const Read& read);

/// Of the axes, whose iterators these are, the only one with neighbours in memory; nullopt: there is none, there are
/// several, or some axis repeats.
std::optional<std::size_t> contiguous_axis(const Facts& facts, TensorId tensor, const std::vector<IterId>& axes);

/// Of at most so many bytes, by the sizes' buckets, with rows along the axis `contiguous`; INT64_MAX: some bucket is no
/// upper bound.
std::int64_t most_bytes_of_copy(const Facts& facts, const std::vector<IterId>& axes, std::size_t contiguous,
                                std::int64_t element_bytes);

/// A copy of the operand with its axes, named by the iterators `axes`: rows along `contiguous`, padded to multiples of
/// 128 bytes, then the other axes, the last one innermost. With `pieces` there are so many of each row, one behind the
/// other, numbered by an iterator more, the last of the copy's; whoever asks for them says what they are, in `value`.
OperandCopy copy_operand(const Nest& nest, const Facts& facts, TensorId tensor, std::string name,
                         const std::vector<IterId>& axes, std::size_t contiguous, DType element,
                         std::int64_t pieces = 1);

/// The tensor becomes the copy: its name, type, rank and facts; extents and reads of the nest follow. Indices of
/// further axes are the caller's.
void replace_by_copy(Nest& nest, Facts& facts, TensorId tensor, const OperandCopy& copy);

}  // namespace tilewright::nest
