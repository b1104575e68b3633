// The passes over a kernel between its lowering and code generation, in order.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "kernel/passes/expand_conversions.h"

namespace tilewright::kernel {

/// What the passes must know of the machine.
struct KernelFacts {
  NativeConversions conversions;
  bool expands_functions = false;  ///< the target has no library of exp, log, …
};
KernelFacts kernel_facts(const HostTarget& target);
KernelFacts kernel_facts(const NvptxTarget& target);

struct KernelPass {
  std::string_view name;
  void (*run)(Kernel& kernel, const KernelFacts& facts);
  std::string_view description;
};

/// All passes, in the order in which they run.
std::span<const KernelPass> kernel_passes();
const KernelPass* kernel_pass_from_name(std::string_view name);

/// Is shown the kernel after each pass.
using KernelObserver = std::function<void(const KernelPass& pass, const Kernel& kernel)>;

/// Runs all passes, each verified. Requires a kernel that verifies; that a pass breaks it is an internal error, which
/// shows the pass and the kernel.
void run_kernel_passes(Kernel& kernel, const KernelFacts& facts, const KernelObserver& observer = {});

}  // namespace tilewright::kernel
