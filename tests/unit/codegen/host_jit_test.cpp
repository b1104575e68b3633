// Compilation as a whole: objects kept and loaded again, failures as values, many threads at once.
#include "codegen/llvm/host_jit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "legal.h"
#include "map_lanes.h"

namespace tilewright::codegen {
namespace {

using kernel::Builder;
using kernel::Element;
using kernel::Kernel;
using kernel::Opcode;
using kernel::ValueId;

// out[0] = exp(x[0]) · scale, by a library call and a constant from the constant pool
Kernel scaled_exp(const std::string& name, double scale) {
  Builder b(name);
  const ValueId x = b.parameter("x", {Element::ptr, 1}, true);
  const ValueId out = b.parameter("out", {Element::ptr, 1});
  const kernel::Type type{Element::f32, 8};
  const ValueId scales = b.constant(type, Scalar::of(scale));
  b.store(b.mul(b.unary(Opcode::exp, b.load(type, x, {4, false})), scales), out, {4, false});
  return b.finish();
}

float run(const HostCode& code) {
  const std::vector<float> x(8, 0.0F);
  std::vector<float> out(8, -1.0F);
  const std::array<std::int64_t, 2> arguments{address(x), address(out)};
  code.entry()(arguments.data());
  return out[7];
}

TEST(HostJit, AnObjectLoadsAgainAfterItsCodeIsGone) {
  std::vector<std::byte> object;
  {
    const auto code = compile_for_host(legal(scaled_exp("kept", 3.5), host_target()));
    ASSERT_TRUE(code.has_value()) << messages(code.error());
    EXPECT_EQ(run(**code), 3.5F);
    object.assign((*code)->object().begin(), (*code)->object().end());
  }
  const auto again = load_host_object(object, "kept");
  ASSERT_TRUE(again.has_value()) << messages(again.error());
  EXPECT_EQ(run(**again), 3.5F);
  EXPECT_TRUE(std::ranges::equal((*again)->object(), object));
}

TEST(HostJit, CodeLivesAsLongAsAnyPointerToIt) {
  auto code = compile_for_host(legal(scaled_exp("alive", 2), host_target()));
  ASSERT_TRUE(code.has_value());
  const std::shared_ptr<const HostCode> copy = *code;
  code = fail("X000", "gone");
  EXPECT_EQ(run(*copy), 2.0F);
}

TEST(HostJit, CompilationIsDeterministic) {
  const auto first = emit_for_host(legal(scaled_exp("same", 2), host_target()), HostStage::object);
  const auto second = emit_for_host(legal(scaled_exp("same", 2), host_target()), HostStage::object);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(*first, *second);
}

std::string load_error(std::span<const std::byte> object, const std::string& name) {
  const auto code = load_host_object(object, name);
  if (code) return "loaded";
  EXPECT_EQ(code.error().front().code, "G004");
  return code.error().front().message;
}

TEST(HostJit, ABadObjectIsAnErrorValue) {
  const auto text = emit_for_host(legal(scaled_exp("good", 1), host_target()), HostStage::object);
  ASSERT_TRUE(text.has_value());
  const auto good = std::as_bytes(std::span(*text));
  EXPECT_NE(load_error(good, "other").find("does not define"), std::string::npos);
  EXPECT_NE(load_error({}, "good"), "loaded");
  EXPECT_NE(load_error(good.first(10), "good"), "loaded");
  EXPECT_NE(load_error(good.first(good.size() / 2), "good"), "loaded");
  const std::string noise(4096, 'n');
  EXPECT_NE(load_error(std::as_bytes(std::span(noise)), "good"), "loaded");
  std::string other_machine = *text;
  other_machine[18] = '\xf3';  // e_machine: RISC-V
  other_machine[19] = '\x00';
  EXPECT_NE(load_error(std::as_bytes(std::span(other_machine)), "good").find("architecture"), std::string::npos);
}

TEST(HostJit, AnUnknownProcessorIsAnErrorValue) {
  HostTarget target = host_target();
  target.cpu = "abacus";
  const auto code = compile_for_host(legal(scaled_exp("k", 1), target), target);
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().front().code, "G002");
  EXPECT_NE(code.error().front().message.find("abacus"), std::string::npos);
}

#if defined(__x86_64__)
// LLVM ends the process here ("64-bit code requested on a subtarget that doesn't support it"), were it not caught.
TEST(HostJit, AFatalErrorOfLlvmIsAnErrorValueAndLeavesItUsable) {
  HostTarget target = host_target();
  target.cpu = "pentium";
  target.features.clear();
  for (int i = 0; i < 3; ++i) {
    const auto code = compile_for_host(legal(scaled_exp("k", 1), target), target);
    ASSERT_FALSE(code.has_value());
    EXPECT_EQ(code.error().front().code, "G003");
    EXPECT_NE(code.error().front().message.find("64-bit code requested"), std::string::npos) << messages(code.error());
  }
  const auto code = compile_for_host(legal(scaled_exp("after", 4), host_target()));
  ASSERT_TRUE(code.has_value());
  EXPECT_EQ(run(**code), 4.0F);
}
#endif

TEST(HostJit, ManyThreadsCompileAtOnce) {
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&right, t] {
        for (int i = 0; i < 5; ++i) {
          const int scale = 10 * t + i + 1;
          HostTarget target = host_target();
          if (i == 3) target.cpu = "abacus";
          const auto code = compile_for_host(legal(scaled_exp("k" + std::to_string(scale), scale), target), target);
          if (i == 3 ? !code : code && run(**code) == static_cast<float>(scale)) ++right;
        }
      });
  }
  EXPECT_EQ(right, 40);
}

TEST(HostJit, EmitsTextOfEachStage) {
  const Kernel kernel = scaled_exp("stages", 1);
  const auto ir = emit_for_host(legal(kernel, host_target()), HostStage::llvm);
  const auto assembly = emit_for_host(legal(kernel, host_target()), HostStage::assembly);
  const auto object = emit_for_host(legal(kernel, host_target()), HostStage::object);
  ASSERT_TRUE(ir && assembly && object);
  EXPECT_NE(ir->find("define void @stages(ptr"), std::string::npos) << *ir;
  EXPECT_NE(assembly->find("\nstages:"), std::string::npos) << *assembly;
  EXPECT_EQ(object->substr(0, 4),
            "\x7f"
            "ELF");
}

TEST(HostTargets, DescribeThisMachine) {
  const HostTarget& host = host_target();
  EXPECT_FALSE(host.cpu.empty());
  EXPECT_GE(host.threads, 1);
  EXPECT_GE(host.l1_bytes, 8 << 10);
  EXPECT_GE(host.l2_bytes, host.l1_bytes);
  EXPECT_LE(host.l3_bytes, (std::int64_t{16} << 20) * host.threads);  // a virtual machine may be told the whole chip's
  EXPECT_TRUE(host.vector_bytes == 16 || host.vector_bytes == 32 || host.vector_bytes == 64);
  EXPECT_EQ(host.vector_bytes, runnable_targets().back().vector_bytes);
}

TEST(HostTargets, ByNameAreGenericProcessors) {
#if defined(__x86_64__)
  const auto sse2 = host_target_named("sse2");
  ASSERT_TRUE(sse2.has_value());
  EXPECT_EQ(sse2->cpu, "x86-64");
  EXPECT_EQ(sse2->vector_bytes, 16);
  EXPECT_FALSE(sse2->has_fma || sse2->has_half || sse2->has_masked_memory);
  if (const auto avx2 = host_target_named("avx2")) {
    EXPECT_EQ(avx2->vector_bytes, 32);
    EXPECT_EQ(avx2->vector_registers, 16);
    EXPECT_TRUE(avx2->has_fma && avx2->has_half && avx2->has_masked_memory);
  }
  if (host_target().vector_bytes < 64) {
    const auto avx512 = host_target_named("avx512");
    ASSERT_FALSE(avx512.has_value());
    EXPECT_EQ(avx512.error().front().code, "G005");
    EXPECT_NE(avx512.error().front().remedy.find("sse2"), std::string::npos);
  }
#endif
  const auto unknown = host_target_named("avx1024");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().front().code, "G005");
  EXPECT_NE(unknown.error().front().message.find("avx1024"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::codegen
