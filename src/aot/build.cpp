// The entry to the generators. See build.h.
#include "aot/build.h"

#include "aot/build_host.h"
#include "aot/build_nvptx.h"

namespace tilewright::aot {

Result<std::vector<BuiltFile>> build(const report::EmitTarget& target, const Kernel& kernel,
                                     const std::vector<nest::NamedView>& operands) {
  return target.nvptx != nullptr ? build_nvptx(target, kernel, operands) : build_host(kernel, operands);
}

}  // namespace tilewright::aot
