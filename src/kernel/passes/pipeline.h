// The passes over a kernel between its lowering and code generation, in order: the last part of every target's pipeline
// (plan/pipeline.h runs and verifies them).
#pragma once

#include <array>
#include <string_view>

#include "kernel/passes/expand_conversions.h"
#include "kernel/passes/expand_functions.h"
#include "kernel/passes/hoist_invariants.h"
#include "kernel/passes/remove_dead_ops.h"
#include "kernel/passes/share_ops.h"
#include "kernel/passes/spread_loads.h"

namespace tilewright::kernel {

/// What the passes must know of the machine.
struct KernelFacts {
  NativeConversions conversions;
  bool expands_functions = false;  ///< the target has no library of exp, log, …
};
KernelFacts kernel_facts(const HostTarget& target);
KernelFacts kernel_facts(const GpuTarget& target);

struct KernelPass {
  std::string_view name;
  void (*run)(Kernel& kernel, const KernelFacts& facts);  ///< requires and ensures a kernel that verifies
  std::string_view description;
};

inline constexpr std::array kernel_passes = {
    KernelPass{"expand_conversions",
               [](Kernel& kernel, const KernelFacts& facts) { expand_conversions(kernel, facts.conversions); },
               "write conversions of small floats with integer ops and f32"},
    KernelPass{"expand_functions",
               [](Kernel& kernel, const KernelFacts& facts) {
                 if (facts.expands_functions) expand_functions(kernel, facts.conversions.f64);
               },
               "write exp, log, … with arithmetic, where the target has no library of them"},
    KernelPass{"hoist_invariants", [](Kernel& kernel, const KernelFacts&) { hoist_invariants(kernel); },
               "move pure ops out of the loops that they do not depend on"},
    KernelPass{"share_ops", [](Kernel& kernel, const KernelFacts&) { share_ops(kernel); },
               "compute equal pure ops once"},
    KernelPass{"remove_dead_ops", [](Kernel& kernel, const KernelFacts&) { remove_dead_ops(kernel); },
               "remove what no store depends on"},
    KernelPass{"spread_loads", [](Kernel& kernel, const KernelFacts&) { spread_loads(kernel); },
               "begin loads from shared memory among the products before their use"},
};

}  // namespace tilewright::kernel
