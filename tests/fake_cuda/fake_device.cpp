// The fake driver's devices, contexts and memory.
#include <cstring>

#include "fake_call.h"

using namespace tilewright::cuda;

namespace {

int attribute_of(const FakeDevice& device, DeviceAttribute attribute) {
  const bool is_hopper = device.major >= 9;
  switch (attribute) {
    case DeviceAttribute::max_threads_per_block:
      return 1024;
    case DeviceAttribute::max_grid_x:
      return 2147483647;
    case DeviceAttribute::max_grid_y:
    case DeviceAttribute::max_grid_z:
      return 65535;
    case DeviceAttribute::shared_bytes_per_block:
      return 48 << 10;
    case DeviceAttribute::warp_size:
      return 32;
    case DeviceAttribute::registers_per_block:
    case DeviceAttribute::registers_per_multiprocessor:
      return 65536;
    case DeviceAttribute::clock_khz:
      return 1980000;
    case DeviceAttribute::multiprocessors:
      return 132;
    case DeviceAttribute::memory_clock_khz:
      return 3201000;
    case DeviceAttribute::memory_bus_bits:
      return 6144;
    case DeviceAttribute::l2_bytes:
      return 10 << 20;
    case DeviceAttribute::max_threads_per_multiprocessor:
      return 2048;
    case DeviceAttribute::capability_major:
      return device.major;
    case DeviceAttribute::capability_minor:
      return device.minor;
    case DeviceAttribute::shared_bytes_per_multiprocessor:
      return 233472;
    case DeviceAttribute::shared_bytes_per_block_optin:
      return is_hopper ? 232448 : 166912;
    case DeviceAttribute::max_blocks_per_multiprocessor:
      return 32;
    case DeviceAttribute::reserved_shared_bytes_per_block:
      return 1024;
    case DeviceAttribute::memory_pools:
      return device.has_pools ? 1 : 0;
    case DeviceAttribute::cluster_launch:
    case DeviceAttribute::tensor_maps:
      return is_hopper ? 1 : 0;
  }
  return 0;
}

bool is_device(DeviceHandle device) {
  return device >= 0 && static_cast<std::size_t>(device) < state().devices.size();
}

DeviceState& device_at(DeviceHandle device) {
  return *state().devices[static_cast<std::size_t>(device)];
}

struct ErrorText {
  Status status;
  const char* name;
  const char* text;
};
constexpr ErrorText error_texts[]{
    {Status::invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {Status::out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {Status::no_device, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {Status::invalid_image, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {Status::no_binary_for_gpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {Status::invalid_ptx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {Status::unsupported_ptx_version, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {Status::not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {Status::illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {invalid_context, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {capture_unsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
};

}  // namespace

FAKE_EXPORT cuInit(unsigned) {
  FAKE_ENTER("cuInit", false);
  return Status::success;
}

FAKE_EXPORT cuDriverGetVersion(int* version) {
#ifdef FAKE_CUDA_OLD
  *version = 11040;
#else
  *version = 12040;
#endif
  return Status::success;
}

FAKE_EXPORT cuGetErrorName(Status status, const char** text) {
  for (const ErrorText& entry : error_texts)
    if (entry.status == status) {
      *text = entry.name;
      return Status::success;
    }
  *text = nullptr;
  return Status::invalid_value;
}

FAKE_EXPORT cuGetErrorString(Status status, const char** text) {
  for (const ErrorText& entry : error_texts)
    if (entry.status == status) {
      *text = entry.text;
      return Status::success;
    }
  *text = nullptr;
  return Status::invalid_value;
}

FAKE_EXPORT cuDeviceGetCount(int* count) {
  FAKE_ENTER("cuDeviceGetCount", false);
  *count = static_cast<int>(state().devices.size());
  return Status::success;
}

FAKE_EXPORT cuDeviceGet(DeviceHandle* device, int ordinal) {
  FAKE_ENTER("cuDeviceGet", false);
  if (!is_device(ordinal)) return Status{101};
  *device = ordinal;
  return Status::success;
}

FAKE_EXPORT cuDeviceGetName(char* name, int size, DeviceHandle device) {
  FAKE_ENTER("cuDeviceGetName", false);
  std::strncpy(name, device_at(device).description.name.c_str(), static_cast<std::size_t>(size));
  return Status::success;
}

FAKE_EXPORT cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceHandle device) {
  FAKE_ENTER("cuDeviceGetAttribute", false);
  *value = attribute_of(device_at(device).description, attribute);
  return Status::success;
}

FAKE_EXPORT cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle device) {
  FAKE_ENTER("cuDeviceTotalMem", false);
  *bytes = static_cast<std::size_t>(device_at(device).description.memory_bytes);
  return Status::success;
}

FAKE_EXPORT cuDevicePrimaryCtxRetain(ContextHandle* context, DeviceHandle device) {
  FAKE_ENTER("cuDevicePrimaryCtxRetain", false);
  ++device_at(device).retained;
  *context = &device_at(device).context;
  return Status::success;
}

FAKE_EXPORT cuDevicePrimaryCtxRelease_v2(DeviceHandle device) {
  FAKE_ENTER("cuDevicePrimaryCtxRelease", false);
  --device_at(device).retained;
  return Status::success;
}

FAKE_EXPORT cuCtxPushCurrent_v2(ContextHandle context) {
  FAKE_ENTER("cuCtxPushCurrent", false);
  context_stack().push_back(context);
  return Status::success;
}

FAKE_EXPORT cuCtxPopCurrent_v2(ContextHandle* context) {
  FAKE_ENTER("cuCtxPopCurrent", false);
  if (context_stack().empty()) return invalid_context;
  *context = context_stack().back();
  context_stack().pop_back();
  return Status::success;
}

FAKE_EXPORT cuCtxSynchronize() {
  FAKE_ENTER("cuCtxSynchronize", true);
  state().drain_device(current_device()->context.device);
  return current_device()->sticky;
}

FAKE_EXPORT cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  FAKE_ENTER("cuMemGetInfo", true);
  const DeviceState& device = *current_device();
  *total = static_cast<std::size_t>(device.description.memory_bytes);
  *free = *total - static_cast<std::size_t>(device.used + device.kept_by_pool);
  return Status::success;
}

FAKE_EXPORT cuMemAlloc_v2(DevicePointer* memory, std::size_t bytes) {
  FAKE_ENTER("cuMemAlloc", true);
  return state().allocate(memory, bytes, false);
}

FAKE_EXPORT cuMemFree_v2(DevicePointer memory) {
  FAKE_ENTER("cuMemFree", false);
  if (!state().blocks.contains(memory)) return Status::invalid_value;
  state().drain_device(state().blocks[memory].device);
  state().free(memory);
  return Status::success;
}

FAKE_EXPORT cuDeviceGetDefaultMemPool(PoolHandle* pool, DeviceHandle device) {
  FAKE_ENTER("cuDeviceGetDefaultMemPool", false);
  *pool = &device_at(device).pool;
  return Status::success;
}

FAKE_EXPORT cuMemPoolGetAttribute(PoolHandle pool, PoolAttribute attribute, void* value) {
  FAKE_ENTER("cuMemPoolGetAttribute", false);
  std::uint64_t figure = pool->threshold;
  for (const auto& device : state().devices)
    if (&device->pool == pool && attribute == PoolAttribute::reserved_bytes)
      figure = static_cast<std::uint64_t>(device->used + device->kept_by_pool);
  std::memcpy(value, &figure, sizeof figure);
  return Status::success;
}

FAKE_EXPORT cuMemPoolSetAttribute(PoolHandle pool, PoolAttribute, void* value) {
  FAKE_ENTER("cuMemPoolSetAttribute", false);
  std::memcpy(&pool->threshold, value, sizeof pool->threshold);
  return Status::success;
}

FAKE_EXPORT cuMemPoolTrimTo(PoolHandle pool, std::size_t) {
  FAKE_ENTER("cuMemPoolTrimTo", false);
  for (const auto& device : state().devices)
    if (&device->pool == pool) device->kept_by_pool = 0;
  return Status::success;
}

FAKE_EXPORT cuMemAllocAsync(DevicePointer* memory, std::size_t bytes, StreamHandle stream) {
  FAKE_ENTER("cuMemAllocAsync", true);
  if (!state().streams.has(stream)) return invalid_handle;
  return state().allocate(memory, bytes, true);
}

FAKE_EXPORT cuMemFreeAsync(DevicePointer memory, StreamHandle stream) {
  FAKE_ENTER("cuMemFreeAsync", false);
  if (!state().blocks.contains(memory)) return Status::invalid_value;
  if (current_device()->sticky != Status::success) {  // nothing runs any more
    state().free(memory);
    return current_device()->sticky;
  }
  return state().push(stream, [memory] { state().free(memory); });
}

FAKE_EXPORT cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  FAKE_ENTER("cuMemHostAlloc", true);
  auto block = std::make_unique<std::byte[]>(bytes);
  *memory = block.get();
  state().host_sizes[*memory] = bytes;
  state().host_blocks.emplace(*memory, std::move(block));
  return Status::success;
}

FAKE_EXPORT cuMemFreeHost(void* memory) {
  FAKE_ENTER("cuMemFreeHost", false);
  state().host_sizes.erase(memory);
  return state().host_blocks.erase(memory) != 0 ? Status::success : Status::invalid_value;
}
