// Names of devices, their figures, and the PTX that fits each.
#include "runtime/cuda/device.h"

#include "cuda_test.h"

namespace tilewright::cuda {
namespace {

using DeviceTest = CudaTest;

TEST_F(DeviceTest, ParsesNames) {
  EXPECT_EQ(parse_device_name("cuda"), 0);
  EXPECT_EQ(parse_device_name("cuda:0"), 0);
  EXPECT_EQ(parse_device_name("cuda:17"), 17);
  for (const char* wrong :
       {"", "cpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:1x", "cuda: 1", "cuda1", "CUDA", "cuda:99999999999999999999"})
    EXPECT_EQ(error_of(parse_device_name(wrong)), std::string("R072: '") + wrong + "' is no CUDA device");
}

TEST_F(DeviceTest, ListsAllWithTheirFigures) {
  fake().reset({FakeDevice{}, {.name = "Fake A100", .major = 8, .minor = 0, .memory_bytes = 1000, .has_pools = false}});
  const auto devices = list_devices(*driver()).value();
  ASSERT_EQ(devices.size(), 2U);
  const DeviceProperties& hopper = devices[0];
  EXPECT_EQ(hopper.text(), "cuda:0 (Fake H200)");
  EXPECT_EQ(hopper.binary_target(), "sm_90");
  EXPECT_EQ(hopper.multiprocessors, 132);
  EXPECT_EQ(hopper.memory_bytes, 64 << 20);
  EXPECT_EQ(hopper.l2_bytes, 10 << 20);
  EXPECT_EQ(hopper.shared_bytes_per_block, 232448);
  EXPECT_EQ(hopper.max_grid_x, 2147483647);
  EXPECT_EQ(hopper.max_grid_y, 65535);
  EXPECT_TRUE(hopper.has_clusters && hopper.has_tensor_maps && hopper.has_memory_pools);
  const DeviceProperties& ampere = devices[1];
  EXPECT_EQ(ampere.device_name(), "cuda:1");
  EXPECT_EQ(ampere.memory_bytes, 1000);
  EXPECT_EQ(ampere.shared_bytes_per_block, 166912);
  EXPECT_FALSE(ampere.has_clusters || ampere.has_tensor_maps || ampere.has_memory_pools);
}

TEST_F(DeviceTest, SaysWhichDevicesThereAre) {
  const DriverPtr loaded = driver();
  EXPECT_EQ(error_of(find_device(*loaded, 1)), "R072: device 'cuda:1' is not there: the driver finds 1 CUDA device");
  EXPECT_EQ(remedy_of(find_device(*loaded, 1)), "there is cuda:0 (Fake H200)");
  fake().reset({FakeDevice{}, FakeDevice{.name = "Other"}});
  EXPECT_EQ(error_of(find_device(*loaded, 2)), "R072: device 'cuda:2' is not there: the driver finds 2 CUDA devices");
  EXPECT_EQ(remedy_of(find_device(*loaded, 2)), "there are cuda:0 (Fake H200), cuda:1 (Other)");
  fake().reset({});
  EXPECT_EQ(error_of(find_device(*loaded, 0)), "R072: device 'cuda:0' is not there: the driver finds 0 CUDA devices");
  fake().fail("cuDeviceGetCount", 1, Status::no_device);
  EXPECT_EQ(remedy_of(find_device(*loaded, 0)), "use 'cpu', or a machine with an NVIDIA GPU (nvidia-smi lists them)");
}

TEST_F(DeviceTest, RefusesOldDevices) {
  fake().reset({{.name = "Fake V100", .major = 7, .minor = 0}});
  EXPECT_EQ(error_of(find_device(*driver(), 0)), "R072: device 'cuda:0 (Fake V100)' has compute capability 7.0");
}

TEST_F(DeviceTest, TakesAttributesNewerThanTheDriverAsAbsent) {
  fake().fail("cuDeviceGetAttribute", 23, Status::invalid_value);  // tensor maps, the last of the table
  EXPECT_FALSE(find_device(*driver(), 0)->has_tensor_maps);
}

TEST_F(DeviceTest, ReportsEveryFailingCall) {
  const DriverPtr loaded = driver();
  for (const char* call : {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem"}) {
    fake().fail(call, 1, Status::not_found);
    EXPECT_EQ(error_of(find_device(*loaded, 0)),
              std::string("R090: ") + call + " failed: CUDA_ERROR_NOT_FOUND (named symbol not found)");
  }
}

TEST(PtxTarget, IsTheDevicesOwnOrTheNextLower) {
  EXPECT_EQ(ptx_target(7, 5), "");
  EXPECT_EQ(ptx_target(8, 0), "sm_80");
  EXPECT_EQ(ptx_target(8, 6), "sm_80");
  EXPECT_EQ(ptx_target(8, 7), "sm_80");
  EXPECT_EQ(ptx_target(8, 9), "sm_89");
  EXPECT_EQ(ptx_target(9, 0), "sm_90a");
  EXPECT_EQ(ptx_target(10, 0), "sm_90");  // 9.0a code does not run on it
  EXPECT_EQ(ptx_target(12, 1), "sm_90");
}

TEST(PtxVersion, IsTheDriversUpToLlvms) {
  EXPECT_EQ(ptx_version(12000), 80);
  EXPECT_EQ(ptx_version(12040), 84);
  EXPECT_EQ(ptx_version(12050), 85);
  EXPECT_EQ(ptx_version(12080), 85);
  EXPECT_EQ(ptx_version(13000), 85);
}

}  // namespace
}  // namespace tilewright::cuda
