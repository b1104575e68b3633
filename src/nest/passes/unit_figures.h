// The matrix units of a target as its scheduler sees them: which it has, how quick they are, and the words for what
// they multiply. Private to schedule_for_gpu and its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "support/matrix_unit.h"
#include "support/target.h"

namespace tilewright::nest::gpu_schedule {

/// Figures of one multiprocessor, in cycles or per cycle, that weigh candidates against each other. Of warpgroups they
/// are fitted to the times of 150 products of f16, of eight shapes, on an H200; of warps they are what the vendor says
/// of the units, and of the rest guesses that no time was held against.
struct UnitFigures {
  matrix_unit::Unit unit;
  int capability = 0;   ///< of the target, at most so much of them
  double products = 0;  ///< of 16 bits; of narrower ones accordingly more, of 32 bits half
  double f64_products = 0;
  std::int64_t fewest_columns = 0;  ///< that a product of fewer takes as long as
  double copied_bytes = 0;          ///< that arrive from the second-level cache
  double shared_bytes = 0;          ///< that go to shared memory or come from it
  std::int64_t most_stages = 0, least_stages = 0;
};

bool has_unit(const GpuTarget& target, matrix_unit::Unit unit);
/// The first unit of the table that multiplies such elements, as a statement of that precision means it; of the one
/// that is asked for alone, where one is.
std::optional<matrix_unit::Unit> find_unit(const GpuTarget& target, DType element, DType sums, Precision precision,
                                           std::optional<matrix_unit::Unit> asked = std::nullopt);
/// Null where the target lacks the unit.
const UnitFigures* figures_of(const GpuTarget& target, matrix_unit::Unit unit);

/// The legal values of `variant`: "'block', or 'warpgroup' or 'warp' for matrix units".
std::string variants_text(const GpuTarget& target);
/// What a unit of the target multiplies: "f16, bf16 or i8, or of f32 with precision: tf32, or of
/// f32 with precision: tf32x3". Requires has_unit.
std::string elements_text(const GpuTarget& target, matrix_unit::Unit unit);

}  // namespace tilewright::nest::gpu_schedule
