// The table of kernel passes and its runner.
#include "kernel/passes/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/passes/expand_functions.h"
#include "kernel/passes/hoist_invariants.h"
#include "kernel/passes/remove_dead_ops.h"
#include "kernel/passes/share_ops.h"

namespace tilewright::kernel {

namespace {

constexpr std::array passes = {
    KernelPass{"expand_conversions",
               [](Kernel& kernel, const KernelFacts& facts) { expand_conversions(kernel, facts.conversions); },
               "write conversions of small floats with integer ops and f32"},
    KernelPass{"expand_functions",
               [](Kernel& kernel, const KernelFacts& facts) {
                 if (facts.expands_functions) expand_functions(kernel);
               },
               "write exp, log, … with arithmetic, where the target has no library of them"},
    KernelPass{"hoist_invariants", [](Kernel& kernel, const KernelFacts&) { hoist_invariants(kernel); },
               "move pure ops out of the loops that they do not depend on"},
    KernelPass{"share_ops", [](Kernel& kernel, const KernelFacts&) { share_ops(kernel); },
               "compute equal pure ops once"},
    KernelPass{"remove_dead_ops", [](Kernel& kernel, const KernelFacts&) { remove_dead_ops(kernel); },
               "remove what no store depends on"},
};

}  // namespace

KernelFacts kernel_facts(const HostTarget& target) {
  return {native_conversions(target)};
}

KernelFacts kernel_facts(const NvptxTarget& target) {
  return {native_conversions(target), true};
}

std::span<const KernelPass> kernel_passes() {
  return passes;
}

const KernelPass* kernel_pass_from_name(std::string_view name) {
  const auto found = std::ranges::find(passes, name, &KernelPass::name);
  return found == passes.end() ? nullptr : &*found;
}

void run_kernel_passes(Kernel& kernel, const KernelFacts& facts, const KernelObserver& observer) {
  for (const KernelPass& pass : passes) {
    pass.run(kernel, facts);
    if (const Result<void> legal = verify(kernel); !legal)
      internal_error(
          fmt::format("kernel pass {} broke the kernel\n{}{}", pass.name, render(legal.error()), to_text(kernel)));
    if (observer) observer(pass, kernel);
  }
}

}  // namespace tilewright::kernel
