// Contexts: shared by device, current only within calls, and what happens after a device is full or lost.
#include "runtime/cuda/context.h"

#include "cuda_test.h"
#include "runtime/cuda/memory.h"
#include "runtime/cuda/module.h"

namespace tilewright::cuda {
namespace {

using ContextTest = CudaTest;

/// A module of one kernel that does what its name says.
Function kernel(const ContextPtr& context, const std::string& name) {
  const Cubin cubin = link_ptx(*context, ".entry " + name + " (){}").value();
  return Module::load(context, cubin).value()->function(name).value();
}

TEST_F(ContextTest, IsSharedByThoseWhoOpenADevice) {
  fake().reset({FakeDevice{}, FakeDevice{}});
  const DriverPtr loaded = driver();
  {
    const ContextPtr first = Context::open(loaded, 0).value();
    EXPECT_EQ(Context::open(loaded, 0).value(), first);
    EXPECT_NE(Context::open(loaded, 1).value(), first);
    EXPECT_EQ(fake().live(), "1 context");  // the other is gone again
  }
  EXPECT_EQ(fake().live(), "");
  EXPECT_EQ(Context::open(loaded, 0).value()->device().ordinal, 0);
  EXPECT_EQ(fake().count("cuDevicePrimaryCtxRetain"), 3);
}

TEST_F(ContextTest, SaysWhereADeviceIsTooFullForAContext) {
  fake().fail("cuDevicePrimaryCtxRetain", 1, Status::out_of_memory);
  const DriverPtr loaded = driver();
  EXPECT_EQ(error_of(Context::open(loaded, 0)),
            "R091: no memory for a context on cuda:0 (Fake H200): cuDevicePrimaryCtxRetain failed: "
            "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_TRUE(Context::open(loaded, 0).has_value());
}

TEST_F(ContextTest, ReportsCallsThatFailAndGoesOn) {
  const ContextPtr here = context();
  fake().fail("cuCtxSynchronize", 1, Status::not_found);
  EXPECT_EQ(error_of(here->synchronize()),
            "R090: cuCtxSynchronize failed: CUDA_ERROR_NOT_FOUND (named symbol not found), on cuda:0 (Fake H200)");
  fake().fail("cuCtxPushCurrent", 1, Status::not_found);
  EXPECT_EQ(error_of(here->synchronize()),
            "R090: cuCtxPushCurrent failed: CUDA_ERROR_NOT_FOUND (named symbol not found), on cuda:0 (Fake H200)");
  fake().fail("cuStreamCreate", 1, Status::out_of_memory);
  EXPECT_EQ(error_of(Stream::create(here)),
            "R091: no memory left on cuda:0 (Fake H200): cuStreamCreate failed: CUDA_ERROR_OUT_OF_MEMORY (out of "
            "memory): 67108864 of 67108864 bytes are free");
  EXPECT_TRUE(here->synchronize().has_value());
  EXPECT_FALSE(here->is_lost());
}

TEST_F(ContextTest, LeavesTheCurrentContextAsItWas) {
  const ContextPtr here = context();
  ContextHandle theirs = nullptr;
  const DriverCalls& calls = here->driver().calls();
  ASSERT_TRUE(calls.cuDevicePrimaryCtxRetain(&theirs, 0).ok());
  ASSERT_TRUE(calls.cuCtxPushCurrent(theirs).ok());
  EXPECT_TRUE(here->synchronize().has_value());
  fake().fail("cuCtxSynchronize", 1, Status::not_found);
  EXPECT_FALSE(here->synchronize().has_value());
  EXPECT_EQ(fake().current_depth(), 1);
  ContextHandle popped = nullptr;
  ASSERT_TRUE(calls.cuCtxPopCurrent(&popped).ok());
  EXPECT_EQ(popped, theirs);
  ASSERT_TRUE(calls.cuDevicePrimaryCtxRelease(0).ok());
}

TEST_F(ContextTest, StaysLostWithItsFirstCauseAndLeaksNothing) {
  fake().reset({FakeDevice{}, FakeDevice{.name = "Other"}});
  const DriverPtr loaded = driver();
  const ContextPtr here = Context::open(loaded, 0).value();
  const ContextPtr other = Context::open(loaded, 1).value();
  const Stream queue = Stream::create(here).value();
  const DeviceMemory memory = DeviceMemory::allocate(queue, 1000).value();
  const Event event = Event::create(here, Event::Kind::ordering).value();
  ASSERT_TRUE(kernel(here, "fault").launch_with(queue, {}).has_value());  // queued; not run yet
  EXPECT_FALSE(here->is_lost());

  const std::string lost =
      "R092: device cuda:0 (Fake H200) is lost: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
      "memory access was encountered)";
  // The module's last handle waits for the device before it goes, without reporting; this is the first that reports.
  EXPECT_EQ(error_of(queue.synchronize()), lost);
  EXPECT_TRUE(here->is_lost());
  const int asked = fake().count("cuStreamCreate") + fake().count("cuMemAllocAsync") + fake().count("cuEventQuery");
  EXPECT_EQ(error_of(Stream::create(here)), lost);
  EXPECT_EQ(error_of(DeviceMemory::allocate(queue, 1)), lost);
  EXPECT_EQ(error_of(event.is_done()), lost);
  EXPECT_EQ(error_of(link_ptx(*here, ".entry x (){}")), lost);
  EXPECT_EQ(error_of(here->memory()), lost);
  EXPECT_EQ(error_of(Context::open(loaded, 0).value()->synchronize()), lost);  // another engine's view
  EXPECT_EQ(fake().count("cuStreamCreate") + fake().count("cuMemAllocAsync") + fake().count("cuEventQuery"), asked);

  EXPECT_TRUE(other->synchronize().has_value());
  EXPECT_TRUE(Stream::create(other).has_value());
}

TEST_F(ContextTest, AnswersFiguresOfMemory) {
  const Stream queue = stream();
  const DeviceMemory memory = DeviceMemory::allocate(queue, 1 << 20).value();
  const MemoryFigures figures = queue.context().memory().value();
  EXPECT_EQ(figures.total_bytes, 64 << 20);
  EXPECT_EQ(figures.free_bytes, 63 << 20);
}

}  // namespace
}  // namespace tilewright::cuda
