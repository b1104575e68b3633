// A stand-in for libcuda.so.1 over host memory, for tests: what they set up and ask. The library exports the driver's
// functions and fake_cuda(), which gives this interface.
//
// Streams are as late as they may be: what is queued runs when somebody waits for it, so that a forgotten wait shows.
// Kernels are known by name: `add` (c = a + b, f32), `fault` (an illegal address), any other does nothing. Time is
// virtual: a launch takes 10 µs, a fill 1 ns for each 1000 bytes, all else nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cuda/driver_types.h"

namespace tilewright::cuda {

struct FakeDevice {
  std::string name = "Fake H200";
  int major = 9;
  int minor = 0;
  std::int64_t memory_bytes = std::int64_t{64} << 20;
  bool has_pools = true;
};

struct FakeLaunch {
  std::string kernel;
  std::array<unsigned, 3> grid{};
  std::array<unsigned, 3> block{};
  std::array<unsigned, 3> cluster{1, 1, 1};
  unsigned shared_bytes = 0;
  bool overlaps_previous = false;
};

class FakeCuda {
 public:
  virtual ~FakeCuda() = default;
  /// Forgets everything; a driver with these devices.
  virtual void reset(std::vector<FakeDevice> devices) = 0;
  /// The `nth` call from now (1: the next) of the function of this documented name returns `status` and does nothing.
  virtual void fail(const std::string& call, int nth, Status status) = 0;
  /// Calls of it since the reset.
  virtual int count(const std::string& call) = 0;
  /// "2 streams, 1 module"; empty where every handle has been given back.
  virtual std::string live() = 0;
  virtual std::vector<FakeLaunch> launches() = 0;
  /// Bytes of the device's memory that are given out, not counting what its pool keeps.
  virtual std::int64_t used_bytes(int device) = 0;
  /// Contexts that this thread has made current and not restored.
  virtual int current_depth() = 0;
};

}  // namespace tilewright::cuda

extern "C" tilewright::cuda::FakeCuda* fake_cuda();
/// reset() with so many devices, for what is not C++.
extern "C" void fake_cuda_reset(int devices);
