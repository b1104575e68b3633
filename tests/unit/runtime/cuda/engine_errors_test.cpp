// An engine on a driver whose calls fail: each failure is one error that names the call, nothing is left behind, and
// the engine works on, unless the device is lost: then it says so ever after, and other devices work on.
#include <array>
#include <cstdlib>

#include "cuda_test.h"
#include "runtime/engine.h"
#include "runtime/fill.h"

namespace tilewright::cuda {
namespace {

class EngineErrors : public CudaEngineTest {
 protected:
  static Engine open(std::string_view device = "cuda") { return Engine::open(device, {.disk_cache = false}).value(); }
  static Kernel kernel(const std::string& text) { return Kernel::parse(text, "<test>").value(); }

  /// There, a sum whose parts go through a workspace, and back.
  static Result<Tensor> round_trip(const Engine& engine, const Kernel& sum, const Tensor& x) {
    const Result<Tensor> there = engine.to_device(x);
    if (!there) return there;
    const Result<Tensor> result = engine.eval(sum, {{"x", *there}});
    return result ? engine.to_host(*result) : result;
  }
};

const std::string sum_of_parts = "y[] ++= x[i] do:\n  schedule:\n    split(i, 4)\n";

TEST_F(EngineErrors, SurvivesAFailureOfEveryCall) {
  const Tensor x = arange(DType::f32, {4096}).value();
  const std::array<const char*, 15> calls{
      "cuMemAllocAsync", "cuMemHostAlloc",    "cuMemcpyHtoDAsync",   "cuMemcpyDtoHAsync",   "cuEventCreate",
      "cuEventRecord",   "cuStreamWaitEvent", "cuStreamSynchronize", "cuEventSynchronize",  "cuLinkCreate",
      "cuLinkAddData",   "cuLinkComplete",    "cuModuleLoadData",    "cuModuleGetFunction", "cuLaunchKernelEx"};
  for (const char* call : calls) {
    fake().reset({FakeDevice{}});
    const Engine engine = open();
    const Kernel sum = kernel(sum_of_parts);
    // The first such call fails, then, of another round, the second one.
    for (const int nth : {1, 2}) {
      fake().fail(call, nth, Status::not_found);
      const Result<Tensor> failed = round_trip(engine, sum, x);
      if (failed && nth > 1) break;  // there is one such call only
      ASSERT_FALSE(failed.has_value()) << call << nth;
      EXPECT_NE(error_of(failed).find(call), std::string::npos) << error_of(failed);
      EXPECT_NE(error_of(failed).find("CUDA_ERROR_NOT_FOUND"), std::string::npos) << error_of(failed);
      EXPECT_EQ(failed.error().size(), 1U);
      const Result<Tensor> worked = round_trip(engine, sum, x);
      EXPECT_TRUE(worked.has_value()) << call << ": " << error_of(worked);
    }
  }
}

TEST_F(EngineErrors, SaysThatADeviceIsFullAndGoesOn) {
  const Engine engine = open();
  const Tensor x = arange(DType::f32, {4096}).value();
  for (const std::string call : {"cuMemAllocAsync", "cuModuleLoadData", "cuLaunchKernelEx"}) {
    const Kernel sum = kernel("y[] ++= " + std::to_string(call.size()) + " * x[i]");  // with code of its own
    // Memory is asked for once more when what other streams freed has come back.
    fake().fail(call, 1, Status::out_of_memory);
    if (call == "cuMemAllocAsync") fake().fail(call, 2, Status::out_of_memory);
    const Result<Tensor> failed = round_trip(engine, sum, x);
    ASSERT_FALSE(failed.has_value()) << call;
    EXPECT_EQ(failed.error().front().code, "R091") << error_of(failed);
    EXPECT_NE(error_of(failed).find("no memory"), std::string::npos) << error_of(failed);
    EXPECT_TRUE(round_trip(engine, sum, x).has_value()) << call;
  }
}

/// A kernel that reads an illegal address: the driver tells the first call that waits for it.
TEST_F(EngineErrors, StaysLostAndLeavesOtherDevicesAlone) {
  fake().reset({FakeDevice{}, FakeDevice{.name = "Other"}});
  const Engine engine = open("cuda:0"), beside = open("cuda:0"), other = open("cuda:1");
  const Kernel fault = kernel("fault[i] = x[i]"), copy = kernel("y[i] = x[i]");
  const Tensor host = arange(DType::f32, {64}).value();
  const Tensor x = engine.to_device(host).value();
  const Tensor y = engine.allocate(DType::f32, {64}).value();
  ASSERT_TRUE(engine.eval_into(copy, {{"x", x}}, y).has_value());

  const std::string lost =
      "R092: device cuda:0 (Fake H200) is lost: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
      "memory access was encountered)";
  EXPECT_EQ(error_of(engine.eval_into(fault, {{"x", x}}, y)), lost);
  EXPECT_EQ(error_of(engine.eval_into(copy, {{"x", x}}, y)), lost);  // prepared before
  EXPECT_EQ(error_of(engine.eval(kernel("z[i] = 2 * x[i]"), {{"x", x}})), lost);
  EXPECT_EQ(error_of(engine.to_host(y)), lost);
  EXPECT_EQ(error_of(engine.to_device(host)), lost);
  EXPECT_EQ(error_of(engine.allocate(DType::f32, {64})), lost);
  EXPECT_EQ(error_of(engine.time_into(copy, {{"x", x}}, y, {.seconds = 0.001, .least_calls = 3})), lost);
  EXPECT_EQ(error_of(beside.to_device(host)), lost);
  EXPECT_EQ(error_of(Engine::open("cuda:0", {.disk_cache = false})), lost);

  const Tensor there = other.to_device(host).value();
  const Tensor back = other.to_host(there).value();
  EXPECT_EQ(back.at<float>({63}), 63.0F);
  EXPECT_TRUE(other.eval(copy, {{"x", there}}).has_value());
}

/// On the caller's stream nobody waits, so the next call that asks the driver meets it.
TEST_F(EngineErrors, TellsOfAFaultOnTheCallersStreamLater) {
  const Engine engine = open();
  const Kernel fault = kernel("fault[i] = x[i]");
  const Tensor x = engine.allocate(DType::f32, {64}).value();
  const Tensor y = engine.allocate(DType::f32, {64}).value();
  const Stream mine = stream();
  EXPECT_TRUE(engine.eval_into(fault, {{"x", x}}, y, {.stream = mine.handle()}).has_value());
  EXPECT_EQ(error_of(mine.synchronize()).substr(0, 14), "R092: device c");
  EXPECT_EQ(error_of(engine.eval_into(fault, {{"x", x}}, y)).substr(0, 14), "R092: device c");
}

}  // namespace
}  // namespace tilewright::cuda
