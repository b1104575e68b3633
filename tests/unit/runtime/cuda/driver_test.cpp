// Loading the driver's library, and what is said where it is missing, too old or without a device.
#include "runtime/cuda/driver.h"

#include "cuda_test.h"

namespace tilewright::cuda {
namespace {

using DriverTest = CudaTest;

TEST_F(DriverTest, LoadsAndInitialises) {
  const DriverPtr loaded = driver();
  EXPECT_EQ(fake().count("cuInit"), 1);
  EXPECT_EQ(loaded->version(), 12040);
  EXPECT_EQ(loaded->version_text(), "12.4");
  EXPECT_EQ(loaded->path(), TILEWRIGHT_FAKE_CUDA);
}

TEST_F(DriverTest, NamesTheLibraryThatIsMissing) {
  const Result<DriverPtr> missing = Driver::load("/nowhere/libcuda.so.1");
  EXPECT_EQ(error_of(missing),
            "R072: no CUDA device is there: the driver's library '/nowhere/libcuda.so.1' cannot be loaded "
            "(/nowhere/libcuda.so.1: cannot open shared object file: No such file or directory)");
  EXPECT_EQ(remedy_of(missing),
            "use 'cpu', or install an NVIDIA driver that supports CUDA 12.0 or later (525 or later); "
            "TILEWRIGHT_CUDA_DRIVER names a library in another place");
}

TEST_F(DriverTest, NamesTheFunctionThatAnOldDriverLacks) {
  const Result<DriverPtr> old = Driver::load(TILEWRIGHT_FAKE_CUDA_OLD);
  EXPECT_EQ(error_of(old), std::string("R072: no CUDA device is there: the driver's library '") +
                               TILEWRIGHT_FAKE_CUDA_OLD + "' (CUDA 11.4) has no function 'cuTensorMapEncodeTiled'");
  EXPECT_EQ(remedy_of(old), "install an NVIDIA driver that supports CUDA 12.0 or later (525 or later)");
}

TEST_F(DriverTest, SaysThatThereIsNoDevice) {
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  fake().fail("cuInit", 1, Status::no_device);
  const Result<DriverPtr> none = Driver::load(TILEWRIGHT_FAKE_CUDA);
  EXPECT_EQ(error_of(none),
            "R072: no CUDA device is there: cuInit failed: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
  EXPECT_EQ(remedy_of(none), "use 'cpu', or a machine with an NVIDIA GPU (nvidia-smi lists them)");

  ::setenv("CUDA_VISIBLE_DEVICES", "-1", 1);
  fake().fail("cuInit", 1, Status::no_device);
  EXPECT_EQ(remedy_of(Driver::load(TILEWRIGHT_FAKE_CUDA)),
            "CUDA_VISIBLE_DEVICES is '-1': unset it, or name a device that nvidia-smi lists");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_F(DriverTest, GivesTheCallAndTheDriversText) {
  const DriverPtr loaded = driver();
  EXPECT_TRUE(loaded->check({Status::success, "cuMemAlloc"}).has_value());
  EXPECT_EQ(error_of(loaded->check({Status::not_found, "cuModuleGetFunction"})),
            "R090: cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND (named symbol not found)");
  EXPECT_EQ(loaded->text(Status{12345}), "error 12345");
}

}  // namespace
}  // namespace tilewright::cuda
