// Loaded machine code and its kernels: what each uses of the device, and how it is launched.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/cuda/link_ptx.h"
#include "runtime/cuda/stream.h"

namespace tilewright::cuda {

class Function;
class Module;
using ModulePtr = std::shared_ptr<const Module>;

/// Code on one device. Immutable; unloaded, after waiting for the device, with the last handle to it or to one of its
/// functions.
class Module : public std::enable_shared_from_this<Module> {
 public:
  /// Machine code, or PTX with a NUL behind it, which the driver compiles as a whole program. R093: the driver does not
  /// take the image (of another architecture, or damaged; PTX that it refuses). R090 to R092.
  static Result<ModulePtr> load(ContextPtr context, Cubin cubin);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  /// R090: no kernel is called so.
  Result<Function> function(const std::string& name) const;
  const Cubin& cubin() const { return cubin_; }
  const ContextPtr& context() const { return context_; }

 private:
  Module(ContextPtr context, Cubin cubin) : context_(std::move(context)), cubin_(std::move(cubin)) {}

  ContextPtr context_;
  Cubin cubin_;
  ModuleHandle handle_ = nullptr;
};

/// What a kernel uses.
struct FunctionProperties {
  int registers = 0;     ///< of a thread
  int local_bytes = 0;   ///< of a thread: arrays, spills and frames
  int shared_bytes = 0;  ///< of a block, beside what a launch adds
  int max_threads = 0;   ///< of a block, as its registers allow
  int ptx_version = 0;   ///< 90 of sm_90
  int binary_version = 0;
  std::optional<FunctionLog> log;  ///< spills, where the compiler's log tells
};

/// The shape of a launch.
struct Launch {
  std::array<std::int64_t, 3> grid{1, 1, 1};     ///< blocks, x first
  std::array<std::int64_t, 3> block{1, 1, 1};    ///< threads
  std::array<std::int64_t, 3> cluster{1, 1, 1};  ///< blocks; each divides the grid's
  std::int64_t shared_bytes = 0;                 ///< of a block, beside the kernel's own
  /// Programmatic dependent launch: the kernel may start while the one before it on the stream still runs, and waits
  /// itself (griddepcontrol.wait). Without effect below compute capability 9.0.
  bool overlaps_previous = false;
};

/// A handle to a kernel; keeps its module. Usable from any thread.
class Function {
 public:
  const std::string& name() const { return state_->name; }
  const FunctionProperties& properties() const { return state_->properties; }

  /// Queues a launch. `parameters` points at each parameter's value, which is copied. R094: more than the device or the
  /// kernel allows (the message has limit and figure; nothing was launched), or an empty grid. R090 to R092; errors of
  /// the running kernel come with a later call.
  Result<void> launch(const Stream& stream, const Launch& launch, std::span<void* const> parameters) const;
  /// The same with the parameters themselves: addresses, numbers, TensorMaps.
  template <class... Parameters>
  Result<void> launch_with(const Stream& stream, const Launch& launch, Parameters... parameters) const {
    const std::array<void*, sizeof...(Parameters)> pointers{static_cast<void*>(&parameters)...};
    return this->launch(stream, launch, pointers);
  }

  /// Blocks of the shape that one multiprocessor runs at once.
  Result<int> resident_blocks(const Launch& launch) const;
  /// Clusters of the shape that the device runs at once. R094: the device has no clusters.
  Result<int> resident_clusters(const Launch& launch) const;

 private:
  friend class Module;
  struct State {
    ModulePtr module;
    std::string name;
    FunctionHandle handle = nullptr;
    FunctionProperties properties;
    mutable std::mutex mutex;
    mutable std::int64_t shared_limit = 0;  ///< dynamic bytes that the driver has been asked to allow
    mutable bool any_cluster_size = false;  ///< asked to allow clusters of more than 8 blocks
  };
  explicit Function(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  Context& context() const { return *state_->module->context(); }
  Result<void> check(const Launch& launch) const;
  /// Asks the driver for what is beyond a function's defaults.
  Result<void> opt_in(const Launch& launch) const;

  std::shared_ptr<const State> state_;
};

}  // namespace tilewright::cuda
