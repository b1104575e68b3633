// See metal_device.h. Objects are released by automatic reference counting.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <algorithm>
#include <cstring>

#include "metal_device.h"

#if !__has_feature(objc_arc)
#error "compile with -fobjc-arc"
#endif

namespace tilewright::metal_shim {
namespace {

using Memory = NSArray<id<MTLBuffer>>;
using Pipelines = NSArray<id<MTLComputePipelineState>>;

std::string text_of(NSError* error, const char* otherwise) {
  return error != nil ? std::string(error.localizedDescription.UTF8String) : std::string(otherwise);
}

/// Nil: `wrong` says why.
id<MTLLibrary> compile(id<MTLDevice> device, const std::string& source, std::string& wrong) {
  MTLCompileOptions* options = [MTLCompileOptions new];
  options.languageVersion = MTLLanguageVersion3_1;
  options.fastMathEnabled = NO;
  NSError* error = nil;
  id<MTLLibrary> library = [device newLibraryWithSource:[NSString stringWithUTF8String:source.c_str()]
                                                options:options
                                                  error:&error];
  if (library == nil) wrong = text_of(error, "the source does not compile");
  return library;
}

/// By launch. Nil: `wrong` says why.
Pipelines* make_pipelines(id<MTLDevice> device, id<MTLLibrary> library, const std::vector<DeviceLaunch>& launches,
                          std::string& wrong) {
  NSMutableArray<id<MTLComputePipelineState>>* pipelines = [NSMutableArray new];
  for (const DeviceLaunch& launch : launches) {
    NSError* error = nil;
    id<MTLFunction> function = [library newFunctionWithName:[NSString stringWithUTF8String:launch.function.c_str()]];
    id<MTLComputePipelineState> pipeline =
        function == nil ? nil : [device newComputePipelineStateWithFunction:function error:&error];
    if (function == nil)
      wrong = "the library lacks " + launch.function;
    else if (pipeline == nil)
      wrong = text_of(error, "no pipeline");
    else if (pipeline.maxTotalThreadsPerThreadgroup < launch.threads)
      wrong = "too many threads for " + launch.function;
    else if (pipeline.threadExecutionWidth != 32)
      wrong = "simdgroups that are not of 32 threads";
    if (!wrong.empty()) return nil;
    [pipelines addObject:pipeline];
  }
  return pipelines;
}

/// Copies of the buffers. Nil: the device has no room.
Memory* make_memory(id<MTLDevice> device, const std::vector<DeviceBuffer>& buffers) {
  constexpr NSUInteger least = 16;  // none is empty
  NSMutableArray<id<MTLBuffer>>* memory = [NSMutableArray new];
  for (const DeviceBuffer& buffer : buffers) {
    id<MTLBuffer> own = [device newBufferWithLength:std::max<NSUInteger>(buffer.bytes, least)
                                            options:MTLResourceStorageModeShared];
    if (own == nil) return nil;
    std::memcpy(own.contents, buffer.data, buffer.bytes);
    [memory addObject:own];
  }
  return memory;
}

void encode(id<MTLComputeCommandEncoder> encoder, const DeviceLaunch& launch, id<MTLComputePipelineState> pipeline,
            Memory* memory) {
  [encoder setComputePipelineState:pipeline];
  for (NSUInteger b = 0; b < launch.arguments.size(); ++b)
    [encoder setBuffer:memory[launch.arguments[b].first]
                offset:static_cast<NSUInteger>(launch.arguments[b].second)
               atIndex:b];
  if (!launch.sizes.empty())
    [encoder setBytes:launch.sizes.data()
               length:launch.sizes.size() * sizeof(std::int64_t)
              atIndex:launch.arguments.size()];
  [encoder dispatchThreadgroups:MTLSizeMake(launch.groups, 1, 1)
          threadsPerThreadgroup:MTLSizeMake(launch.threads, 1, 1)];
}

}  // namespace

std::string run_on_device(const std::string& source, const std::vector<DeviceLaunch>& launches,
                          const std::vector<DeviceBuffer>& buffers) {
  @autoreleasepool {
    static id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    static id<MTLCommandQueue> queue = [device newCommandQueue];
    if (device == nil || queue == nil) return "no Metal device";
    std::string wrong;
    id<MTLLibrary> library = compile(device, source, wrong);
    Pipelines* pipelines = library == nil ? nil : make_pipelines(device, library, launches, wrong);
    if (pipelines == nil) return wrong;
    Memory* memory = make_memory(device, buffers);
    if (memory == nil) return "no memory on the device";
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    for (NSUInteger n = 0; n < launches.size(); ++n) encode(encoder, launches[n], pipelines[n], memory);
    [encoder endEncoding];
    [commands commit];
    [commands waitUntilCompleted];
    if (commands.status == MTLCommandBufferStatusError) return text_of(commands.error, "the commands failed");
    for (std::size_t b = 0; b < buffers.size(); ++b)
      if (buffers[b].is_written) std::memcpy(buffers[b].data, memory[b].contents, buffers[b].bytes);
  }
  return {};
}

}  // namespace tilewright::metal_shim
