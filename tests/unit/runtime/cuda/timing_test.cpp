// Events, graphs and timing, in the fake driver's virtual time: 10 µs a launch, 1 ns for each 1000 bytes of a fill.
#include "runtime/cuda/timing.h"

#include "cuda_test.h"
#include "runtime/cuda/graph.h"
#include "runtime/cuda/module.h"

namespace tilewright::cuda {
namespace {

class TimingTest : public CudaTest {
 protected:
  /// A kernel that takes 10 µs.
  static Function idle(const ContextPtr& context) {
    return Module::load(context, link_ptx(*context, ".entry idle() {}").value()).value()->function("idle").value();
  }
};

TEST_F(TimingTest, MeasuresBetweenEvents) {
  const Stream queue = stream();
  const Function kernel = idle(queue.context_ptr());
  const Event start = Event::create(queue.context_ptr(), Event::Kind::timing).value();
  const Event end = Event::create(queue.context_ptr(), Event::Kind::timing).value();
  ASSERT_TRUE(start.record(queue).has_value());
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(kernel.launch_with(queue, {}).has_value());
  ASSERT_TRUE(end.record(queue).has_value());
  EXPECT_EQ(end.is_done(), false);
  ASSERT_TRUE(end.synchronize().has_value());
  EXPECT_EQ(end.is_done(), true);
  EXPECT_NEAR(Event::seconds_between(start, end).value(), 30e-6, 1e-12);
}

TEST_F(TimingTest, WaitsForEventsOfOtherStreams) {
  const Stream queue = stream();
  const Stream other = Stream::create(queue.context_ptr()).value();
  const DeviceMemory memory = DeviceMemory::allocate(queue, 100).value();
  const Event filled = Event::create(queue.context_ptr(), Event::Kind::ordering).value();
  ASSERT_TRUE(fill_bytes(queue, memory.address(), 1, 100).has_value());
  ASSERT_TRUE(filled.record(queue).has_value());
  ASSERT_TRUE(other.wait(filled).has_value());
  ASSERT_TRUE(fill_bytes(other, memory.address(), 2, 100).has_value());
  ASSERT_TRUE(other.synchronize().has_value());
  ASSERT_TRUE(queue.synchronize().has_value());
  EXPECT_EQ(*reinterpret_cast<const char*>(memory.address()), 2);
}

TEST_F(TimingTest, ReplaysACapturedGraph) {
  const Stream queue = stream();
  const DeviceMemory memory = DeviceMemory::allocate(queue, 8).value();
  const DeviceMemory copy = DeviceMemory::allocate(queue, 8).value();
  const Graph graph = Graph::capture(queue, [&]() -> Result<void> {
                        EXPECT_EQ(queue.is_capturing(), true);
                        return copy_on_device(queue, copy.address(), memory.address(), 8);
                      }).value();
  EXPECT_EQ(queue.is_capturing(), false);
  for (const std::uint8_t value : {std::uint8_t{3}, std::uint8_t{5}}) {
    ASSERT_TRUE(fill_bytes(queue, memory.address(), value, 8).has_value());
    ASSERT_TRUE(graph.launch(queue).has_value());
    ASSERT_TRUE(queue.synchronize().has_value());
    EXPECT_EQ(*reinterpret_cast<const std::uint8_t*>(copy.address()), value);
  }
}

TEST_F(TimingTest, EndsACaptureThatFails) {
  const Stream queue = stream();
  const auto failed = Graph::capture(queue, [&]() -> Result<void> { return fail("R094", "too large"); });
  EXPECT_EQ(error_of(failed), "R094: too large");
  const auto waits = Graph::capture(queue, [&] { return queue.synchronize(); });
  EXPECT_EQ(error_of(waits),
            "R090: cuStreamSynchronize failed: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (operation not permitted when "
            "stream is capturing), on cuda:0 (Fake H200)");
  EXPECT_TRUE(queue.synchronize().has_value());
  fake().fail("cuGraphInstantiateWithFlags", 1, Status::not_found);
  EXPECT_EQ(error_of(Graph::capture(queue, []() -> Result<void> { return {}; })).substr(0, 40),
            "R090: cuGraphInstantiateWithFlags failed");
}

TEST_F(TimingTest, TimesReplaysForEachLaunch) {
  const Stream queue = stream();
  const Function kernel = idle(queue.context_ptr());
  std::vector<int> indices;
  const auto work = [&](const Stream& where, int index) {
    indices.push_back(index);
    return kernel.launch_with(where, {});
  };
  const auto seconds = time_replays(queue, work, {.launches = 4, .replays = 3}).value();
  ASSERT_EQ(seconds.size(), 3U);
  for (const double figure : seconds) EXPECT_NEAR(figure, 10e-6, 1e-11);
  EXPECT_EQ(indices, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(fake().count("cuGraphLaunch"), 4);
}

TEST_F(TimingTest, TimesColdLaunchesWithoutTheFlush) {
  const Stream queue = stream();
  const Function kernel = idle(queue.context_ptr());
  const auto work = [&](const Stream& where, int) { return kernel.launch_with(where, {}); };
  const auto seconds = time_cold(queue, work, 5).value();
  ASSERT_EQ(seconds.size(), 5U);
  for (const double figure : seconds) EXPECT_NEAR(figure, 10e-6, 1e-11);
  EXPECT_EQ(fake().count("cuMemsetD8Async"), 5);
  EXPECT_EQ(fake().count("cuLaunchKernelEx"), 6);
}

TEST_F(TimingTest, PassesOnTheErrorsOfWhatItTimes) {
  const Stream queue = stream();
  const auto work = [](const Stream&, int index) -> Result<void> {
    if (index < 2) return {};
    return fail("R094", "too large");
  };
  EXPECT_EQ(error_of(time_replays(queue, work)), "R094: too large");
  EXPECT_EQ(error_of(time_cold(queue, work, 5)), "R094: too large");
}

}  // namespace
}  // namespace tilewright::cuda
