// Copies into the stages of a loop by the copy engine, for tile_to_kernel: roles of warps, and the barriers between
// them.
//
// A worked example. 256 threads multiply, in `for k by 64 stages 4`; a warp more, the producer, tells the engine what
// to copy. Each stage has two barriers in shared memory. `full` ends a phase when the stage's bytes have come, `empty`
// when each of the eight multiplying warps has said that it reads the stage no more:
//
//   producer, step n                                multiplying warps, step n
//     wait for stage n % 4 to be empty                wait for stage n % 4 to be full
//     announce its bytes at `full`                    start the products of the step
//     start the copies, which arrive at `full`        wait for the products of the step before
//                                                     arrive at the `empty` of its stage
//
// A block runs several points of the grid, one after the other. The ring goes on from one to the next: while the
// outputs of a point are stored, the copies of the next one are on their way.
#include <algorithm>

#include "kernel/lower/lowering.h"
#include "tile/walk.h"

namespace tilewright::kernel::lowering {
namespace {

constexpr std::int64_t barrier_bytes = 8;

}  // namespace

/// The parameters: a map for each copy, and the end of the points.
void Lowering::declare_maps(const tile::For& loop) {
  EngineRing ring;
  ring.loop = &loop;
  std::map<tile::BufferId, std::int64_t> offsets;
  ring.stage_bytes = stage_layout(program_, loop, offsets);
  for (std::size_t i = 0; i < tile::staged_ops(program_, loop.body); ++i) {
    const auto* copy = std::get_if<tile::Copy>(&loop.body.ops[i].node);
    if (copy == nullptr) continue;
    EngineRing::Filled filled;
    filled.copy = copy;
    filled.is_shared = cluster() > 1 && tile::is_shared_along(*copy, *tile::find_band(program_));
    filled.plan = tile::plan_engine_copy(program_, *copy, filled.is_shared ? cluster() : 1).value();
    filled.map = declare_map(copy->tensor, copy->index, filled.plan, rounds(*copy));
    ring.bytes += filled.plan.box_bytes * static_cast<std::int64_t>(filled.plan.boxes.size());
    ring.copies.push_back(std::move(filled));
  }
  if (const tile::Store* store = tile::find_engine_store(program_)) {
    EngineRing::Stored stored{store, *tile::plan_engine_store(program_, *store, program_.buffers[store->through]), {}};
    stored.map = declare_map(store->tensor, tile::index_of(*store), stored.plan, false);
    ring.stored = std::move(stored);
  }
  ring.end = build_.parameter("end", {Element::i64, 1});
  result_.arguments.push_back(GridEndArgument{});
  engine_ = std::move(ring);
}

ValueId Lowering::declare_map(tile::TensorId id, const std::vector<tile::Affine>& index, const tile::EngineCopy& plan,
                              bool tf32) {
  const tile::Tensor& tensor = program_.tensors[id];
  const AccessMap access = tensor_access(id, index);
  TensorMapArgument argument{.tensor = tensor.name,
                             .offset = constant_bytes(tensor, index),
                             .element_bytes = bytes_of(tensor.dtype),
                             .extents = {},
                             .strides = {},
                             .box = {},
                             .tf32 = tf32};
  for (const tile::EngineCopy::Axis& axis : plan.axes) {
    if (!argument.extents.empty()) argument.strides.push_back(access.bytes.at(axis.iter));
    argument.extents.push_back(program_.iters[axis.iter].extent);
    argument.box.push_back(axis.box);
  }
  Parameter facts;
  facts.readonly = facts.tensor_map = true;
  result_.arguments.push_back(std::move(argument));
  return build_.parameter(tensor.name + ".map", {Element::ptr, 1}, facts);
}

void Lowering::run_roles() {
  const std::int64_t threads = tile::block_threads(program_);
  const std::int64_t stages = engine_->loop->stages;
  engine_->full = build_.shared(2 * stages * barrier_bytes);
  engine_->empty = build_.offset(engine_->full, build_.index(stages * barrier_bytes));
  build_.if_then(
      build_.cmp(Predicate::eq, thread_, i32(0)),
      [&] {
        for (std::int64_t stage = 0; stage < stages; ++stage) {
          const ValueId place = build_.index(stage * barrier_bytes);
          build_.gpu_op(Opcode::mbarrier_init, {build_.offset(engine_->full, place)}, {}, Count{1});
          build_.gpu_op(Opcode::mbarrier_init, {build_.offset(engine_->empty, place)}, {},
                        Count{static_cast<std::int32_t>(cluster() * threads / warp_threads)});
        }
        build_.gpu_op(Opcode::fence_mbarrier, {});
        return nothing();
      },
      nothing);
  cluster_barrier();
  // From the warp's first thread: so is it known to be one number for all of them.
  const ValueId warp =
      build_.warp_shuffle(ShuffleMode::idx, build_.binary(Opcode::udiv, thread_, i32(warp_threads)), i32(0));
  const auto run = [&](bool produces) {
    produces_ = produces;
    place_ = {i32(0), i32(0)};
    run_points_of_block();
    if (!produces) finish_engine_stores();
    return nothing();
  };
  const std::int32_t registers = machine_.consumer_registers;
  build_.if_then(
      build_.cmp(Predicate::slt, warp, i32(threads / warp_threads)),
      [&] {
        if (registers > 0) build_.gpu_op(Opcode::raise_registers, {}, {}, Count{registers});
        return run(false);
      },
      [&] {
        if (registers > 0) build_.gpu_op(Opcode::lower_registers, {}, {}, Count{producer_registers});
        return build_.if_then(build_.cmp(Predicate::eq, thread_, i32(threads)), [&] { return run(true); }, nothing);
      });
  // Others of the cluster may still write to this block's shared memory.
  if (cluster() > 1) cluster_barrier();
}

/// Of all threads of the cluster, which may be one block.
void Lowering::cluster_barrier() {
  if (cluster() == 1) return build_.barrier();
  build_.gpu_op(Opcode::cluster_arrive, {});
  build_.gpu_op(Opcode::cluster_wait, {});
}

void Lowering::run_points_of_block() {
  loop(build_.add(begin_, build_.special(Special::block)), engine_->end, build_.special(Special::blocks), {},
       [&](ValueId point, const std::vector<ValueId>&) {
         lower_point(point, result_.grid);
         return nothing();
       });
}

bool Lowering::has_engine_loop(const tile::Block& block) const {
  bool found = false;
  tile::walk(block, [&](const tile::Op& op) { found = found || std::get_if<tile::For>(&op.node) == engine_->loop; });
  return found;
}

/// Of all that the block does, the loops around the copies and the copies themselves.
void Lowering::produce(const tile::Block& block) {
  for (const tile::Op& op : block.ops) {
    const auto* around = std::get_if<tile::For>(&op.node);
    if (around == engine_->loop) {
      produce_stages(*around);
    } else if (around != nullptr && has_engine_loop(around->body)) {
      const Scope outer = scopes_.at(around->iter);
      loop(outer.base, outer.limit, build_.index(1), {}, [&](ValueId base, const std::vector<ValueId>&) {
        const Scope scope{base, build_.add(base, build_.index(1)), true, 1, outer.granule_by(1)};
        in_scope(around->iter, scope, [&] { produce(around->body); });
        return nothing();
      });
    }
  }
}

void Lowering::produce_stages(const tile::For& stages) {
  const Scope outer = scopes_.at(stages.iter);
  const auto start = [&](bool shared, std::int64_t part, ValueId full, ValueId stage) {
    for (const EngineRing::Filled& filled : engine_->copies)
      if (filled.is_shared == shared) start_boxes(filled, part, full, stage);
  };
  loop(outer.base, outer.limit, build_.index(stages.step.constant()), {},
       [&](ValueId base, const std::vector<ValueId>&) {
         const ValueId free = build_.binary(Opcode::bit_xor, place_.parity, i32(1));
         const ValueId full = ring_barrier(engine_->full, place_.slot);
         build_.gpu_op(Opcode::mbarrier_wait, {ring_barrier(engine_->empty, place_.slot), free});
         build_.gpu_op(Opcode::mbarrier_expect, {full, i32(engine_->bytes)});
         const ValueId stage = in_slot(place_.slot, engine_->stage_bytes);
         in_scope(stages.iter, Scope{base, outer.limit, false, 0, outer.granule_by(stages.step)}, [&] {
           start(false, 0, full, stage);
           for (std::int64_t part = 0; cluster() > 1 && part < cluster(); ++part)
             build_.if_then(
                 build_.cmp(Predicate::eq, build_.special(Special::cluster_block, Element::i32), i32(part)),
                 [&] { return start(true, part, full, stage), nothing(); }, nothing);
         });
         place_ = next_place(place_);
         return nothing();
       });
}

std::vector<ValueId> Lowering::box_coordinates(const tile::EngineCopy& plan, const tile::EngineCopy::Box& box) {
  std::vector<ValueId> coordinates;
  for (const tile::EngineCopy::Axis& axis : plan.axes) {
    const auto further = box.points.find(axis.iter);
    const ValueId at =
        build_.add(scopes_.at(axis.iter).base, build_.index(further == box.points.end() ? 0 : further->second));
    coordinates.push_back(build_.convert(Opcode::trunc, at, Element::i32));
  }
  return coordinates;
}

/// Starts the copy's boxes; of one that the cluster shares, those of the part, which go to all of its blocks.
void Lowering::start_boxes(const EngineRing::Filled& filled, std::int64_t part, ValueId full, ValueId stage) {
  const std::int64_t parts = filled.is_shared ? cluster() : 1;
  const ValueId buffer = build_.offset(shared_.at(filled.copy->buffer), stage);
  for (std::size_t number = 0; number < filled.plan.boxes.size(); ++number) {
    if (static_cast<std::int64_t>(number) % parts != part) continue;
    const tile::EngineCopy::Box& box = filled.plan.boxes[number];
    std::vector<ValueId> operands{build_.offset(buffer, build_.index(box.bytes)), filled.map, full};
    for (const ValueId at : box_coordinates(filled.plan, box)) operands.push_back(at);
    TensorCopy how{.rank = static_cast<std::int32_t>(filled.plan.axes.size())};
    if (filled.is_shared) {
      how.multicast = true;
      operands.push_back(i32((std::int64_t{1} << parts) - 1));
    }
    build_.gpu_op(Opcode::tensor_load, std::move(operands), {}, how);
  }
}

/// What the other warps do with the stages.
std::vector<Registers> Lowering::consume(const tile::For& stages, std::vector<Registers> carried) {
  const Scope outer = scopes_.at(stages.iter);
  const std::int64_t length = stages.step.constant();
  const bool whole = holds_zeros_outside(stages);
  const bool overlaps = overlaps_products(stages);
  const Ring ring{{}, {}, engine_->stage_bytes, stages.stages};
  const auto before = [&](ValueId slot) {
    const ValueId first = build_.cmp(Predicate::eq, slot, i32(0));
    const ValueId last = i32(stages.stages - 1);
    return build_.select(first, last, build_.sub(slot, i32(1)));
  };
  products_ahead_ = overlaps ? 1 : 0;
  const std::vector<ValueId> ended =
      loop(outer.base, outer.limit, build_.index(length), flatten(carried),
           [&](ValueId base, const std::vector<ValueId>& tiles) {
             const ValueId end = build_.binary(Opcode::smin, build_.add(base, build_.index(length)), outer.limit);
             const Scope scope{base, end, whole, whole ? length : 0, outer.granule_by(stages.step)};
             // From the warp's first thread: the unit's descriptors are computed once for all of them.
             const ValueId slot = build_.warp_shuffle(ShuffleMode::idx, place_.slot, i32(0));
             const ValueId stage = in_slot(slot, ring.stage_bytes);
             build_.gpu_op(Opcode::mbarrier_wait, {ring_barrier(engine_->full, place_.slot), place_.parity});
             std::vector<ValueId> next = flatten(run_step(stages, ring, scope, stage, unflatten(carried, tiles)));
             if (overlaps)
               release(before(place_.slot), build_.cmp(Predicate::sgt, base, outer.base));
             else
               release(place_.slot, {});
             place_ = next_place(place_);
             return next;
           });
  carried = unflatten(std::move(carried), ended);
  products_ahead_ = 0;
  if (!overlaps) return carried;
  finish_products(carried);
  release(before(place_.slot), build_.cmp(Predicate::sgt, outer.limit, outer.base));
  return carried;
}

/// The warp reads the stage no more, where the condition holds: its first threads tell each block of the cluster one.
/// What its threads have read themselves comes before the engine's writes by a fence of each.
void Lowering::release(ValueId slot, ValueId condition) {
  if (reads_stages_) {
    build_.gpu_op(Opcode::fence_async, {});
    build_.gpu_op(Opcode::warp_barrier, {});
  }
  const ValueId lane = build_.binary(Opcode::bit_and, thread_, i32(warp_threads - 1));
  build_.if_then(
      all(build_.cmp(Predicate::slt, lane, i32(cluster())), condition),
      [&] {
        std::vector<ValueId> operands{ring_barrier(engine_->empty, slot)};
        if (cluster() > 1) operands.push_back(lane);
        build_.gpu_op(Opcode::mbarrier_arrive, std::move(operands));
        return nothing();
      },
      nothing);
}

ValueId Lowering::ring_barrier(ValueId first, ValueId slot) {
  return build_.offset(first, in_slot(slot, barrier_bytes));
}

/// Bytes from the ring's first slot to this one, of slots so long.
ValueId Lowering::in_slot(ValueId slot, std::int64_t bytes) {
  return build_.mul(build_.convert(Opcode::zext, slot, Element::i64), build_.index(bytes));
}

RingPlace Lowering::next_place(const RingPlace& place) {
  const ValueId next = build_.add(place.slot, i32(1));
  const ValueId wraps = build_.cmp(Predicate::eq, next, i32(engine_->loop->stages));
  return {build_.select(wraps, i32(0), next),
          build_.select(wraps, build_.binary(Opcode::bit_xor, place.parity, i32(1)), place.parity)};
}

/// Of the threads that run the program's ops.
void Lowering::barrier() {
  if (!engine_) return build_.barrier();
  build_.barrier({.id = 1, .threads = static_cast<std::int32_t>(tile::block_threads(program_))});
}

}  // namespace tilewright::kernel::lowering
