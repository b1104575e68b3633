// What emit_metal takes and refuses, and the text of ops that no statement of the other tests has: kernels as text,
// their source as a text of its own.
#include "codegen/metal/metal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel/ir.h"

namespace tilewright::codegen {
namespace {

kernel::LoweredKernel lowered(const std::string& text) {
  auto kernel = kernel::parse_kernel(std::make_shared<const Source>("kernel", text));
  EXPECT_TRUE(kernel) << (kernel ? "" : render(kernel.error()));
  kernel::LoweredKernel result;
  if (!kernel) return result;
  result.kernel = std::move(*kernel);
  for (const kernel::Parameter& parameter : result.kernel.parameters) {
    const std::string& name = result.kernel.values[parameter.value].name;
    if (kernel::is_pointer(result.kernel.values[parameter.value].type.element))
      result.arguments.emplace_back(kernel::TensorArgument{name});
    else
      result.arguments.emplace_back(kernel::SizeArgument{IntExpr::symbol(name + ".0")});
  }
  return result;
}

Result<std::string> emitted(const std::string& text) {
  const kernel::LoweredKernel kernel = lowered(text);
  return emit_metal({{&kernel, "k", "k_sizes"}}, *gpu_target_named("metal"), "a comment");
}

/// The lines of the function's body.
std::string body_of(const std::string& text) {
  const auto source = emitted(text);
  if (!source) return render(source.error());
  const std::size_t begin = source->find(") {\n", source->find("void k("));
  return source->substr(begin + 4, source->size() - begin - 6);
}

std::string error_of(const std::string& text) {
  const auto source = emitted(text);
  return source ? "none" : render(source.error());
}

TEST(Metal, RefusesWhatItLacks) {
  struct Refusal {
    std::string what, text, error;
  };
  std::string many = "kernel k(%p0: ptr";
  for (int i = 1; i < 31; ++i) many += fmt::format(", %p{}: ptr", i);
  const Refusal refusals[] = {
      {"f64", "kernel k(%p: ptr) gpu threads 32 { %x = load f64 %p align 8 store f64 %x, %p align 8 }",
       "error[G008]: kernel k uses f64, which metal lacks"},
      {"threadgroup memory", "kernel k(%p: ptr) gpu threads 32 { %s = shared ptr_shared bytes 32784 }",
       "error[G007]: kernel k asks for 32784 bytes of threadgroup memory, and metal has 32768"},
      {"buffers", many + ", %n: i64) gpu threads 32 { }",
       "error[G007]: kernel k asks for 32 buffers, and metal has 31"},
      {"clusters", "kernel k(%p: ptr) gpu threads 32 cluster 2 { }",
       "error[G007]: kernel k asks for 2 threadgroups that share memory, and metal has 1"},
      {"barriers of a part", "kernel k(%p: ptr) gpu threads 64 { barrier id 1 threads 32 }",
       "error[G008]: kernel k uses barriers of a part of a block, which metal lacks"},
      {"atomics of 64 bits",
       "kernel k(%p: ptr) gpu threads 32 { %1 = constant i64 1 %2 = atomic add i64 %p, %1 relaxed device }",
       "error[G008]: kernel k uses atomics of 64 bits, which metal lacks"},
      {"ordered atomics",
       "kernel k(%p: ptr) gpu threads 32 { %1 = constant i32 1 %2 = atomic add i32 %p, %1 acq_rel device }",
       "error[G008]: kernel k uses atomics in an order other than relaxed, which metal lacks"},
      {"comparing atomics",
       "kernel k(%p: ptr) gpu threads 32 { %1 = constant i32 1 %2 = atomic cas i32 %p, %1, %1 relaxed device }",
       "error[G008]: kernel k uses atomics that compare without failing at random, which metal lacks"},
      {"asynchronous copies",
       "kernel k(%p: ptr) gpu threads 32 { %s = shared ptr_shared bytes 64 copy_async %s, %p bytes 16 }",
       "error[G008]: kernel k uses copy_async, which metal lacks"},
      {"functions without a bound",
       "kernel k(%p: ptr) gpu threads 32 { %x = load f32 %p align 4 %y = exp f32 %x store f32 %y, %p align 4 }",
       "error[G008]: kernel k uses exp within its bound, which metal lacks"},
      {"kernels of a host", "kernel k(%p: ptr) { }", "error[G008]: kernel k is a host's"},
  };
  for (const Refusal& each : refusals)
    EXPECT_TRUE(error_of(each.text).starts_with(each.error)) << each.what << ": " << error_of(each.text);
  EXPECT_EQ(error_of(many + ") gpu threads 1024 { }"), "none");
}

TEST(Metal, PointersCountElementsWhereBytesAreMultiples) {
  EXPECT_EQ(body_of("kernel k(%x: ptr readonly, %y: ptr, %n: i64) gpu threads 32 {\n"
                    "  %4 = constant i64 4 %12 = constant i64 12\n  %t = special thread i64\n"
                    "  %o = mul i64 %t, %4\n  %a = offset ptr %x, %o\n  %b = offset ptr %a, %12\n"
                    "  %v = load f32 %b align 4\n  %c = offset ptr %y, %o\n  store f32 %v, %c align 4\n}"),
            "  const float v0 = x[long(thread_index) + 3];\n"
            "  y[long(thread_index)] = v0;\n");
  // A number of bytes of which nothing is known.
  EXPECT_EQ(body_of("kernel k(%x: ptr readonly, %y: ptr, %n: i64) gpu threads 32 {\n"
                    "  %a = offset ptr %x, %n\n  %v = load f32 %a align 4\n  store f32 %v, %y align 4\n}"),
            "  device const float* a0 = (device const float*)((device const char*)(x) + sizes.n_extent0);\n"
            "  const float v0 = a0[0];\n"
            "  y[0] = v0;\n");
}

TEST(Metal, WhatIsStoredWrapsAndIndicesDoNot) {
  EXPECT_EQ(body_of("kernel k(%x: ptr readonly, %y: ptr, %n: i64) gpu threads 32 {\n"
                    "  %v = load i64 %x align 8\n  %w = add i64 %v, %n\n  store i64 %w, %y align 8\n}"),
            "  const long v0 = x[0];\n  y[0] = long(ulong(v0) + ulong(sizes.n_extent0));\n");
  EXPECT_EQ(body_of("kernel k(%x: ptr readonly, %y: ptr, %n: i64, %m: i64) gpu threads 32 {\n"
                    "  %4 = constant i64 4 %s = add i64 %n, %m %o = mul i64 %s, %4\n  %a = offset ptr %x, %o\n"
                    "  %v = load f32 %a align 4\n  store f32 %v, %y align 4\n}"),
            "  const float v0 = x[sizes.n_extent0 + sizes.m_extent0];\n  y[0] = v0;\n");
}

TEST(Metal, CutsAccessesAsAlignmentAllows) {
  const auto moved = [](int align) {
    return body_of(
        fmt::format("kernel k(%x: ptr readonly, %y: ptr) gpu threads 32 {{\n  %v = load f32x6 %x align {}\n"
                    "  store f32x6 %v, %y align 4\n}}",
                    align));
  };
  const std::string stores =
      "  y[0] = v0.x;\n  y[1] = v0.y;\n  y[2] = v0.z;\n  y[3] = v0.w;\n  y[4] = v1.x;\n  y[5] = v1.y;\n";
  EXPECT_EQ(moved(16),
            "  const float4 v0 = *(device const float4*)x;\n"
            "  const float2 v1 = *(device const float2*)(x + 4);\n" +
                stores);
  EXPECT_EQ(moved(8),
            "  const float4 v0 = float4(*(device const float2*)x, *(device const float2*)(x + 2));\n"
            "  const float2 v1 = *(device const float2*)(x + 4);\n" +
                stores);
}

TEST(Metal, ThreadsTogether) {
  EXPECT_EQ(body_of("kernel k(%x: ptr readonly, %y: ptr) gpu threads 32 {\n  %1 = constant i32 1\n"
                    "  %v = load i64 %x align 8\n  %w = warp_shuffle down i64 %v, %1\n"
                    "  %c = cmp eq i64 %v, %w\n  %any = warp_vote any i1 %c\n  barrier\n"
                    "  %r = select i64 %any, %v, %w\n  store i64 %r, %y align 8\n}"),
            "  const long v0 = x[0];\n  const long w0 = shuffle_down(v0, 1);\n"
            "  const bool any_0 = simd_any(v0 == w0);\n"
            "  threadgroup_barrier(mem_flags::mem_threadgroup);\n  y[0] = any_0 ? v0 : w0;\n");
  EXPECT_EQ(body_of("kernel k(%y: ptr) gpu threads 32 {\n  %1 = constant i32 1\n"
                    "  %old = atomic umax i32 %y, %1 relaxed device\n}"),
            "  atomic_fetch_max_explicit((device atomic_uint*)(y), 1u, memory_order_relaxed);\n");
  // What threads hand each other through an output has to be seen behind a barrier.
  EXPECT_EQ(body_of("kernel k(%y: ptr) gpu threads 32 {\n  %v = load f32 %y align 4\n  barrier\n"
                    "  store f32 %v, %y align 4\n}"),
            "  const float v0 = y[0];\n"
            "  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);\n  y[0] = v0;\n");
}

TEST(Metal, LoopsAssignWhatTheyCarryAtOnce) {
  EXPECT_EQ(body_of("kernel k(%y: ptr, %n: i64) gpu threads 32 {\n  %0 = constant i64 0 %1 = constant i64 1\n"
                    "  %2 = constant f32 1 %3 = constant f32 2\n"
                    "  %a, %b = for %i = %0 to %n step %1 carry %p = %2, %q = %3 {\n    yield %q, %p\n  }\n"
                    "  %c = sub f32 %a, %b\n  store f32 %c, %y align 4\n}"),
            "  float p0 = 1.0f;\n  float q0 = 2.0f;\n  for (long i0 = 0; i0 < sizes.n_extent0; i0 += 1) {\n"
            "    const float next0 = q0;\n    const float next1 = p0;\n    p0 = next0;\n    q0 = next1;\n  }\n"
            "  y[0] = p0 - q0;\n");
}

TEST(Metal, NamesAreNoWordsOfItsLanguage) {
  EXPECT_EQ(metal_name("float4"), "float4_");
  EXPECT_EQ(metal_name("kernel"), "kernel_");
  EXPECT_EQ(metal_name("s.partial"), "s_partial");
  EXPECT_EQ(metal_name("_0"), "x");
  EXPECT_EQ(metal_name("total"), "total");
  EXPECT_EQ(metal_name("simd"), "simd_");
  EXPECT_EQ(metal_name("half7"), "half7");
  for (const char* word : {"INT_MAX", "NAN", "M_PI_F", "MAXFLOAT", "TARGET_OS_OSX", "dot", "clamp", "uint32_t",
                           "texture2d_array", "co_await", "quad_sum"})
    EXPECT_EQ(metal_name(word), std::string(word) + "_");
  for (const char* word : {"A", "B0", "Wq", "dots", "intermax", "bias", "mm"}) EXPECT_EQ(metal_name(word), word);
}

TEST(Metal, NamesFunctionsAndStructuresApart) {
  // An empty kernel of each name, the first with a tensor that has the name of a structure.
  const std::vector<kernel::LoweredKernel> kernels{lowered("kernel k(%k_sizes: ptr) gpu threads 32 { }"),
                                                   lowered("kernel k_sizes_of_launch() gpu threads 32 { }"),
                                                   lowered("kernel k() gpu threads 32 { }")};
  const std::vector<MetalFunction> functions = metal_functions(kernels);
  ASSERT_EQ(functions.size(), 3U);
  EXPECT_EQ(functions[0].name, "k");
  EXPECT_EQ(functions[0].structure, "k_sizes_of_launch_of_launch");
  EXPECT_EQ(functions[1].name, "k_sizes_of_launch");
  EXPECT_EQ(functions[1].structure, "k_sizes_of_launch_sizes");
  EXPECT_EQ(functions[2].name, "k_part");
  EXPECT_EQ(functions[2].structure, "k_part_sizes");
}

}  // namespace
}  // namespace tilewright::codegen
