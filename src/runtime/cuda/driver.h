// The NVIDIA driver's library, loaded at run time. Everything in src/runtime/cuda stands on it.
#pragma once

#include <memory>
#include <string>

#include "runtime/cuda/driver_calls.h"
#include "support/diagnostic.h"

namespace tilewright::cuda {

class Driver;
using DriverPtr = std::shared_ptr<const Driver>;

/// Immutable and usable from any thread. The library stays loaded until the process ends.
class Driver {
 public:
  /// The process's driver, loaded and initialised by the first call: the library named by the environment variable
  /// TILEWRIGHT_CUDA_DRIVER, else libcuda.so.1. Later calls give the same answer, error or not. R072: no library, one
  /// that lacks a function (too old), or one that finds no device.
  static Result<DriverPtr> instance();
  /// Loads and initialises the library at `path`, or of that name on the loader's search path. R072 as instance().
  static Result<DriverPtr> load(const std::string& path);

  const DriverCalls& calls() const { return calls_; }
  int version() const { return version_; }           ///< of CUDA that it supports: 12040 is 12.4
  std::string version_text() const;                  ///< "12.4"
  const std::string& path() const { return path_; }  ///< as given

  /// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string text(Outcome outcome) const;
  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"; "error 12345" where the driver does not know the number.
  std::string text(Status status) const;
  /// R090: the call failed. For calls before there is a context; a Context checks its own.
  Result<void> check(Outcome outcome) const;

 private:
  explicit Driver(std::string path) : path_(std::move(path)) {}

  DriverCalls calls_;
  std::string path_;
  int version_ = 0;
};

}  // namespace tilewright::cuda
