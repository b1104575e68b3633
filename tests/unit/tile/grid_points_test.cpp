// Points of a grid as far as facts tell.
#include "tile/grid_points.h"

#include "programs.h"

namespace tilewright::tile {
namespace {

constexpr const char* program = R"(tile t
  tensor a : f32 rank 2 strides (other, one) align 4
  iter i extent a.0
  iter j extent a.1
  iter k extent a.1
  grid k by a.0, i by 128, j by 64
)";

TEST(GridPoints, OfWholeAndUnknownSteps) {
  const Program grid = program_of(program);
  nest::Facts facts;
  facts.size_buckets = {1024, 32, 16};  // i, j, k
  EXPECT_EQ(points_along(grid.grid[1], facts), 8);
  EXPECT_EQ(points_along(grid.grid[2], facts), 1);
  EXPECT_EQ(points_of_grid(grid, facts, UnknownSteps::one_point), 8);
  EXPECT_EQ(points_of_grid(grid, facts, UnknownSteps::all_points), 128);
  facts.size_buckets = {most_points, most_points, most_points};
  EXPECT_EQ(points_of_grid(grid, facts, UnknownSteps::all_points), most_points);
}

}  // namespace
}  // namespace tilewright::tile
