// The fake driver's state: devices, memory, streams as queues of work, and the handles that are alive.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "fake_cuda.h"

namespace tilewright::cuda {

constexpr Status invalid_context{201};
constexpr Status invalid_handle{400};
constexpr Status capture_unsupported{900};
constexpr Status invalid_cluster_size{912};

}  // namespace tilewright::cuda

struct tilewright::cuda::ContextObject {
  int device = 0;
};

struct tilewright::cuda::StreamObject {
  ContextObject* context = nullptr;
  std::deque<std::function<void()>> queue;
  std::uint64_t queued = 0;
  std::uint64_t done = 0;
  std::unique_ptr<std::vector<std::function<void()>>> capture;
  bool capture_broken = false;
};

struct tilewright::cuda::EventObject {
  StreamObject* stream = nullptr;
  std::uint64_t ticket = 0;
  double time_ns = 0;
};

struct tilewright::cuda::ModuleObject {
  std::string text;
  std::vector<std::unique_ptr<FunctionObject>> functions;
};

struct tilewright::cuda::FunctionObject {
  std::string name;
  int dynamic_limit = 48 << 10;
  bool any_cluster = false;
};

struct tilewright::cuda::LinkObject {
  std::string ptx;
  std::string cubin;
  char* info_log = nullptr;
  char* error_log = nullptr;
};

struct tilewright::cuda::PoolObject {
  std::uint64_t threshold = 0;
};

struct tilewright::cuda::GraphObject {
  std::vector<std::function<void()>> work;
};

struct tilewright::cuda::GraphExecObject {
  std::vector<std::function<void()>> work;
};

namespace tilewright::cuda {

/// Handles of one kind that are alive.
template <class Object>
class Handles {
 public:
  Object* add(std::unique_ptr<Object> object) {
    Object* handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  bool has(Object* handle) const { return objects_.contains(handle); }
  bool remove(Object* handle) { return objects_.erase(handle) != 0; }
  std::size_t size() const { return objects_.size(); }
  void clear() { objects_.clear(); }
  const std::map<Object*, std::unique_ptr<Object>>& all() const { return objects_; }

 private:
  std::map<Object*, std::unique_ptr<Object>> objects_;
};

struct Block {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  int device = 0;
  bool from_pool = false;
};

struct DeviceState {
  FakeDevice description;
  ContextObject context;
  PoolObject pool;
  int retained = 0;
  std::int64_t used = 0;
  std::int64_t kept_by_pool = 0;
  Status sticky = Status::success;
};

struct State {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<DeviceState>> devices;
  std::map<std::string, int> counts;
  std::map<std::string, std::map<int, Status>> failures;  ///< by the call's number since the reset
  std::map<DevicePointer, Block> blocks;
  std::map<void*, std::unique_ptr<std::byte[]>> host_blocks;
  std::map<void*, std::size_t> host_sizes;
  Handles<StreamObject> streams;
  std::map<int, StreamObject> default_streams;  ///< by device
  Handles<EventObject> events;
  Handles<ModuleObject> modules;
  Handles<LinkObject> links;
  Handles<GraphObject> graphs;
  Handles<GraphExecObject> execs;
  std::vector<FakeLaunch> launches;
  double clock_ns = 0;

  /// Queues work, or records it.
  /// The stream of a handle: null is the default stream of the current device.
  StreamObject* stream_of(StreamObject* handle);
  bool is_stream(StreamObject* stream) const;
  Status push(StreamObject* stream, std::function<void()> work);
  void drain(StreamObject* stream, std::uint64_t ticket);
  void drain(StreamObject* stream) { drain(stream, stream->queued); }
  void drain_device(int device);

  Status allocate(DevicePointer* memory, std::size_t bytes, bool from_pool);
  void free(DevicePointer memory);
  /// Inside of one live block.
  bool is_device_range(DevicePointer memory, std::size_t bytes) const;
  bool is_pinned_range(const void* memory, std::size_t bytes) const;
  std::string live() const;
};

State& state();
/// This thread's contexts, the current one last.
std::vector<ContextObject*>& context_stack();
DeviceState* current_device();

/// Begins a call: counts it, and says whether it fails. Calls that need a context fail without one.
Status enter(const char* call, bool needs_context);

}  // namespace tilewright::cuda
