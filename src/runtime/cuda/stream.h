// Streams, the queues of work on a device, and events, the marks in them.
#pragma once

#include <memory>

#include "runtime/cuda/context.h"

namespace tilewright::cuda {

class Event;

/// A handle; copies share the queue, which is destroyed with the last of them (work already queued still runs). Threads
/// may share one: the order of what they queue is then the order in which they get to it.
class Stream {
 public:
  /// A new queue that does not wait for the default stream. R090 to R092.
  static Result<Stream> create(ContextPtr context);
  /// Someone else's, of this context's device, which must outlive this; null is the default stream.
  static Stream borrow(ContextPtr context, StreamHandle handle);

  Context& context() const { return *state_->context; }
  const ContextPtr& context_ptr() const { return state_->context; }
  StreamHandle handle() const { return state_->handle; }

  /// Waits for all that is queued. R092: something of it failed.
  Result<void> synchronize() const;
  /// What is queued from now on starts after the event's mark.
  Result<void> wait(const Event& event) const;
  /// What is queued from now on starts after what the default stream holds now: the work of callers who name no stream.
  Result<void> wait_for_default() const;
  /// True while a graph is being captured: nothing that waits, and no copy of pageable memory, may be queued then.
  Result<bool> is_capturing() const;

 private:
  struct State {
    State(ContextPtr context_in, StreamHandle handle_in, bool owned_in)
        : context(std::move(context_in)), handle(handle_in), owned(owned_in) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();
    ContextPtr context;
    StreamHandle handle;
    bool owned;
  };
  explicit Stream(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

/// A mark in a stream. Move-only.
class Event {
 public:
  enum class Kind : bool { ordering, timing };

  static Result<Event> create(ContextPtr context, Kind kind);
  Event(Event&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Event();

  EventHandle handle() const { return handle_; }
  /// Marks the end of what the stream has queued so far; replaces an earlier mark.
  Result<void> record(const Stream& stream) const;
  Result<void> synchronize() const;
  /// True if the mark has been reached, or none was made.
  Result<bool> is_done() const;
  /// Seconds between two marks that have been reached, of events of kind timing; resolution about half a microsecond.
  static Result<double> seconds_between(const Event& start, const Event& end);

 private:
  Event(ContextPtr context, EventHandle handle) : context_(std::move(context)), handle_(handle) {}

  ContextPtr context_;
  EventHandle handle_ = nullptr;
};

}  // namespace tilewright::cuda
