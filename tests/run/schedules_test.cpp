// Schedule lines of users, alone and together: none changes what is computed.
#include <gtest/gtest.h>

#include "agrees.h"

namespace tilewright::differential {
namespace {

std::string scheduled(const std::string& statement, const std::vector<std::string>& lines) {
  std::string text = statement + " do:\n  schedule:\n";
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text;
}

TEST(Schedules, lanes_that_are_no_power_of_two) {
  for (const int lanes : {2, 3, 5, 6, 7, 9, 12})
    for (const std::string op : {"++=", "max=", "*="})
      for (const DType type : {DType::f32, DType::f64, DType::i32, DType::f16, DType::u8})
        EXPECT_TRUE(agrees({scheduled("s[] " + op + " a[i]", {"vectorize(i, " + std::to_string(lanes) + ")"}),
                            {{"a", type, {23}, {}, Values::near_one}}}));
}

// A scalar wider than what has lanes (the i64 of an index) makes the schedule count on fewer lanes than the vectors
// have.
TEST(Schedules, lanes_that_a_vector_does_not_divide) {
  for (const int lanes : {5, 6, 7, 10, 14})
    for (const std::string processor : {"", "sse2"})
      EXPECT_TRUE(agrees(
          {.statement = scheduled("o[i, k] = a[i, k] + cast(f32, i)", {"vectorize(k, " + std::to_string(lanes) + ")"}),
           .operands = {{"a", DType::f32, {2, 5}}},
           .processor = processor}));
}

TEST(Schedules, odd_vectors_to_an_output_past_the_caches) {
  for (const int lanes : {3, 5, 6, 7, 8, 12})
    EXPECT_TRUE(agrees({.statement = scheduled("o[i, k] = a[i, k] * 2", {"tile(k, " + std::to_string(lanes) + ")"}),
                        .operands = {{"a", DType::i32, {40, 56}}},
                        .small_caches = true}));
}

TEST(Schedules, tiles_inside_a_staged_tile_that_do_not_divide_it) {
  for (const std::string inner : {"5", "3", "7", "4"})
    for (const std::string processor : {"", "sse2"}) {
      EXPECT_TRUE(agrees({.statement = scheduled("o[] ++= a[i] + cast(i32, b[i])",
                                                 {"tile(i, 8)", "tile(i.in, " + inner + ")", "cache(a)"}),
                          .operands = {{"a", DType::i32, {21}}, {"b", DType::f64, {21}}},
                          .processor = processor}));
      EXPECT_TRUE(agrees({.statement = scheduled("o[i, j] ++= a[i, k] * b[k, j]",
                                                 {"tile(i, 16)", "tile(i.in, " + inner + ")", "tile(j, 16)",
                                                  "tile(j.in, " + inner + ")", "tile(k, 8)", "cache(a)", "cache(b)"}),
                          .operands = {{"a", DType::f32, {19, 21}}, {"b", DType::f32, {21, 37}}},
                          .processor = processor}));
    }
}

TEST(Schedules, two_reads_of_a_staged_tensor_have_a_buffer_each) {
  for (const std::string processor : {"", "sse2"}) {
    EXPECT_TRUE(agrees({.statement = scheduled("o[i] = a[2] - a[0] + cast(i32, b[i])", {"tile(i, 5)", "cache(a)"}),
                        .operands = {{"a", DType::i32, {3}}, {"b", DType::f32, {7}}},
                        .processor = processor}));
    EXPECT_TRUE(agrees({.statement = scheduled("o[] ++= a[i + 1, i] - a[0, i] + c[i]", {"tile(i, 4)", "cache(a)"}),
                        .operands = {{"a", DType::i8, {12, 11}}, {"c", DType::i8, {11}}},
                        .processor = processor}));
  }
}

TEST(Schedules, tiles_of_every_size) {
  for (const int tile : {1, 2, 3, 4, 7, 8, 16, 33, 64})
    EXPECT_TRUE(agrees({scheduled("s[i] ++= a[i, j] * b[j]",
                                  {"tile(j, " + std::to_string(tile) + ")", "tile(i, " + std::to_string(tile) + ")"}),
                        {{"a", DType::f32, {19, 37}}, {"b", DType::f32, {37}}}}));
}

TEST(Schedules, splits_with_epilogues_that_need_other_operands) {
  const std::vector<OperandSpec> operands{
      {"a", DType::f32, {6, 37}}, {"b", DType::f32, {37, 3}}, {"c", DType::f32, {}}};
  for (const std::string parts : {"1", "2", "4", "5", "37", "64"}) {
    const std::vector<std::string> split{"split(j, " + parts + ")"};
    EXPECT_TRUE(agrees({scheduled("s[i] ++= a[i, j] * b[j, k]", split), {operands[0], operands[1]}}));
    EXPECT_TRUE(agrees({scheduled("s[i] ++= a[i, j] * b[j, k] then s[i] + c[]", split), operands}));
    EXPECT_TRUE(agrees({scheduled("s[] ++= a[i, j] * b[j, k] then s[] / cast(f32, extent(j) * extent(k))", split),
                        {operands[0], operands[1]}}));
  }
}

// The parts are one axis more than a value may have.
TEST(Schedules, splits_of_outputs_of_eight_axes) {
  EXPECT_TRUE(agrees({scheduled("o[a, b, c, d, e, f, g, h] ++= x[a, b, c, d, e, f, g, k] * y[h, k]", {"split(k, 3)"}),
                      {{"x", DType::f32, {2, 1, 3, 1, 2, 1, 2, 7}}, {"y", DType::f32, {5, 7}}}}));
}

TEST(Schedules, combinations_on_a_product) {
  const std::vector<std::vector<std::string>> schedules{
      {"tile(i, 8)", "tile(j, 8)", "tile(k, 4)", "cache(a)", "cache(b)"},
      {"tile(i, 8)", "tile(k, 5)", "reorder(k, i, i.in, j)", "vectorize(j, 8)"},
      {"tile(j, 16)", "tile(j.in, 4)", "unroll(i, 3)", "parallel(i)"},
      {"reorder(k, j, i)", "vectorize(k, 4)", "unroll(j, 2)"},
      {"parallel(j)", "split(k, 3)", "vectorize(i, 4)"},
      {"tile(i, 6)", "tile(j, 16)", "tile(k, 7)", "cache(b)", "reorder(j, k, i, i.in)", "parallel(j)"},
      {"tile(i, 64)", "tile(j, 64)", "tile(k, 64)", "cache(a)", "split(k, 2)"},
      {"reorder(k, i, j)", "tile(j, 3)", "vectorize(j.in, 3)", "auto"}};
  for (const auto& lines : schedules)
    for (const std::vector<std::int64_t>& size :
         {std::vector<std::int64_t>{13, 17, 19}, {1, 1, 1}, {3, 40, 2}, {16, 16, 16}, {5, 6, 0}, {0, 4, 4}})
      for (const DType type : {DType::f32, DType::f16, DType::i8})
        EXPECT_TRUE(agrees({scheduled("o[i, j] ++= a[i, k] * b[k, j]", lines),
                            {{"a", type, {size[0], size[2]}, {}, Values::whole},
                             {"b", type, {size[2], size[1]}, {}, Values::whole}}}));
}

}  // namespace
}  // namespace tilewright::differential
