// Streams and events. See stream.h.
#include "runtime/cuda/stream.h"

namespace tilewright::cuda {

Stream::State::~State() {
  if (owned) context->release([this](const DriverCalls& calls) { return calls.cuStreamDestroy(handle); });
}

Result<Stream> Stream::create(ContextPtr context) {
  StreamHandle handle = nullptr;
  auto created =
      context->call([&](const DriverCalls& calls) { return calls.cuStreamCreate(&handle, stream_non_blocking); });
  if (!created) return std::unexpected(std::move(created.error()));
  return Stream(std::make_shared<const State>(std::move(context), handle, true));
}

Stream Stream::borrow(ContextPtr context, StreamHandle handle) {
  return Stream(std::make_shared<const State>(std::move(context), handle, false));
}

Result<void> Stream::synchronize() const {
  return context().call([this](const DriverCalls& calls) { return calls.cuStreamSynchronize(handle()); });
}

Result<void> Stream::wait(const Event& event) const {
  return context().call([&](const DriverCalls& calls) { return calls.cuStreamWaitEvent(handle(), event.handle(), 0); });
}

Result<void> Stream::wait_for_default() const {
  const Result<Event> mark = Event::create(context_ptr(), Event::Kind::ordering);
  if (!mark) return std::unexpected(mark.error());
  if (auto marked = mark->record(borrow(context_ptr(), nullptr)); !marked) return marked;
  return wait(*mark);
}

Result<bool> Stream::is_capturing() const {
  int status = 0;
  auto asked = context().call([&](const DriverCalls& calls) { return calls.cuStreamIsCapturing(handle(), &status); });
  if (!asked) return std::unexpected(std::move(asked.error()));
  return status != 0;
}

Result<Event> Event::create(ContextPtr context, Kind kind) {
  EventHandle handle = nullptr;
  const unsigned flags = kind == Kind::timing ? 0U : event_disable_timing;
  auto created = context->call([&](const DriverCalls& calls) { return calls.cuEventCreate(&handle, flags); });
  if (!created) return std::unexpected(std::move(created.error()));
  return Event(std::move(context), handle);
}

Event::~Event() {
  if (handle_ != nullptr) context_->release([this](const DriverCalls& calls) { return calls.cuEventDestroy(handle_); });
}

Result<void> Event::record(const Stream& stream) const {
  return context_->call([&](const DriverCalls& calls) { return calls.cuEventRecord(handle_, stream.handle()); });
}

Result<void> Event::synchronize() const {
  return context_->call([this](const DriverCalls& calls) { return calls.cuEventSynchronize(handle_); });
}

Result<bool> Event::is_done() const {
  Result<Outcome> asked = context_->attempt([this](const DriverCalls& calls) { return calls.cuEventQuery(handle_); });
  if (!asked) return std::unexpected(std::move(asked.error()));
  if (asked->status == Status::not_ready) return false;
  if (auto checked = context_->check(*asked); !checked) return std::unexpected(std::move(checked.error()));
  return true;
}

Result<double> Event::seconds_between(const Event& start, const Event& end) {
  float milliseconds = 0;
  auto measured = start.context_->call(
      [&](const DriverCalls& calls) { return calls.cuEventElapsedTime(&milliseconds, start.handle_, end.handle_); });
  if (!measured) return std::unexpected(std::move(measured.error()));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace tilewright::cuda
