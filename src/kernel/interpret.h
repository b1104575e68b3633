// Runs a kernel op by op, with every access checked: the kernel IR's own semantics, against which generated code is
// compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
/// A pointer argument is an address, of a tensor map that of a TensorMap (tensor_map.h); others are integers.
using Argument = std::variant<std::int64_t, std::byte*>;

/// Error K1xx with the op's text: an access outside every range and the kernel's locals, a misaligned access, a write
/// to a read-only range, a read of a local's unwritten bytes, a loop step ≤ 0, arguments that are not the parameters',
/// a GPU kernel. A kernel that does not verify gives verify's errors.
Result<void> interpret(const Kernel& kernel, std::span<const Argument> arguments, std::span<const MemoryRange> memory);

/// A kernel decoded once, to be run many times, also by several threads at once. Borrows the kernel.
class Interpreter {
 public:
  static Result<Interpreter> make(const Kernel& kernel);
  /// As `interpret`.
  Result<void> run(std::span<const Argument> arguments, std::span<const MemoryRange> memory) const;

 private:
  struct Program;
  explicit Interpreter(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

}  // namespace tilewright::kernel
