// Statements compiled for an NVIDIA GPU, as far as PTX: what needs no device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/compilation.h"
#include "runtime/lru.h"
#include "support/target.h"

namespace tilewright {

/// A plan with PTX for each of its kernels; none where it was only to be looked at.
struct NvptxPlan final : LoweredPlan {
  using LoweredPlan::LoweredPlan;
  std::vector<std::string> ptx;
};

/// The target of an engine whose calls may allocate so many bytes (0: no limit): operands are repacked within them.
GpuTarget within_limit(GpuTarget target, std::int64_t workspace_limit);

/// What a planner says of a statement's schedule, which knows no text, at the statement.
Diagnostics at_statement(Diagnostics errors, const lang::Statement& statement);

/// Compiles for one architecture, with a cache of compiled plans. Thread-safe.
class NvptxCompiler {
 public:
  explicit NvptxCompiler(GpuTarget target) : target_(std::move(target)) {}

  /// As Backend::compile. R071: a precision that needs tensor cores. G0xx: emit_for_nvptx's.
  Result<Compilation> compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                              const TensorView* output, bool code = true);
  const GpuTarget& target() const { return target_; }

 private:
  GpuTarget target_;
  LruMap<std::string, std::shared_ptr<const NvptxPlan>> plans_{512};
};

}  // namespace tilewright
