// The primary context of one device: what every other object of this folder is made in. It checks the driver's calls,
// and it remembers that the device is lost.
//
// A lost device. Errors that a kernel causes (an illegal address, a misaligned one, an assertion, …) are *sticky*: the
// driver gives up the context, and says so at the next call, whichever that is, so kernels launched before are suspects
// too. The first such error is reported as R092 with the call that met it. From then on every call on this device, of
// every engine, gives R092 with the first cause, without asking the driver. Destroying handles stays safe. The device's
// memory is lost; only a new process gets a working context. Other devices are not affected. A full device (R091) is no
// such error: free something and go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/cuda/device.h"

namespace tilewright::cuda {

class Context;
class MemoryPool;
class StagingPool;
using ContextPtr = std::shared_ptr<Context>;

struct MemoryFigures {
  std::int64_t free_bytes = 0;
  std::int64_t total_bytes = 0;
};

/// Usable from any thread. Each call makes the context current and restores what was: callers with contexts of their
/// own (another library's, another device's) see no change.
class Context {
 public:
  /// The context of "cuda" or "cuda:N" on the process's driver. R072.
  static Result<ContextPtr> open(std::string_view device_name);
  /// The same on a driver. A device's context is shared while anyone holds it: all engines on it share its memory pool,
  /// and know together when it is lost. R072; R090, R091: the driver makes no context.
  static Result<ContextPtr> open(const DriverPtr& driver, int ordinal);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  const Driver& driver() const { return *driver_; }
  const DeviceProperties& device() const { return device_; }
  DeviceHandle device_handle() const { return device_handle_; }
  MemoryPool& pool() { return *pool_; }
  StagingPool& staging() { return *staging_; }

  /// Runs `body(calls)`, which returns an Outcome, with this context current. R090: the call failed. R091: the device
  /// has no memory left for it. R092: the device is lost.
  template <class Body>
  Result<void> call(Body&& body) {
    if (is_lost()) return lost_error();
    return check(in_context(std::forward<Body>(body)));
  }
  /// The same for handles that are given back: the result does not matter, and a lost device is tried all the same.
  template <class Body>
  void release(Body&& body) noexcept {
    (void)in_context(std::forward<Body>(body));
  }
  /// For a call whose failures mean different things: R092 where the device is lost, else what the call returned.
  template <class Body>
  Result<Outcome> attempt(Body&& body) {
    if (is_lost()) return std::unexpected(lost_error().error());
    const Outcome outcome = in_context(std::forward<Body>(body));
    if (is_sticky(outcome.status)) return std::unexpected(check(outcome).error());
    return outcome;
  }
  /// The errors of call() for what a call returned.
  Result<void> check(Outcome outcome);

  /// Waits for all work on the device.
  Result<void> synchronize();
  Result<MemoryFigures> memory();
  bool is_lost() const { return lost_.load(std::memory_order_acquire); }
  /// ": 12 of 100 bytes are free", for messages; empty where the driver does not tell.
  std::string free_memory_text();

 private:
  Context(DriverPtr driver, DeviceProperties device);
  Result<void> retain();
  static bool is_sticky(Status status);
  std::unexpected<Diagnostics> lost_error() const;

  template <class Body>
  Outcome in_context(Body&& body) {
    const DriverCalls& calls = driver_->calls();
    if (const Outcome pushed = calls.cuCtxPushCurrent(handle_); !pushed.ok()) return pushed;
    const Outcome outcome = body(calls);
    ContextHandle popped = nullptr;
    (void)calls.cuCtxPopCurrent(&popped);
    return outcome;
  }

  DriverPtr driver_;
  DeviceProperties device_;
  DeviceHandle device_handle_ = 0;
  ContextHandle handle_ = nullptr;
  std::unique_ptr<MemoryPool> pool_;
  std::unique_ptr<StagingPool> staging_;
  std::atomic<bool> lost_ = false;
  mutable std::mutex lost_mutex_;
  std::string lost_cause_;  ///< guarded by lost_mutex_
};

}  // namespace tilewright::cuda
