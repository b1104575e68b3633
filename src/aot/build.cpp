// The entry to the generators. See build.h.
#include "aot/build.h"

#include "aot/build_host.h"
#include "aot/build_metal.h"
#include "aot/build_nvptx.h"

namespace tilewright::aot {

Result<std::vector<BuiltFile>> build(const report::EmitTarget& target, const Kernel& kernel,
                                     const std::vector<nest::NamedView>& operands) {
  switch (target.code) {
    case report::CodeKind::host:
      return build_host(kernel, operands);
    case report::CodeKind::nvptx:
      return build_nvptx(target, kernel, operands);
    case report::CodeKind::metal:
      return build_metal(target, kernel, operands);
  }
  internal_error("a target without a generator");
}

}  // namespace tilewright::aot
