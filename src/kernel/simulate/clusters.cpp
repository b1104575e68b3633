// The blocks of a cluster: who reaches whose shared memory, and the barrier of all their warps.
#include <fmt/format.h>

#include <limits>

#include "kernel/simulate/block.h"

namespace tilewright::kernel::simulator {

namespace {

void cluster_arrive(Block& block, Warp& warp, const Step& step, std::uint32_t) {
  block.arrive_at_cluster(warp, step);
}

void cluster_wait(Block& block, Warp& warp, const Step& step, std::uint32_t) {
  block.wait_for_cluster(warp, step);
}

}  // namespace

Behaviour cluster_behaviour(Opcode code) {
  switch (code) {
    case Opcode::cluster_arrive:
      return {cluster_arrive, StepKind::together};
    case Opcode::cluster_wait:
      return {cluster_wait, StepKind::together};
    default:
      return {};
  }
}

Block* Block::find_peer(const Step& step, unsigned thread, std::int64_t rank) {
  const auto size = static_cast<std::int64_t>(cluster_->blocks.size());
  if (rank < 0 || rank >= size) {
    grid_.report("K211", &step,
                 fmt::format("thread {} of block {} reaches block {} of a cluster of {}", thread, index_, rank, size));
    return nullptr;
  }
  Block& peer = cluster_->blocks[static_cast<std::size_t>(rank)];
  if (!peer.is_done()) return &peer;
  grid_.report("K211", &step,
               fmt::format("thread {} of block {} reaches block {}, which has ended", thread, index_, peer.index_));
  return nullptr;
}

Target Block::same_place(const Target& target) {
  Target own = target;
  own.data = shared_ + target.offset;
  if (shared_shadow_) own.shadow = &*shared_shadow_;
  return own;
}

MemoryScope Block::phase_scope() const {
  return cluster_->blocks.size() > 1 ? MemoryScope::cluster : MemoryScope::block;
}

/// A place that no barrier has, in the shared memory of the cluster's first block.
Notes& Block::cluster_notes() {
  return grid_.locations().at_shared(cluster_->blocks.front().index_, std::numeric_limits<std::uint32_t>::max());
}

void Block::arrive_at_cluster(Warp& warp, const Step& step) {
  if (warp.cluster_arrivals != warp.cluster_waits)
    grid_.report("K203", &step,
                 fmt::format("warp {} of block {} comes to the barrier of the cluster again before it has waited there",
                             warp.index, index_));
  ++warp.cluster_arrivals;
  if (is_ordered()) order_->release_warp(warp.index, cluster_notes(), MemoryScope::cluster);
  if (++cluster_->arrived == cluster_->blocks.size() * warps_.size()) end_cluster_phase();
}

void Block::end_cluster_phase() {
  ++cluster_->phase;
  cluster_->arrived = 0;
  if (is_ordered()) cluster_->notes = cluster_notes().all.size();
  for (Block& block : cluster_->blocks)
    for (Warp& warp : block.warps_)
      if (warp.waits_for_cluster) warp.waits_for_cluster = warp.blocked = false;  // and runs the step again
}

void Block::wait_for_cluster(Warp& warp, const Step& step) {
  if (warp.cluster_arrivals == warp.cluster_waits)
    return grid_.report("K203", &step,
                        fmt::format("warp {} of block {} waits at the barrier of the cluster and has not come to it",
                                    warp.index, index_));
  if (cluster_->phase < warp.cluster_arrivals) {
    warp.waits_for_cluster = warp.blocked = true;
    return;
  }
  ++warp.cluster_waits;
  if (is_ordered()) order_->acquire_warp(warp.index, cluster_notes(), cluster_->notes, MemoryScope::cluster);
}

}  // namespace tilewright::kernel::simulator
