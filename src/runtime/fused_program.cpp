// Binding, fusion, lifetimes. See fused_program.h.
#include "runtime/fused_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nest/access.h"
#include "nest/passes/fuse_statements.h"
#include "runtime/arena.h"

namespace tilewright {
namespace {

/// From the launch that writes it to the last one that reads it.
Result<void> place_intermediates(FusedProgram& fused) {
  const std::vector<nest::BoundNest>& nests = fused.program.nests;
  std::vector<Lifetime> lifetimes;
  for (std::size_t n = 0; n < nests.size(); ++n) {
    const std::string& name = nests[n].nest.name;
    if (std::ranges::find(fused.program.results, name) != fused.program.results.end()) continue;
    const lang::OperandType& type = *fused.program.tensor(name);
    const auto bytes = checked_byte_size(type.dtype, type.shape);
    if (!bytes) return std::unexpected(bytes.error());
    Lifetime lifetime{static_cast<std::int64_t>(*bytes), n, n};
    for (std::size_t reader = n + 1; reader < nests.size(); ++reader)
      if (has_tensor(nests[reader].nest, name)) lifetime.last = reader;
    lifetimes.push_back(lifetime);
    fused.intermediates.push_back({name, 0});
  }
  const Arena arena = plan_arena(lifetimes);
  for (std::size_t n = 0; n < fused.intermediates.size(); ++n) fused.intermediates[n].offset = arena.offsets[n];
  fused.arena_bytes = arena.bytes;
  return {};
}

}  // namespace

const Intermediate* FusedProgram::intermediate(std::string_view name) const {
  const auto found = std::ranges::find(intermediates, name, &Intermediate::name);
  return found == intermediates.end() ? nullptr : &*found;
}

Result<FusedProgram> fuse_program(const Kernel& kernel, const std::vector<lang::OperandType>& operands) {
  auto bound = kernel.statement() != nullptr ? nest::bind_program(*kernel.statement(), operands)
                                             : nest::bind_program(*kernel.program(), operands);
  if (!bound) return std::unexpected(std::move(bound.error()));
  FusedProgram fused{std::move(*bound), {}, {}, 0};
  if (kernel.statement() != nullptr) return fused;
  fused.decisions = nest::fuse_statements(fused.program);
  if (auto placed = place_intermediates(fused); !placed) return std::unexpected(std::move(placed.error()));
  return fused;
}

std::string to_text(const FusedProgram& program) {
  std::string text;
  for (const std::string& decision : program.decisions) text += fmt::format("  {}\n", decision);
  text += fmt::format("  intermediate results take {} bytes", program.arena_bytes);
  for (std::size_t n = 0; n < program.intermediates.size(); ++n)
    text +=
        fmt::format("{}{} at {}", n == 0 ? ": " : ", ", program.intermediates[n].name, program.intermediates[n].offset);
  return text + "\n";
}

}  // namespace tilewright
