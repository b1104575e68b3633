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
#include "support/target.h"

namespace tilewright::codegen {

/// This machine's, detected once.
const HostTarget& host_target();
/// "sse2", "avx2" or "avx512" (on Arm "neon"): a generic processor of that level with this machine's caches and
/// threads. Error G005 if the machine has less.
Result<HostTarget> host_target_named(std::string_view level);

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

/// Verifies, compiles and loads a kernel that the kernel passes (kernel/passes/pipeline.h) have legalised. Errors:
/// verify's; G001 to G004, G006 (docs/errors.md). Any failure of LLVM is an error value, never an abort. Thread-safe.
Result<std::shared_ptr<const HostCode>> compile_for_host(const kernel::Kernel& kernel,
                                                         const HostTarget& target = host_target());
/// Loads what `HostCode::object` gave for a kernel of this name and a processor of the same name and features. Error
/// G004 on other bytes, as far as the object's format shows it: the cache keeps a checksum.
Result<std::shared_ptr<const HostCode>> load_host_object(std::span<const std::byte> object,
                                                         const std::string& kernel_name);
/// Text of LLVM IR or assembly, or the object's bytes; errors as compile_for_host.
Result<std::string> emit_for_host(const kernel::Kernel& kernel, HostStage stage,
                                  const HostTarget& target = host_target());

}  // namespace tilewright::codegen
