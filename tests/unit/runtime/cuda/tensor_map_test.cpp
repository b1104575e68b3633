// Tensor maps: what reaches the driver, and a message for each rule.
#include "runtime/cuda/tensor_map.h"

#include "cuda_test.h"

namespace tilewright::cuda {
namespace {

using TensorMapTest = CudaTest;

/// A 100 x 64 matrix of f16 with a pitch of 256 bytes, in boxes of 8 x 64.
TensorMapRequest request() {
  return {.type = TensorMapType::f16,
          .address = 0x1000,
          .extents = {64, 100},
          .strides = {256},
          .box = {64, 8},
          .swizzle = TensorMapSwizzle::bytes_128};
}

TEST_F(TensorMapTest, GivesTheDriverEveryArgument) {
  TensorMapRequest asked = request();
  asked.promotion = TensorMapPromotion::bytes_256;
  asked.fill = TensorMapFill::nan;
  const TensorMap map = encode_tensor_map(*context(), asked).value();
  EXPECT_EQ(map.words[0], 0x1000U);
  EXPECT_EQ(map.words[1], 6U | 2U << 8U | 3U << 16U | 3U << 24U | std::uint64_t{1} << 32U);
  EXPECT_EQ(map.words[2], 64U);
  EXPECT_EQ(map.words[3], 100U);
  EXPECT_EQ(map.words[7], 256U);
  EXPECT_EQ(map.words[11], 64U | std::uint64_t{1} << 32U);
  EXPECT_EQ(map.words[12], 8U | std::uint64_t{1} << 32U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&map) % 128, 0U);
}

TEST_F(TensorMapTest, NamesEachRule) {
  const ContextPtr here = context();
  const auto refused = [&](auto change, const std::string& message, const std::string& remedy) {
    TensorMapRequest asked = request();
    change(asked);
    const auto map = encode_tensor_map(*here, asked);
    EXPECT_EQ(error_of(map), "R095: a tensor map " + message);
    EXPECT_EQ(remedy_of(map), remedy);
  };
  using R = TensorMapRequest;
  refused([](R& r) { r.extents.clear(); }, "of 0 axes", "1 to 5 axes");
  refused([](R& r) { r.extents.resize(6, 1); }, "of 6 axes", "1 to 5 axes");
  refused([](R& r) { r.strides.clear(); }, "of 2 axes with 0 strides and a box of 2 axes",
          "one stride for each axis but the innermost, and a box of all axes");
  refused([](R& r) { r.box = {64}; }, "of 2 axes with 1 strides and a box of 1 axes",
          "one stride for each axis but the innermost, and a box of all axes");
  refused([](R& r) { r.address = 0x1008; }, "of memory at address 0x1008", "a multiple of 16 bytes");
  refused([](R& r) { r.address = 0; }, "of memory at address 0x0", "a multiple of 16 bytes");
  refused([](R& r) { r.extents[1] = 0; }, "of extent 0 along axis 1", "1 to 4294967296");
  refused([](R& r) { r.extents[0] = (std::int64_t{1} << 32) + 1; }, "of extent 4294967297 along axis 0",
          "1 to 4294967296");
  refused([](R& r) { r.strides[0] = 264; }, "with a stride of 264 bytes along axis 1",
          "a multiple of 16 bytes, below 1099511627776");
  refused([](R& r) { r.strides[0] = -256; }, "with a stride of -256 bytes along axis 1",
          "a multiple of 16 bytes, below 1099511627776");
  refused([](R& r) { r.strides[0] = std::int64_t{1} << 40; }, "with a stride of 1099511627776 bytes along axis 1",
          "a multiple of 16 bytes, below 1099511627776");
  refused([](R& r) { r.box[1] = 257; }, "with a box of 257 elements along axis 1", "1 to 256");
  refused([](R& r) { r.box[1] = 0; }, "with a box of 0 elements along axis 1", "1 to 256");
  refused([](R& r) { r.box[0] = 12; }, "with rows of 24 bytes in its box", "a multiple of 16");
  refused([](R& r) { r.swizzle = TensorMapSwizzle::bytes_64; }, "with rows of 128 bytes in its box and a swizzle of 64",
          "rows no longer than the swizzle's pattern");
  refused(
      [](R& r) {
        r.type = TensorMapType::u16;
        r.fill = TensorMapFill::nan;
      },
      "of integers that fills with NaN", "fill integers with zero");
  EXPECT_EQ(fake().count("cuTensorMapEncodeTiled"), 0);
}

TEST_F(TensorMapTest, NeedsADeviceThatHasThem) {
  fake().reset({{.name = "Fake A100", .major = 8, .minor = 0}});
  EXPECT_EQ(error_of(encode_tensor_map(*context(), request())), "R094: cuda:0 (Fake A100) has no tensor maps");
}

}  // namespace
}  // namespace tilewright::cuda
