// Prepares and runs the launches of a program. See program_call.h.
#include "runtime/program_call.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tilewright {
std::byte* pretended(std::size_t number) {
  return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 61U) + (std::uintptr_t{number} << 16U));
}

Result<ProgramCall> ProgramCall::prepare(const Prepare& prepare_nest, const Kernel& kernel,
                                         const std::vector<const Tensor*>& operands, std::int64_t workspace_limit) {
  const std::vector<std::string>& names = kernel.operand_names();
  std::vector<nest::NamedView> views;
  for (std::size_t n = 0; n < names.size(); ++n) views.push_back({names[n], operands[n]->view()});
  const auto fused = fuse_program(kernel, types_of(views));
  if (!fused) return std::unexpected(fused.error());
  const nest::BoundProgram& program = fused->program;

  ProgramCall prepared;
  for (const std::string& name : program.results) {
    const lang::OperandType& type = *program.tensor(name);
    prepared.results_.push_back({name, type.dtype, type.shape});
  }
  const auto address_of = [&](std::string_view name) -> Address {
    if (const auto operand = std::ranges::find(names, name); operand != names.end())
      return {Place::operand, operand - names.begin()};
    if (const Intermediate* intermediate = fused->intermediate(name)) return {Place::arena, intermediate->offset};
    return {Place::result, std::ranges::find(program.results, name) - program.results.begin()};
  };
  std::optional<std::int64_t> room;
  if (workspace_limit > 0) room = workspace_limit - fused->arena_bytes;
  std::int64_t workspace = 0;
  for (const nest::BoundNest& bound : program.nests) {
    const lang::OperandType& type = *program.tensor(bound.nest.name);
    const TensorView output{pretended(views.size()), type.dtype, type.shape, row_major_strides(type.shape)};
    auto made = prepare_nest(bound, views, output, room);
    if (!made) return std::unexpected(std::move(made.error()));
    Step step{std::move(made->call), {}, std::move(made->choice)};
    for (const nest::Tensor& tensor : made->compilation.nest.tensors) step.addresses.push_back(address_of(tensor.name));
    step.addresses.push_back(address_of(bound.nest.name));
    workspace = std::max(workspace, step.call->workspace_bytes());
    prepared.steps_.push_back(std::move(step));
    views.push_back({bound.nest.name, output});
  }
  prepared.arena_bytes_ = fused->arena_bytes;
  if (workspace_limit > 0 && (workspace > workspace_limit || fused->arena_bytes > workspace_limit - workspace))
    return fail("R078", kernel.name() + " needs " + std::to_string(fused->arena_bytes) +
                            " bytes for intermediate results and a workspace of " + std::to_string(workspace) +
                            " bytes, the limit is " + std::to_string(workspace_limit));
  return prepared;
}

Result<std::vector<Operand>> ProgramCall::run(Backend& backend, const std::vector<const Tensor*>& operands,
                                              std::string& failed_choice) const {
  std::vector<Operand> results;
  for (const ResultType& result : results_) {
    auto tensor = backend.allocate(result.dtype, result.shape);
    if (!tensor) return std::unexpected(std::move(tensor.error()));
    results.push_back({result.name, std::move(*tensor)});
  }
  auto arena = backend.allocate(DType::u8, {arena_bytes_});
  if (!arena) return std::unexpected(std::move(arena.error()));
  const auto resolve = [&](const Address& address) {
    switch (address.place) {
      case Place::operand:
        return operands[static_cast<std::size_t>(address.at)]->data();
      case Place::result:
        return results[static_cast<std::size_t>(address.at)].tensor.data();
      case Place::arena:
        return arena->data() + address.at;
    }
    internal_error("an address of no place");
  };
  for (const Step& step : steps_) {
    std::vector<std::byte*> addresses;
    addresses.reserve(step.addresses.size() + 1);
    for (const Address& address : step.addresses) addresses.push_back(resolve(address));
    if (auto done = step.call->run(addresses); !done) {
      failed_choice = step.choice;
      return std::unexpected(std::move(done.error()));
    }
  }
  return results;
}

}  // namespace tilewright
