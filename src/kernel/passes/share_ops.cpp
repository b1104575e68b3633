// The builder's own value numbering and folding, applied to a whole kernel.
#include "kernel/passes/share_ops.h"

#include "kernel/walk.h"

namespace tilewright::kernel {

void share_ops(Kernel& kernel) {
  kernel = rewrite(kernel, [](Builder&, const Op&, Type) -> Replacement { return std::nullopt; });
}

}  // namespace tilewright::kernel
