// The table of the driver's functions that the runtime uses: the documented name, the symbol in the library (which
// carries the version of the binary interface that our declaration is of), the parameters. The members, the resolution
// and the names in error messages all come from it.
#pragma once

#include "runtime/cuda/driver_types.h"

namespace tilewright::cuda {

// clang-format off
#define TILEWRIGHT_CUDA_CALLS(X)                                                                                      \
  X(cuInit, "cuInit", (unsigned flags))                                                                               \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int* version))                                                         \
  X(cuGetErrorName, "cuGetErrorName", (Status status, const char** text))                                             \
  X(cuGetErrorString, "cuGetErrorString", (Status status, const char** text))                                         \
  /* devices and contexts */                                                                                          \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int* count))                                                               \
  X(cuDeviceGet, "cuDeviceGet", (DeviceHandle* device, int ordinal))                                                  \
  X(cuDeviceGetName, "cuDeviceGetName", (char* name, int size, DeviceHandle device))                                  \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int* value, DeviceAttribute attribute, DeviceHandle device))       \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t* bytes, DeviceHandle device))                               \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (ContextHandle* context, DeviceHandle device))              \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (DeviceHandle device))                                 \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (ContextHandle context))                                                 \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (ContextHandle* context))                                                  \
  X(cuCtxSynchronize, "cuCtxSynchronize", ())                                                                         \
  /* memory */                                                                                                        \
  X(cuMemGetInfo, "cuMemGetInfo_v2", (std::size_t* free, std::size_t* total))                                         \
  X(cuMemAlloc, "cuMemAlloc_v2", (DevicePointer* memory, std::size_t bytes))                                          \
  X(cuMemFree, "cuMemFree_v2", (DevicePointer memory))                                                                \
  X(cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", (PoolHandle* pool, DeviceHandle device))                  \
  X(cuMemPoolGetAttribute, "cuMemPoolGetAttribute", (PoolHandle pool, PoolAttribute attribute, void* value))          \
  X(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", (PoolHandle pool, PoolAttribute attribute, void* value))          \
  X(cuMemPoolTrimTo, "cuMemPoolTrimTo", (PoolHandle pool, std::size_t bytes))                                         \
  X(cuMemAllocAsync, "cuMemAllocAsync", (DevicePointer* memory, std::size_t bytes, StreamHandle stream))              \
  X(cuMemFreeAsync, "cuMemFreeAsync", (DevicePointer memory, StreamHandle stream))                                    \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void** memory, std::size_t bytes, unsigned flags))                             \
  X(cuMemFreeHost, "cuMemFreeHost", (void* memory))                                                                   \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                                        \
    (DevicePointer to, const void* from, std::size_t bytes, StreamHandle stream))                                     \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                                                        \
    (void* to, DevicePointer from, std::size_t bytes, StreamHandle stream))                                           \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                                                        \
    (DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream))                                   \
  X(cuMemsetD8Async, "cuMemsetD8Async",                                                                               \
    (DevicePointer to, unsigned char value, std::size_t count, StreamHandle stream))                                  \
  X(cuMemsetD2D8Async, "cuMemsetD2D8Async",                                                                           \
    (DevicePointer to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height,                 \
     StreamHandle stream))                                                                                            \
  X(cuMemsetD2D16Async, "cuMemsetD2D16Async",                                                                         \
    (DevicePointer to, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height,                \
     StreamHandle stream))                                                                                            \
  X(cuMemsetD2D32Async, "cuMemsetD2D32Async",                                                                         \
    (DevicePointer to, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,                      \
     StreamHandle stream))                                                                                            \
  /* streams, events, graphs */                                                                                       \
  X(cuStreamCreate, "cuStreamCreate", (StreamHandle* stream, unsigned flags))                                         \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (StreamHandle stream))                                                     \
  X(cuStreamSynchronize, "cuStreamSynchronize", (StreamHandle stream))                                                \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (StreamHandle stream, EventHandle event, unsigned flags))                 \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (StreamHandle stream, int mode))                                 \
  X(cuStreamEndCapture, "cuStreamEndCapture", (StreamHandle stream, GraphHandle* graph))                              \
  X(cuStreamIsCapturing, "cuStreamIsCapturing", (StreamHandle stream, int* status))                                   \
  X(cuEventCreate, "cuEventCreate", (EventHandle* event, unsigned flags))                                             \
  X(cuEventDestroy, "cuEventDestroy_v2", (EventHandle event))                                                         \
  X(cuEventRecord, "cuEventRecord", (EventHandle event, StreamHandle stream))                                         \
  X(cuEventQuery, "cuEventQuery", (EventHandle event))                                                                \
  X(cuEventSynchronize, "cuEventSynchronize", (EventHandle event))                                                    \
  X(cuEventElapsedTime, "cuEventElapsedTime", (float* milliseconds, EventHandle start, EventHandle end))              \
  X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags",                                                       \
    (GraphExecHandle* exec, GraphHandle graph, unsigned long long flags))                                             \
  X(cuGraphLaunch, "cuGraphLaunch", (GraphExecHandle exec, StreamHandle stream))                                      \
  X(cuGraphExecDestroy, "cuGraphExecDestroy", (GraphExecHandle exec))                                                 \
  X(cuGraphDestroy, "cuGraphDestroy", (GraphHandle graph))                                                            \
  /* code */                                                                                                          \
  X(cuLinkCreate, "cuLinkCreate_v2", (unsigned count, LinkOption* options, void** values, LinkHandle* link))          \
  X(cuLinkAddData, "cuLinkAddData_v2",                                                                                \
    (LinkHandle link, LinkInput kind, void* data, std::size_t size, const char* name, unsigned count,                 \
     LinkOption* options, void** values))                                                                             \
  X(cuLinkComplete, "cuLinkComplete", (LinkHandle link, void** cubin, std::size_t* size))                             \
  X(cuLinkDestroy, "cuLinkDestroy", (LinkHandle link))                                                                \
  X(cuModuleLoadData, "cuModuleLoadData", (ModuleHandle* module, const void* image))                                  \
  X(cuModuleUnload, "cuModuleUnload", (ModuleHandle module))                                                          \
  X(cuModuleGetFunction, "cuModuleGetFunction", (FunctionHandle* function, ModuleHandle module, const char* name))    \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int* value, FunctionAttribute attribute, FunctionHandle function))     \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (FunctionHandle function, FunctionAttribute attribute, int value))      \
  X(cuLaunchKernelEx, "cuLaunchKernelEx",                                                                             \
    (const LaunchConfig* config, FunctionHandle function, void** parameters, void** extra))                           \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                       \
    (int* blocks, FunctionHandle function, int block_size, std::size_t shared_bytes))                                 \
  X(cuOccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",                                                     \
    (int* clusters, FunctionHandle function, const LaunchConfig* config))                                             \
  X(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                                                                 \
    (TensorMap* map, TensorMapType type, std::uint32_t rank, void* address, const std::uint64_t* extents,             \
     const std::uint64_t* strides, const std::uint32_t* box, const std::uint32_t* element_strides, int interleave,    \
     TensorMapSwizzle swizzle, TensorMapPromotion promotion, TensorMapFill fill))
// clang-format on

/// What a call returned, and which it was.
struct Outcome {
  Status status = Status::success;
  const char* call = "";

  bool ok() const { return status == Status::success; }
};

/// A function of the driver that remembers its name.
template <class Function>
class DriverCall;
template <class... Parameters>
class DriverCall<Status(Parameters...)> {
 public:
  constexpr explicit DriverCall(const char* name) : name_(name) {}
  void bind(void* symbol) { function_ = reinterpret_cast<Status (*)(Parameters...)>(symbol); }

  Outcome operator()(Parameters... parameters) const { return {function_(parameters...), name_}; }

 private:
  const char* name_;
  Status (*function_)(Parameters...) = nullptr;
};

/// All of them, under their documented names: `calls.cuMemAlloc(&memory, bytes)`.
struct DriverCalls {
#define X(name, symbol, parameters) DriverCall<Status parameters> name{#name};
  TILEWRIGHT_CUDA_CALLS(X)
#undef X
};

}  // namespace tilewright::cuda
