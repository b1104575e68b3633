// Event pairs around graphs or around single launches. See timing.h.
#include "runtime/cuda/timing.h"

#include <algorithm>

#include "runtime/cuda/graph.h"

namespace tilewright::cuda {
namespace {

/// Bytes that displace all of a cache of `l2_bytes`, wherever its sets are.
std::int64_t flush_bytes(std::int64_t l2_bytes) {
  return std::max<std::int64_t>(2 * l2_bytes, std::int64_t{16} << 20);
}

Result<std::vector<Event>> timing_events(const ContextPtr& context, int count) {
  std::vector<Event> events;
  for (int n = 0; n < count; ++n) {
    Result<Event> event = Event::create(context, Event::Kind::timing);
    if (!event) return std::unexpected(std::move(event.error()));
    events.push_back(std::move(*event));
  }
  return events;
}

/// Between each event of even place and its successor.
Result<std::vector<double>> differences(const std::vector<Event>& events) {
  std::vector<double> seconds;
  for (std::size_t n = 0; n + 1 < events.size(); n += 2) {
    const Result<double> between = Event::seconds_between(events[n], events[n + 1]);
    if (!between) return std::unexpected(between.error());
    seconds.push_back(*between);
  }
  return seconds;
}

}  // namespace

Result<std::vector<double>> time_replays(const Stream& stream, const TimedWork& work, const ReplayOptions& options) {
  const auto record_all = [&]() -> Result<void> {
    for (int index = 0; index < options.launches; ++index)
      if (auto queued = work(stream, index); !queued) return queued;
    return {};
  };
  Result<Graph> graph = Graph::capture(stream, record_all);
  if (!graph) return std::unexpected(std::move(graph.error()));
  Result<std::vector<Event>> events = timing_events(stream.context_ptr(), 2 * options.replays);
  if (!events) return std::unexpected(std::move(events.error()));
  const auto run = [&]() -> Result<void> {
    if (auto warm = graph->launch(stream); !warm) return warm;
    for (std::size_t n = 0; n < events->size(); n += 2) {
      if (auto marked = (*events)[n].record(stream); !marked) return marked;
      if (auto launched = graph->launch(stream); !launched) return launched;
      if (auto marked = (*events)[n + 1].record(stream); !marked) return marked;
    }
    return stream.synchronize();
  };
  if (auto done = run(); !done) return std::unexpected(std::move(done.error()));
  Result<std::vector<double>> seconds = differences(*events);
  if (seconds)
    for (double& figure : *seconds) figure /= options.launches;
  return seconds;
}

Result<std::vector<double>> time_cold(const Stream& stream, const TimedWork& work, int samples) {
  const std::int64_t bytes = flush_bytes(stream.context().device().l2_bytes);
  Result<DeviceMemory> other = DeviceMemory::allocate(stream, bytes);
  if (!other) return std::unexpected(std::move(other.error()));
  Result<std::vector<Event>> events = timing_events(stream.context_ptr(), 2 * samples);
  if (!events) return std::unexpected(std::move(events.error()));
  const auto run = [&]() -> Result<void> {
    if (auto warm = work(stream, 0); !warm) return warm;
    for (int sample = 0; sample < samples; ++sample) {
      // The flush also gives the host the time to queue what is measured behind it.
      if (auto flushed = fill_bytes(stream, other->address(), static_cast<std::uint8_t>(sample), bytes); !flushed)
        return flushed;
      const auto place = static_cast<std::size_t>(2 * sample);
      if (auto marked = (*events)[place].record(stream); !marked) return marked;
      if (auto queued = work(stream, sample); !queued) return queued;
      if (auto marked = (*events)[place + 1].record(stream); !marked) return marked;
    }
    return stream.synchronize();
  };
  if (auto done = run(); !done) return std::unexpected(std::move(done.error()));
  return differences(*events);
}

}  // namespace tilewright::cuda
