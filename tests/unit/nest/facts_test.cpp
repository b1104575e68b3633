// Facts of views: stride classes, alignment, size buckets, and that equal texts are equal facts.
#include "nest/facts.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace tilewright::nest {
namespace {

/// Two iterators over an operand `a` of rank 3 and a literal extent.
Nest sample_nest() {
  Nest nest;
  nest.tensors.add({"a", DType::f32, 3});
  nest.iterators.add({"i", IteratorRole::output, IntExpr::symbol("a.0")});
  nest.iterators.add({"k", IteratorRole::reduction, IntExpr::symbol("a.2") - 1});
  nest.iterators.add({"r", IteratorRole::reduction, 3});
  return nest;
}

struct Memory {
  alignas(64) std::byte bytes[256] = {};
  TensorView view(std::size_t at, DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    return {bytes + at, dtype, std::move(shape), std::move(strides)};
  }
};

TEST(Facts, ClassesOfStridesAndAlignment) {
  Memory memory;
  const Facts facts = gather_facts(sample_nest(), {memory.view(32, DType::f32, {5, 1, 7}, {-1, 9, 1})},
                                   memory.view(6, DType::f16, {5, 4}, {2, 0}));
  EXPECT_EQ(facts.operands[0].strides,
            (std::vector{StrideClass::other, StrideClass::zero, StrideClass::one}));  // one row: its stride is no fact
  EXPECT_EQ(facts.operands[0].align, 32u);
  EXPECT_EQ(facts.output.strides, (std::vector{StrideClass::other, StrideClass::zero}));
  EXPECT_EQ(facts.output.align, 2u);
}

TEST(Facts, AlignmentEndsAt64AndIsAnElementAtLeast) {
  Memory memory;
  const Nest nest = sample_nest();
  const auto align = [&](std::size_t at, DType dtype) {
    return gather_facts(nest, {memory.view(at, dtype, {1, 1, 1}, {1, 1, 1})}, memory.view(0, DType::f32, {1}, {1}))
        .operands[0]
        .align;
  };
  EXPECT_EQ(align(0, DType::f32), 64u);
  EXPECT_EQ(align(128, DType::i8), 64u);
  EXPECT_EQ(align(24, DType::i8), 8u);
  EXPECT_EQ(align(25, DType::i8), 1u);
  EXPECT_EQ(align(25, DType::f64), 8u);
}

// Of operands whose rows count; an axis of one point does not.
TEST(Facts, StridesThatDescend) {
  Memory memory;
  const TensorView out = memory.view(0, DType::f32, {5}, {-1});
  const auto facts = [&](std::int64_t rows, VectorLoads loads) {
    return gather_facts(sample_nest(), {memory.view(64, DType::f32, {rows, 2, 3}, {-8, 4, 1})}, out, loads);
  };
  EXPECT_TRUE(facts(3, VectorLoads::aligned).operands[0].descends);
  EXPECT_FALSE(facts(1, VectorLoads::aligned).operands[0].descends);
  EXPECT_FALSE(facts(3, VectorLoads::anywhere).operands[0].descends);
  EXPECT_TRUE(facts(3, VectorLoads::aligned).output.descends);
  EXPECT_FALSE(facts(3, VectorLoads::anywhere).output.descends);
  EXPECT_NE(to_text(facts(3, VectorLoads::aligned)).find("[ss1]@64 descending"), std::string::npos);
}

TEST(Facts, SizesRoundUpToPowersOfTwo) {
  Memory memory;
  const auto buckets = [&](std::int64_t rows, std::int64_t columns) {
    return gather_facts(sample_nest(), {memory.view(0, DType::f32, {rows, 2, columns}, {0, 0, 0})},
                        memory.view(0, DType::f32, {1}, {1}))
        .size_buckets;
  };
  EXPECT_EQ(buckets(5, 9), (std::vector<std::int64_t>{8, 8, 4}));
  EXPECT_EQ(buckets(0, 2), (std::vector<std::int64_t>{0, 1, 4}));
  EXPECT_EQ(buckets((std::int64_t{1} << 24) + 1, std::int64_t{1} << 40),
            (std::vector<std::int64_t>{1 << 24, 1 << 24, 4}));
}

TEST(Facts, TextTellsFactsApart) {
  Memory memory;
  const Nest nest = sample_nest();
  const TensorView out = memory.view(0, DType::f32, {1}, {1});
  const Facts first = gather_facts(nest, {memory.view(32, DType::f32, {5, 1, 7}, {7, 7, 1})}, out);
  EXPECT_EQ(to_text(first), "operands [s01]@32 output [0]@64/64 sizes 8 8 4");
  // Other extents and strides of the same kinds share a kernel.
  const Facts same = gather_facts(nest, {memory.view(96, DType::f32, {7, 1, 6}, {100, 3, 1})}, out);
  EXPECT_EQ(same, first);
  EXPECT_EQ(to_text(same), to_text(first));
  const Facts other = gather_facts(nest, {memory.view(64, DType::f32, {7, 1, 6}, {100, 3, 1})}, out);
  EXPECT_NE(other, first);
  EXPECT_NE(to_text(other), to_text(first));
}

}  // namespace
}  // namespace tilewright::nest
