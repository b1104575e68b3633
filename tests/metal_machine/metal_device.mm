// See metal_device.h.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <cstring>

#include "metal_device.h"

namespace tilewright::metal_shim {
namespace {

std::string text_of(NSError* error, const char* otherwise) {
  return error != nil ? std::string(error.localizedDescription.UTF8String) : std::string(otherwise);
}

}  // namespace

std::string run_on_device(const std::string& source, const std::vector<DeviceLaunch>& launches,
                          const std::vector<DeviceBuffer>& buffers) {
  @autoreleasepool {
    static id<MTLDevice> device = MTLCreateSystemDefaultDevice();
    static id<MTLCommandQueue> queue = [device newCommandQueue];
    if (device == nil) return "no Metal device";
    NSError* error = nil;
    MTLCompileOptions* options = [MTLCompileOptions new];
    options.languageVersion = MTLLanguageVersion3_1;
    options.fastMathEnabled = NO;
    id<MTLLibrary> library = [device newLibraryWithSource:[NSString stringWithUTF8String:source.c_str()]
                                                  options:options
                                                    error:&error];
    if (library == nil) return text_of(error, "the source does not compile");
    NSMutableArray<id<MTLBuffer>>* memory = [NSMutableArray new];
    for (const DeviceBuffer& buffer : buffers) {
      id<MTLBuffer> own = [device newBufferWithLength:std::max<NSUInteger>(buffer.bytes, 16)
                                              options:MTLResourceStorageModeShared];
      std::memcpy(own.contents, buffer.data, buffer.bytes);
      [memory addObject:own];
    }
    id<MTLCommandBuffer> commands = [queue commandBuffer];
    id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
    for (const DeviceLaunch& launch : launches) {
      id<MTLFunction> function = [library newFunctionWithName:[NSString stringWithUTF8String:launch.function.c_str()]];
      if (function == nil) return "the library lacks " + launch.function;
      id<MTLComputePipelineState> pipeline = [device newComputePipelineStateWithFunction:function error:&error];
      if (pipeline == nil) return text_of(error, "no pipeline");
      if (pipeline.maxTotalThreadsPerThreadgroup < launch.threads) return "too many threads for " + launch.function;
      if (pipeline.threadExecutionWidth != 32) return "simdgroups that are not of 32 threads";
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
