// Copies of a block's threads that run ahead of the steps that use them, for tile_to_kernel.
//
// A worked example. `for k by 32 stages 3` over 100 terms, with two buffers of 18432 and 16384 bytes, has 4 steps and
// a ring of three stages of 34816 bytes. Each step's copies are a group; e is the stage that is read, f the one filled:
//
//   before     copy step 0 → stage 0, commit, copy step 1 → stage 1, commit
//   k = 0      wait until one group is unfinished, barrier, copy step 2 → stage 2, commit, compute on stage 0
//   k = 32     wait …, barrier, copy step 3 (4 of 32 terms, zeros for the rest) → stage 0, commit, compute on stage 1
//   k = 64     wait …, barrier, commit nothing, compute on stage 2
//   k = 96     wait …, barrier, commit nothing, compute on stage 0
//
// The barrier of a step says two things: the copies of all threads for this step have arrived, and nobody computes on
// the step before any more, whose stage is the next to be filled.
//
// Whether a block or a step is ragged matters to its copies alone, which exist twice, where zeros in shared memory do
// not change the sums: 0 · 0 is added for what is outside. Then one loop serves interior and edge.
#include <algorithm>
#include <span>

#include "kernel/lower/lowering.h"
#include "kernel/lower/scalars.h"
#include "tile/walk.h"

namespace tilewright::kernel::lowering {
namespace {

constexpr std::int64_t stage_align = 128;
constexpr std::int64_t rounds_ahead = 64;  ///< of a thread, repeated in place
constexpr std::int64_t rounds_tested = 8;  ///< of those whose pieces may be outside

bool is_zero(const Scalar& value) {
  return value == Scalar::of(0.0) || value == Scalar::of(std::int64_t{0});
}

}  // namespace

std::int64_t stage_layout(const tile::Program& program, const tile::For& loop,
                          std::map<tile::BufferId, std::int64_t>& offsets) {
  std::int64_t bytes = 0;
  std::int64_t most = stage_align;
  for (std::size_t i = 0; i < tile::staged_ops(program, loop.body); ++i) {
    const auto* allocate = std::get_if<tile::Allocate>(&loop.body.ops[i].node);
    if (!allocate) continue;
    const tile::Buffer& buffer = program.buffers[allocate->buffer];
    const std::int64_t align = buffer.swizzled ? swizzle_align : stage_align;
    most = std::max(most, align);
    bytes = (bytes + align - 1) / align * align;
    offsets[allocate->buffer] = bytes;
    const std::int64_t size = buffer.elements.constant() * bytes_of(buffer.dtype);
    bytes += (size + stage_align - 1) / stage_align * stage_align;
  }
  return (bytes + most - 1) / most * most;
}

bool Lowering::has_stages(const tile::Block& block) const {
  bool found = false;
  tile::walk(block, [&](const tile::Op& op) {
    const auto* loop = std::get_if<tile::For>(&op.node);
    found = found || (loop && loop->stages > 1);
  });
  return found;
}

void Lowering::allocate_ring(const tile::For& loop) {
  std::map<tile::BufferId, std::int64_t> offsets;
  const std::int64_t bytes = stage_layout(program_, loop, offsets);
  const ValueId ring = build_.shared(bytes * loop.stages, bytes % swizzle_align == 0 ? swizzle_align : stage_align);
  for (const auto& [buffer, offset] : offsets) {
    shared_[buffer] = build_.offset(ring, build_.index(offset));
    in_ring_.insert(buffer);
  }
}

/// The loops with stages serve blocks on the edge too; what comes behind them is there for full blocks and others.
void Lowering::lower_point_in_stages() {
  const std::vector<tile::Op>& ops = program_.body.ops;
  std::size_t behind = 0;
  for (std::size_t i = 0; i < ops.size(); ++i)
    tile::walk_op(ops[i], [&](const tile::Op& op) {
      const auto* loop = std::get_if<tile::For>(&op.node);
      if (loop && loop->stages > 1) behind = i + 1;
    });
  for (std::size_t i = 0; i < behind; ++i) lower_op(ops[i]);
  const auto rest = [&] {
    for (std::size_t i = behind; i < ops.size(); ++i) lower_op(ops[i]);
    return nothing();
  };
  const bool loads = std::any_of(ops.begin() + static_cast<std::ptrdiff_t>(behind), ops.end(),
                                 [](const tile::Op& op) { return std::holds_alternative<tile::Load>(op.node); });
  // What the engine stores it tests itself.
  if (engine_ && engine_->stored && !loads) return void(rest());
  for (tile::ValueId result : ops[behind - 1].results) detach(tiles_.at(result));
  build_.if_then(pending_full(), [&] { return with_pending_full(rest); }, rest);
}

/// Values that are stored as vectors stand in neighbouring registers of a vector's alignment, and with them the sums of
/// the loop that gave them: half of its products would then read two registers of one parity. An exclusive or with 0
/// gives them registers of their own; that it is 0, that no launch begins before its first point, the assembler cannot
/// know.
void Lowering::detach(Registers& tile) {
  constexpr std::size_t many = 32;
  if (tile.values.size() * static_cast<std::size_t>(lanes_of(tile.axes)) < many) return;
  const int size = bits(memory_element(tile.dtype));
  if (size != 32 && size != 64) return;
  const Element word = size == 32 ? Element::i32 : Element::i64;
  ValueId zero = build_.binary(Opcode::smin, begin_, build_.index(0));
  if (size == 32) zero = build_.convert(Opcode::trunc, zero, word);
  for (ValueId& value : tile.values) {
    const Type type = build_.type(value);
    const ValueId mask = type.lanes > 1 ? build_.splat(zero, type.lanes) : zero;
    const bool floats = is_float(type.element);
    value = build_.binary(Opcode::bit_xor, floats ? build_.convert(Opcode::bitcast, value, word) : value, mask);
    if (floats) value = build_.convert(Opcode::bitcast, value, type.element);
  }
}

// ---- Plans ----

/// Places, addresses and readers: whatever no step changes.
Ring Lowering::plan_ring(const tile::For& loop) {
  Ring ring;
  std::map<tile::BufferId, std::int64_t> offsets;
  ring.stage_bytes = stage_layout(program_, loop, offsets);
  ring.stages = loop.stages;
  const Scope outer = scopes_.at(loop.iter);
  const Scope step{outer.base, outer.limit, false, 0, outer.granule_by(loop.step)};
  in_scope(loop.iter, step, build_.index(0), [&] {
    for (std::size_t i = 0; i < tile::staged_ops(program_, loop.body); ++i) {
      const auto* copy = std::get_if<tile::Copy>(&loop.body.ops[i].node);
      if (!copy) continue;
      const std::string key = access_key(loop.body.ops[i]);
      AheadCopy ahead{copy, plan_pieces(*copy, accesses_.at(key)), {}, {}, 1};
      ahead.own = piece_place(ahead.pieces, thread_);
      ahead.from = thread_in_tensor(key, pointers_.at(key), ahead.own);
      const PieceTarget target = piece_target(*copy, ahead.pieces, ahead.own);
      ahead.align = target.align;
      shared_address(target, 0);  // its parts stand in front of the loop
      ring.copies.push_back(std::move(ahead));
    }
  });
  for (const auto& [key, map] : accesses_)
    if (map.buffer && offsets.contains(*map.buffer)) ring.readers[key] = thread_pointer(key, shared_.at(*map.buffer));
  return ring;
}

/// True where a step that is ragged along the loop's iterator may be computed as a whole one: what depends on the
/// iterator are factors of sums of products that come from the stages, which hold 0 outside, both of them.
bool Lowering::holds_zeros_outside(const tile::For& loop) const {
  bool holds = true;
  std::map<tile::ValueId, bool> zeros;  // of values that depend on the iterator: they are 0 outside
  const auto is_zeros = [&](tile::ValueId id) { return zeros.contains(id) && zeros.at(id); };
  const std::size_t head = tile::staged_ops(program_, loop.body);
  const auto depends = [&](const tile::Buffer& buffer) {
    return std::ranges::any_of(buffer.axes, [&](const tile::BufferAxis& axis) { return axis.iter == loop.iter; });
  };
  for (std::size_t i = head; i < loop.body.ops.size(); ++i)
    tile::walk_op(loop.body.ops[i], [&](const tile::Op& op) {
      if (const auto* load = std::get_if<tile::LoadBuffer>(&op.node)) {
        const tile::Buffer& buffer = program_.buffers[load->buffer];
        if (buffer.space == tile::Space::shared && depends(buffer)) zeros[op.results[0]] = true;
      } else if (const auto* mask = std::get_if<tile::Mask>(&op.node)) {
        if (!is_zeros(mask->operand) || !is_zero(mask->value)) holds = false;
        zeros[op.results[0]] = true;
      } else if (const auto* cast = std::get_if<tile::Cast>(&op.node)) {
        zeros[op.results[0]] = is_zeros(cast->operand);
      } else if (const auto* contract = std::get_if<tile::Contract>(&op.node)) {
        if (!is_zeros(contract->lhs) || !is_zeros(contract->rhs)) holds = false;
      } else if (!std::holds_alternative<tile::For>(op.node) && !std::holds_alternative<tile::Fill>(op.node)) {
        holds = false;
      }
    });
  return holds;
}

/// True where a step's products may go on while the next one starts: one matrix unit's, whose sums the loop carries.
/// Then the stage of the step before last is the next to be filled. Factors in registers stay there until a step's
/// products are done.
bool Lowering::overlaps_products(const tile::For& loop) const {
  constexpr std::int64_t least_stages = 3;
  int contractions = 0;
  bool carried = false;
  for (const tile::Op& op : loop.body.ops)
    tile::walk_op(op, [&](const tile::Op& each) {
      const auto* contract = std::get_if<tile::Contract>(&each.node);
      if (!contract) return;
      ++contractions;
      carried = contract->unit == tile::Unit::warpgroup && !contract->from_registers &&
                loop.body.yields == each.results && loop.body.arguments == std::vector{contract->accumulator};
    });
  return loop.stages >= least_stages && contractions == 1 && carried;
}

// ---- Copies ----

/// Bytes that one asynchronous copy takes; 0: the copy goes through registers. It cannot replace what is outside of the
/// tensor by anything but 0, nor round; and where it moves less than 4 bytes, or 4 that do not stay neighbours, loads
/// and stores are quicker.
std::int64_t Lowering::async_bytes(const AheadCopy& ahead) const {
  if ((ahead.copy->otherwise && !is_zero(*ahead.copy->otherwise)) || rounds(*ahead.copy)) return 0;
  const auto element = bytes_of(program_.buffers[ahead.copy->buffer].dtype);
  const bool neighbours = ahead.pieces.lane_bytes == element;
  std::int64_t bytes = element;
  if (neighbours) bytes = std::min(ahead.pieces.lanes * element, std::max(ahead.align, element));
  return bytes >= (neighbours ? 4 : 8) ? bytes : 0;
}

/// i32: the bytes of so many of a piece's neighbours that are inside. Invalid: all of them.
ValueId Lowering::valid_bytes(const AheadCopy& ahead, const PiecePlace& place, std::int64_t lane, std::int64_t bytes) {
  const auto element = bytes_of(program_.buffers[ahead.copy->buffer].dtype);
  const ValueId none = build_.index(0);
  ValueId valid;
  ValueId inside;
  for (const tile::BufferAxis& axis : ahead.pieces.extents) {
    const Scope& scope = scopes_.at(axis.iter);
    if (scope.full && axis.capacity.is_constant(scope.length)) continue;
    const ValueId room = build_.sub(scope.limit, scope.base);
    const bool last = axis.iter == ahead.pieces.along;
    const PieceStart& point = place.points.at(axis.iter);
    const ValueId at = build_.add(point.thread, build_.index(point.constant + (last ? lane : 0)));
    if (!last || bytes == element) {
      inside = all(inside, build_.cmp(Predicate::slt, at, room));
      continue;
    }
    const ValueId count = build_.binary(Opcode::smax, build_.sub(room, at), none);
    valid = build_.mul(build_.binary(Opcode::smin, count, build_.index(bytes / element)), build_.index(element));
  }
  if (ahead.copy->otherwise) inside = all(inside, piece_in_tensor(*ahead.copy, place));
  if (!inside.valid() && !valid.valid()) return {};
  if (!valid.valid()) valid = build_.index(bytes);
  if (inside.valid()) valid = build_.select(inside, valid, none);
  return build_.convert(Opcode::trunc, valid, Element::i32);
}

void Lowering::copy_piece_async(const AheadCopy& ahead, const PiecePlace& place, ValueId from, ValueId stage) {
  const auto element = bytes_of(program_.buffers[ahead.copy->buffer].dtype);
  const std::int64_t bytes = async_bytes(ahead);
  const PieceTarget target = piece_target(*ahead.copy, ahead.pieces, place);
  for (std::int64_t lane = 0; lane < ahead.pieces.lanes; lane += bytes / element)
    build_.copy_async(shared_address(target, lane * ahead.pieces.lane_bytes, stage),
                      build_.offset(from, build_.index(lane * element)), bytes, valid_bytes(ahead, place, lane, bytes));
}

/// Some of the copy's pieces may be outside.
bool Lowering::is_tested(const AheadCopy& ahead) const {
  return std::ranges::any_of(ahead.pieces.extents, [&](const tile::BufferAxis& axis) {
    const Scope& scope = scopes_.at(axis.iter);
    return !scope.full || !axis.capacity.is_constant(scope.length);
  });
}

/// Several loads are on their way before the first of their stores.
void Lowering::copy_through_registers(const AheadCopy& ahead, ValueId stage) {
  const std::vector<PiecePlace> places =
      places_in_rounds(ahead.pieces, ahead.own, is_tested(ahead) ? rounds_tested : rounds_ahead);
  if (places.empty())
    return each_piece(ahead.pieces, [&](const PiecePlace& place) {
      store_piece(*ahead.copy, ahead.pieces, place, load_piece(*ahead.copy, ahead.pieces, place), stage);
    });
  const auto at_once = static_cast<std::size_t>(std::max<std::int64_t>(rounds_in_place / ahead.pieces.lanes, 1));
  for (std::size_t first = 0; first < places.size(); first += at_once) {
    const auto some = std::span(places).subspan(first, std::min(at_once, places.size() - first));
    std::vector<ValueId> values;
    for (const PiecePlace& place : some) values.push_back(load_piece(*ahead.copy, ahead.pieces, place));
    for (std::size_t i = 0; i < some.size(); ++i) store_piece(*ahead.copy, ahead.pieces, some[i], values[i], stage);
  }
}

/// One copy of the step that `moved` bytes … lie ahead; its iterator's scope is entered.
void Lowering::copy_ahead(const AheadCopy& ahead, ValueId moved, ValueId stage) {
  const std::string key = access_key(tile::Op{*ahead.copy, {}});
  if (async_bytes(ahead) == 0) return copy_through_registers(ahead, stage);
  // Copies of whole steps are two or three instructions each; those with tests are few steps'.
  const std::vector<PiecePlace> places =
      places_in_rounds(ahead.pieces, ahead.own, is_tested(ahead) ? rounds_tested : rounds_ahead);
  if (places.empty())
    return each_piece(ahead.pieces, [&](const PiecePlace& place) {
      copy_piece_async(ahead, place, thread_in_tensor(key, pointers_.at(key), place), stage);
    });
  for (const PiecePlace& place : places) {
    // Pieces are the thread's own and constants further, or of a place of their own.
    const bool own = std::ranges::equal(place.numbers, ahead.own.numbers, {}, &PieceStart::thread, &PieceStart::thread);
    const ValueId from = own ? build_.offset(ahead.from, moved) : thread_in_tensor(key, pointers_.at(key), place);
    copy_piece_async(ahead, place, further_in_tensor(key, from, place), stage);
  }
}

/// Starts the copies of the step at `first`, if there is one, into the stage that lies `stage` bytes behind the ring's
/// start.
void Lowering::start_copies(const tile::For& loop, const Ring& ring, ValueId first, ValueId stage) {
  const Scope outer = scopes_.at(loop.iter);
  const std::int64_t step = loop.step.constant();
  const ValueId end = build_.add(first, build_.index(step));
  const std::int64_t granule = outer.granule_by(loop.step);
  const auto start = [&](Scope scope) {
    const ValueId delta = build_.sub(first, outer.base);
    in_scope(loop.iter, scope, delta, [&] {
      for (const AheadCopy& ahead : ring.copies) {
        const auto bytes = accesses_.at(access_key(tile::Op{*ahead.copy, {}})).bytes;
        const auto of_step = bytes.find(loop.iter);
        const ValueId moved = of_step == bytes.end() ? build_.index(0) : build_.mul(delta, size(of_step->second));
        copy_ahead(ahead, moved, stage);
      }
    });
    return nothing();
  };
  ValueId whole = build_.cmp(Predicate::sle, end, outer.limit);
  if (!pending_.empty()) whole = build_.binary(Opcode::bit_and, pending_full(), whole);
  build_.if_then(
      whole, [&] { return with_pending_full([&] { return start(Scope{first, end, true, step, granule}); }); },
      [&] {
        const ValueId limit = build_.binary(Opcode::smin, end, outer.limit);
        return build_.if_then(
            build_.cmp(Predicate::slt, first, outer.limit),
            [&] { return start(Scope{first, limit, false, 0, granule}); }, nothing);
      });
}

// ---- The loop ----

ValueId Lowering::next_stage(const Ring& ring, ValueId stage) {
  const ValueId next = build_.add(stage, build_.index(ring.stage_bytes));
  const ValueId wraps = build_.cmp(Predicate::eq, next, build_.index(ring.stage_bytes * ring.stages));
  return build_.select(wraps, build_.index(0), next);
}

/// What comes behind the copies, on one stage.
std::vector<Registers> Lowering::run_step(const tile::For& loop, const Ring& ring, Scope scope, ValueId stage,
                                          const std::vector<Registers>& carried) {
  std::vector<Registers> yields;
  in_scope(loop.iter, scope, [&] {
    for (const auto& [key, reader] : ring.readers) pointers_[key] = build_.offset(reader, stage);
    stage_ = stage;
    for (std::size_t i = 0; i < carried.size(); ++i) tiles_[loop.body.arguments[i]] = carried[i];
    for (std::size_t i = tile::staged_ops(program_, loop.body); i < loop.body.ops.size(); ++i)
      lower_op(loop.body.ops[i]);
    for (tile::ValueId id : loop.body.yields) yields.push_back(tiles_.at(id));
  });
  return yields;
}

std::vector<Registers> Lowering::lower_staged(const tile::For& loop, std::vector<Registers> carried) {
  if (engine_) return consume(loop, std::move(carried));
  const Scope outer = scopes_.at(loop.iter);
  const Ring ring = plan_ring(loop);
  const std::int64_t length = loop.step.constant();
  const ValueId step = build_.index(length);
  const std::int64_t granule = outer.granule_by(loop.step);
  const bool whole = holds_zeros_outside(loop);
  const bool overlaps = whole && overlaps_products(loop);
  const std::int64_t steps_ahead = ring.stages - (overlaps ? 2 : 1);
  const std::int64_t ahead = steps_ahead * length;
  const bool fences = warpgroup_.valid() && std::ranges::any_of(ring.copies, [&](const AheadCopy& copy) {
                        return program_.buffers[copy.copy->buffer].swizzled;
                      });
  const auto await = [&](std::int64_t pending) {
    build_.wait_copies(static_cast<std::int32_t>(pending));
    if (fences) build_.gpu_op(Opcode::fence_async, {});
    build_.barrier();
  };
  products_ahead_ = overlaps ? 1 : 0;
  build_.for_loop(outer.base, build_.add(outer.base, build_.index(ahead)), step, {build_.index(0)},
                  [&](ValueId first, const std::vector<ValueId>& stage) {
                    start_copies(loop, ring, first, stage[0]);
                    build_.commit_copies();
                    return std::vector{build_.add(stage[0], build_.index(ring.stage_bytes))};
                  });
  ValueId middle = outer.limit;
  if (!whole) {
    const ValueId steps = build_.binary(Opcode::udiv, build_.sub(outer.limit, outer.base), step);
    middle = build_.add(outer.base, build_.mul(steps, step));
  }
  std::vector<ValueId> state = flatten(carried);
  state.push_back(build_.index(0));                               // the stage that is read
  state.push_back(build_.index(steps_ahead * ring.stage_bytes));  // the stage that is filled
  const auto split = [](std::vector<ValueId> values) {
    const ValueId filled = values.back();
    values.pop_back();
    const ValueId read = values.back();
    values.pop_back();
    return std::tuple(std::move(values), read, filled);
  };
  const std::vector<ValueId> ended =
      build_.for_loop(outer.base, middle, step, state, [&](ValueId base, const std::vector<ValueId>& arguments) {
        const auto [tiles, read, filled] = split(arguments);
        await(steps_ahead - 1);
        start_copies(loop, ring, build_.add(base, build_.index(ahead)), filled);
        build_.commit_copies();
        const ValueId end = build_.add(base, step);
        const Scope scope{base, whole ? build_.binary(Opcode::smin, end, outer.limit) : end, true, length, granule};
        std::vector<ValueId> next = flatten(run_step(loop, ring, scope, read, unflatten(carried, tiles)));
        next.push_back(next_stage(ring, read));
        next.push_back(next_stage(ring, filled));
        return next;
      });
  const auto [tiles, read, filled] = split(ended);
  carried = unflatten(std::move(carried), tiles);
  products_ahead_ = 0;
  if (overlaps) finish_products(carried);
  if (whole) return carried;
  // The last step, where it is ragged, has its own code.
  const ValueId last = read;
  const std::vector<ValueId> merged = build_.if_then(
      build_.cmp(Predicate::slt, middle, outer.limit),
      [&] {
        await(0);
        return flatten(run_step(loop, ring, Scope{middle, outer.limit, false, 0, granule}, last, carried));
      },
      [&] { return flatten(carried); });
  return unflatten(std::move(carried), merged);
}

}  // namespace tilewright::kernel::lowering
