// Plans on the kernel interpreter. See kernel_executor.h.
#include "kernel_executor.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "support/overloaded.h"
#include "support/tensor_symbol.h"

namespace tilewright::differential {
namespace {

SymbolValues symbols_of(const plan::LaunchCall& call) {
  return [&call](std::string_view name) -> std::optional<std::int64_t> {
    for (std::size_t b = 0; b < call.bindings.size(); ++b)
      if (call.launch->bindings[b].symbol == name) return call.bindings[b];
    const auto symbol = parse_tensor_symbol(name);
    for (std::size_t a = 0; symbol && a < call.arguments.size(); ++a)
      if (call.launch->arguments[a].parameter == symbol->tensor) {
        const TensorView& view = call.arguments[a];
        return symbol->stride ? view.strides.at(symbol->axis) : view.shape.at(symbol->axis);
      }
    return std::nullopt;
  };
}

}  // namespace

std::byte* KernelExecutor::fresh(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  owned_.push_back(std::make_unique<std::byte[]>(size + 64));
  const auto address = reinterpret_cast<std::uintptr_t>(owned_.back().get());
  std::byte* aligned = owned_.back().get() + (64 - address % 64) % 64;
  std::memset(aligned, 0xFF, size);
  return aligned;
}

Result<std::byte*> KernelExecutor::allocate(std::int64_t bytes) {
  std::byte* memory = fresh(bytes);
  memory_.push_back({memory, bytes, true});
  return memory;
}

Result<void> KernelExecutor::fill(const TensorView& view, Scalar value) {
  for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) { view.set(index, value); });
  return {};
}

Result<void> KernelExecutor::launch(const plan::LaunchCall& call) {
  const kernel::LoweredKernel& host = plan_.kernels[call.kernel.index];
  const SymbolValues symbols = symbols_of(call);
  auto interpreter = kernel::Interpreter::make(host.kernel);
  if (!interpreter) return std::unexpected(interpreter.error());
  std::int64_t points = 1;
  for (const IntExpr& count : host.grid) points *= evaluate(count, symbols).value_or(0);
  const std::int64_t bytes = evaluate(host.workspace_bytes, symbols).value_or(0);
  for (const auto& [begin, end] : {std::pair(std::int64_t{0}, points / 3), std::pair(points / 3, points - points / 2),
                                   std::pair(points - points / 2, points)}) {
    if (begin >= end) continue;
    std::vector<kernel::MemoryRange> memory = memory_;
    std::vector<kernel::Argument> arguments;
    for (const kernel::LaunchArgument& argument : host.arguments) {
      const std::optional<kernel::Argument> value = std::visit(
          Overloaded{[&](const kernel::TensorArgument& t) -> std::optional<kernel::Argument> {
                       for (std::size_t a = 0; a < call.arguments.size(); ++a)
                         if (call.launch->arguments[a].parameter == t.tensor) return call.arguments[a].data;
                       return std::nullopt;
                     },
                     [&](const kernel::SizeArgument& s) -> std::optional<kernel::Argument> {
                       if (const auto size = s.evaluated(symbols)) return *size;
                       return std::nullopt;
                     },
                     [](const kernel::TensorMapArgument&) -> std::optional<kernel::Argument> { return std::nullopt; },
                     [&](const kernel::WorkspaceArgument&) -> std::optional<kernel::Argument> {
                       memory.push_back({fresh(std::max<std::int64_t>(bytes, 1)), bytes, true});
                       return memory.back().data;
                     },
                     [&](const kernel::GridBeginArgument&) -> std::optional<kernel::Argument> { return begin; },
                     [&](const kernel::GridEndArgument&) -> std::optional<kernel::Argument> { return end; }},
          argument);
      if (!value) return fail("R080", "a parameter of kernel " + host.kernel.name + " has no value");
      arguments.push_back(*value);
    }
    if (auto ran = interpreter->run(arguments, memory); !ran) return ran;
  }
  return {};
}

}  // namespace tilewright::differential
