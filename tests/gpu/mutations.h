// Kernels with one thing less: a barrier, a guard or a wait that a generated kernel has. A test of the simulator and of
// the lowering at once: each of them must be missed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/ir.h"

namespace tilewright::differential {

/// What can be left out of a kernel.
enum class Protection : std::uint8_t {
  barrier,  ///< the op is removed
  wait,     ///< of asynchronous copies and of barriers in shared memory: the op is removed
  commit,   ///< of a group of copies: the op is removed
  fence,    ///< the op is removed
  mask,     ///< an access is done in all lanes
  guard     ///< of an `if` with one region: it is always entered
};
std::string_view name(Protection protection);

struct Site {
  Protection protection = Protection::barrier;
  std::size_t number = 0;  ///< among those of its kind, in the order of the kernel's text
  std::string text;        ///< of the op
};
std::vector<Site> find_sites(const kernel::Kernel& kernel);
/// The kernel without the protection of the site.
kernel::Kernel without(kernel::Kernel kernel, const Site& site);

}  // namespace tilewright::differential
