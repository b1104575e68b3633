// Queues, memory and counts of the fake driver. See fake_state.h.
#include "fake_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilewright::cuda {

State& state() {
  static State* const instance = new State;
  return *instance;
}

std::vector<ContextObject*>& context_stack() {
  thread_local std::vector<ContextObject*> stack;
  return stack;
}

DeviceState* current_device() {
  if (context_stack().empty()) return nullptr;
  return state().devices[static_cast<std::size_t>(context_stack().back()->device)].get();
}

Status enter(const char* call, bool needs_context) {
  State& all = state();
  const int number = ++all.counts[call];
  const auto planned = all.failures.find(call);
  if (planned != all.failures.end())
    if (const auto failure = planned->second.find(number); failure != planned->second.end()) return failure->second;
  if (!needs_context) return Status::success;
  const DeviceState* device = current_device();
  return device == nullptr ? invalid_context : device->sticky;
}

StreamObject* State::stream_of(StreamObject* handle) {
  if (handle != nullptr) return handle;
  ContextObject& context = current_device()->context;
  StreamObject& stream = default_streams[context.device];
  stream.context = &context;
  return &stream;
}

bool State::is_stream(StreamObject* stream) const {
  return streams.has(stream) ||
         std::ranges::any_of(default_streams, [&](const auto& entry) { return &entry.second == stream; });
}

Status State::push(StreamObject* stream, std::function<void()> work) {
  stream = stream_of(stream);
  if (!is_stream(stream)) return invalid_handle;
  if (stream->capture) {
    stream->capture->push_back(std::move(work));
    return Status::success;
  }
  stream->queue.push_back(std::move(work));
  ++stream->queued;
  return Status::success;
}

void State::drain(StreamObject* stream, std::uint64_t ticket) {
  while (stream->done < ticket && !stream->queue.empty()) {
    const std::function<void()> work = std::move(stream->queue.front());
    stream->queue.pop_front();
    ++stream->done;
    if (devices[static_cast<std::size_t>(stream->context->device)]->sticky == Status::success) work();
  }
}

void State::drain_device(int device) {
  for (const auto& [handle, stream] : streams.all())
    if (stream->context->device == device) drain(handle);
}

Status State::allocate(DevicePointer* memory, std::size_t bytes, bool from_pool) {
  DeviceState& device = *current_device();
  const auto size = static_cast<std::int64_t>(bytes);
  if (size > device.description.memory_bytes - device.used - device.kept_by_pool) return Status::out_of_memory;
  device.used += size;
  constexpr std::size_t alignment = 256;
  Block block{std::make_unique<std::byte[]>(bytes + alignment), bytes, device.context.device, from_pool};
  const auto start = reinterpret_cast<DevicePointer>(block.bytes.get());
  *memory = (start + alignment - 1) / alignment * alignment;
  blocks.emplace(*memory, std::move(block));
  return Status::success;
}

void State::free(DevicePointer memory) {
  const auto found = blocks.find(memory);
  if (found == blocks.end()) return;
  DeviceState& device = *devices[static_cast<std::size_t>(found->second.device)];
  device.used -= static_cast<std::int64_t>(found->second.size);
  if (found->second.from_pool) device.kept_by_pool += static_cast<std::int64_t>(found->second.size);
  blocks.erase(found);
}

bool State::is_device_range(DevicePointer memory, std::size_t bytes) const {
  auto found = blocks.upper_bound(memory);
  if (found == blocks.begin()) return false;
  --found;
  return memory + bytes <= found->first + found->second.size;
}

bool State::is_pinned_range(const void* memory, std::size_t bytes) const {
  auto found = host_sizes.upper_bound(const_cast<void*>(memory));
  if (found == host_sizes.begin()) return false;
  --found;
  return static_cast<const char*>(memory) + bytes <= static_cast<const char*>(found->first) + found->second;
}

std::string State::live() const {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* what) {
    if (count != 0) parts.push_back(fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"));
  };
  std::size_t contexts = 0;
  for (const auto& device : devices) contexts += static_cast<std::size_t>(device->retained);
  add(contexts, "context");
  add(blocks.size(), "block");
  add(host_blocks.size(), "host block");
  add(streams.size(), "stream");
  add(events.size(), "event");
  add(modules.size(), "module");
  add(links.size(), "link");
  add(graphs.size(), "graph");
  add(execs.size(), "exec");
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

class Control final : public FakeCuda {
 public:
  void reset(std::vector<FakeDevice> devices) override {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    all.devices.clear();
    for (FakeDevice& description : devices) {
      auto device = std::make_unique<DeviceState>();
      device->description = std::move(description);
      device->context.device = static_cast<int>(all.devices.size());
      all.devices.push_back(std::move(device));
    }
    all.counts.clear();
    all.failures.clear();
    all.blocks.clear();
    all.host_blocks.clear();
    all.host_sizes.clear();
    all.streams.clear();
    all.events.clear();
    all.modules.clear();
    all.links.clear();
    all.graphs.clear();
    all.execs.clear();
    all.launches.clear();
    all.clock_ns = 0;
    context_stack().clear();
  }
  void fail(const std::string& call, int nth, Status status) override {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    all.failures[call][all.counts[call] + nth] = status;
  }
  int count(const std::string& call) override {
    const std::lock_guard lock(state().mutex);
    return state().counts[call];
  }
  std::string live() override {
    const std::lock_guard lock(state().mutex);
    return state().live();
  }
  std::vector<FakeLaunch> launches() override {
    const std::lock_guard lock(state().mutex);
    return state().launches;
  }
  std::int64_t used_bytes(int device) override {
    const std::lock_guard lock(state().mutex);
    return state().devices[static_cast<std::size_t>(device)]->used;
  }
  int current_depth() override { return static_cast<int>(context_stack().size()); }
};

}  // namespace
}  // namespace tilewright::cuda

extern "C" __attribute__((visibility("default"))) tilewright::cuda::FakeCuda* fake_cuda() {
  static tilewright::cuda::Control* const control = new tilewright::cuda::Control;
  return control;
}

extern "C" __attribute__((visibility("default"))) void fake_cuda_reset(int devices) {
  fake_cuda()->reset(std::vector<tilewright::cuda::FakeDevice>(static_cast<std::size_t>(devices)));
}
