// Candidates for a contraction's tiles and what they cost. See contraction_tiles.h.
#include "nest/passes/contraction_tiles.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "nest/passes/gpu_schedule.h"

namespace tilewright::nest::gpu_schedule {
namespace {

// Figures of one multiprocessor of sm_90 at work, in cycles or per cycle. They weigh candidates against each other.
constexpr double products_a_cycle = 128;   ///< of 4 bytes
constexpr double cached_bytes = 20;        ///< that arrive from the second-level cache
constexpr double vector_cycles = 3;        ///< a warp's 16-byte loads from shared memory: 2 to 4, by who shares what
constexpr double same_vector_cycles = 1;   ///< where all of a warp load one vector
constexpr double stage_latency = 700;      ///< from the loads of a stage to its barrier
constexpr double ring_latency = 350;       ///< of a stage whose loads run ahead
constexpr double stage_instructions = 64;  ///< of a thread, beside its products: addresses, stores, the barrier
constexpr double start_latency = 1500;     ///< of a block, with its stores
constexpr double busy_warps = 8;           ///< that keep four schedulers fed
constexpr double schedulers = 4;
constexpr double second_launch = 8000;       ///< of the nest that combines parts
constexpr double part_bytes = 16;            ///< of parts, written and read again
constexpr double streamed_bytes = 32 << 10;  ///< on their way at once, that cover memory's latency
constexpr std::int64_t registers = 65536, most_resident_threads = 2048, most_resident_blocks = 32;
constexpr std::int64_t most_thread_registers = 128;  ///< so that two blocks of 256 threads share a multiprocessor
constexpr std::int64_t most_of_few_threads = 208;    ///< so that two blocks of 128 do
constexpr std::int64_t few_threads = 128;
constexpr std::int64_t most_rows_of_many = 8;  ///< of a thread with more outputs than `many_outputs`
constexpr std::int64_t many_outputs = 64;
constexpr std::int64_t least_side = 64;       ///< of a block with so many
constexpr std::int64_t other_registers = 36;  ///< addresses, counters
constexpr std::int64_t most_pieces = 8;       ///< vectors of a thread on their way to shared memory

double over(std::int64_t a, std::int64_t b) {
  return static_cast<double>((a + b - 1) / b);
}

double blocks_of_part(const ContractionSizes& sizes, const ContractionTiles& tiles) {
  return over(sizes.rows, tiles.rows) * over(sizes.columns, tiles.columns) * over(sizes.batch, tiles.lanes);
}

std::int64_t vectors(std::int64_t elements, std::int64_t bytes) {
  return std::max<std::int64_t>(elements * bytes / vector_bytes, 1);
}

std::int64_t registers_of(const ContractionSizes& sizes, const ContractionTiles& tiles) {
  const std::int64_t words = std::max<std::int64_t>(sizes.accumulator_bytes / 4, 1);
  const std::int64_t columns = tiles.thread_columns * (tiles.streams ? streamed_terms : 1);
  return words * (tiles.thread_rows * tiles.thread_columns + tiles.thread_rows + columns) + other_registers;
}

bool is_legal(const ContractionSizes& sizes, const ContractionTiles& tiles) {
  const std::int64_t threads = tiles.threads();
  const std::int64_t all = sizes.rows * sizes.columns * sizes.batch / (tiles.thread_rows * tiles.thread_columns);
  if (threads > block_threads || threads < std::min<std::int64_t>(32, all)) return false;
  const bool few = threads <= few_threads && !tiles.streams && tiles.lanes == 1 && !sizes.single_elements;
  if (registers_of(sizes, tiles) > (few ? most_of_few_threads : most_thread_registers)) return false;
  // Many outputs a thread are for blocks that products bind.
  const bool many = tiles.thread_rows * tiles.thread_columns > many_outputs;
  if (many && (tiles.thread_rows > most_rows_of_many || std::min(tiles.rows, tiles.columns) < least_side)) return false;
  if (tiles.streams && (!sizes.columns_stream || tiles.thread_rows != sizes.rows || tiles.lanes != 1)) return false;
  return staged_depth(sizes, tiles) > 0;
}

}  // namespace

std::int64_t usual_depth(std::int64_t element_bytes) {
  constexpr std::int64_t row_bytes = 128, least = 4, most = 32;
  return std::clamp(row_bytes / element_bytes, least, most);
}

std::int64_t staged_depth(const ContractionSizes& sizes, const ContractionTiles& tiles) {
  constexpr std::int64_t streamed_depth = 256, streamed_shared_bytes = 16 << 10, least = 4;
  const std::int64_t terms = std::max<std::int64_t>(sizes.terms / tiles.parts, 1);
  const std::int64_t row = (tiles.rows + (tiles.streams ? 0 : tiles.columns)) * tiles.lanes * sizes.element_bytes;
  // Few threads with many outputs each copy twice as much.
  const std::int64_t pieces = tiles.thread_rows * tiles.thread_columns > many_outputs ? 2 * most_pieces : most_pieces;
  const std::int64_t copied = pieces * vector_bytes * std::max<std::int64_t>(tiles.threads(), 32);
  const std::int64_t room = tiles.streams ? streamed_shared_bytes : std::min(sizes.shared_bytes, copied);
  const std::int64_t usual = usual_depth(sizes.element_bytes) / (sizes.single_elements ? 2 : 1);
  std::int64_t depth = std::min(terms, tiles.streams ? streamed_depth : usual);
  while (depth > 1 && depth * row > room) depth /= 2;
  return depth * row <= room && depth >= std::min(terms, least) ? depth : 0;
}

double estimate_cycles(const ContractionSizes& sizes, const ContractionTiles& tiles) {
  const std::int64_t threads = tiles.threads();
  const double warps = over(threads, 32);
  const std::int64_t thread_registers = (registers_of(sizes, tiles) + 7) / 8 * 8;
  const auto resident = static_cast<double>(std::clamp<std::int64_t>(
      std::min(most_resident_threads / threads, registers / (thread_registers * threads)), 1, most_resident_blocks));
  const double blocks = blocks_of_part(sizes, tiles) * static_cast<double>(tiles.parts);
  const double own_blocks = std::max(blocks / sizes.multiprocessors, 1.0);  // of one multiprocessor
  const double together = std::min(resident, std::ceil(own_blocks));
  const double terms = over(sizes.terms, tiles.parts);

  // One block. Products, shared memory and what comes from the cache overlap, but not entirely.
  const double word = static_cast<double>(std::max<std::int64_t>(sizes.accumulator_bytes, 4)) / 4;
  const double element = static_cast<double>(sizes.element_bytes);
  const double loaded = static_cast<double>((tiles.rows + tiles.columns) * tiles.lanes) * terms;
  const double staged = static_cast<double>((tiles.rows + (tiles.streams ? 0 : tiles.columns)) * tiles.lanes) * terms;
  const auto row_vectors = static_cast<double>(vectors(tiles.thread_rows, sizes.element_bytes));
  const auto column_vectors = static_cast<double>(vectors(tiles.thread_columns, sizes.element_bytes));
  const double vector_loads =
      tiles.streams ? row_vectors * same_vector_cycles : (row_vectors + column_vectors) * vector_cycles;
  const double stages =
      std::ceil(terms / static_cast<double>(tiles.streams ? streamed_terms : staged_depth(sizes, tiles)));
  const double products =
      static_cast<double>(tiles.rows * tiles.columns * tiles.lanes) * terms * word / products_a_cycle;
  const double shared = warps * terms * vector_loads + staged / 32;
  const double cached = loaded * element / cached_bytes;
  const double longest = std::max({products, shared, cached});
  const double block =
      longest + (products + shared + cached - longest) / 4 + warps * stages * stage_instructions / schedulers;

  // What one block waits for, the others on its multiprocessor cover.
  double covered = 1;
  if (tiles.streams) {
    const double flying = static_cast<double>(tiles.thread_columns * streamed_terms * threads) * element * together;
    covered = std::min(1.0, streamed_bytes / flying);
  }
  const double waits =
      start_latency + (tiles.streams ? stages * stage_latency * covered : stage_latency + stages * ring_latency);
  const double slow = std::max(1.0, busy_warps / (warps * together));
  const double rounds = std::ceil(own_blocks / together);
  const double cycles = std::max(own_blocks * slow, rounds * together) * block + rounds * waits / together;
  if (tiles.parts == 1) return cycles;
  const double parts = static_cast<double>(tiles.parts * sizes.rows * sizes.columns * sizes.batch);
  return cycles + second_launch +
         2 * parts * static_cast<double>(sizes.accumulator_bytes) / (part_bytes * sizes.multiprocessors);
}

ContractionTiles choose_tiles(const ContractionSizes& sizes, std::size_t rank) {
  constexpr std::int64_t widest_rows = 256, widest_columns = 512, most_registers = 16;
  std::vector<std::pair<double, ContractionTiles>> best;  // as many as are wanted, by their estimates
  const auto consider = [&](const ContractionTiles& tiles) {
    if (!is_legal(sizes, tiles)) return;
    const double cycles = estimate_cycles(sizes, tiles);
    if (best.size() > rank && cycles >= best.back().first) return;
    best.emplace(std::ranges::upper_bound(best, cycles, {}, &std::pair<double, ContractionTiles>::first), cycles,
                 tiles);
    if (best.size() > rank + 1) best.pop_back();
  };
  ContractionTiles tiles;
  // Parts are for multiprocessors that would idle.
  const auto most_parts = [&] {
    const double parts = 16.0 * sizes.multiprocessors / blocks_of_part(sizes, tiles);
    return std::max(std::min(sizes.most_parts, static_cast<std::int64_t>(parts)), std::int64_t{1});
  };
  // Wide ones first: of equals the first is taken.
  for (tiles.lanes = sizes.lanes; tiles.lanes <= std::min(sizes.batch, block_threads); tiles.lanes *= 2)
    for (tiles.rows = std::min(sizes.rows, widest_rows); tiles.rows >= 1; tiles.rows /= 2)
      for (tiles.columns = std::min(sizes.columns, widest_columns); tiles.columns >= 1; tiles.columns /= 2)
        for (tiles.thread_rows = std::min(tiles.rows, most_registers); tiles.thread_rows >= 1; tiles.thread_rows /= 2)
          for (tiles.thread_columns = std::min(tiles.columns, most_registers); tiles.thread_columns >= 1;
               tiles.thread_columns /= 2)
            for (tiles.parts = 1; tiles.parts <= most_parts(); tiles.parts *= 2)
              for (const bool streams : {false, true}) tiles.streams = streams, consider(tiles);
  return best.empty() ? ContractionTiles() : best.back().second;
}

}  // namespace tilewright::nest::gpu_schedule
