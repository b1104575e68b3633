// Runs a kernel op by op, with every access checked: the kernel IR's own semantics, against which generated code is
// compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "kernel/ir.h"

namespace tilewright::kernel {

/// Memory that a pointer argument may reach: [data, data + bytes).
struct MemoryRange {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;
  bool writable = true;
};
/// A pointer argument is an address; others are integers.
using Argument = std::variant<std::int64_t, std::byte*>;

/// Error K1xx with the op's text: an access outside every range and the kernel's locals, a misaligned access, a write
/// to a read-only range, a read of a local's unwritten bytes, a loop step ≤ 0.
Result<void> interpret(const Kernel& kernel, std::span<const Argument> arguments, std::span<const MemoryRange> memory);

}  // namespace tilewright::kernel
