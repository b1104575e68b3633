// Byte ranges against a walk over every element.
#include "runtime/byte_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tilewright {
namespace {

TEST(ByteRange, IsWhatAWalkOverTheElementsTouches) {
  std::vector<std::byte> memory(4096);
  for (std::int64_t outer : {-5, -3, 0, 1, 4})
    for (std::int64_t inner : {-2, 0, 1, 7})
      for (std::int64_t rows : {1, 2, 5})
        for (std::int64_t columns : {1, 3}) {
          const TensorView view{memory.data() + 2048, DType::f16, {rows, columns}, {outer, inner}};
          std::uintptr_t lowest = std::numeric_limits<std::uintptr_t>::max();
          std::uintptr_t highest = 0;
          for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) {
            const auto address = reinterpret_cast<std::uintptr_t>(view.data + view.offset_bytes(index));
            lowest = std::min(lowest, address);
            highest = std::max(highest, address + 2);
          });
          EXPECT_EQ(byte_range(view), (ByteRange{lowest, highest}))
              << outer << " " << inner << " " << rows << " " << columns;
        }
}

TEST(ByteRange, ReportsWhatDoesNotFit) {
  std::byte byte{};
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(byte_range({&byte, DType::f32, {2}, {1, 1}}));
  EXPECT_FALSE(byte_range({&byte, DType::f32, {-1}, {1}}));
  EXPECT_FALSE(byte_range({&byte, DType::f32, {2}, {most}}));
  EXPECT_FALSE(byte_range({&byte, DType::f32, {2}, {-(most / 4)}}));
  EXPECT_FALSE(byte_range({&byte, DType::u8, {2, 2}, {most, most}}));
  EXPECT_FALSE(byte_range({&byte, DType::u8, {2}, {std::numeric_limits<std::int64_t>::min()}}));
}

TEST(ByteRange, OverlapIsOfSharedBytesOnly) {
  const ByteRange range{16, 32};
  EXPECT_TRUE(range.overlaps({31, 40}));
  EXPECT_TRUE(range.overlaps({0, 17}));
  EXPECT_TRUE(range.overlaps({20, 21}));
  EXPECT_FALSE(range.overlaps({32, 40}));
  EXPECT_FALSE(range.overlaps({0, 16}));
  EXPECT_FALSE(range.overlaps({20, 20}));
}

}  // namespace
}  // namespace tilewright
