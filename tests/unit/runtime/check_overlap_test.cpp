// Overlap of outputs with inputs, with each other and with themselves.
#include "runtime/check_overlap.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

namespace tilewright {
namespace {

using Extents = std::vector<std::int64_t>;

std::array<float, 1024> memory;

/// A view whose element (0, …) is float number `first` of the test's memory.
TensorView view_at(std::int64_t first, Extents shape, Extents strides) {
  return {reinterpret_cast<std::byte*>(memory.data() + first), DType::f32, std::move(shape), std::move(strides)};
}

/// The code and message of each conflict.
std::vector<std::string> conflicts(const std::vector<NamedView>& outputs, const std::vector<NamedView>& inputs) {
  std::vector<std::string> found;
  if (Result<void> result = check_overlap(outputs, inputs); !result)
    for (const Diagnostic& diagnostic : result.error()) found.push_back(diagnostic.code + " " + diagnostic.message);
  return found;
}

using Found = std::vector<std::string>;

TEST(CheckOverlap, NamesOutputAndInput) {
  const TensorView a = view_at(0, {4, 4}, {4, 1});
  const TensorView b = view_at(64, {4}, {1});
  const TensorView mm = view_at(15, {4}, {1});
  EXPECT_EQ(conflicts({{"mm", &mm}}, {{"b", &b}, {"a", &a}}), Found{"R060 output 'mm' overlaps input 'a' in memory"});
  EXPECT_EQ(conflicts({{"mm", &mm}}, {{"b", &b}}), Found{});
}

TEST(CheckOverlap, NeighboursDoNotOverlapAndInterleavedOnesDo) {
  const TensorView a = view_at(0, {4}, {1});
  const TensorView after = view_at(4, {4}, {1});
  EXPECT_EQ(conflicts({{"o", &after}}, {{"a", &a}}), Found{});
  const TensorView even = view_at(0, {8}, {2});
  const TensorView odd = view_at(1, {8}, {2});
  EXPECT_EQ(conflicts({{"o", &odd}}, {{"a", &even}}).size(), 1U);  // the byte ranges meet
}

TEST(CheckOverlap, NegativeStridesReachDown) {
  const TensorView output = view_at(15, {4}, {-4});  // elements 15, 11, 7, 3
  const TensorView low = view_at(3, {1}, {1});
  const TensorView below = view_at(0, {3}, {1});
  EXPECT_EQ(conflicts({{"o", &output}}, {{"a", &low}}).size(), 1U);
  EXPECT_EQ(conflicts({{"o", &output}}, {{"a", &below}}), Found{});
}

TEST(CheckOverlap, ReportsEveryConflictOfOneCall) {
  const TensorView a = view_at(0, {8}, {1});
  const TensorView p = view_at(4, {8}, {1});
  const TensorView q = view_at(11, {3}, {0});
  EXPECT_EQ(conflicts({{"p", &p}, {"q", &q}}, {{"a", &a}}),
            (Found{"R060 output 'p' overlaps input 'a' in memory", "R061 output 'q' overlaps output 'p' in memory",
                   "R062 output 'q' overlaps itself: strides [0] put several elements in one place"}));
}

TEST(CheckOverlap, InputsMayOverlapAndEmptyOutputsMayBeAnywhere) {
  const TensorView a = view_at(0, {8}, {0});
  const TensorView b = view_at(0, {4, 4}, {1, 1});
  const TensorView o = view_at(512, {8}, {1});
  const TensorView nothing = view_at(0, {0, 3}, {0, 0});
  EXPECT_EQ(conflicts({{"o", &o}, {"n", &nothing}}, {{"a", &a}, {"b", &b}}), Found{});
}

TEST(CheckOverlap, UnrepresentableRangesAreRefused) {
  const TensorView a = view_at(0, {2}, {std::numeric_limits<std::int64_t>::max()});
  const TensorView o = view_at(0, {2}, {1});
  EXPECT_EQ(conflicts({{"o", &o}}, {{"a", &a}}), Found{"R063 'a' reaches outside of the address space"});
  EXPECT_EQ(conflicts({{"a", &a}}, {}), Found{"R063 'a' reaches outside of the address space"});
}

TEST(OverlapsItself, IsExactForSmallViews) {
  for (std::int64_t s0 = -7; s0 <= 7; ++s0)
    for (std::int64_t s1 = -5; s1 <= 5; ++s1)
      for (std::int64_t s2 : {1, 2, 6, -9})
        for (const Extents& shape : {Extents{2, 3, 2}, Extents{3, 1, 4}, Extents{4, 2, 3}}) {
          const TensorView view = view_at(512, shape, {s0, s1, s2});
          std::set<std::int64_t> offsets;
          for_each_index(shape, [&](const Extents& index) { offsets.insert(view.offset_bytes(index)); });
          const bool expected = static_cast<std::int64_t>(offsets.size()) != view.element_count();
          EXPECT_EQ(overlaps_itself(view), expected) << s0 << " " << s1 << " " << s2 << " of " << shape[0];
        }
}

TEST(OverlapsItself, ExtentOneAndEmptyAxesDoNotCount) {
  EXPECT_FALSE(overlaps_itself(view_at(0, {1, 4}, {0, 1})));
  EXPECT_FALSE(overlaps_itself(view_at(0, {0, 4}, {0, 0})));
  EXPECT_FALSE(overlaps_itself(view_at(0, {}, {})));
  EXPECT_TRUE(overlaps_itself(view_at(0, {2, 1}, {0, 1})));
}

TEST(OverlapsItself, LargeOrdinaryTensorsNeedNoSearch) {
  const std::int64_t n = std::int64_t{1} << 20;
  EXPECT_FALSE(overlaps_itself(view_at(0, {n, n}, {1, n})));
  EXPECT_FALSE(overlaps_itself(view_at(0, {n, n}, {-2 * n, 2})));
  EXPECT_TRUE(overlaps_itself(view_at(0, {n, n}, {n - 1, 1})));
}

}  // namespace
}  // namespace tilewright
