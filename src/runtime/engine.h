// Engine: a device that kernels run on.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/residency.h"
#include "nest/candidates.h"
#include "runtime/call_signature.h"
#include "runtime/call_timing.h"
#include "runtime/choice_store.h"
#include "runtime/compilation.h"
#include "runtime/kernel.h"
#include "runtime/tensor.h"

namespace tilewright {

struct EngineOptions {
  bool disk_cache = true;            ///< keep compiled kernels between processes
  std::int64_t workspace_limit = 0;  ///< bytes that one call may allocate beside its results; 0: no limit
  bool stored_choices = true;        ///< use the schedules that a tuner stored, where a statement has none of its own
};

struct PreparedNest;

/// What one call may ask for.
struct CallOptions {
  /// A CUstream of the device that the call is queued on, after what is there already; the call then returns before the
  /// results are there. Absent: the call waits for them.
  std::optional<void*> stream = {};
};

/// The element type and the shape of a statement's result for these operands, which are in the order of
/// Kernel::operand_names(). R076: another number of them. R077: a program. B0xx as Engine::eval.
Result<std::pair<DType, Shape>> result_type(const Kernel& kernel, const std::vector<const Tensor*>& operands);

/// The same, if it has been asked for before; null where result_type() must check the operands.
std::shared_ptr<const std::pair<DType, Shape>> known_result_type(const Kernel& kernel,
                                                                 std::span<const TensorRef> operands);

/// A handle; copies share the device and its caches. All calls are thread-safe. They block until the results are there,
/// unless CallOptions name a stream; on a GPU they begin behind what the default stream holds.
class Engine {
 public:
  /// "cpu"; "cuda" or "cuda:N", an NVIDIA GPU; "sim", the simulator of one. R072: no such device, or none that this
  /// machine has; says what was looked for.
  static Result<Engine> open(std::string_view device = "cpu", const EngineOptions& options = {});

  /// Computes the kernel's only result. Operands may come in any order; R076: names that do not fit. B0xx: types and
  /// shapes that do not fit. R073: an operand is not in memory of this device. R075: a program has several results (use
  /// run).
  Result<Tensor> eval(const Kernel& kernel, const std::vector<Operand>& operands) const;
  /// A nest's value; the operands are at least its tensors, in memory of this device and of the types and shapes for
  /// which it was bound.
  Result<Tensor> eval(const nest::BoundNest& bound, const std::vector<Operand>& operands) const;
  /// The kernel's result into existing memory of any strides. R074: wrong type or shape, or read only; R0xx of
  /// check_overlap: it overlaps an operand or itself.
  Result<void> eval_into(const Kernel& kernel, const std::vector<Operand>& operands, const Tensor& output,
                         const CallOptions& options = {}) const;
  /// eval_into with operands in the order of Kernel::operand_names(). R076: another number of them. R082: a stream on a
  /// device that has none.
  Result<void> call(const Kernel& kernel, const std::vector<const Tensor*>& operands, const Tensor& output,
                    const CallOptions& options = {}) const;
  /// The same call, if one of its signature has been made before and the output lies apart from the operands; nullopt
  /// where a call() must check it.
  std::optional<Result<void>> call_again(const Kernel& kernel, std::span<const TensorRef> operands,
                                         const TensorRef& output, const CallOptions& options = {}) const;
  /// Calls eval_into again and again and times it: without the checks before a call, and on a device without the host's
  /// part of it. The errors are eval_into's.
  Result<CallTiming> time_into(const Kernel& kernel, const std::vector<Operand>& operands, const Tensor& output,
                               const TimingEffort& effort = {}) const;
  /// All results of a statement or a program, by name. Statements of a program run as fuse_program says; its
  /// intermediate results count as workspace (R078).
  Result<std::vector<Operand>> run(const Kernel& kernel, const std::vector<Operand>& operands) const;

  /// Compiles without running. Only types, shapes, strides and alignment of the operands matter; data may be null.
  Result<Compilation> compile(const Kernel& kernel, const std::vector<nest::NamedView>& operands,
                              bool code = true) const;
  /// The same of a nest, whose tensors are among the operands.
  Result<Compilation> compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                              bool code = true) const;

  /// What a compilation's kernels take of a GPU, and how many blocks it therefore runs at once; empty on a processor.
  Result<kernel::Occupancy> occupancy(const Compilation& compilation) const;

  /// Schedules that a tuner may try for a statement, the automatic one as lines first; whatever schedule the statement
  /// has is left out of account. R077: a program. B0xx.
  Result<nest::Candidates> candidate_schedules(const Kernel& kernel,
                                               const std::vector<nest::NamedView>& operands) const;
  /// Stores a choice for the statement without its schedule, for operands like these on this device, and uses it from
  /// the next call on. R053: the database cannot be used. R054: choices are off. R077, B0xx.
  Result<void> keep_choice(const Kernel& kernel, const std::vector<nest::NamedView>& operands,
                           const StoredChoice& choice) const;
  /// Forgets it, where there is one. Errors: keep_choice's.
  Result<void> forget_choice(const Kernel& kernel, const std::vector<nest::NamedView>& operands) const;
  /// The schedule that is stored for such a statement; nullopt: none. R056: what is stored is none that would be used.
  /// R053, R077, B0xx.
  Result<std::optional<nest::Schedule>> stored_schedule(const Kernel& kernel,
                                                        const std::vector<nest::NamedView>& operands) const;
  /// Whether choices can be stored now. R050, R051: not in the cache's folder. R053. R054: they are off.
  Result<void> check_choices() const;
  /// The file of stored choices; empty where they are off.
  std::filesystem::path choices_file() const;
  /// What kept stored choices from being used, since the engine was opened: R053. From then on none is looked for.
  std::optional<Diagnostics> choices_trouble() const;
  /// The same device, its memory and its caches, whose statements without a schedule have the automatic one.
  Engine without_stored_choices() const;

  /// A tensor in memory that this engine's kernels reach, with the elements of one that the host reads; itself where
  /// they reach it.
  Result<Tensor> to_device(const Tensor& host) const;
  /// The reverse.
  Result<Tensor> to_host(const Tensor& tensor) const;
  /// A row-major tensor in new memory that this engine's kernels reach, contents undefined.
  Result<Tensor> allocate(DType dtype, Shape shape) const;
  std::string device_name() const;  ///< "cpu", "cuda:0", "sim"
  std::string processor() const;    ///< "znver3", "NVIDIA H200"
  bool is_simulated() const;        ///< its calls take any time, and say nothing of a device's

 private:
  struct State;
  struct ReadyCall;
  struct Chosen;
  using Make = std::function<Result<PreparedNest>(const nest::BoundNest& scheduled, bool stored)>;
  /// The stored choice for a nest, or why it is not used.
  Chosen choose(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                const TensorView* output) const;
  /// What `make` makes of the nest with its stored choice, where there is one with which it succeeds; else of the nest
  /// as it is. The trace says which.
  Result<PreparedNest> make_with_choice(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                        const TensorView* output, const Make& make) const;
  /// With the stored choice, where a call would have it.
  Result<Compilation> compile_nest(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                   const TensorView* output, bool code) const;
  /// As ProgramCall::Prepare. The tensors have data.
  Result<PreparedNest> prepare_nest(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                    const TensorView& output, std::optional<std::int64_t> room) const;
  Result<ReadyCall> ready(const Kernel& kernel, const std::vector<const Tensor*>& operands, const Tensor& output) const;
  /// What `use` does with the call; again without the stored choice with which that fails.
  template <class Use>
  auto use_call(const Kernel& kernel, const std::vector<const Tensor*>& operands, const Tensor& output,
                const Use& use) const;
  std::optional<std::int64_t> workspace_room() const;
  explicit Engine(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

std::vector<nest::NamedView> views_of(const std::vector<Operand>& operands);

/// Each tensor moved by `move`, which is Engine::to_device or Engine::to_host.
Result<std::vector<Operand>> moved(const Engine& engine, const std::vector<Operand>& operands,
                                   Result<Tensor> (Engine::*move)(const Tensor&) const);

}  // namespace tilewright
