// A GPU as an engine's device, on the fake driver: every kernel takes 10 µs of its virtual time and computes nothing.
#include "runtime/cuda/cuda_backend.h"

#include <cstdlib>

#include "cuda_test.h"
#include "runtime/engine.h"

namespace tilewright::cuda {
namespace {

class CudaBackendTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    ::setenv("TILEWRIGHT_CUDA_DRIVER", TILEWRIGHT_FAKE_CUDA, 1);
  }
  void TearDown() override {
    ::unsetenv("TILEWRIGHT_CUDA_DRIVER");
    CudaTest::TearDown();
  }

  /// A kernel of one operand x of `count` f32, timed with a result of `output`.
  static Result<CallTiming> time(const std::string& text, std::int64_t count, const Shape& output) {
    const Engine engine = Engine::open("cuda", {.disk_cache = false}).value();
    const Kernel kernel = Kernel::parse(text, "<test>").value();
    const Tensor x = engine.allocate(DType::f32, {count}).value();
    const Tensor y = engine.allocate(DType::f32, output).value();
    return engine.time_into(kernel, {{"x", x}}, y, {.seconds = 0.001, .least_calls = 7});
  }
};

TEST_F(CudaBackendTest, TimesShortCallsAsReplayedGraphs) {
  const Result<CallTiming> timing = time("y[i] = x[i]", 64, {64});
  ASSERT_TRUE(timing.has_value()) << error_of(timing);
  EXPECT_EQ(timing->seconds.size(), 7);
  for (double seconds : timing->seconds) EXPECT_NEAR(seconds, 10e-6, 1e-12);
  EXPECT_NE(timing->method.find("graph of 20 calls"), std::string::npos) << timing->method;
}

TEST_F(CudaBackendTest, TimesLongCallsWithoutTheFlushBeforeThem) {
  const Result<CallTiming> timing = time("y[] ++= x[i]", 1 << 22, {});  // parts, then their sum
  ASSERT_TRUE(timing.has_value()) << error_of(timing);
  EXPECT_GE(timing->seconds.size(), 7);
  for (double seconds : timing->seconds) EXPECT_NEAR(seconds, 20e-6, 1e-12);
  EXPECT_NE(timing->method.find("cache flushed"), std::string::npos) << timing->method;
}

/// A call on the caller's stream is queued there and not waited for, and repeated ones are as well.
TEST_F(CudaBackendTest, QueuesOnTheCallersStream) {
  const Engine engine = Engine::open("cuda", {.disk_cache = false}).value();
  const Kernel kernel = Kernel::parse("y[] ++= x[i]", "<test>").value();  // parts in a workspace, then their sum
  const Tensor x = engine.allocate(DType::f32, {1 << 22}).value();
  const Tensor y = engine.allocate(DType::f32, {}).value();
  const Stream mine = stream();
  const int waits = fake().count("cuStreamSynchronize");
  for (int call = 1; call <= 3; ++call) {
    const Result<void> queued = engine.eval_into(kernel, {{"x", x}}, y, {.stream = mine.handle()});
    ASSERT_TRUE(queued.has_value()) << error_of(queued);
    EXPECT_EQ(fake().launches().size(), 2 * static_cast<std::size_t>(call));
  }
  EXPECT_EQ(fake().count("cuStreamSynchronize"), waits);
  ASSERT_TRUE(mine.synchronize().has_value());
  ASSERT_TRUE(engine.eval_into(kernel, {{"x", x}}, y).has_value());
  EXPECT_EQ(fake().count("cuStreamSynchronize"), waits + 2);
}

/// What others have queued on the default stream may still be writing the operands of a call that names no stream.
TEST_F(CudaBackendTest, BeginsBehindTheDefaultStream) {
  const Engine engine = Engine::open("cuda", {.disk_cache = false}).value();
  const Tensor x = engine.allocate(DType::u8, {16}).value();
  const auto fill = stream().context().call([&](const DriverCalls& calls) {
    return calls.cuMemsetD8Async(reinterpret_cast<DevicePointer>(x.data()), 7, 16, nullptr);
  });
  ASSERT_TRUE(fill.has_value()) << error_of(fill);
  const Tensor seen = engine.to_host(x).value();
  for (int n = 0; n < 16; ++n) EXPECT_EQ(std::to_integer<int>(seen.data()[n]), 7) << n;

  const Kernel kernel = Kernel::parse("y[i] = x[i]", "<test>").value();
  const Tensor y = engine.allocate(DType::u8, {16}).value();
  const Stream mine = stream();
  const int waits = fake().count("cuStreamWaitEvent");
  ASSERT_TRUE(engine.eval_into(kernel, {{"x", x}}, y, {.stream = mine.handle()}).has_value());
  EXPECT_EQ(fake().count("cuStreamWaitEvent"), waits);
  ASSERT_TRUE(engine.eval_into(kernel, {{"x", x}}, y).has_value());
  EXPECT_EQ(fake().count("cuStreamWaitEvent"), waits + 1);
}

}  // namespace
}  // namespace tilewright::cuda
