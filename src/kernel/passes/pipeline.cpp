// What the kernel passes must know of each kind of machine.
#include "kernel/passes/pipeline.h"

namespace tilewright::kernel {

KernelFacts kernel_facts(const HostTarget& target) {
  return {native_conversions(target)};
}

KernelFacts kernel_facts(const GpuTarget& target) {
  return {native_conversions(target), true};
}

}  // namespace tilewright::kernel
