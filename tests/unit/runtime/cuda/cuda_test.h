// What the tests of src/runtime/cuda share: the fake driver, loaded by its path, and the check that nothing leaks.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "fake_cuda.h"
#include "runtime/cuda/context.h"
#include "runtime/cuda/stream.h"

namespace tilewright::cuda {

inline FakeCuda& fake() {
  static FakeCuda* const instance = [] {
    void* library = ::dlopen(TILEWRIGHT_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<FakeCuda* (*)()>(::dlsym(library, "fake_cuda"))();
  }();
  return *instance;
}

/// "R090: cuInit failed: …" of an error's first diagnostic, or "no error".
template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : result.error().front().code + ": " + result.error().front().message;
}
template <class T>
std::string remedy_of(const Result<T>& result) {
  return result ? "no error" : result.error().front().remedy;
}

/// Machines without a driver still have these: devices of a stand-in.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override { fake().reset({FakeDevice{}}); }
  void TearDown() override {
    EXPECT_EQ(fake().live(), "");
    EXPECT_EQ(fake().current_depth(), 0);
  }

  static DriverPtr driver() { return Driver::load(TILEWRIGHT_FAKE_CUDA).value(); }
  static ContextPtr context() { return Context::open(driver(), 0).value(); }
  static Stream stream() { return Stream::create(context()).value(); }
};

/// Engines take the fake driver for the machine's.
class CudaEngineTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    ::setenv("TILEWRIGHT_CUDA_DRIVER", TILEWRIGHT_FAKE_CUDA, 1);
  }
  void TearDown() override {
    ::unsetenv("TILEWRIGHT_CUDA_DRIVER");
    CudaTest::TearDown();
  }
};

}  // namespace tilewright::cuda
