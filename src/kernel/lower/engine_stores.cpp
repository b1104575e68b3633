// Outputs that leave through shared memory, by the copy engine, for tile_to_kernel.
//
// A worked example. 256 threads hold 128 rows of 256 f16: thread t, with g = t / 4 % 8, q = t % 4 and w = t / 32, has
// rows 16 w + g and 16 w + g + 8, and of them neighbours 8 c + 2 q and 8 c + 2 q + 1. They write them to four panels of
// 128 rows of 64 columns, where the 16 bytes number c of row r stand at c xor r: the eight rows that a warp writes
// together lie in different banks. Then one thread has the engine store four boxes, and all go on with the next point.
// Before it is written again, that thread waits until the engine has read the buffer.
#include <algorithm>
#include <numeric>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"

namespace tilewright::kernel::lowering {

void Lowering::store_by_engine(const tile::Store& store) {
  const EngineRing::Stored& stored = *engine_->stored;
  const Registers& tile = tiles_.at(store.value);
  const tile::Buffer& buffer = program_.buffers[store.through];
  const std::int64_t element = bytes_of(buffer.dtype);
  const int lanes = lanes_of(tile.axes);
  finish_engine_stores();
  barrier();
  const auto bytes_at = [&](const tile::BufferAxis& axis, std::int64_t point) {
    return (point / axis.inner * axis.outer_stride.constant() + point % axis.inner * axis.inner_stride) * element;
  };
  // Points of threads and of their tiles are different bits of a point's number: their bytes add up.
  PieceTarget target{store.through, build_.index(0), 0, widest_access};
  std::int64_t lane_bytes = element;
  for (const tile::BufferAxis& axis : buffer.axes) {
    if (has_thread_axis(axis.iter)) {
      const ValueId point = thread_offsets_.at(axis.iter);
      const ValueId inner = build_.index(axis.inner);
      const ValueId outside =
          build_.mul(build_.binary(Opcode::udiv, point, inner), build_.index(axis.outer_stride.constant() * element));
      const ValueId inside =
          build_.mul(build_.binary(Opcode::urem, point, inner), build_.index(axis.inner_stride * element));
      target.thread = build_.add(target.thread, build_.add(outside, inside));
    }
    for (const Axis& own : tile.axes)
      if (own.iter == axis.iter && own.lanes && lanes > 1) lane_bytes = bytes_at(axis, 1);
  }
  each_position(tile.axes, [&](const Positions& at) {
    const ValueId value = to_memory(build_, this->at(tile, at, lanes), tile.dtype);
    target.constant = 0;
    for (const tile::BufferAxis& axis : buffer.axes)
      for (const Axis& own : tile.axes)
        if (own.iter == axis.iter)
          target.constant += bytes_at(axis, own.offset(at.at(own.iter) * (own.lanes ? lanes : 1)));
    // The swizzle moves 16 bytes as one.
    const bool neighbours = lane_bytes == element;
    const int together = neighbours ? static_cast<int>(std::min<std::int64_t>(lanes, widest_access / element)) : 1;
    const Access access{static_cast<std::uint32_t>(together * element), false};
    for (int first = 0; first < lanes; first += together) {
      std::vector<std::int32_t> some(static_cast<std::size_t>(together));
      std::iota(some.begin(), some.end(), first);
      const ValueId part = together == lanes ? value
                           : together == 1   ? build_.extract(value, first)
                                             : build_.shuffle(value, value, some);
      build_.store(part, shared_address(target, first * lane_bytes), access);
    }
  });
  build_.gpu_op(Opcode::fence_async, {});
  barrier();
  build_.if_then(
      build_.cmp(Predicate::eq, thread_, i32(0)),
      [&] {
        for (const tile::EngineCopy::Box& box : stored.plan.boxes) {
          std::vector<ValueId> operands{stored.map, build_.offset(shared_.at(store.through), build_.index(box.bytes))};
          for (const ValueId at : box_coordinates(stored.plan, box)) operands.push_back(at);
          build_.gpu_op(Opcode::tensor_store, std::move(operands), {},
                        TensorCopy{.rank = static_cast<std::int32_t>(stored.plan.axes.size())});
        }
        build_.gpu_op(Opcode::commit_bulk, {});
        return nothing();
      },
      nothing);
}

/// The thread that has the engine store waits until it has read the buffer.
void Lowering::finish_engine_stores() {
  if (!engine_->stored) return;
  build_.if_then(
      build_.cmp(Predicate::eq, thread_, i32(0)),
      [&] {
        build_.gpu_op(Opcode::wait_bulk_reads, {}, {}, Count{0});
        return nothing();
      },
      nothing);
}

}  // namespace tilewright::kernel::lowering
