// A GPU as an engine's device, on the fake driver: every kernel takes 10 µs of its virtual time and computes nothing.
#include "runtime/cuda/cuda_backend.h"

#include <cstdlib>

#include "cuda_test.h"
#include "runtime/engine.h"

namespace tilewright::cuda {
namespace {

class CudaBackendTest : public CudaEngineTest {
 protected:
  /// A kernel of one operand x of `count` f32, timed with a result of `output`.
  static Result<CallTiming> time(const std::string& text, std::int64_t count, const Shape& output) {
    const Engine engine = Engine::open("cuda", {.disk_cache = false}).value();
    const Kernel kernel = Kernel::parse(text, "<test>").value();
    const Tensor x = engine.allocate(DType::f32, {count}).value();
    const Tensor y = engine.allocate(DType::f32, output).value();
    return engine.time_into(kernel, {{"x", x}}, y, {.seconds = 0.001, .least_calls = 7});
  }
  /// A product of f16.
  static void multiply(const Engine& engine, std::int64_t rows, std::int64_t terms, std::int64_t columns) {
    const Kernel kernel = Kernel::parse("c[i, j] ++= a[i, k] * b[k, j]", "<test>").value();
    const Tensor a = engine.allocate(DType::f16, {rows, terms}).value();
    const Tensor b = engine.allocate(DType::f16, {terms, columns}).value();
    const Tensor c = engine.allocate(DType::f16, {rows, columns}).value();
    const Result<void> done = engine.eval_into(kernel, {{"a", a}, {"b", b}}, c);
    ASSERT_TRUE(done.has_value()) << error_of(done);
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

/// Blocks of matrix units go through the points in clusters, as many as run at once, and have maps of their operands.
TEST_F(CudaBackendTest, LaunchesClustersThatRunAtOnce) {
  const Engine engine = Engine::open("cuda", {.disk_cache = false}).value();
  multiply(engine, 4096, 64, 4096);
  EXPECT_EQ(fake().count("cuTensorMapEncodeTiled"), 3);  // of the factors, and of the output
  ASSERT_EQ(fake().launches().size(), 1);
  EXPECT_EQ(fake().launches()[0].grid[0], 132);  // of 512 points or more
  EXPECT_EQ(fake().launches()[0].cluster[0], 2);
  EXPECT_EQ(fake().launches()[0].block[0], 384);  // two warpgroups, and four warps that give them registers
  // As many as there are, where that is fewer.
  multiply(engine, 64, 64, 64);
  ASSERT_EQ(fake().launches().size(), 2);
  EXPECT_LE(fake().launches()[1].grid[0], 8);
  EXPECT_EQ(fake().launches()[1].cluster[0], 1);
}

/// Nothing is launched for an empty output, nor described: empty tensors have no address.
TEST_F(CudaBackendTest, LaunchesNothingForEmptyProducts) {
  multiply(Engine::open("cuda", {.disk_cache = false}).value(), 0, 4096, 4096);
  EXPECT_TRUE(fake().launches().empty());
}

/// A program's intermediate results are one allocation, which goes back; statements computed as one are one launch.
TEST_F(CudaBackendTest, RunsAProgramInOneArena) {
  const Engine engine = Engine::open("cuda", {.disk_cache = false}).value();
  const Kernel kernel = Kernel::parse(
                            "program p(x) -> (y):\n  a[i] = (x[i - 1] else 0.0) + 1.0 | (i in 0 ..< 4096)\n"
                            "  b[i] = (a[i - 1] else 0.0) + 1.0 | (i in 0 ..< 4096)\n"
                            "  c[i] = (b[i - 1] else 0.0) + 1.0 | (i in 0 ..< 4096)\n  d[i] = c[i] + x[i]\n"
                            "  y[i] = relu(d[i])\n",
                            "<test>")
                            .value();
  const Tensor x = engine.allocate(DType::f32, {4096}).value();
  const int allocations = fake().count("cuMemAllocAsync");
  const auto first = engine.run(kernel, {{"x", x}});
  ASSERT_TRUE(first.has_value()) << error_of(first);
  EXPECT_EQ(fake().launches().size(), 3U);                      // a, b, and y with c and d
  EXPECT_EQ(fake().count("cuMemAllocAsync"), allocations + 2);  // y, and the arena of a and b
  EXPECT_EQ(fake().used_bytes(0), 4 * 4096 * 4);                // x, y, a and b: the arena goes back behind them
  ASSERT_TRUE(engine.run(kernel, {{"x", x}}).has_value());
  EXPECT_EQ(fake().count("cuMemAllocAsync"), allocations + 4);
  EXPECT_EQ(fake().launches().size(), 6U);
  ASSERT_TRUE(engine.to_host(x).has_value());  // waits for what is queued
  EXPECT_EQ(fake().used_bytes(0), 2 * 4096 * 4);
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

/// A product whose rows are odd, on a device with room for it.
class CudaProductTest : public CudaBackendTest {
 protected:
  void SetUp() override {
    CudaBackendTest::SetUp();
    FakeDevice device;
    device.memory_bytes = std::int64_t{512} << 20;
    fake().reset({device});
  }

  static Engine open(std::int64_t workspace_limit) {
    return Engine::open("cuda", {.disk_cache = false, .workspace_limit = workspace_limit}).value();
  }
  static Result<void> run(const Engine& engine, const CallOptions& options = {}) {
    const Kernel kernel = Kernel::parse("c[i, j] ++= a[i, k] * b[k, j]", "<test>").value();
    const Tensor a = engine.allocate(DType::f32, {2047, 2049}).value();
    const Tensor b = engine.allocate(DType::f32, {2049, 2048}).value();
    const Tensor c = engine.allocate(DType::f32, {2047, 2048}).value();
    return engine.eval_into(kernel, {{"a", a}, {"b", b}}, c, options);
  }
  static std::vector<std::string> launched() {
    std::vector<std::string> names;
    for (const FakeLaunch& launch : fake().launches()) names.push_back(launch.kernel);
    return names;
  }
};

TEST_F(CudaProductTest, CopiesOddRowsFirst) {
  const Engine engine = open(0);
  const Stream mine = stream();
  ASSERT_TRUE(run(engine, {.stream = mine.handle()}).has_value());
  EXPECT_EQ(launched(), (std::vector<std::string>{"a_packed", "c"}));
  ASSERT_TRUE(mine.synchronize().has_value());
}

TEST_F(CudaProductTest, ReadsOddRowsWhereACopyIsPastTheWorkspaceLimit) {
  const Engine engine = open(16 << 20);  // a copy of 2047 rows of 2080 elements is more
  const Result<void> done = run(engine);
  ASSERT_TRUE(done.has_value()) << error_of(done);
  EXPECT_EQ(launched(), std::vector<std::string>{"c"});
}

TEST_F(CudaProductTest, SaysThatThereIsNoMemoryForACopyAndGoesOn) {
  const Engine engine = open(0);
  // Three tensors, then the workspace: once more after what was freed has come back.
  fake().fail("cuMemAllocAsync", 4, Status::out_of_memory);
  fake().fail("cuMemAllocAsync", 5, Status::out_of_memory);
  EXPECT_EQ(error_of(run(engine)).substr(0, 32), "R091: no memory for 17031040 byt");
  EXPECT_TRUE(launched().empty());
  EXPECT_TRUE(run(engine).has_value());
  EXPECT_EQ(launched().size(), 2U);
}

}  // namespace
}  // namespace tilewright::cuda
