// The text of the launcher that build_metal writes, over metal-cpp. Private to aot.
#pragma once

#include <string_view>

namespace tilewright::aot {

/// A fmt format. {0}: the kernel; {1}: the source; {2}: its functions' names; {3}: how many; {4}: their threads; {5}:
/// bytes of workspace; {6}: parameters of encode; {7}: its checks; {8}: its launches.
inline constexpr std::string_view metal_launcher = R"(#pragma once

#include <Metal/Metal.hpp>
#include <cstdint>

namespace tw_{0} {{

inline constexpr const char source[] = R"metal({1})metal";

/// The functions, compiled for a device. What load leaves here is released by unload.
struct Kernels {{
  MTL::ComputePipelineState* functions[{3}] = {{}};
}};

inline void unload(Kernels& kernels) {{
  for (MTL::ComputePipelineState*& function : kernels.functions) {{
    if (function != nullptr) function->release();
    function = nullptr;
  }}
}}

/// Compiles the source, without fast math, in place of what was loaded before. False: `error` says why, or is null where the device does not run so many
/// threads together, or has simdgroups of other than 32.
inline bool load(Kernels& kernels, MTL::Device* device, NS::Error** error) {{
  static const char* const names[{3}] = {{{2}}};
  static const NS::UInteger threads[{3}] = {{{4}}};
  *error = nullptr;
  unload(kernels);
  MTL::CompileOptions* options = MTL::CompileOptions::alloc()->init();
  options->setLanguageVersion(MTL::LanguageVersion3_1);
  options->setFastMathEnabled(false);
  MTL::Library* library =
      device->newLibrary(NS::String::string(source, NS::UTF8StringEncoding), options, error);
  options->release();
  if (library == nullptr) return false;
  bool good = true;
  for (int n = 0; n < {3} && good; ++n) {{
    MTL::Function* function = library->newFunction(NS::String::string(names[n], NS::UTF8StringEncoding));
    good = function != nullptr;
    if (!good) break;
    kernels.functions[n] = device->newComputePipelineState(function, error);
    function->release();
    good = kernels.functions[n] != nullptr && kernels.functions[n]->maxTotalThreadsPerThreadgroup() >= threads[n] &&
           kernels.functions[n]->threadExecutionWidth() == 32;
  }}
  library->release();
  if (!good) unload(kernels);
  return good;
}}

/// Bytes of memory that a call needs beside its operands and its result.
inline constexpr std::uint64_t workspace_bytes = {5};

/// A tensor's memory: from so many bytes behind a buffer's begin.
struct Memory {{
  Memory(MTL::Buffer* buffer, std::uint64_t offset = 0) : buffer(buffer), offset(offset) {{}}
  MTL::Buffer* buffer;
  std::uint64_t offset;
}};

/// Why nothing was encoded: the tensor, and what is wrong with its memory. Null where nothing is.
struct Problem {{
  const char* tensor = nullptr;
  const char* what = nullptr;
}};

/// What is wrong with memory of so many bytes; null: nothing.
inline const char* check(const Memory& memory, std::uint64_t bytes, std::uint64_t alignment) {{
  if (bytes == 0) return nullptr;
  if (memory.buffer == nullptr) return "there is no buffer";
  if (memory.offset % alignment != 0) return "the offset is no multiple of the alignment that the source assumes";
  const std::uint64_t length = memory.buffer->length();
  if (length < memory.offset || length - memory.offset < bytes) return "the buffer ends before the tensor";
  return nullptr;
}}

inline bool overlap(const Memory& a, std::uint64_t a_bytes, const Memory& b, std::uint64_t b_bytes) {{
  return a.buffer != nullptr && a.buffer == b.buffer && a.offset < b.offset + b_bytes && b.offset < a.offset + a_bytes;
}}

/// Encodes the call, where the memory is as the source assumes: row-major tensors, at the offsets' alignment, in buffers
/// that are long enough; the result and the workspace share memory with nothing. The workspace may be null where none is
/// needed. Two buffers over the same memory are the caller's to avoid. The encoder's dispatch type is serial, as it is
/// if nothing is said.
inline Problem encode(const Kernels& kernels, MTL::ComputeCommandEncoder* encoder, {6}Memory workspace) {{
  (void)workspace;
{7}{8}  return {{}};
}}

}}  // namespace tw_{0}
)";

}  // namespace tilewright::aot
