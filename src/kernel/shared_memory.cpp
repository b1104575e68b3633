// One buffer behind the other.
#include "kernel/shared_memory.h"

#include <algorithm>

#include "kernel/walk.h"

namespace tilewright::kernel {

SharedLayout shared_layout(const Kernel& kernel) {
  SharedLayout layout;
  walk(kernel.body, [&](const Op& op) {
    if (op.code != Opcode::shared) return;
    const SharedBuffer& buffer = std::get<SharedBuffer>(op.attribute);
    const std::int64_t offset = (layout.bytes + buffer.align - 1) / buffer.align * buffer.align;
    layout.offsets.emplace(op.results[0].index, offset);
    layout.bytes = offset + buffer.bytes;
    layout.align = std::max(layout.align, buffer.align);
  });
  return layout;
}

}  // namespace tilewright::kernel
