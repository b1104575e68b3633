// Capture and replay. See graph.h.
#include "runtime/cuda/graph.h"

namespace tilewright::cuda {

Result<Graph> Graph::capture(const Stream& stream, const std::function<Result<void>()>& body) {
  Context& context = stream.context();
  // Other threads go on allocating and copying meanwhile: only this thread is held to what a capture allows.
  auto begun = context.call(
      [&](const DriverCalls& calls) { return calls.cuStreamBeginCapture(stream.handle(), capture_mode_thread_local); });
  if (!begun) return std::unexpected(std::move(begun.error()));
  Result<void> recorded = body();
  GraphHandle graph = nullptr;
  GraphExecHandle exec = nullptr;
  // Ended also after an error, so that the stream can be used again.
  auto ended =
      context.call([&](const DriverCalls& calls) { return calls.cuStreamEndCapture(stream.handle(), &graph); });
  if (recorded && ended) {
    ended = context.call([&](const DriverCalls& calls) { return calls.cuGraphInstantiateWithFlags(&exec, graph, 0); });
  }
  if (graph != nullptr) context.release([&](const DriverCalls& calls) { return calls.cuGraphDestroy(graph); });
  if (!recorded) return std::unexpected(std::move(recorded.error()));
  if (!ended) return std::unexpected(std::move(ended.error()));
  return Graph(stream.context_ptr(), exec);
}

Graph::~Graph() {
  if (handle_ != nullptr)
    context_->release([this](const DriverCalls& calls) { return calls.cuGraphExecDestroy(handle_); });
}

Result<void> Graph::launch(const Stream& stream) const {
  return context_->call([&](const DriverCalls& calls) { return calls.cuGraphLaunch(handle_, stream.handle()); });
}

}  // namespace tilewright::cuda
