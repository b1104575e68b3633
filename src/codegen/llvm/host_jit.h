// Kernel IR → LLVM IR → machine code of this process's processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/ir.h"
#include "support/diagnostic.h"

namespace tilewright::codegen {

/// The processor that code is generated for.
struct HostProcessor {
  std::string cpu;                    ///< LLVM's name: "znver3"
  std::vector<std::string> features;  ///< "+avx2", …
  int vector_bytes = 16;              ///< 16 (SSE2, NEON), 32 (AVX2) or 64 (AVX-512)
  int vector_registers = 16;
  bool has_fma = false;
  bool has_half = false;           ///< converts f16 in hardware
  bool has_masked_memory = false;  ///< masked loads and stores of 32- and 64-bit lanes in hardware
  std::int64_t l1_bytes = 32 << 10;
  std::int64_t l2_bytes = 512 << 10;
  std::int64_t l3_bytes = 8 << 20;  ///< shared
};
/// This machine's, detected once.
const HostProcessor& host_processor();
/// "sse2", "avx2" or "avx512" of the same architecture; an error if the machine has less.
Result<HostProcessor> host_processor_named(std::string_view level);

/// The entry of a compiled kernel: one 8-byte slot a parameter (an address or a sign-extended integer).
using HostEntry = void (*)(const std::int64_t* arguments);

/// Code of one kernel, alive as long as any copy of the pointer.
class HostCode {
 public:
  virtual ~HostCode() = default;
  virtual HostEntry entry() const = 0;
  virtual std::span<const std::byte> object() const = 0;  ///< the relocatable object, for the disk cache
};

enum class HostStage : std::uint8_t { llvm, assembly, object };

/// Compiles; any failure of LLVM is an error value, never an abort. Thread-safe.
Result<std::shared_ptr<const HostCode>> compile_for_host(const kernel::Kernel& kernel,
                                                         const HostProcessor& processor = host_processor());
/// Loads what `HostCode::object` gave for a kernel of this name and a processor of the same name and features.
Result<std::shared_ptr<const HostCode>> load_host_object(std::span<const std::byte> object,
                                                         const std::string& kernel_name);
/// Text of LLVM IR or assembly, or the object's bytes.
Result<std::string> emit_for_host(const kernel::Kernel& kernel, HostStage stage,
                                  const HostProcessor& processor = host_processor());

}  // namespace tilewright::codegen
