// Modules kept in memory and as files: what makes a key, and what becomes of files that are no good.
#include "runtime/cuda/module_cache.h"

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

#include "cuda_test.h"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* ptx = ".entry idle() { ret; }";

class ModuleCacheTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    std::string pattern = (fs::temp_directory_path() / "tilewright-cuda-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    fs::remove_all(folder_);
    CudaTest::TearDown();
  }
  DiskCache disk() const { return DiskCache::open({.folder = folder_ / "cache"}).value(); }

  fs::path folder_;
};

TEST_F(ModuleCacheTest, CompilesOnceInAProcess) {
  ModuleCache cache(context(), DiskCache());
  const ModulePtr first = cache.load(ptx).value();
  EXPECT_EQ(cache.load(ptx).value(), first);
  EXPECT_NE(cache.load(std::string(ptx) + " ").value(), first);
  EXPECT_NE(cache.load(ptx, {.optimization_level = 1}).value(), first);
  EXPECT_EQ(fake().count("cuLinkCreate"), 3);
}

TEST_F(ModuleCacheTest, FindsWhatAnotherProcessCompiled) {
  const ContextPtr here = context();
  const std::string log = ModuleCache(here, disk()).load(ptx).value()->cubin().log;
  EXPECT_EQ(fake().count("cuLinkCreate"), 1);
  const ModulePtr loaded = ModuleCache(here, disk()).load(ptx).value();
  EXPECT_EQ(fake().count("cuLinkCreate"), 1);
  EXPECT_EQ(loaded->cubin().log, log);
  EXPECT_EQ(loaded->function("idle")->properties().log->spill_store_bytes, 8);
}

// The driver keeps what it compiles of them.
TEST_F(ModuleCacheTest, LoadsWholeProgramsWithoutTheLinker) {
  const ContextPtr here = context();
  const std::string program = std::string("// a program\n") + ptx;
  ModuleCache cache(here, disk());
  const ModulePtr first = cache.load(program, {.whole_program = true}).value();
  EXPECT_EQ(cache.load(program, {.whole_program = true}).value(), first);
  EXPECT_NE(cache.load(program).value(), first);
  EXPECT_EQ(first->function("idle")->name(), "idle");
  EXPECT_EQ(fake().count("cuLinkCreate"), 1);
  EXPECT_FALSE(disk().load(ModuleCache::key(*here, program, {.whole_program = true})).has_value());
  EXPECT_EQ(error_of(cache.load("// nonsense", {.whole_program = true})),
            "R093: the compiler of driver CUDA 12.4 refuses the PTX for cuda:0 (Fake H200): cuModuleLoadData failed: "
            "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed)");
}

TEST_F(ModuleCacheTest, CompilesAgainWhereAFileIsNoGood) {
  const ContextPtr here = context();
  const std::string key = ModuleCache::key(*here, ptx, {});
  const std::string other = "CUBIN sm_80\n.entry idle() {}";
  const auto* bytes = reinterpret_cast<const std::byte*>(other.data());
  const std::vector<std::vector<std::byte>> files{
      Cubin{{bytes, bytes + other.size()}, "log"}.pack(),  // of another architecture
      {std::byte{1}, std::byte{2}},                        // too short
      std::vector<std::byte>(8, std::byte{0xff}),          // a length beyond the file
  };
  for (const std::vector<std::byte>& file : files) {
    const int before = fake().count("cuLinkCreate");
    ASSERT_TRUE(disk().store(key, file).has_value());
    EXPECT_TRUE(ModuleCache(here, disk()).load(ptx).has_value());
    EXPECT_EQ(fake().count("cuLinkCreate"), before + 1);
    EXPECT_TRUE(ModuleCache(here, disk()).load(ptx).has_value());  // the good one has replaced it
    EXPECT_EQ(fake().count("cuLinkCreate"), before + 1);
  }
}

TEST_F(ModuleCacheTest, KeysDependOnAllThatTheCodeDependsOn) {
  fake().reset({FakeDevice{}, {.name = "Fake A100", .major = 8, .minor = 0}, {.name = "Twin"}});
  const DriverPtr loaded = driver();
  const ContextPtr hopper = Context::open(loaded, 0).value();
  const ContextPtr ampere = Context::open(loaded, 1).value();
  const ContextPtr twin = Context::open(loaded, 2).value();
  const std::set<std::string> keys{
      ModuleCache::key(*hopper, ptx, {}),
      ModuleCache::key(*hopper, std::string(ptx) + "\n", {}),
      ModuleCache::key(*hopper, ptx, {.optimization_level = 1}),
      ModuleCache::key(*hopper, ptx, {.max_registers = 128}),
      ModuleCache::key(*ampere, ptx, {}),
  };
  EXPECT_EQ(keys.size(), 5U);
  EXPECT_EQ(ModuleCache::key(*twin, ptx, {}), ModuleCache::key(*hopper, ptx, {}));
}

TEST_F(ModuleCacheTest, ReportsPtxThatDoesNotCompile) {
  ModuleCache cache(context(), disk());
  EXPECT_EQ(error_of(cache.load("nonsense")).substr(0, 5), "R093:");
  EXPECT_EQ(error_of(cache.load("nonsense")).substr(0, 5), "R093:");
}

TEST_F(ModuleCacheTest, ForgetsWhatWasNotUsedLongest) {
  ModuleCache cache(context(), DiskCache(), 2);
  for (const char* text : {".entry a() {}", ".entry b() {}", ".entry c() {}"})
    ASSERT_TRUE(cache.load(text).has_value());
  EXPECT_EQ(fake().count("cuModuleUnload"), 1);
}

TEST_F(ModuleCacheTest, ServesThreadsAtOnce) {
  ModuleCache cache(context(), disk());
  std::vector<ModulePtr> modules(8);
  std::vector<std::thread> threads;
  for (ModulePtr& module : modules) threads.emplace_back([&cache, &module] { module = cache.load(ptx).value(); });
  for (std::thread& thread : threads) thread.join();
  for (const ModulePtr& module : modules) EXPECT_EQ(module, modules.front());
}

TEST(CubinPack, ComesBackWhole) {
  const Cubin cubin{{std::byte{0}, std::byte{1}, std::byte{2}}, "a log"};
  const auto back = Cubin::unpack(cubin.pack());
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->image, cubin.image);
  EXPECT_EQ(back->log, "a log");
  EXPECT_FALSE(Cubin::unpack(Cubin{{}, "a log"}.pack()).has_value());
}

}  // namespace
}  // namespace tilewright::cuda
