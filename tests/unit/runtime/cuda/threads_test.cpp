// Many threads on one device and on two: copies, launches and allocation at once.
#include <thread>

#include "cuda_test.h"
#include "runtime/cuda/copy.h"
#include "runtime/cuda/module_cache.h"
#include "runtime/fill.h"

namespace tilewright::cuda {
namespace {

using ThreadsTest = CudaTest;

/// Adds n to a counted-up tensor on the device, again and again; the result of the last round.
Result<Tensor> add_on_device(const DriverPtr& driver, int ordinal, int n) {
  Result<ContextPtr> context = Context::open(driver, ordinal);
  if (!context) return std::unexpected(context.error());
  Result<Stream> queue = Stream::create(*context);
  if (!queue) return std::unexpected(queue.error());
  ModuleCache cache(*context, DiskCache());
  Result<Tensor> result = Tensor::allocate(DType::f32, {0});
  for (int round = 0; round < 10; ++round) {
    const auto module = cache.load(".entry add () {}");
    if (!module) return std::unexpected(module.error());
    const Function add = (*module)->function("add").value();
    const auto a = to_device(*queue, arange(DType::f32, {3000}).value());
    const auto b = to_device(*queue, full(DType::f32, {3000}, Scalar::of(double(n))).value());
    const auto c = allocate_tensor(*queue, DType::f32, {3000});
    if (!a || !b || !c) return std::unexpected((!a ? a : !b ? b : c).error());
    if (auto launched = add.launch_with(*queue, {}, device_address(*a), device_address(*b), device_address(*c), 3000);
        !launched)
      return std::unexpected(launched.error());
    result = to_host(*queue, *c);
    if (!result) return result;
  }
  return result;
}

TEST_F(ThreadsTest, DoNotDisturbOneAnother) {
  for (const bool has_pools : {true, false}) {
    fake().reset({{.has_pools = has_pools}, {.has_pools = has_pools}});
    const DriverPtr loaded = driver();
    std::vector<std::thread> threads;
    std::vector<std::string> errors(6);
    for (int n = 0; n < 6; ++n)
      threads.emplace_back([&, n] {
        const Result<Tensor> sum = add_on_device(loaded, n % 2, n);
        if (!sum) {
          errors[static_cast<std::size_t>(n)] = error_of(sum);
          return;
        }
        for (std::int64_t i = 0; i < 3000; ++i)
          if (sum->at<float>({i}) != static_cast<float>(i + n)) errors[static_cast<std::size_t>(n)] = "a wrong sum";
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(errors, std::vector<std::string>(6));
    EXPECT_EQ(fake().live(), "");
  }
}

}  // namespace
}  // namespace tilewright::cuda
