// The fake driver's streams, events, copies and graphs.
#include <cstring>

#include "fake_call.h"

using namespace tilewright::cuda;

FAKE_EXPORT cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream) {
  FAKE_ENTER("cuMemcpyHtoDAsync", true);
  if (!state().is_device_range(to, bytes) || !state().is_pinned_range(from, bytes)) return Status::invalid_value;
  return state().push(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
}

FAKE_EXPORT cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  FAKE_ENTER("cuMemcpyDtoHAsync", true);
  if (!state().is_device_range(from, bytes) || !state().is_pinned_range(to, bytes)) return Status::invalid_value;
  return state().push(stream, [=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
}

FAKE_EXPORT cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  FAKE_ENTER("cuMemcpyDtoDAsync", true);
  if (!state().is_device_range(from, bytes) || !state().is_device_range(to, bytes)) return Status::invalid_value;
  return state().push(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
}

FAKE_EXPORT cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t count, StreamHandle stream) {
  FAKE_ENTER("cuMemsetD8Async", true);
  if (!state().is_device_range(to, count)) return Status::invalid_value;
  return state().push(stream, [=] {
    std::memset(reinterpret_cast<void*>(to), value, count);
    state().clock_ns += static_cast<double>(count) / 1000;
  });
}

namespace {

/// Sets units of a rectangle; the driver wants rows that do not overlap.
template <class Unit>
Status fill_rectangle(DevicePointer to, std::size_t pitch, Unit value, std::size_t width, std::size_t height,
                      StreamHandle stream) {
  if (width == 0 || height == 0 || pitch % sizeof(Unit) != 0 || pitch < width * sizeof(Unit) || to % sizeof(Unit) != 0)
    return Status::invalid_value;
  if (!state().is_device_range(to, (height - 1) * pitch + width * sizeof(Unit))) return Status::invalid_value;
  return state().push(stream, [=] {
    for (std::size_t row = 0; row < height; ++row)
      for (std::size_t column = 0; column < width; ++column) reinterpret_cast<Unit*>(to + row * pitch)[column] = value;
  });
}

}  // namespace

FAKE_EXPORT cuMemsetD2D8Async(DevicePointer to, std::size_t pitch, unsigned char value, std::size_t width,
                              std::size_t height, StreamHandle stream) {
  FAKE_ENTER("cuMemsetD2D8Async", true);
  return fill_rectangle(to, pitch, value, width, height, stream);
}

FAKE_EXPORT cuMemsetD2D16Async(DevicePointer to, std::size_t pitch, unsigned short value, std::size_t width,
                               std::size_t height, StreamHandle stream) {
  FAKE_ENTER("cuMemsetD2D16Async", true);
  return fill_rectangle(to, pitch, value, width, height, stream);
}

FAKE_EXPORT cuMemsetD2D32Async(DevicePointer to, std::size_t pitch, unsigned value, std::size_t width,
                               std::size_t height, StreamHandle stream) {
  FAKE_ENTER("cuMemsetD2D32Async", true);
  return fill_rectangle(to, pitch, value, width, height, stream);
}

FAKE_EXPORT cuStreamCreate(StreamHandle* stream, unsigned) {
  FAKE_ENTER("cuStreamCreate", true);
  auto object = std::make_unique<StreamObject>();
  object->context = context_stack().back();
  *stream = state().streams.add(std::move(object));
  return Status::success;
}

FAKE_EXPORT cuStreamDestroy_v2(StreamHandle stream) {
  FAKE_ENTER("cuStreamDestroy", false);
  if (!state().streams.has(stream)) return invalid_handle;
  state().drain(stream);  // what is queued still runs
  state().streams.remove(stream);
  return Status::success;
}

FAKE_EXPORT cuStreamSynchronize(StreamHandle stream) {
  FAKE_ENTER("cuStreamSynchronize", true);
  if (!state().streams.has(stream)) return invalid_handle;
  if (stream->capture) {
    stream->capture_broken = true;
    return capture_unsupported;
  }
  state().drain(stream);
  return current_device()->sticky;
}

FAKE_EXPORT cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  FAKE_ENTER("cuStreamWaitEvent", true);
  if (!state().events.has(event)) return invalid_handle;
  StreamObject* const other = event->stream;
  const std::uint64_t ticket = event->ticket;
  return state().push(stream, [=] {
    if (other != nullptr && state().is_stream(other)) state().drain(other, ticket);
  });
}

FAKE_EXPORT cuStreamBeginCapture_v2(StreamHandle stream, int) {
  FAKE_ENTER("cuStreamBeginCapture", true);
  stream->capture = std::make_unique<std::vector<std::function<void()>>>();
  stream->capture_broken = false;
  return Status::success;
}

FAKE_EXPORT cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
  FAKE_ENTER("cuStreamEndCapture", true);
  const auto work = std::move(stream->capture);
  if (stream->capture_broken) return Status::stream_capture_invalidated;
  auto object = std::make_unique<GraphObject>();
  object->work = *work;
  *graph = state().graphs.add(std::move(object));
  return Status::success;
}

FAKE_EXPORT cuStreamIsCapturing(StreamHandle stream, int* status) {
  FAKE_ENTER("cuStreamIsCapturing", true);
  *status = stream->capture ? 1 : 0;
  return Status::success;
}

FAKE_EXPORT cuEventCreate(EventHandle* event, unsigned) {
  FAKE_ENTER("cuEventCreate", true);
  *event = state().events.add(std::make_unique<EventObject>());
  return Status::success;
}

FAKE_EXPORT cuEventDestroy_v2(EventHandle event) {
  FAKE_ENTER("cuEventDestroy", false);
  return state().events.remove(event) ? Status::success : invalid_handle;
}

FAKE_EXPORT cuEventRecord(EventHandle event, StreamHandle stream) {
  FAKE_ENTER("cuEventRecord", true);
  const Status pushed = state().push(stream, [event] {
    if (state().events.has(event)) event->time_ns = state().clock_ns;
  });
  event->stream = state().stream_of(stream);
  event->ticket = event->stream->queued;
  return pushed;
}

FAKE_EXPORT cuEventQuery(EventHandle event) {
  FAKE_ENTER("cuEventQuery", true);
  if (event->stream == nullptr || !state().is_stream(event->stream)) return Status::success;
  return event->stream->done >= event->ticket ? Status::success : Status::not_ready;
}

FAKE_EXPORT cuEventSynchronize(EventHandle event) {
  FAKE_ENTER("cuEventSynchronize", true);
  if (event->stream != nullptr && state().streams.has(event->stream)) state().drain(event->stream, event->ticket);
  return current_device()->sticky;
}

FAKE_EXPORT cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle end) {
  FAKE_ENTER("cuEventElapsedTime", true);
  *milliseconds = static_cast<float>((end->time_ns - start->time_ns) * 1e-6);
  return Status::success;
}

FAKE_EXPORT cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long) {
  FAKE_ENTER("cuGraphInstantiateWithFlags", true);
  auto object = std::make_unique<GraphExecObject>();
  object->work = graph->work;
  *exec = state().execs.add(std::move(object));
  return Status::success;
}

FAKE_EXPORT cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  FAKE_ENTER("cuGraphLaunch", true);
  for (const std::function<void()>& work : exec->work)
    if (const Status pushed = state().push(stream, work); pushed != Status::success) return pushed;
  return Status::success;
}

FAKE_EXPORT cuGraphExecDestroy(GraphExecHandle exec) {
  FAKE_ENTER("cuGraphExecDestroy", false);
  return state().execs.remove(exec) ? Status::success : invalid_handle;
}

FAKE_EXPORT cuGraphDestroy(GraphHandle graph) {
  FAKE_ENTER("cuGraphDestroy", false);
  return state().graphs.remove(graph) ? Status::success : invalid_handle;
}
