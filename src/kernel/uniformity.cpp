// Agreement of threads, to a fixed point: levels only rise.
#include "kernel/uniformity.h"

#include <algorithm>

#include "kernel/walk.h"

namespace tilewright::kernel {

namespace {

Agreement of_special(Special special) {
  switch (special) {
    case Special::thread:
    case Special::lane:
      return Agreement::thread;
    case Special::warp:
      return Agreement::warp;
    case Special::threads:
    case Special::block:
    case Special::blocks:
    case Special::cluster_block:
      return Agreement::block;
  }
  internal_error("a special value without an agreement");
}

}  // namespace

Uniformity::Uniformity(const Kernel& kernel) : levels_(kernel.values.size(), Agreement::block) {
  for (bool changed = true; changed;) {
    changed = false;
    walk(kernel.body, [&](const Op& op) { changed |= follow(op); });
  }
}

bool Uniformity::raise(ValueId value, Agreement level) {
  if (level <= levels_[value.index]) return false;
  levels_[value.index] = level;
  return true;
}

Agreement Uniformity::of_operands(const Op& op) const {
  Agreement level = Agreement::block;
  for (ValueId value : op.operands) level = std::max(level, of(value));
  return level;
}

Agreement Uniformity::of_result(const Op& op) const {
  switch (op.code) {
    case Opcode::special:
      return of_special(std::get<Special>(op.attribute));
    case Opcode::local:
    case Opcode::atomic:
    case Opcode::elect:
    case Opcode::load_matrix:
    case Opcode::mma:
    case Opcode::wgmma:
      return Agreement::thread;
    case Opcode::warp_vote:
      return std::min(of(op.operands[0]), Agreement::warp);
    case Opcode::warp_shuffle: {
      // From one lane: all of the warp get its value.
      const bool from_one =
          std::get<ShuffleMode>(op.attribute) == ShuffleMode::idx && of(op.operands[1]) <= Agreement::warp;
      return from_one ? std::min(of_operands(op), Agreement::warp) : of(op.operands[0]);
    }
    default:
      return of_operands(op);
  }
}

Agreement Uniformity::into(const Op& op) const {
  if (op.code == Opcode::if_then) return of(op.operands[0]);
  return std::max({of(op.operands[0]), of(op.operands[1]), of(op.operands[2])});
}

bool Uniformity::follow(const Op& op) {
  bool changed = false;
  if (op.regions.empty()) {
    for (ValueId result : op.results) changed |= raise(result, of_result(op));
    return changed;
  }
  const Agreement way = into(op);
  const bool loop = op.code == Opcode::for_loop;
  if (loop) changed |= raise(op.regions[0].arguments[0], std::max(of(op.operands[0]), of(op.operands[2])));
  for (const Region& region : op.regions) {
    const std::vector<ValueId>& yielded = region.ops.back().operands;
    for (std::size_t i = 0; i < yielded.size(); ++i) {
      Agreement level = of(yielded[i]);
      if (loop) {
        level = std::max(level, of(op.operands[i + 3]));
        changed |= raise(region.arguments[i + 1], level);
      }
      // Threads that leave a loop at different times leave with different values.
      changed |= raise(op.results[i], std::max(level, way));
    }
  }
  return changed;
}

Agreement Uniformity::required(const Op& op) {
  switch (op.code) {
    case Opcode::barrier:
      return std::get<NamedBarrier>(op.attribute).threads == 0 ? Agreement::block : Agreement::warp;
    case Opcode::cluster_arrive:
    case Opcode::cluster_wait:
      return Agreement::block;
    case Opcode::barrier_arrive:
    case Opcode::warp_barrier:
    case Opcode::store_matrix:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_commit:
    case Opcode::wgmma_wait:
    case Opcode::raise_registers:
    case Opcode::lower_registers:
      return Agreement::warp;
    default:
      return info(op.code).effect == OpEffect::collective ? Agreement::warp : Agreement::thread;
  }
}

}  // namespace tilewright::kernel
