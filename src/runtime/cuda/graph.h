// Work recorded once and replayed as one launch, at a fraction of the host's time for each kernel.
#pragma once

#include <functional>

#include "runtime/cuda/stream.h"

namespace tilewright::cuda {

/// Move-only; usable from one thread at a time.
class Graph {
 public:
  /// Records what `body` queues on `stream`, instead of running it. The body may not wait for the stream, nor copy
  /// to or from the host through staging. Its error is returned, and the stream is as before. Memory that the recorded
  /// work uses must outlive the graph.
  static Result<Graph> capture(const Stream& stream, const std::function<Result<void>()>& body);
  Graph(Graph&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;
  ~Graph();

  /// Queues all of it.
  Result<void> launch(const Stream& stream) const;

 private:
  Graph(ContextPtr context, GraphExecHandle handle) : context_(std::move(context)), handle_(handle) {}

  ContextPtr context_;
  GraphExecHandle handle_ = nullptr;
};

}  // namespace tilewright::cuda
