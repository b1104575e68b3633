// The project's main test: one statement on the same operands at every level. The f64 reference, the tile program
// before placement, the plan on the tile evaluator, the plan on the kernel interpreter (which sees each access out of
// bounds) and generated code, and a GPU's plan on the tile evaluator and, where it is asked for, its kernels on the
// simulator, each compared with what the statement may give (bounds.h) on outputs with guards.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernel/lower/tile_to_kernel.h"
#include "kernel/simulate.h"
#include "operand.h"
#include "support/scalar.h"

namespace tilewright::differential {

struct Case {
  std::string statement;
  std::vector<OperandSpec> operands;
  std::vector<std::int64_t> output_strides = {};  ///< empty: row-major
  std::int64_t output_misalign = 0;               ///< elements
  std::uint64_t seed = 1;
  std::string processor = {};    ///< "sse2", "avx2", "avx512"; empty, or one that this machine lacks: this machine
  bool small_caches = false;     ///< of 1, 4 and 16 KiB: packing, staging and streaming begin at the sizes of a test
  bool slow_levels = true;       ///< the tile evaluators and the kernel interpreter too
  bool gpu_levels = false;       ///< a GPU's
  bool simulated = false;        ///< of a GPU's, its kernels on the simulator too
  bool repacked = false;         ///< of a GPU's: misaligned operands of products are copied first, however small
  std::string gpu_variant = {};  ///< of a GPU's: `variant` of the schedule, which hosts may not have
  std::string gpu_arch = "sm_90a";
  std::int64_t gpu_shared_bytes = 0;           ///< of a GPU's block, at most; 0: what the architecture has
  Precision gpu_precision = Precision::exact;  ///< of a GPU's, which hosts may not have
  bool counted = false;                        ///< the simulator counts what accesses cost
  bool host_levels = true;                     ///< the others
  /// What a test changes of the GPU's kernels; then they alone are compared.
  std::function<void(std::vector<kernel::LoweredKernel>&)> change_gpu_kernels = {};
};
/// What repeats the case, for a message.
std::string to_text(const Case& each);

struct Outcome {
  /// Where a level differs: level, index, received, allowed. Empty: all agree.
  std::string difference;
  /// Diagnostics of a statement that the language or the target does not take; nothing was run.
  std::string rejection;
  std::vector<Scalar> values;  ///< of generated code, row-major
  std::vector<std::int64_t> shape;
  DType dtype = DType::f32;
  std::vector<kernel::LoweredKernel> gpu_kernels;  ///< of the GPU's plan
  kernel::SimulationCounters counters;             ///< of what the simulator checked fully
};
Outcome run_everywhere(const Case& each);

/// The difference or the rejection, after the case; empty where all levels agree.
std::string disagreement(const Case& each);

}  // namespace tilewright::differential
