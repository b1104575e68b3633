// PTX to machine code, kernels and what they use, launches and their limits.
#include "runtime/cuda/module.h"

#include "cuda_test.h"
#include "runtime/cuda/copy.h"
#include "runtime/fill.h"

namespace tilewright::cuda {
namespace {

using ModuleTest = CudaTest;

constexpr const char* ptx = ".version 8.0\n.target sm_90a\n.entry add (.param .u64 a)\n.entry idle()\n{ ret; }\n";

ModulePtr load(const ContextPtr& context) {
  return Module::load(context, link_ptx(*context, ptx).value()).value();
}

Function function(const ContextPtr& context, const std::string& name = "idle") {
  return load(context)->function(name).value();
}

TEST_F(ModuleTest, LinksAndKeepsTheLog) {
  const ContextPtr here = context();
  const Cubin cubin = link_ptx(*here, ptx).value();
  const std::string image(reinterpret_cast<const char*>(cubin.image.data()), cubin.image.size());
  EXPECT_EQ(image, std::string("CUBIN sm_90\n") + ptx);
  EXPECT_TRUE(cubin.log.starts_with("ptxas info    : Function properties for add\n"));
}

TEST_F(ModuleTest, ReportsTheCompilersLog) {
  const ContextPtr here = context();
  const auto refused = link_ptx(*here, "nonsense");
  EXPECT_EQ(error_of(refused),
            "R093: the compiler of driver CUDA 12.4 refuses the PTX for cuda:0 (Fake H200): cuLinkAddData failed: "
            "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)\nptxas application ptx input, line 7; fatal   : "
            "Parsing error near 'nonsense'");
  fake().fail("cuLinkAddData", 1, Status::unsupported_ptx_version);
  EXPECT_EQ(remedy_of(link_ptx(*here, ptx)), "a newer driver knows this version of PTX");
  fake().fail("cuLinkComplete", 1, Status::out_of_memory);
  EXPECT_EQ(error_of(link_ptx(*here, ptx)).substr(0, 70),
            "R091: no memory left on cuda:0 (Fake H200): cuLinkComplete failed: CUD");
  EXPECT_TRUE(link_ptx(*here, ptx).has_value());
}

TEST_F(ModuleTest, RefusesOtherMachineCode) {
  const ContextPtr here = context();
  const auto code = [](std::string text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return Cubin{{bytes, bytes + text.size()}, ""};
  };
  const auto other = Module::load(here, code("CUBIN sm_80\n.entry x () {}"));
  EXPECT_EQ(error_of(other),
            "R093: machine code of 26 bytes is not for cuda:0 (Fake H200): cuModuleLoadData failed: "
            "CUDA_ERROR_NO_BINARY_FOR_GPU (no kernel image is available for execution on the device)");
  EXPECT_EQ(remedy_of(other), "it must be a cubin of sm_90");
  EXPECT_EQ(error_of(Module::load(here, code("\x7f"
                                             "ELF")))
                .substr(0, 30),
            "R093: machine code of 4 bytes ");
}

TEST_F(ModuleTest, TellsWhatAKernelUses) {
  const Function idle = function(context());
  EXPECT_EQ(idle.name(), "idle");
  EXPECT_EQ(idle.properties().registers, 40);
  EXPECT_EQ(idle.properties().local_bytes, 24);
  EXPECT_EQ(idle.properties().shared_bytes, 1024);
  EXPECT_EQ(idle.properties().max_threads, 512);
  EXPECT_EQ(idle.properties().ptx_version, 80);
  EXPECT_EQ(idle.properties().binary_version, 90);
  ASSERT_TRUE(idle.properties().log.has_value());
  EXPECT_EQ(idle.properties().log->stack_bytes, 24);
  EXPECT_EQ(idle.properties().log->spill_store_bytes, 8);
  EXPECT_EQ(idle.properties().log->spill_load_bytes, 4);
  EXPECT_EQ(error_of(load(context())->function("other")),
            "R090: cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND (named symbol not found), on cuda:0 (Fake H200) "
            "(kernel 'other')");
}

TEST(FindInLog, ReadsTheFiguresOfOneFunction) {
  constexpr std::string_view log =
      "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'f2' for 'sm_90a'\n"
      "ptxas info    : Function properties for f2\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Function properties for f\n    160 bytes stack frame, 156 bytes spill stores, 12 bytes spill "
      "loads\nptxas info    : Used 255 registers";
  const auto f = find_in_log(log, "f");
  ASSERT_TRUE(f.has_value());
  EXPECT_EQ(f->stack_bytes, 160);
  EXPECT_EQ(f->spill_store_bytes, 156);
  EXPECT_EQ(f->spill_load_bytes, 12);
  EXPECT_EQ(find_in_log(log, "f2")->spill_store_bytes, 0);
  EXPECT_FALSE(find_in_log(log, "f3").has_value());
  EXPECT_FALSE(find_in_log("Function properties for g", "g").has_value());
  EXPECT_FALSE(find_in_log("Function properties for g\n    no figures", "g").has_value());
}

TEST_F(ModuleTest, LaunchesWithItsParameters) {
  const Stream queue = stream();
  const Function add = function(queue.context_ptr(), "add");
  const Tensor a = to_device(queue, arange(DType::f32, {1000}).value()).value();
  const Tensor b = to_device(queue, full(DType::f32, {1000}, Scalar::of(0.5)).value()).value();
  const Tensor c = allocate_tensor(queue, DType::f32, {1000}).value();
  const Launch shape{.grid = {4, 1, 1}, .block = {256, 1, 1}};
  ASSERT_TRUE(add.launch_with(queue, shape, device_address(a), device_address(b), device_address(c), 1000).has_value());
  EXPECT_EQ(to_host(queue, c)->at<float>({999}), 999.5F);
  ASSERT_EQ(fake().launches().size(), 1U);
  const FakeLaunch launch = fake().launches().front();
  EXPECT_EQ(launch.kernel, "add");
  EXPECT_EQ(launch.grid, (std::array<unsigned, 3>{4, 1, 1}));
  EXPECT_EQ(launch.block, (std::array<unsigned, 3>{256, 1, 1}));
  EXPECT_EQ(launch.cluster, (std::array<unsigned, 3>{1, 1, 1}));
  EXPECT_FALSE(launch.overlaps_previous);
}

TEST_F(ModuleTest, AsksForSharedMemoryAndLargeClusters) {
  const Stream queue = stream();
  const Function idle = function(queue.context_ptr());
  // The kernel has 1 KiB of its own: 47 KiB more need no asking.
  ASSERT_TRUE(idle.launch_with(queue, {.shared_bytes = 47 << 10}).has_value());
  EXPECT_EQ(fake().count("cuFuncSetAttribute"), 0);
  ASSERT_TRUE(idle.launch_with(queue, {.shared_bytes = (47 << 10) + 1}).has_value());
  EXPECT_EQ(fake().count("cuFuncSetAttribute"), 1);
  ASSERT_TRUE(idle.launch_with(queue, {.shared_bytes = 231424}).has_value());
  ASSERT_TRUE(idle.launch_with(queue, {.shared_bytes = 100000}).has_value());  // below what was asked for
  EXPECT_EQ(fake().count("cuFuncSetAttribute"), 2);
  ASSERT_TRUE(idle.launch_with(queue, {.grid = {32, 2, 1}, .cluster = {4, 2, 1}}).has_value());
  EXPECT_EQ(fake().count("cuFuncSetAttribute"), 2);
  ASSERT_TRUE(idle.launch_with(queue, {.grid = {32, 1, 1}, .cluster = {16, 1, 1}, .overlaps_previous = true}));
  EXPECT_EQ(fake().count("cuFuncSetAttribute"), 3);
  const FakeLaunch last = fake().launches().back();
  EXPECT_EQ(last.cluster, (std::array<unsigned, 3>{16, 1, 1}));
  EXPECT_TRUE(last.overlaps_previous);
  EXPECT_EQ(fake().launches()[2].shared_bytes, 231424U);
}

TEST_F(ModuleTest, NamesEachLimit) {
  const Stream queue = stream();
  const Function idle = function(queue.context_ptr());
  const auto refused = [&](const Launch& launch, const std::string& message, const std::string& remedy) {
    const auto launched = idle.launch_with(queue, launch);
    EXPECT_EQ(error_of(launched), "R094: kernel 'idle' " + message);
    EXPECT_EQ(remedy_of(launched), remedy);
  };
  refused({.block = {513, 1, 1}}, "is launched with 513 threads a block",
          "with its 40 registers a thread, cuda:0 (Fake H200) allows 512");
  refused({.block = {32, 32, 32}}, "is launched with 32768 threads a block",
          "with its 40 registers a thread, cuda:0 (Fake H200) allows 512");
  refused({.block = {std::int64_t{1} << 40, 1, 1}},
          "is launched with blocks of 1099511627776 x 1 x 1 threads in clusters of 1 x 1 x 1 blocks",
          "cuda:0 (Fake H200) has blocks of 1 to 1024 threads and clusters of 1 to 16 blocks");
  refused({.shared_bytes = 231425}, "needs 231425 bytes of shared memory a block and has 1024 of its own",
          "cuda:0 (Fake H200) has 232448");
  refused({.grid = {0, 1, 1}}, "is launched on a grid of 0 x 1 x 1 blocks",
          "cuda:0 (Fake H200) has grids of 1 to 2147483647 x 65535 x 65535 blocks");
  refused({.grid = {std::int64_t{1} << 31, 1, 1}}, "is launched on a grid of 2147483648 x 1 x 1 blocks",
          "cuda:0 (Fake H200) has grids of 1 to 2147483647 x 65535 x 65535 blocks");
  refused({.grid = {1, 65536, 1}}, "is launched on a grid of 1 x 65536 x 1 blocks",
          "cuda:0 (Fake H200) has grids of 1 to 2147483647 x 65535 x 65535 blocks");
  refused({.grid = {9, 1, 1}, .cluster = {2, 1, 1}},
          "is launched on a grid of 9 x 1 x 1 blocks in clusters of 2 x 1 x 1",
          "each extent of a cluster divides the grid's");
  refused({.grid = {16, 16, 1}, .cluster = {8, 4, 1}}, "is launched in clusters of 32 blocks",
          "cuda:0 (Fake H200) has clusters of 1 to 16 blocks");
  EXPECT_EQ(fake().count("cuLaunchKernelEx"), 0);
}

TEST_F(ModuleTest, LeavesOutWhatOldDevicesLack) {
  fake().reset({{.name = "Fake A100", .major = 8, .minor = 0}});
  const Stream queue = stream();
  const Function idle = function(queue.context_ptr());
  EXPECT_EQ(error_of(idle.launch_with(queue, {.grid = {2, 1, 1}, .cluster = {2, 1, 1}})),
            "R094: kernel 'idle' is launched in clusters of 2 x 1 x 1 blocks");
  EXPECT_EQ(error_of(idle.resident_clusters({})), "R094: kernel 'idle' is asked about clusters");
  ASSERT_TRUE(idle.launch_with(queue, {.overlaps_previous = true}).has_value());
  EXPECT_FALSE(fake().launches().back().overlaps_previous);
}

TEST_F(ModuleTest, TellsHowManyBlocksAndClustersRunAtOnce) {
  const Function idle = function(context());
  EXPECT_EQ(idle.resident_blocks({.block = {256, 1, 1}}), 8);
  EXPECT_EQ(idle.resident_blocks({.block = {256, 1, 1}, .shared_bytes = 100000}), 2);
  EXPECT_EQ(idle.resident_clusters({.grid = {4, 1, 1}, .cluster = {4, 1, 1}}), 33);
}

TEST_F(ModuleTest, NamesTheKernelWhereALaunchFails) {
  const Stream queue = stream();
  const Function idle = function(queue.context_ptr());
  fake().fail("cuLaunchKernelEx", 1, Status::invalid_value);
  EXPECT_EQ(error_of(idle.launch_with(queue, {})),
            "R090: cuLaunchKernelEx failed: CUDA_ERROR_INVALID_VALUE (invalid argument), on cuda:0 (Fake H200) "
            "(kernel 'idle')");
}

TEST_F(ModuleTest, StaysLoadedWhileAFunctionLives) {
  std::optional<Function> idle = function(context());
  EXPECT_EQ(fake().count("cuModuleUnload"), 0);
  idle.reset();
  EXPECT_EQ(fake().count("cuModuleUnload"), 1);
}

}  // namespace
}  // namespace tilewright::cuda
