// Executes a plan: guards, sizes, the order of steps. What the steps do is the executor's: the runtime's runs compiled
// kernels, the evaluator's runs tile programs. So every engine executes the same plan in the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nest/evaluate.h"
#include "plan/ir.h"
#include "support/tensor_view.h"

namespace tilewright::plan {

struct LaunchCall {
  KernelId kernel;
  const Launch* launch = nullptr;
  std::vector<TensorView> arguments;   ///< by the launch's arguments
  std::vector<std::int64_t> bindings;  ///< by the launch's bindings
  std::vector<std::int64_t> grid;      ///< by the launch's grid; never an empty axis: such launches are skipped
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// At least `bytes` (≥ 1) at an address that is a multiple of 64, which stay until run_plan has returned.
  virtual Result<std::byte*> allocate(std::int64_t bytes) = 0;
  /// Writes every element of the view.
  virtual Result<void> fill(const TensorView& view, Scalar value) = 0;
  virtual Result<void> launch(const LaunchCall& call) = 0;
};

/// True if all of the plan's guards hold for these views (operands and outputs by name).
bool guards_hold(const Plan& plan, const std::vector<nest::NamedView>& views);

/// Runs a plan that verifies. Errors: P101 a guard does not hold, P102 a view is missing or of the wrong type or rank,
/// P103 an expression has no value or one that is out of range, P104 no case of a choice holds; and the executor's.
Result<void> run_plan(const Plan& plan, const std::vector<nest::NamedView>& views, Executor& executor);

}  // namespace tilewright::plan
