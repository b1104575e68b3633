// Device memory: order of streams, full devices, both kinds of pool; pinned memory.
#include "runtime/cuda/memory.h"

#include "cuda_test.h"
#include "runtime/cuda/memory_pool.h"

namespace tilewright::cuda {
namespace {

constexpr std::int64_t mib = 1 << 20;

/// With the driver's pools and without them.
class MemoryTest : public CudaTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override { fake().reset({{.memory_bytes = 64 * mib, .has_pools = GetParam()}}); }
};

std::byte first_byte(const DeviceMemory& memory) {
  return *reinterpret_cast<const std::byte*>(memory.address());
}

TEST_P(MemoryTest, GivesAlignedMemoryAndTakesItBack) {
  const Stream queue = stream();
  {
    const DeviceMemory one = DeviceMemory::allocate(queue, 1).value();
    const DeviceMemory many = DeviceMemory::allocate(queue, 5 * mib + 1).value();
    EXPECT_EQ(one.address() % 256, 0U);
    EXPECT_EQ(many.address() % 256, 0U);
    EXPECT_EQ(many.bytes(), 5 * mib + 1);
    EXPECT_GE(fake().used_bytes(0), 5 * mib + 2);
    EXPECT_GE(queue.context().pool().reserved_bytes(), 5 * mib + 2);
  }
  queue.context().pool().trim();
  EXPECT_EQ(fake().used_bytes(0), 0);
  EXPECT_EQ(queue.context().pool().reserved_bytes(), 0);
}

TEST_P(MemoryTest, AsksNothingForNoBytes) {
  const Stream queue = stream();
  const DeviceMemory none = DeviceMemory::allocate(queue, 0).value();
  EXPECT_EQ(none.address(), 0U);
  EXPECT_EQ(fake().count("cuMemAllocAsync") + fake().count("cuMemAlloc"), 0);
}

TEST_P(MemoryTest, SaysHowFullADeviceIsAndGoesOn) {
  const Stream queue = stream();
  const DeviceMemory most = DeviceMemory::allocate(queue, 60 * mib).value();
  const auto refused = DeviceMemory::allocate(queue, 5 * mib);
  EXPECT_EQ(error_of(refused),
            "R091: no memory for 5242880 bytes on cuda:0 (Fake H200): 4194304 of 67108864 bytes are free");
  EXPECT_EQ(remedy_of(refused), "free tensors, or use smaller ones");
  EXPECT_FALSE(queue.context().is_lost());
  EXPECT_TRUE(DeviceMemory::allocate(queue, 4 * mib).has_value());
}

TEST_P(MemoryTest, UsesWhatOtherStreamsFreedBeforeItGivesUp) {
  const Stream queue = stream();
  const Stream other = Stream::create(queue.context_ptr()).value();
  {
    const DeviceMemory freed = DeviceMemory::allocate(other, 60 * mib).value();
  }
  EXPECT_TRUE(DeviceMemory::allocate(queue, 10 * mib).has_value());
}

TEST_P(MemoryTest, TakesNoMoreThanThereIs) {
  const Stream queue = stream();
  EXPECT_EQ(error_of(DeviceMemory::allocate(queue, std::int64_t{1} << 60)).substr(0, 44),
            "R091: no memory for 1152921504606846976 byte");
}

TEST_P(MemoryTest, MovesOwnership) {
  const Stream queue = stream();
  DeviceMemory first = DeviceMemory::allocate(queue, 100).value();
  const DevicePointer address = first.address();
  DeviceMemory second = std::move(first);
  EXPECT_EQ(second.address(), address);
  DeviceMemory third;
  third = std::move(second);
  EXPECT_EQ(third.address(), address);
  EXPECT_EQ(third.bytes(), 100);
}

TEST_P(MemoryTest, FillsAndCopiesInTheOrderOfTheStream) {
  const Stream queue = stream();
  const DeviceMemory a = DeviceMemory::allocate(queue, 1000).value();
  const DeviceMemory b = DeviceMemory::allocate(queue, 1000).value();
  ASSERT_TRUE(fill_bytes(queue, a.address(), 7, 1000).has_value());
  ASSERT_TRUE(copy_on_device(queue, b.address(), a.address(), 1000).has_value());
  ASSERT_TRUE(fill_bytes(queue, a.address(), 9, 1000).has_value());
  ASSERT_TRUE(queue.synchronize().has_value());
  EXPECT_EQ(first_byte(a), std::byte{9});
  EXPECT_EQ(first_byte(b), std::byte{7});
}

INSTANTIATE_TEST_SUITE_P(Pools, MemoryTest, testing::Bool(),
                         [](const auto& parameter) { return parameter.param ? "Driver" : "Blocks"; });

using PoolTest = CudaTest;

TEST_F(PoolTest, RaisesTheThresholdOfTheDriversPoolOnce) {
  const ContextPtr here = context();
  EXPECT_EQ(fake().count("cuMemPoolSetAttribute"), 1);
  std::uint64_t threshold = 0;
  PoolHandle pool = nullptr;
  ASSERT_TRUE(here->driver().calls().cuDeviceGetDefaultMemPool(&pool, 0).ok());
  ASSERT_TRUE(here->driver().calls().cuMemPoolGetAttribute(pool, PoolAttribute::release_threshold, &threshold).ok());
  EXPECT_EQ(threshold, std::uint64_t{4} << 30);
}

/// Without the driver's pools, a block freed on one stream and given out on another is not touched by the first any
/// more.
TEST_F(PoolTest, OrdersABlockBetweenStreams) {
  fake().reset({{.has_pools = false}});
  const Stream queue = stream();
  const Stream other = Stream::create(queue.context_ptr()).value();
  DevicePointer address = 0;
  {
    const DeviceMemory first = DeviceMemory::allocate(queue, mib).value();
    address = first.address();
    ASSERT_TRUE(fill_bytes(queue, address, 0x11, mib).has_value());  // late: runs when somebody waits
  }
  const DeviceMemory second = DeviceMemory::allocate(other, mib).value();
  ASSERT_EQ(second.address(), address);
  ASSERT_TRUE(fill_bytes(other, address, 0x22, mib).has_value());
  ASSERT_TRUE(other.synchronize().has_value());
  ASSERT_TRUE(queue.synchronize().has_value());
  EXPECT_EQ(first_byte(second), std::byte{0x22});
}

TEST_F(PoolTest, DoesNotHandOutBlocksMuchTooLarge) {
  fake().reset({{.has_pools = false}});
  const Stream queue = stream();
  {
    const DeviceMemory large = DeviceMemory::allocate(queue, 8 * mib).value();
  }
  const DeviceMemory small = DeviceMemory::allocate(queue, 1000).value();
  const DeviceMemory half = DeviceMemory::allocate(queue, 5 * mib).value();
  EXPECT_EQ(fake().count("cuMemAlloc"), 2);  // the third took the first's block
}

TEST_F(PoolTest, SaysWhereNoHostMemoryIsPinned) {
  const ContextPtr here = context();
  fake().fail("cuMemHostAlloc", 1, Status::out_of_memory);
  EXPECT_EQ(
      error_of(PinnedMemory::allocate(here, 12345)),
      "R096: no pinned host memory of 12345 bytes: cuMemHostAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  const PinnedMemory memory = PinnedMemory::allocate(here, 12345).value();
  memory.data()[12344] = std::byte{1};
  EXPECT_EQ(memory.bytes(), 12345);
}

}  // namespace
}  // namespace tilewright::cuda
