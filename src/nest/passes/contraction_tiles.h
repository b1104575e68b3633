// How many outputs of a contraction a block and a thread take, and into how many parts its terms are split. Private to
// the GPU's scheduler; choose_gpu_contraction spreads the numbers over iterators.
//
// Candidates are powers of two, and each has an estimate of the cycles that a multiprocessor is busy with it. A worked
// example, in f32: 128 × 128 outputs of 65536 terms, on 132 multiprocessors.
//   128 × 128 a block, 8 × 8 a thread, one part: one block, which takes 65536 · 128 cycles of 128 products: 8.4 M.
//   32 × 32 a block, 2 × 2 a thread, 16 parts: 256 blocks of 4096 terms, about two a multiprocessor: 33 K cycles of
//     products each, but two loads from shared memory for 4 products: 197 K.
//   128 × 128, 8 × 8, 256 parts: 256 blocks of 256 terms, about two a multiprocessor: 33 K cycles of products each, 27
//   K
//     of shared memory, 13 K of cache; 21 K for the parts' way through memory and a second launch. 117 K in all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::nest::gpu_schedule {

inline constexpr std::int64_t streamed_terms = 8;  ///< terms whose loads are on their way to registers at once

inline constexpr std::int64_t most_shared_bytes = 40 << 10;  ///< of a block that leaves room for others

/// What the estimate must know of a contraction: points of its joined iterators, as powers of two.
struct ContractionSizes {
  std::int64_t rows = 1, columns = 1, batch = 1, terms = 1;
  std::int64_t element_bytes = 4;  ///< of what is staged
  std::int64_t accumulator_bytes = 4;
  std::int64_t shared_bytes = most_shared_bytes;  ///< that a block may stage in
  int multiprocessors = 1;                        ///< of the device
  std::int64_t lanes = 1;                         ///< the fewest batch points of a block: neighbours in memory
  std::int64_t most_parts = 1;
  bool single_elements = false;  ///< a factor's rows lie at no multiple of 8 bytes: it is copied element by element
  bool columns_stream = false;   ///< the columns' factor is contiguous along them: it can do without staging
};

/// Outputs of a block and of one of its threads, which stand apart evenly.
struct ContractionTiles {
  std::int64_t rows = 1, columns = 1;  ///< of a block
  std::int64_t lanes = 1;              ///< batch points of a block
  std::int64_t thread_rows = 1, thread_columns = 1;
  std::int64_t parts = 1;
  bool streams = false;  ///< each thread loads the columns' factor straight into registers
  std::int64_t threads() const { return rows / thread_rows * (columns / thread_columns) * lanes; }
  friend bool operator==(const ContractionTiles&, const ContractionTiles&) = default;
};

/// Terms that are staged together where nothing speaks against it: 128 bytes of a row.
std::int64_t usual_depth(std::int64_t element_bytes);
/// Terms that are staged together: as many as shared memory and the registers of the copy hold, and half of the usual
/// where single elements are copied; 0: too few.
std::int64_t staged_depth(const ContractionSizes& sizes, const ContractionTiles& tiles);
/// Cycles, about, from the launch to the last result.
double estimate_cycles(const ContractionSizes& sizes, const ContractionTiles& tiles);
/// Of all candidates, ordered by their estimates, the one of that rank, or the last one.
ContractionTiles choose_tiles(const ContractionSizes& sizes, std::size_t rank = 0);

}  // namespace tilewright::nest::gpu_schedule
