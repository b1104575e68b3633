// How long work takes on the device, for `bench` and for tuning: between events, so that neither the host's speed nor
// its noise is in the figures.
#pragma once

#include <functional>
#include <vector>

#include "runtime/cuda/memory.h"

namespace tilewright::cuda {

/// Queues repetition `index` of the work on the stream, and nothing that waits. Rotating among buffers by `index` keeps
/// the cache cold.
using TimedWork = std::function<Result<void>(const Stream& stream, int index)>;

struct ReplayOptions {
  int launches = 20;  ///< of the work in one graph
  int replays = 10;   ///< each is one figure
};
/// Seconds of one launch, for each replay: a graph of `launches` repetitions replayed, after one replay to warm up.
/// For work so short that the host cannot queue it fast enough.
Result<std::vector<double>> time_replays(const Stream& stream, const TimedWork& work,
                                         const ReplayOptions& options = {});

/// Seconds of each of `samples` launches, each after the device's L2 cache was filled with other data, which is not
/// counted; after one to warm up. For work of some µs or more: an event costs about one.
Result<std::vector<double>> time_cold(const Stream& stream, const TimedWork& work, int samples);

}  // namespace tilewright::cuda
