// The estimate behind a GPU contraction's tiles: what it prefers where the better choice is plain, and that what it
// gives is a legal tiling at every size.
#include "nest/passes/contraction_tiles.h"

#include <gtest/gtest.h>

namespace tilewright::nest::gpu_schedule {
namespace {

ContractionSizes product(std::int64_t rows, std::int64_t columns, std::int64_t terms, std::int64_t most_parts = 512) {
  ContractionSizes sizes;
  sizes.rows = rows;
  sizes.columns = columns;
  sizes.terms = terms;
  sizes.most_parts = most_parts;
  sizes.multiprocessors = 132;
  sizes.columns_stream = true;
  return sizes;
}

TEST(ContractionTiles, LargeProductsTakeWideTilesAndNoParts) {
  const ContractionTiles tiles = choose_tiles(product(8192, 8192, 8192));
  EXPECT_EQ(tiles.parts, 1);
  EXPECT_GE(tiles.rows * tiles.columns, 128 * 64);
  EXPECT_GE(tiles.thread_rows * tiles.thread_columns, 64);
}

TEST(ContractionTiles, ManyTermsAreSplitRatherThanTilesMadeNarrow) {
  const ContractionTiles tiles = choose_tiles(product(128, 128, 65536));
  EXPECT_GE(tiles.parts, 64);
  EXPECT_GE(tiles.thread_rows * tiles.thread_columns, 64);
  EXPECT_EQ(choose_tiles(product(128, 128, 65536, 1)).parts, 1);
}

TEST(ContractionTiles, SingleElementsAreCopiedByMoreThreadsAndFewerTermsAtOnce) {
  ContractionSizes sizes = product(4096, 4096, 4096);
  EXPECT_EQ(choose_tiles(sizes).threads(), 128);
  EXPECT_EQ(staged_depth(sizes, choose_tiles(sizes)), 32);
  sizes.single_elements = true;
  const ContractionTiles tiles = choose_tiles(sizes);
  EXPECT_EQ(tiles.threads(), 256);
  EXPECT_EQ(tiles.thread_rows * tiles.thread_columns, 64);
  EXPECT_EQ(staged_depth(sizes, tiles), 16);
}

TEST(ContractionTiles, FewRowsStreamWhereTheColumnsAreContiguous) {
  ContractionSizes sizes = product(16, 8192, 8192);
  EXPECT_TRUE(choose_tiles(sizes).streams);
  EXPECT_EQ(choose_tiles(sizes).thread_rows, 16);
  sizes.columns_stream = false;
  EXPECT_FALSE(choose_tiles(sizes).streams);
  EXPECT_FALSE(choose_tiles(product(512, 8192, 8192)).streams);
}

TEST(ContractionTiles, SmallMatricesShareABlockOrAreOne) {
  ContractionSizes sizes = product(64, 64, 64, 1);
  sizes.batch = 4096;
  const ContractionTiles whole = choose_tiles(sizes);
  EXPECT_EQ(whole.rows * whole.columns, 64 * 64);
  sizes.rows = sizes.columns = sizes.terms = 4;
  EXPECT_GT(choose_tiles(sizes).lanes, 1);
}

TEST(ContractionTiles, AreLegalAtEverySize) {
  for (std::int64_t rows = 1; rows <= 65536; rows *= 8)
    for (std::int64_t columns = 1; columns <= 65536; columns *= 16)
      for (std::int64_t batch = 1; batch <= 4096; batch *= 64)
        for (std::int64_t bytes : {1, 2, 4, 8}) {
          ContractionSizes sizes = product(rows, columns, 128, 2);
          sizes.batch = batch;
          sizes.element_bytes = bytes;
          sizes.accumulator_bytes = std::max<std::int64_t>(bytes, 4);
          sizes.lanes = std::min<std::int64_t>(batch, 32 / bytes);
          const ContractionTiles tiles = choose_tiles(sizes);
          EXPECT_LE(tiles.threads(), 256);
          EXPECT_GE(tiles.lanes, sizes.lanes);
          EXPECT_LE(tiles.rows, rows);
          EXPECT_LE(tiles.columns, columns);
          EXPECT_EQ(tiles.rows % tiles.thread_rows + tiles.columns % tiles.thread_columns, 0);
          const std::int64_t depth = staged_depth(sizes, tiles);
          ASSERT_GT(depth, 0) << rows << " x " << columns << " x " << batch << ", " << bytes << " bytes";
          EXPECT_LE((tiles.rows + (tiles.streams ? 0 : tiles.columns)) * tiles.lanes * depth * bytes,
                    most_shared_bytes);
        }
}

TEST(ContractionTiles, RanksFollowTheEstimates) {
  const ContractionSizes sizes = product(1024, 1024, 1024);
  EXPECT_EQ(choose_tiles(sizes, 0), choose_tiles(sizes));
  for (std::size_t rank = 0; rank < 20; ++rank) {
    EXPECT_NE(choose_tiles(sizes, rank), choose_tiles(sizes, rank + 1));
    EXPECT_LE(estimate_cycles(sizes, choose_tiles(sizes, rank)), estimate_cycles(sizes, choose_tiles(sizes, rank + 1)));
  }
  EXPECT_EQ(choose_tiles(sizes, 1 << 20), choose_tiles(sizes, 1 << 21));  // past the last one
}

}  // namespace
}  // namespace tilewright::nest::gpu_schedule
