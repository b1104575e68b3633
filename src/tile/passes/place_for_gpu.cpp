// Shared memory, barriers and lanes. See place_for_gpu.h.
#include "tile/passes/place_for_gpu.h"

#include <algorithm>

#include "tile/builder.h"
#include "tile/passes/stage_reads.h"
#include "tile/walk.h"

namespace tilewright::tile {
namespace {

constexpr std::int64_t bank_bytes = 4;
constexpr std::int64_t vector_bytes = 16;

/// Whether rows in shared memory are longer than their elements, so that threads read from different banks.
enum class RowSpread : std::uint8_t { banks, none };

/// The iterator whose points shall lie next to each other in shared memory: the lanes; else one of which a thread has
/// neighbours in registers, which it then loads as a vector; of such, the one that the most threads and points lie
/// along.
IterId fastest_iter(const Program& program, const nest::Nest& nest, const nest::CachedRead& cache,
                    const std::vector<Axis>& registers) {
  IterId best;  // none: a scalar
  std::int64_t most = 0;
  for (const auto& [iter, size] : cache.tile) {
    if (iter == nest.schedule.lanes) return iter;
    const ThreadAxis* threads = find_threads(program, iter);
    const Axis* axis = find_axis(registers, iter);
    const bool vectors = axis && axis->size > 1 && axis->chunk != 1;
    const std::int64_t weight = size * (threads ? 1 << 10 : 1) * (vectors ? 1 << 20 : 1);
    if (weight > most) best = iter, most = weight;
  }
  return best;
}

/// The length of a row of pieces of 16 bytes so that eight neighbouring threads read in different banks, where the
/// thread's iterator `rows` is among them. `faster` threads read neighbouring pieces of one row before the next ones
/// read the next row: rows are an odd multiple of that many pieces. With two threads on rows of 16 elements in pieces
/// of 4, rows of 24: they start at banks 0, 24, 16 and 8. Eight threads on one row need no more than another first
/// bank.
std::int64_t spread_row(const Program& program, std::int64_t elements, std::int64_t piece, IterId fastest,
                        IterId rows) {
  constexpr std::int64_t together = 8;
  const ThreadAxis* along_row = find_threads(program, fastest);
  const bool is_faster = along_row && along_row > find_threads(program, rows);  // both lie in program.threads
  const std::int64_t faster = is_faster ? along_row->count : 1;
  std::int64_t pieces = (elements + piece - 1) / piece;
  if (faster >= together) return (pieces + 1) * piece;
  while (pieces % (2 * faster) != faster) ++pieces;
  return pieces * piece;
}

Buffer shared_buffer(const Program& program, const nest::Nest& nest, const nest::CachedRead& cache, const Load& load,
                     const std::vector<Axis>& registers, RowSpread spread) {
  const Tensor& tensor = program.tensors[load.tensor];
  Buffer buffer{tensor.name + ".shared", tensor.dtype, Space::shared, {}, 1};
  const IterId along = contiguous_iter(tensor, load.index);
  // A thread that takes neighbours together reads them as they lie in memory.
  const Axis* together = along.valid() ? find_axis(registers, along) : nullptr;
  const bool keeps = together && together->size > 1 && together->chunk != 1;
  const IterId fastest = keeps ? along : fastest_iter(program, nest, cache, registers);
  const bool turns = along.valid() && along != fastest;
  std::int64_t elements = 1;
  const auto add = [&](IterId iter, std::int64_t size) {
    buffer.axes.insert(buffer.axes.begin(), BufferAxis{iter, size, 1, elements, 1});
    elements *= size;
  };
  for (const auto& [iter, size] : cache.tile)
    if (iter == fastest) add(iter, size);
  // Rows that neighbouring threads read lie an odd number of vectors apart: eight of them in different banks.
  const std::int64_t vector = vector_bytes / static_cast<std::int64_t>(size_of(tensor.dtype));
  const bool spreads = spread == RowSpread::banks;
  if (spreads && keeps && !find_threads(program, fastest) && elements % (2 * vector) == 0) elements += vector;
  if (spreads && turns) {
    const Axis* axis = find_axis(registers, fastest);
    const std::int64_t piece = !axis ? 1 : axis->chunk > 0 ? axis->chunk : axis->size;
    if (nest.reduction && find_threads(program, along) &&
        piece * static_cast<std::int64_t>(size_of(tensor.dtype)) == vector_bytes)
      elements = spread_row(program, elements, piece, fastest, along);
    else
      elements += std::max(piece, bank_bytes / static_cast<std::int64_t>(size_of(tensor.dtype)));
  }
  // What the copy turns comes next: its neighbours are rows that differ in their banks.
  for (const auto& [iter, size] : cache.tile)
    if (turns && iter == along) add(iter, size);
  for (auto entry = cache.tile.rbegin(); entry != cache.tile.rend(); ++entry)
    if (entry->first != fastest && !(turns && entry->first == along)) add(entry->first, entry->second);
  buffer.elements = elements;
  return buffer;
}

/// After the copies of a block, and where a loop comes back to them.
void insert_barriers(const Program& program, Block& block, bool repeats) {
  std::size_t behind = 0;
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const auto* copy = std::get_if<Copy>(&block.ops[i].node);
    if (copy && program.buffers[copy->buffer].space == Space::shared) behind = i + 1;
    const bool is_loop = std::holds_alternative<For>(block.ops[i].node);
    for_each_block(block.ops[i], [&](Block& inner) { insert_barriers(program, inner, repeats || is_loop); });
  }
  if (behind == 0) return;
  if (repeats) block.ops.push_back(Op{Barrier{}, {}});
  block.ops.insert(block.ops.begin() + static_cast<std::ptrdiff_t>(behind), Op{Barrier{}, {}});
}

Program stage(Program program, const nest::Nest& nest, RowSpread spread) {
  const auto buffer = [&](const Program& from, const nest::CachedRead& cache, const Load& load,
                          const std::vector<Axis>& registers) {
    return shared_buffer(from, nest, cache, load, registers, spread);
  };
  stage_reads(program, nest, {buffer, true});
  return program;
}

/// At least what the block takes of shared memory: its buffers, as many stages of them as the schedule asks for, and
/// what threads hand each other of a reduction.
std::int64_t shared_bytes(const Program& program, const nest::Nest& nest, const GpuTarget& target) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : program.buffers)
    if (buffer.space == Space::shared) bytes += shared_room(buffer);
  if (target.has_async_copies) bytes *= std::max<std::int64_t>(nest.schedule.stages, 1);
  std::int64_t exchanged = 0;
  walk(program.body, [&](const Op& op) {
    if (std::holds_alternative<ReduceAcross>(op.node))
      exchanged = std::max(exchanged, block_threads(program) *
                                          static_cast<std::int64_t>(size_of(program.values[op.results[0]].type.dtype)));
  });
  return bytes + exchanged;
}

}  // namespace

void place_for_gpu(Program& program, const nest::Nest& nest, const GpuTarget& target) {
  program.phase = Phase::placed;
  // One thread alone has nobody to share with.
  if (!program.threads.empty()) {
    Program spread = stage(program, nest, RowSpread::banks);
    const bool fits = shared_bytes(spread, nest, target) <= target.max_block_shared_bytes;
    program = fits ? std::move(spread) : stage(std::move(program), nest, RowSpread::none);
  }
  insert_barriers(program, program.body, false);
  for (Value& value : program.values)
    for (Axis& axis : value.type.axes) axis.lanes = axis.iter == nest.schedule.lanes && axis.chunk != 1;
}

}  // namespace tilewright::tile
