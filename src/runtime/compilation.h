// One statement compiled for one signature of operands: every level that it went through, for running, `explain` and
// `emit`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nest/bind_program.h"
#include "nest/evaluate.h"
#include "nest/facts.h"
#include "nest/passes/coalesce_iterators.h"
#include "nest/trace.h"
#include "runtime/disk_cache.h"
#include "runtime/host_call.h"
#include "runtime/lru.h"
#include "support/target.h"

namespace tilewright {

struct Compilation {
  nest::Nest reference;  ///< as the statement says: no schedule, no axis merged; what the oracle evaluates
  nest::Nest nest;       ///< with the schedule's lines applied and contiguous axes merged
  nest::Facts facts;
  nest::NestViews views;  ///< of `nest`'s tensors; their data pointers are those of the views compiled for
  std::shared_ptr<const LoweredPlan> plan;
  nest::Trace trace;  ///< below the nest only where no machine code was asked for: to be looked at
  DType output = DType::f32;
  std::vector<std::int64_t> output_shape;
};

/// Names, types and shapes.
std::vector<lang::OperandType> types_of(const std::vector<nest::NamedView>& views);

/// What is known of a compilation before its schedule: the nest as its statements say, the output's type and the views;
/// `nest` is empty. `output` as Backend::compile.
Compilation with_views(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                       const TensorView* output);

/// The levels below binding and above the plan, which are the same for all devices: the nest with its schedule's lines,
/// merged axes, facts. `output` as Backend::compile.
Result<Compilation> compile_to_nest(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                    const TensorView* output, nest::VectorLoads loads = nest::VectorLoads::anywhere);

/// R071 at the statement's `precision` line if that is none of the tiers; `where`: "on this device (cpu)".
Result<void> require_precision(const lang::Statement& statement, std::span<const Precision> tiers,
                               std::string_view where);

/// Compiles for the host, with caches of compiled plans in memory and of objects on disk. Thread-safe.
class HostCompiler {
 public:
  HostCompiler(HostTarget target, DiskCache disk);

  /// `operands` are at least the nest's tensors; `output` may lack data (null), and then is row-major and aligned. With
  /// `code` false the kernels are not compiled to machine code: enough to explain and to print.
  Result<Compilation> compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                              const TensorView* output, bool code = true);
  const HostTarget& target() const { return target_; }

 private:
  Result<std::shared_ptr<const codegen::HostCode>> compile_kernel(const kernel::LoweredKernel& lowered);

  HostTarget target_;
  DiskCache disk_;
  LruMap<std::string, std::shared_ptr<const HostPlan>> plans_{512};
};

}  // namespace tilewright
