// Blocks on a multiprocessor against figures counted by hand from the rules of allocation.
#include "kernel/residency.h"

#include <gtest/gtest.h>

#include <string>

#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

Kernel of_shape(int threads, int shared_bytes, const std::string& block = "") {
  return read_kernel("kernel k() gpu threads " + std::to_string(threads) + block + " {\n" +
                     (shared_bytes > 0 ? "  %s = shared ptr_shared bytes " + std::to_string(shared_bytes) + "\n" : "") +
                     "}\n");
}

const GpuTarget& sm_90a() {
  return *gpu_target_named("sm_90a");
}

TEST(Residency, IsBoundedByThreads) {
  // 2048 threads in blocks of 256; 32 registers a thread are 8192 of 65536 registers a block.
  const Residency got = residency(of_shape(256, 0), sm_90a(), 32);
  EXPECT_EQ(got.blocks, 8);
  EXPECT_EQ(got.limit, "threads");
  EXPECT_TRUE(got.measured);
}

TEST(Residency, IsBoundedByRegistersThatWarpsAreGivenInPieces) {
  // 168 · 32 = 5376 = 21 · 256 registers a warp, of which a scheduler has room for 3: one block of 8 of 12 warps.
  EXPECT_EQ(residency(of_shape(256, 0), sm_90a(), 168).blocks, 1);
  EXPECT_EQ(residency(of_shape(256, 0), sm_90a(), 168).limit, "registers");
  // 129 registers count as 136, which leave a scheduler room for 3 warps, where 128 leave room for 4.
  EXPECT_EQ(residency(of_shape(128, 0), sm_90a(), 129).blocks, 3);
  EXPECT_EQ(residency(of_shape(128, 0), sm_90a(), 128).blocks, 4);
}

TEST(Residency, IsBoundedBySharedMemoryWithTheSystemsPart) {
  // 228 KiB in all: two blocks of 113 KiB have a KiB each for the system, two of 113 KiB and 128 bytes have not.
  EXPECT_EQ(residency(of_shape(128, 113 << 10), sm_90a(), 40).blocks, 2);
  EXPECT_EQ(residency(of_shape(128, 113 << 10), sm_90a(), 40).limit, "shared memory");
  EXPECT_EQ(residency(of_shape(128, (113 << 10) + 1), sm_90a(), 40).blocks, 1);
  EXPECT_EQ(residency(of_shape(128, (113 << 10) + 1), sm_90a(), 40).shared_bytes, (113 << 10) + 1);
}

TEST(Residency, IsBoundedByTheNumberOfBlocks) {
  EXPECT_EQ(residency(of_shape(32, 0), sm_90a(), 16).blocks, 32) << "of 64 that its threads would leave room for";
  EXPECT_EQ(residency(of_shape(32, 0), sm_90a(), 16).limit, "blocks");
}

TEST(Residency, CountsWarpsThatAreNotFull) {
  EXPECT_EQ(residency(of_shape(130, 0), sm_90a(), 32).blocks, 64 / 5);
}

TEST(Residency, WithoutCodeTakesTheBoundOfTheLaunch) {
  // Three blocks of 96 threads are nine warps, three of them with one scheduler: 16384 / 3 = 5461, in pieces 5376.
  const Residency three = residency(of_shape(96, 0, " resident 3"), sm_90a(), std::nullopt);
  EXPECT_FALSE(three.measured);
  EXPECT_EQ(three.registers, 168);
  EXPECT_EQ(three.blocks, 4) << "twelve warps: one block more than was asked for";
  EXPECT_EQ(residency(of_shape(128, 0), sm_90a(), std::nullopt).registers, 255) << "no thread has more";
  EXPECT_EQ(residency(of_shape(1024, 0), sm_90a(), std::nullopt).registers, 64);
}

TEST(Residency, OfAKernelThatDoesNotFitIsNone) {
  const Residency got = residency(of_shape(1024, 0), sm_90a(), 255);
  EXPECT_EQ(got.blocks, 0);
  EXPECT_EQ(got.limit, "registers");
}

}  // namespace
}  // namespace tilewright::kernel
