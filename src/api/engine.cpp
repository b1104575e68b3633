// The public Engine: operands meet the kernel's names, and calls go to the runtime.
#include <fmt/format.h>

#include <algorithm>

#include "api/expr_node.h"
#include "api/inside.h"
#include "runtime/thread_pool.h"

namespace tilewright::v0 {

Operand::Operand(const TensorName& name, Tensor tensor) : name_(name.name()->text), tensor_(std::move(tensor)) {
  if (name_.empty()) identity_ = name.name();
}

namespace {

/// The name that the kernel calls an operand by: its own, or what the kernel gave its name object. Empty where neither.
std::string name_of(const Operand& operand, const Kernel::Inside& kernel) {
  if (!operand.identity()) return operand.name();
  const auto assigned = std::ranges::find(kernel.names, operand.identity(), &AssignedName::identity);
  return assigned == kernel.names.end() ? "<a name that the kernel does not have>" : assigned->name;
}

/// The runtime's operands, all named. A020: named and unnamed ones mixed. R076: unnamed ones of another number.
Result<std::vector<tilewright::Operand>> inner_operands(const Kernel& kernel, const std::vector<Operand>& operands) {
  const Kernel::Inside& inside = Kernel::Inside::of(kernel);
  const std::vector<std::string>& names = inside.kernel.operand_names();
  const auto is_unnamed = [](const Operand& operand) { return operand.name().empty() && !operand.identity(); };
  const auto unnamed = static_cast<std::size_t>(std::ranges::count_if(operands, is_unnamed));
  if (unnamed != 0 && unnamed != operands.size())
    return fail_here("A020",
                     fmt::format("{} of {} operands of {} have no name", unnamed, operands.size(), kernel.name()),
                     "name all of them, or none and keep the order");
  if (unnamed != 0 && unnamed != names.size())
    return fail_here("R076", fmt::format("{} operands for {}", unnamed, kernel.name()),
                     fmt::format("it reads ({}), in this order", fmt::join(names, ", ")));
  std::vector<tilewright::Operand> result;
  result.reserve(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    result.push_back(
        {unnamed != 0 ? names[i] : name_of(operands[i], inside), Tensor::Inside::of(operands[i].tensor())});
  return result;
}

}  // namespace

Result<Engine> Engine::try_open(std::string_view device, const EngineOptions& options) noexcept {
  return guarded([&]() -> Result<Engine> {
    auto engine =
        tilewright::Engine::open(device, {options.disk_cache, options.workspace_limit, options.stored_choices});
    if (!engine) return outer(engine.error());
    return Engine(std::make_shared<const Inside>(Inside{std::move(*engine)}));
  });
}

Result<Tensor> Engine::try_eval(const Kernel& kernel, const std::vector<Operand>& operands) const noexcept {
  return guarded([&]() -> Result<Tensor> {
    const auto given = inner_operands(kernel, operands);
    if (!given) return std::unexpected(given.error());
    return outer(inside_->engine.eval(Kernel::Inside::of(kernel).kernel, *given));
  });
}

Result<void> Engine::try_eval_into(const Kernel& kernel, const std::vector<Operand>& operands, const Tensor& output,
                                   const CallOptions& options) const noexcept {
  return guarded([&]() -> Result<void> {
    const auto given = inner_operands(kernel, operands);
    if (!given) return std::unexpected(given.error());
    return outer(inside_->engine.eval_into(Kernel::Inside::of(kernel).kernel, *given, Tensor::Inside::of(output),
                                           {options.stream}));
  });
}

Result<std::vector<NamedTensor>> Engine::try_run(const Kernel& kernel,
                                                 const std::vector<Operand>& operands) const noexcept {
  return guarded([&]() -> Result<std::vector<NamedTensor>> {
    const auto given = inner_operands(kernel, operands);
    if (!given) return std::unexpected(given.error());
    auto results = inside_->engine.run(Kernel::Inside::of(kernel).kernel, *given);
    if (!results) return outer(results.error());
    std::vector<NamedTensor> named;
    for (tilewright::Operand& result : *results)
      named.push_back({std::move(result.name), Tensor::Inside::wrap(std::move(result.tensor))});
    return named;
  });
}

Result<Tensor> Engine::try_to_device(const Tensor& tensor) const noexcept {
  return guarded([&] { return outer(inside_->engine.to_device(Tensor::Inside::of(tensor))); });
}

Result<Tensor> Engine::try_to_host(const Tensor& tensor) const noexcept {
  return guarded([&] { return outer(inside_->engine.to_host(Tensor::Inside::of(tensor))); });
}

Result<Tensor> Engine::try_einsum(std::string_view equation, const std::vector<Tensor>& tensors) const noexcept {
  return guarded([&]() -> Result<Tensor> {
    std::vector<std::size_t> ranks;
    for (const Tensor& tensor : tensors) ranks.push_back(tensor.rank());
    const auto kernel = Kernel::try_einsum(equation, ranks);
    if (!kernel) return std::unexpected(kernel.error());
    return try_eval(*kernel, {tensors.begin(), tensors.end()});
  });
}

Result<Tensor> Engine::try_dot_general(const Tensor& lhs, const Tensor& rhs, const DotAxes& axes,
                                       const DotOptions& options) const noexcept {
  return guarded([&]() -> Result<Tensor> {
    const auto kernel = Kernel::try_dot_general(lhs.rank(), rhs.rank(), axes, options);
    if (!kernel) return std::unexpected(kernel.error());
    return try_eval(*kernel, {lhs, rhs});
  });
}

void set_threads(int count) noexcept {
  tilewright::set_threads(count);
}

int threads() noexcept {
  return tilewright::threads();
}

}  // namespace tilewright::v0
