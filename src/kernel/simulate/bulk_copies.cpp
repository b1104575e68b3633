// Copies of whole ranges by the copy engine. A load's destination has no value until the barrier that counts its bytes
// has ended the phase; a store's source may not be written until its thread's wait, nor its destination be used.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernel/simulate/block.h"
#include "support/scalar.h"

namespace tilewright::kernel::simulator {

namespace {

constexpr std::uint64_t unit = 16;

/// The count of bytes, which the engine takes in units.
std::uint64_t bytes_of(Block& block, Warp& warp, const Step& step, std::uint32_t place, unsigned lane) {
  const std::int32_t bytes = warp.machine.lanes<std::int32_t>(place)[lane];
  if (bytes >= 0 && bytes % static_cast<std::int32_t>(unit) == 0) return static_cast<std::uint64_t>(bytes);
  block.grid().report("K102", &step,
                      fmt::format("thread {} of block {} copies {} bytes, which are no multiple of {}",
                                  warp.thread(lane), block.index(), bytes, unit));
  return 0;
}

void bulk_load(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  each_lane(mask, [&](unsigned lane) {
    BulkCopy copy{.step = &step, .thread = warp.thread(lane), .loads = true};
    copy.bytes = bytes_of(block, warp, step, i.c, lane);
    if (copy.bytes != 0 && block.add_piece(copy, warp.words(i.a)[lane], warp.words(i.b)[lane], copy.bytes, copy.bytes))
      block.start_load(std::move(copy), warp.words(i.d)[lane], block);
  });
}

void bulk_store(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Instruction& i = step.instruction;
  each_lane(mask, [&](unsigned lane) {
    BulkCopy copy{.step = &step, .thread = warp.thread(lane)};
    const std::uint64_t bytes = bytes_of(block, warp, step, i.c, lane);
    if (bytes != 0 && block.add_piece(copy, warp.words(i.b)[lane], warp.words(i.a)[lane], bytes, bytes))
      block.start_store(std::move(copy));
  });
}

void commit_bulk(Block& block, Warp& warp, const Step&, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { ++block.engine().groups[warp.thread(lane)]; });
}

void wait_bulk(Block& block, Warp& warp, const Step& step, std::uint32_t mask) {
  const Op& op = *step.instruction.op;
  const auto pending = static_cast<std::uint64_t>(std::get<Count>(op.attribute).count);
  each_lane(mask, [&](unsigned lane) { block.end_stores(warp.thread(lane), pending, op.code == Opcode::wait_bulk); });
}

void fence_async(Block& block, Warp& warp, const Step&, std::uint32_t mask) {
  each_lane(mask, [&](unsigned lane) { block.order().fence_async(warp.thread(lane)); });
}

void round_words(std::byte* words, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, words + at, sizeof value);
    value = float_to_tf32(value);
    std::memcpy(words + at, &value, sizeof value);
  }
}

}  // namespace

Behaviour bulk_behaviour(Opcode code) {
  switch (code) {
    case Opcode::bulk_load:
      return {bulk_load};
    case Opcode::bulk_store:
      return {bulk_store};
    case Opcode::commit_bulk:
      return {commit_bulk};
    case Opcode::wait_bulk:
    case Opcode::wait_bulk_reads:
      return {wait_bulk};
    case Opcode::fence_async:
      return {fence_async};
    default:
      return {};
  }
}

bool Block::add_piece(BulkCopy& copy, std::uint64_t shared, std::uint64_t global, std::uint64_t bytes,
                      std::uint64_t inside) {
  CopyPiece piece{.bytes = bytes, .inside = inside};
  piece.shared = reach(*copy.step, copy.thread, true, shared, bytes, copy.loads);
  if (inside != 0) piece.global = reach(*copy.step, copy.thread, false, global, inside, !copy.loads);
  if (piece.shared.data == nullptr || (inside != 0 && piece.global.data == nullptr)) return false;
  copy.pieces.push_back(piece);
  return true;
}

/// The engine is to read the bytes, once it has been told to by the thread of the mark.
void Block::lock_source(const BulkCopy& copy, const Target& from, std::uint64_t bytes, const Mark& mark) {
  if (bytes == 0) return;
  check_states(*copy.step, copy.thread, from, bytes, false);
  if (from.shadow == nullptr) return;
  report_if(*copy.step, copy.thread, from, from.shadow->start_copy_from(*order_, from.offset, bytes, mark));
  report_if(*copy.step, copy.thread, from, from.shadow->find_unfenced(*order_, from.offset, bytes));
}

void Block::start_load(BulkCopy copy, std::uint64_t barrier_address, Block& to) {
  const Step& step = *copy.step;
  const Target barrier = reach(step, copy.thread, true, barrier_address, 8, true, 8);
  if (barrier.data == nullptr) return;
  copy.barrier = shared_place(barrier);
  const auto found = to.engine_.barriers.find(copy.barrier);
  if (found == to.engine_.barriers.end() || !found->second.is_shown) {
    grid_.report("K209", &step,
                 fmt::format("thread {} of block {} gives the copy engine a barrier that no "
                             "fence_mbarrier has shown to it",
                             copy.thread, index_));
    if (found == to.engine_.barriers.end()) return;
  }
  if (barrier.shadow != nullptr && !order_->before(found->second.made, copy.thread))
    report(step, copy.thread, barrier, {Hazard::race, barrier.offset, found->second.made});
  const Mark mark = order_->mark(copy.thread, step.index, Mark::async);
  for (CopyPiece& piece : copy.pieces) {
    piece.shared = to.same_place(piece.shared);
    // What threads read and write, and the engine's writes, are ordered by a barrier and a fence of each, not by the
    // barrier alone.
    const Target& at = piece.shared;
    if (at.shadow != nullptr) {
      report_if(step, copy.thread, at, at.shadow->find_unfenced_users(*to.order_, at.offset, piece.bytes));
      report_if(step, copy.thread, at, at.shadow->start_copy_to(*order_, at.offset, piece.bytes, mark));
    }
    lock_source(copy, piece.global, piece.inside, mark);
  }
  to.engine_.loads.push_back(std::move(copy));
  if (!grid_.flip()) to.end_load(to.engine_.loads.size() - 1);
}

bool Block::end_a_load() {
  if (engine_.loads.empty()) return false;
  end_load(grid_.choose(engine_.loads.size()));
  return true;
}

void Block::end_load(std::size_t index) {
  const BulkCopy copy = std::move(engine_.loads[index]);
  engine_.loads.erase(engine_.loads.begin() + static_cast<std::ptrdiff_t>(index));
  const Mark mark = order_->engine_mark(copy.step->index);
  for (const auto& [to, from, bytes, inside] : copy.pieces) {
    if (inside != 0) std::memcpy(to.data, from.data, inside);
    if (copy.tf32) round_words(to.data, inside);
    std::memset(to.data + inside, 0, bytes - inside);
    if (to.shadow != nullptr) to.shadow->end_copy_to(to.offset, bytes, mark);
    if (from.shadow != nullptr) from.shadow->end_copy_from(*order_, from.offset, inside, mark);
  }
  if (is_ordered()) order_->release_by_engine(notes_at(copy.barrier), phase_scope());
  PhaseBarrier& barrier = engine_.barriers[copy.barrier];
  barrier.bytes -= static_cast<std::int64_t>(copy.bytes);
  barrier.loaded = barrier.phase;
  barrier.loader = copy.step;
  end_phase(copy.barrier);
}

void Block::start_store(BulkCopy copy) {
  const Step& step = *copy.step;
  copy.group = engine_.groups[copy.thread];
  const Mark mark = order_->mark(copy.thread, step.index, Mark::async);
  for (const CopyPiece& piece : copy.pieces) {
    const Target& to = piece.global;
    lock_source(copy, piece.shared, piece.inside, mark);
    if (to.shadow != nullptr)
      report_if(step, copy.thread, to, to.shadow->start_copy_to(*order_, to.offset, piece.inside, mark));
    check_states(step, copy.thread, to, piece.inside, true);
    note_value(to, piece.inside);
    // A write to the source before it is read is an error of its own.
    std::memcpy(to.data, piece.shared.data, piece.inside);
  }
  engine_.stores.push_back(std::move(copy));
}

void Block::end_stores(unsigned thread, std::uint64_t pending, bool whole) {
  std::erase_if(engine_.stores, [&](BulkCopy& copy) {
    if (copy.thread != thread || copy.group + pending >= engine_.groups[thread]) return false;
    if (!copy.has_read) free_source(copy);
    copy.has_read = true;
    if (whole) end_store(copy);
    return whole;
  });
}

void Block::free_source(const BulkCopy& copy) {
  const Mark mark = order_->mark(copy.thread, copy.step->index, Mark::async);
  for (const CopyPiece& piece : copy.pieces)
    if (Shadow* from = piece.shared.shadow; from != nullptr)
      from->end_copy_from(*order_, piece.shared.offset, piece.inside, mark);
}

void Block::end_store(const BulkCopy& copy) {
  const Mark mark = order_->mark(copy.thread, copy.step->index, Mark::async);
  for (const CopyPiece& piece : copy.pieces)
    if (Shadow* to = piece.global.shadow; to != nullptr) to->end_copy_to(piece.global.offset, piece.inside, mark);
}

/// A store that the block leaves behind still writes; but its source must have been read, and loads have come.
void Block::leave_copies() {
  for (const BulkCopy& copy : engine_.stores) {
    if (!copy.has_read)
      grid_.report("K207", copy.step,
                   fmt::format("thread {} of block {} ends before the copy has read its source", copy.thread, index_));
    end_store(copy);
  }
  engine_.stores.clear();
  const auto report_load = [&](const Step* step) {
    grid_.report("K207", step, fmt::format("block {} ends before a thread has waited for the load", index_));
  };
  for (const BulkCopy& copy : engine_.loads) report_load(copy.step);
  for (const auto& [place, barrier] : engine_.barriers)
    if (barrier.loader != nullptr &&
        std::ranges::none_of(barrier.waited, [&](const auto& waited) { return waited.second >= barrier.loaded; }))
      report_load(barrier.loader);
}

}  // namespace tilewright::kernel::simulator
