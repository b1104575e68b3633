// Boxes of copies by the engine, and the copies that it cannot do.
#include "tile/engine_copy.h"

#include <sstream>

#include "programs.h"

namespace tilewright::tile {
namespace {

/// "k 64, i 128; 16384 bytes at 0", a box behind the other with the points that it starts at.
std::string described(const Program& program, const std::optional<EngineCopy>& plan) {
  if (!plan) return "none";
  std::ostringstream text;
  for (std::size_t axis = 0; axis < plan->axes.size(); ++axis)
    text << (axis == 0 ? "" : ", ") << program.iters[plan->axes[axis].iter].name << " " << plan->axes[axis].box;
  text << "; " << plan->box_bytes << " bytes at";
  for (const EngineCopy::Box& box : plan->boxes) {
    text << " " << box.bytes;
    for (const auto& [iter, points] : box.points) text << " " << program.iters[iter].name << " + " << points;
  }
  return text.str();
}

struct CopyCase {
  std::string strides = "(other, one) align 64, 64";
  std::string index;
  std::string axes;
  std::string dtype = "f16";
  std::string otherwise = "";
};

Program copy_of(const CopyCase& given) {
  return program_of("tile t placed\n  tensor a : " + given.dtype + " rank " +
                    (given.strides.starts_with("(other, other, ") ? "3" : "2") + " strides " + given.strides +
                    "\n  iter i extent a.0\n  iter j extent a.1\n  iter k extent a.1\n  buffer s : " + given.dtype +
                    " shared [" + given.axes +
                    "] elements 65536 swizzled\n  grid i by 128\n  threads i 128 by 1\n"
                    "  allocate s\n  copy a[" +
                    given.index + "]" + given.otherwise + " -> s\n");
}

std::string planned(const CopyCase& given, std::int64_t parts = 1) {
  const Program program = copy_of(given);
  return described(program, plan_engine_copy(program, std::get<Copy>(program.body.ops[1].node), parts));
}

const std::string point_rows = "k 64 inner 1 strides (1, 1), i 128 inner 1 strides (64, 1)";
const std::string panels = "k 64 inner 1 strides (64, 1), i 256 inner 64 strides (4096, 1)";

TEST(EngineCopy, rows_of_terms) {
  EXPECT_EQ(planned({.index = "i, k", .axes = point_rows}), "k 64, i 128; 16384 bytes at 0");
  EXPECT_EQ(
      planned({.index = "i, k", .axes = "k 128 inner 1 strides (1, 1), i 64 inner 1 strides (128, 1)", .dtype = "i8"}),
      "k 128, i 64; 8192 bytes at 0");
}

TEST(EngineCopy, panels_of_points_are_a_box_each) {
  EXPECT_EQ(planned({.index = "k, i", .axes = panels}),
            "i 64, k 64; 8192 bytes at 0 8192 i + 64 16384 i + 128 24576 i + 192");
}

// A row holds 64 points, of which eight are wanted.
TEST(EngineCopy, narrow_rows_are_filled) {
  EXPECT_EQ(planned({.index = "k, i", .axes = "k 64 inner 1 strides (64, 1), i 8 inner 1 strides (1, 1)"}),
            "i 64, k 64; 8192 bytes at 0");
}

TEST(EngineCopy, other_iterators_of_the_address_stand_still) {
  EXPECT_EQ(planned({.strides = "(other, other, one) align 64, 64", .index = "j, i, k", .axes = point_rows}),
            "k 64, i 128, j 1; 16384 bytes at 0");
}

TEST(EngineCopy, windows_are_axes_too) {
  EXPECT_EQ(planned({.index = "i + j, k", .axes = point_rows}), "k 64, i 128, j 1; 16384 bytes at 0");
  EXPECT_EQ(planned({.index = "j, i + k", .axes = point_rows}), "none");
}

TEST(EngineCopy, parts_are_boxes_or_halves_of_one) {
  EXPECT_EQ(planned({.index = "i, k", .axes = point_rows}, 2), "k 64, i 64; 8192 bytes at 0 i + 0 8192 i + 64");
  EXPECT_EQ(planned({.index = "k, i", .axes = panels}, 2),
            "i 64, k 64; 8192 bytes at 0 8192 i + 64 16384 i + 128 24576 i + 192");
  EXPECT_EQ(planned({.index = "i, k", .axes = "k 64 inner 1 strides (1, 1), i 8 inner 1 strides (64, 1)"}, 2), "none");
}

TEST(EngineCopy, what_the_engine_does_not_take) {
  EXPECT_EQ(planned({.strides = "(other, one) align 64, 8", .index = "i, k", .axes = point_rows}), "none");
  EXPECT_EQ(planned({.strides = "(other, one) align 8, 64", .index = "i, k", .axes = point_rows}), "none");
  EXPECT_EQ(planned({.strides = "(other, other) align 64, 64", .index = "i, k", .axes = point_rows}), "none");
  EXPECT_EQ(planned({.strides = "(zero, one) align 64, 64", .index = "i, k", .axes = point_rows}), "none");
  EXPECT_EQ(planned({.index = "i, k + 1", .axes = point_rows}), "none");
  EXPECT_EQ(planned({.index = "i, k", .axes = point_rows, .otherwise = " otherwise 0"}), "none");
  EXPECT_EQ(planned({.index = "i, k + 8", .axes = point_rows}), "k 64, i 128; 16384 bytes at 0");
}

}  // namespace
}  // namespace tilewright::tile
