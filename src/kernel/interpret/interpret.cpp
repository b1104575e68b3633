// The interpreter: runs a decoded kernel for one thread, with memory for its locals.
#include "kernel/interpret.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/interpret/decode.h"
#include "kernel/print.h"

namespace tilewright::kernel {

using interpreter::Machine;

struct Interpreter::Program {
  const Kernel* kernel;
  interpreter::Decoded decoded;
};

namespace {

/// A local's bytes, aligned, with a note of those written.
struct LocalMemory {
  std::vector<std::byte> storage;
  std::vector<bool> written;
  std::uint64_t address = 0;
};

constexpr std::uint64_t local_align = 64;

LocalMemory make_local(std::size_t bytes) {
  LocalMemory local{std::vector<std::byte>(bytes + local_align), std::vector<bool>(bytes), 0};
  const auto begin = reinterpret_cast<std::uint64_t>(local.storage.data());
  local.address = (begin + local_align - 1) / local_align * local_align;
  return local;
}

}  // namespace

Result<Interpreter> Interpreter::make(const Kernel& kernel) {
  if (auto legal = verify(kernel); !legal) return std::unexpected(legal.error());
  if (kernel.block)
    return fail("K107", fmt::format("kernel {} is a GPU's, and the interpreter runs one thread alone", kernel.name),
                "a kernel of the host");
  return Interpreter(std::make_shared<const Program>(Program{&kernel, interpreter::decode(kernel)}));
}

Result<void> Interpreter::run(std::span<const Argument> arguments, std::span<const MemoryRange> memory) const {
  const Kernel& kernel = *program_->kernel;
  const interpreter::Decoded& decoded = program_->decoded;
  Machine machine(decoded.frame_bytes);
  const auto words = interpreter::argument_words(kernel, arguments);
  if (!words) return std::unexpected(words.error());
  for (std::size_t i = 0; i < words->size(); ++i)
    interpreter::write_int(kernel.values[kernel.parameters[i].value].type.element, (*words)[i],
                           machine.at(decoded.parameters[i]));
  for (const auto& constant : decoded.constants) std::ranges::copy(constant.bytes, machine.at(constant.place));
  for (const MemoryRange& range : memory)
    machine.add_memory({reinterpret_cast<std::uint64_t>(range.data), static_cast<std::uint64_t>(range.bytes),
                        range.writable, nullptr});
  std::vector<LocalMemory> locals;
  locals.reserve(decoded.locals.size());  // their notes are pointed to
  for (const auto& local : decoded.locals) {
    LocalMemory& made = locals.emplace_back(make_local(local.bytes));
    machine.integer(local.place) = static_cast<std::int64_t>(made.address);
    machine.add_memory({made.address, local.bytes, true, &made.written});
  }
  machine.run(decoded.instructions);
  if (!machine.failed()) return {};
  const Machine::Failure& failure = machine.failure();
  return fail(failure.code,
              fmt::format("kernel {}: {}, in: {}", kernel.name, failure.message, op_text(kernel, *failure.op)));
}

Result<void> interpret(const Kernel& kernel, std::span<const Argument> arguments, std::span<const MemoryRange> memory) {
  auto interpreter = Interpreter::make(kernel);
  if (!interpreter) return std::unexpected(interpreter.error());
  return interpreter->run(arguments, memory);
}

}  // namespace tilewright::kernel
