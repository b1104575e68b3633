// A Mac's GPU in the machine's place: the same sources and launches, compiled and run by Metal. Built where
// TILEWRIGHT_METAL_DEVICE is set (tests/metal/on_a_mac.sh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::metal_shim {

/// Host memory that a launch's buffers are filled from before and, if it is written, copied back to after.
struct DeviceBuffer {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  bool is_written = false;
};

struct DeviceLaunch {
  std::string function;
  unsigned groups = 1;
  unsigned threads = 1;
  std::vector<std::pair<std::size_t, std::int64_t>>
      arguments;                    ///< by the function's buffers: which one, from which byte
  std::vector<std::int64_t> sizes;  ///< in the buffer behind them, if there are any
};

/// What went wrong; empty: nothing.
std::string run_on_device(const std::string& source, const std::vector<DeviceLaunch>& launches,
                          const std::vector<DeviceBuffer>& buffers);

}  // namespace tilewright::metal_shim
