// What an engine runs kernels on: one device's compiler, its memory and its launches. Engines know devices by this
// interface alone: host_backend.h is the processor's, cuda/cuda_backend.h a GPU's, simulator_backend.h the simulator's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/residency.h"
#include "nest/candidates.h"
#include "runtime/call_timing.h"
#include "runtime/compilation.h"
#include "runtime/tensor.h"

namespace tilewright {

/// A plan with code, prepared for calls of one signature. Thread-safe.
class DeviceCall {
 public:
  virtual ~DeviceCall() = default;
  /// Runs on tensors of the same shapes, strides and alignments, and returns when the results are there; `addresses` by
  /// the plan's operands in order, then its output.
  virtual Result<void> run(const std::vector<std::byte*>& addresses) const = 0;
  /// Queues the same on a stream of the caller's and does not wait. R082: the device has no streams.
  virtual Result<void> run_on(void*, const std::vector<std::byte*>&) const {
    return fail("R082", "this engine's device has no streams", "leave the stream out: the call waits for its results");
  }
  /// The same again and again, timed as the device does it best: by the host's clock where it has none of its own.
  virtual Result<CallTiming> time(const std::vector<std::byte*>& addresses, const TimingEffort& effort) const {
    return time_on_host([&] { return run(addresses); }, effort);
  }
  virtual std::int64_t workspace_bytes() const = 0;
};

/// All functions are thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string device_name() const = 0;  ///< "cpu", "cuda:0", "sim"
  virtual std::string processor() const = 0;    ///< "znver3", "NVIDIA H200"
  /// Calls take any time, and say nothing of a device's.
  virtual bool is_simulated() const { return false; }
  /// Kernels of this device read and write memory that is there.
  virtual bool reaches(Device memory) const = 0;

  /// A row-major tensor in new memory that kernels reach, contents undefined.
  virtual Result<Tensor> allocate(DType dtype, Shape shape) = 0;
  /// A tensor that kernels reach with the elements of one that the host reads; itself where they reach it.
  virtual Result<Tensor> to_device(const Tensor& host) = 0;
  /// A tensor that the host reads with the elements of one that kernels reach; itself where the host reads it.
  virtual Result<Tensor> to_host(const Tensor& tensor) = 0;

  /// `operands` are at least the nest's tensors; `output` may be null, and then is row-major and aligned. With
  /// `code` false no machine code is made: enough to explain and to print.
  virtual Result<Compilation> compile(const nest::BoundNest& bound, const std::vector<nest::NamedView>& operands,
                                      const TensorView* output, bool code) = 0;
  /// What the kernels of a compilation take of a GPU. A device makes their machine code to know; errors are then
  /// prepare's.
  virtual Result<kernel::Occupancy> occupancy(const Compilation&) { return kernel::Occupancy{}; }
  /// What its compile gathers facts for.
  virtual nest::VectorLoads vector_loads() const { return nest::VectorLoads::anywhere; }
  /// What a tuner may try for a nest without a schedule, its axes as written.
  virtual nest::Candidates candidate_schedules(const nest::Nest& nest, const nest::Facts& facts,
                                               const SymbolValues& sizes) const = 0;
  /// Of a compilation with code, for its own views.
  virtual Result<std::shared_ptr<const DeviceCall>> prepare(const Compilation& compilation) = 0;
};

}  // namespace tilewright
