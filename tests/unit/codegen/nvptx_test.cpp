// PTX of small GPU kernels: the instructions that matter in each, and that NVIDIA's assembler takes it without spills.
#include "codegen/llvm/nvptx.h"

#include <gtest/gtest.h>

#include <memory>

#include "codegen/llvm/host_jit.h"
#include "legal.h"
#include "ptxas.h"

namespace tilewright::codegen {
namespace {

kernel::Kernel read_kernel(std::string_view text) {
  auto kernel = kernel::parse_kernel(std::make_shared<const Source>("test", std::string(text)));
  if (!kernel) throw std::runtime_error(render(kernel.error()));
  return *std::move(kernel);
}

const GpuTarget& target(std::string_view arch) {
  const GpuTarget* found = gpu_target_named(arch);
  if (found == nullptr) throw std::runtime_error("no such architecture");
  return *found;
}

std::string ptx_of(std::string_view text, std::string_view arch = "sm_90a") {
  const Result<std::string> ptx = emit_ptx(legal(read_kernel(text), target(arch)), target(arch));
  if (!ptx) throw std::runtime_error(render(ptx.error()));
  return *ptx;
}

struct Example {
  const char* name;
  const char* text;
  std::vector<const char*> has;
  std::vector<const char*> lacks;
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

// y = 2 x + y in vectors of four, the ragged end thread by thread.
constexpr const char* axpy = R"(
kernel axpy(%x: ptr readonly align 16, %y: ptr noalias align 16, %n: i64) gpu threads 256 {
  %four = constant i64 4
  %zero = constant i64 0
  %one = constant i64 1
  %two = constant f32x4 2
  %two1 = constant f32 2
  %thread = special thread i64
  %block = special block i64
  %threads = special threads i64
  %base = mul i64 %block, %threads
  %vector = add i64 %base, %thread
  %i = mul i64 %vector, %four
  %end = add i64 %i, %four
  %bytes = mul i64 %i, %four
  %px = offset ptr %x, %bytes
  %py = offset ptr %y, %bytes
  %whole = cmp sle i64 %end, %n
  if %whole {
    %a = load f32x4 %px align 16
    %b = load f32x4 %py align 16
    %r = fma f32x4 %two, %a, %b
    store f32x4 %r, %py align 16
  } else {
    for %j = %i to %n step %one {
      %o = mul i64 %j, %four
      %qx = offset ptr %x, %o
      %qy = offset ptr %y, %o
      %c = load f32 %qx align 4
      %d = load f32 %qy align 4
      %s = fma f32 %two1, %c, %d
      store f32 %s, %qy align 4
    }
  }
}
)";

// One sum a block: a butterfly within each warp, shared memory across them, the last block to arrive adds up all.
constexpr const char* sum = R"(
kernel sum(%x: ptr readonly align 4, %parts: ptr align 4, %counter: ptr align 4, %n: i64) gpu threads 128 {
  %zero = constant i64 0
  %zero32 = constant i32 0
  %fzero = constant f32 0
  %one = constant i64 1
  %four = constant i64 4
  %i16 = constant i32 16
  %i8 = constant i32 8
  %i4 = constant i32 4
  %i2 = constant i32 2
  %i1 = constant i32 1
  %warps = shared ptr_shared bytes 16
  %last = shared ptr_shared bytes 4
  %thread = special thread i64
  %block = special block i64
  %threads = special threads i64
  %blocks = special blocks i64
  %base = mul i64 %block, %threads
  %first = add i64 %base, %thread
  %stride = mul i64 %blocks, %threads
  %own = for %i = %first to %n step %stride carry %acc = %fzero {
    %o = mul i64 %i, %four
    %p = offset ptr %x, %o
    %v = load f32 %p align 4
    %next = add f32 %acc, %v
    yield %next
  }
  %s16 = warp_shuffle xor f32 %own, %i16
  %a16 = add f32 %own, %s16
  %s8 = warp_shuffle xor f32 %a16, %i8
  %a8 = add f32 %a16, %s8
  %s4 = warp_shuffle down f32 %a8, %i4
  %a4 = add f32 %a8, %s4
  %s2 = warp_shuffle xor f32 %a4, %i2
  %a2 = add f32 %a4, %s2
  %s1 = warp_shuffle xor f32 %a2, %i1
  %a1 = add f32 %a2, %s1
  %lane = special lane i64
  %leads = cmp eq i64 %lane, %zero
  %is_first = cmp eq i64 %thread, %zero
  if %leads {
    %warp = special warp i64
    %w = mul i64 %warp, %four
    %q = offset ptr_shared %warps, %w
    store f32 %a1, %q align 4
  }
  barrier
  if %is_first {
    %all = load f32x4 %warps align 16
    %e0 = extract f32 %all lane 0
    %e1 = extract f32 %all lane 1
    %e2 = extract f32 %all lane 2
    %e3 = extract f32 %all lane 3
    %e01 = add f32 %e0, %e1
    %e23 = add f32 %e2, %e3
    %e = add f32 %e01, %e23
    %to = mul i64 %block, %four
    %part = offset ptr %parts, %to
    store f32 %e, %part align 4
    fence device
    %nb = trunc i32 %blocks
    %before = atomic add i32 %counter, %i1 acq_rel device
    %mine = sub i32 %nb, %i1
    %is_last = cmp eq i32 %before, %mine
    %flag = zext i32 %is_last
    store i32 %flag, %last align 4
  }
  barrier
  %seen = load i32 %last align 4
  %go = cmp ne i32 %seen, %zero32
  if %go {
    barrier
    if %is_first {
      %total = for %k = %zero to %blocks step %one carry %t = %fzero {
        %ko = mul i64 %k, %four
        %kp = offset ptr %parts, %ko
        %kv = load f32 %kp align 4
        %kn = add f32 %t, %kv
        yield %kn
      }
      store f32 %total, %parts align 4
      store i32 %zero32, %counter align 4
    }
  }
}
)";

// A 32 by 32 tile through shared memory with a padded pitch; 8 rows at once.
constexpr const char* transpose = R"(
kernel transpose(%x: ptr readonly align 4, %y: ptr noalias align 4, %n: i64) gpu threads 256 {
  %zero = constant i64 0
  %four = constant i64 4
  %eight = constant i64 8
  %32 = constant i64 32
  %pitch = constant i64 132
  %tile = shared ptr_shared bytes 4224
  %thread = special thread i64
  %block = special block i64
  %tiles = udiv i64 %n, %32
  %bi = udiv i64 %block, %tiles
  %bj = urem i64 %block, %tiles
  %column = urem i64 %thread, %32
  %row = udiv i64 %thread, %32
  %i0 = mul i64 %bi, %32
  %j0 = mul i64 %bj, %32
  for %r = %zero to %32 step %eight {
    %ri = add i64 %r, %row
    %i = add i64 %i0, %ri
    %j = add i64 %j0, %column
    %line = mul i64 %i, %n
    %at = add i64 %line, %j
    %o = mul i64 %at, %four
    %p = offset ptr %x, %o
    %v = load f32 %p align 4 no_allocate
    %s0 = mul i64 %ri, %pitch
    %s1 = mul i64 %column, %four
    %s2 = add i64 %s0, %s1
    %q = offset ptr_shared %tile, %s2
    store f32 %v, %q align 4
  }
  barrier
  for %r2 = %zero to %32 step %eight {
    %rj = add i64 %r2, %row
    %i2 = add i64 %j0, %rj
    %j2 = add i64 %i0, %column
    %line2 = mul i64 %i2, %n
    %at2 = add i64 %line2, %j2
    %o2 = mul i64 %at2, %four
    %p2 = offset ptr %y, %o2
    %t0 = mul i64 %column, %pitch
    %t1 = mul i64 %rj, %four
    %t2 = add i64 %t0, %t1
    %q2 = offset ptr_shared %tile, %t2
    %v2 = load f32 %q2 align 4
    store f32 %v2, %p2 align 4 evict_first
  }
}
)";

// Two stages of asynchronous copies; the last ones may be past the end, and are zeros there.
constexpr const char* double_buffer = R"(
kernel double_buffer(%x: ptr readonly noalias align 16, %y: ptr align 16, %n: i64) gpu threads 128 {
  %zero = constant i64 0
  %one = constant i64 1
  %f0 = constant f32x4 0
  %16 = constant i64 16
  %2048 = constant i64 2048
  %stages = shared ptr_shared bytes 4096 align 1024
  %thread = special thread i64
  %t = mul i64 %thread, %16
  %own = offset ptr_shared %stages, %t
  %x0 = offset ptr %x, %t
  copy_async %own, %x0 bytes 16
  commit_copies
  %r = for %k = %zero to %n step %one carry %acc = %f0 {
    %next = add i64 %k, %one
    %more = cmp slt i64 %next, %n
    %m = zext i64 %more
    %valid = mul i64 %m, %16
    %v32 = trunc i32 %valid
    %odd = urem i64 %next, %16
    %bit = and i64 %next, %one
    %so = mul i64 %bit, %2048
    %slot = offset ptr_shared %own, %so
    %xo = mul i64 %next, %2048
    %xp = offset ptr %x0, %xo
    copy_async %slot, %xp, %v32 bytes 16
    commit_copies
    wait_copies pending 1
    barrier
    %this = and i64 %k, %one
    %to = mul i64 %this, %2048
    %from = offset ptr_shared %own, %to
    %a = load f32x4 %from align 16
    %s = add f32x4 %acc, %a
    barrier
    yield %s
  }
  %yp = offset ptr %y, %t
  store f32x4 %r, %yp align 16
}
)";

// Every way of access and exchange that the others lack.
constexpr const char* others = R"(
kernel others(%x: ptr readonly align 16, %y: ptr align 16, %n: i64) gpu threads 64 resident 2 {
  %0 = special thread i32
  %1 = special lane i32
  %i = special thread i64
  %s = shared ptr_shared bytes 64
  %m = cmp slt i64 %i, %n
  %m4 = splat i1x4 %m
  %o = iota i64x4
  %c8 = constant i64x4 8
  %c2 = constant i64 2
  %off = mul i64x4 %o, %c8
  %h = load f16x8 %x align 16
  store f16x8 %h, %y align 16
  %b = load i8x16 %x align 16 evict_last
  store i8x16 %b, %y align 16 evict_first
  %h2 = load bf16x4 %x align 2
  store bf16x4 %h2, %y align 4
  %f = load f32x4 %x, %m4 align 16
  store f32x4 %f, %y, %m4 align 16
  %d = load f64 %x, %m align 8
  store f64 %d, %y, %m align 8
  %q = load i8 %x, %m align 1
  store i8 %q, %y, %m align 1
  %g = gather f32x4 %x, %off, %m4 align 4
  scatter f32x4 %g, %y, %off, %m4 align 4
  %w = load f32x3 %y align 4
  store f32x3 %w, %s align 4
  %u = warp_shuffle idx i64 %i, %1
  %u2 = warp_shuffle up f64 %d, %1
  %any = warp_vote any i1 %m
  %all = warp_vote all i1 %m
  %ballot = warp_vote ballot i32 %m
  %e0 = select i32 %any, %ballot, %0
  %e1 = select i32 %all, %e0, %1
  store i32 %e1, %y align 4
  store i64 %u, %y align 8
  store f64 %u2, %y align 8
  %a0 = atomic cas i32 %y, %0, %1 relaxed system
  %a1 = atomic smax i64 %y, %i release device
  %a2 = atomic add f64 %y, %d relaxed device
  %a3 = atomic exch f32 %s, %e relaxed block
  %a4 = atomic or i32 %s, %0 relaxed cluster
  store i32 %a0, %y align 4
  store i64 %a1, %y align 8
  store f32 %a3, %y align 4
  barrier_arrive id 1 threads 64
  barrier id 1 threads 64
  prefetch %x
  %mn = fmin f32 %a3, %e
  store f32 %mn, %y align 4
}
)";

const std::vector<Example>& examples() {
  static const std::string others_text = [] {
    std::string text = others;
    text.replace(text.find("  %a0 ="), 0, "  %e = extract f32 %f lane 1\n");
    return text;
  }();
  static const std::vector<Example> all = {
      {"axpy",
       axpy,
       {".visible .entry axpy(", ".reqntid 256", "ld.global.nc.v4.f32", "ld.global.v4.f32", "st.global.v4.f32",
        "fma.rn.f32", "%tid.x", "%ctaid.x"},
       {"cvta.local", ".local", "ld.f32", "st.f32", "ld.v4"}},
      {"sum",
       sum,
       {"shfl.sync.bfly.b32", "shfl.sync.down.b32", "bar.sync", "ld.shared.v4.f32", "st.shared", "fence.acq_rel.gpu;",
        "atom.acq_rel.gpu.global.add.u32", ".extern .shared .align 128"},
       {".nc.f32\t", "atom.acq_rel.gpu.add"}},
      {"transpose",
       transpose,
       {"ld.global.nc.L1::no_allocate.b32", "st.global.L1::evict_first.b32", "st.shared.u32", "ld.shared.u32",
        "bar.sync"},
       {"ld.f32", "st.f32"}},
      {"double_buffer",
       double_buffer,
       {"cp.async.cg.shared.global [%r", "], 16;", ", 16, %r", "cp.async.commit_group;", "cp.async.wait_group 1;",
        "ld.shared.v4.f32", ".extern .shared .align 1024"},
       {"wait_all"}},
      {"others",
       others_text.c_str(),
       {".minnctapersm 2", "ld.global.v4.u32", "st.global.v4.u32", "ld.global.L1::evict_last.v4.b32", "shfl.sync.idx",
        "shfl.sync.up", "vote.sync.any", "vote.sync.all", "vote.sync.ballot", "atom.relaxed.sys.global.cas.b32",
        "atom.release.gpu.global.max.s64", "atom.relaxed.gpu.global.add.f64", "atom.relaxed.cta.shared.exch.b32",
        "atom.relaxed.cluster.shared.or.b32", "bar.arrive 1, 64;", "bar.sync 1, 64;", "min.NaN.f32"},
       {}},
  };
  return all;
}

class NvptxExample : public testing::TestWithParam<Example> {};

TEST_P(NvptxExample, HasItsInstructions) {
  const std::string ptx = ptx_of(GetParam().text);
  EXPECT_NE(ptx.find(".target sm_90a"), std::string::npos);
  for (const char* part : GetParam().has) EXPECT_NE(ptx.find(part), std::string::npos) << part << " is not in\n" << ptx;
  for (const char* part : GetParam().lacks) EXPECT_EQ(ptx.find(part), std::string::npos) << part << " is in\n" << ptx;
}

TEST_P(NvptxExample, IsAssembledWithoutSpills) {
  if (!find_ptxas()) GTEST_SKIP() << "ptxas is not installed";
  for (const char* arch : {"sm_80", "sm_89", "sm_90a"}) expect_clean(arch, ptx_of(GetParam().text, arch));
}

INSTANTIATE_TEST_SUITE_P(Nvptx, NvptxExample, testing::ValuesIn(examples()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Nvptx, ReadsConstantsOnlyWhereNobodyWritesThem) {
  const auto ptx = [](std::string_view parameters) {
    return ptx_of("kernel k(" + std::string(parameters) +
                  ") gpu threads 32 { %v = load f32 %x align 4 store f32 %v, %y align 4 }");
  };
  EXPECT_NE(ptx("%x: ptr readonly, %y: ptr noalias").find("ld.global.nc.f32"), std::string::npos);
  EXPECT_NE(ptx("%x: ptr readonly noalias, %y: ptr").find("ld.global.nc.f32"), std::string::npos);
  EXPECT_EQ(ptx("%x: ptr readonly, %y: ptr").find(".nc"), std::string::npos);
  EXPECT_EQ(ptx("%x: ptr noalias, %y: ptr").find(".nc"), std::string::npos);
}

TEST(Nvptx, LocalsAreNotTheDevicesMemory) {
  const std::string ptx = ptx_of(
      "kernel k(%y: ptr, %c: i64, %n: i64) gpu threads 32 { %l = local ptr bytes 8 store i64 %n, %l align 8 "
      "%z = cmp eq i64 %c, %n %p = select ptr %z, %l, %y store i64 %c, %p align 8 %v = load i64 %l align 8 "
      "store i64 %v, %y align 8 }");
  EXPECT_NE(ptx.find(".local .align 64"), std::string::npos) << ptx;
  EXPECT_NE(ptx.find("\tst.u64"), std::string::npos) << ptx;  // to either
  if (find_ptxas()) expect_clean("sm_90a", ptx);
}

TEST(NvptxFunctions, AreAssembledWithoutSpills) {
  if (!find_ptxas()) GTEST_SKIP() << "ptxas is not installed";
  for (const char* type : {"f32x4", "f64", "f16x8"})
    for (const char* function : {"exp", "log", "tanh", "sin", "cos", "erf", "erfc", "sqrt"})
      expect_clean("sm_90a",
                   ptx_of(fmt::format("kernel k(%x: ptr readonly, %y: ptr noalias) gpu threads 128 {{ "
                                      "%a = load {0} %x align 16 %b = {1} {0} %a store {0} %b, %y align 16 }}",
                                      type, function)));
  for (const char* type : {"f32x4", "f64"})
    expect_clean("sm_90a",
                 ptx_of(fmt::format("kernel k(%x: ptr readonly, %y: ptr noalias) gpu threads 128 {{ "
                                    "%a = load {0} %x align 16 %b = pow {0} %a, %a store {0} %b, %y align 16 }}",
                                    type)));
}

TEST(Nvptx, ConvertsBfloatsInPairs) {
  const std::string ptx = ptx_of(
      "kernel k(%x: ptr readonly, %y: ptr noalias) gpu threads 128 { %a = load bf16x8 %x align 16 %b = exp bf16x8 %a "
      "store bf16x8 %b, %y align 16 %c = load f32x3 %x align 4 %d = fconvert bf16x3 %c store bf16x3 %d, %y align 2 "
      "%e = extract f32 %c lane 0 %f = fconvert bf16 %e store bf16 %f, %y align 2 }");
  std::size_t pairs = 0;
  for (std::size_t at = ptx.find("cvt.rn.bf16x2.f32"); at != std::string::npos;
       at = ptx.find("cvt.rn.bf16x2.f32", at + 1))
    ++pairs;
  EXPECT_EQ(pairs, 6U) << ptx;
  EXPECT_NE(ptx.find("cvt.rn.bf16.f32"), std::string::npos);
  EXPECT_NE(ptx.find("ld.global.nc.v4.u32"), std::string::npos);
  if (find_ptxas()) expect_clean("sm_90a", ptx);
}

TEST(Nvptx, GivesLlvmsText) {
  const auto text = emit_for_nvptx(legal(read_kernel(axpy), target("sm_80")), NvptxStage::llvm, target("sm_80"));
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("ptx_kernel void @axpy("), std::string::npos) << *text;
  EXPECT_NE(text->find("llvm.fma.v4f32"), std::string::npos);
}

/// Of a kernel as it is: the passes would remove what it does not use.
std::string code_of(std::string_view text, std::string_view arch) {
  const auto ptx = emit_ptx(read_kernel(text), target(arch));
  return ptx ? "" : ptx.error().front().code;
}

TEST(NvptxErrors, LimitsOfTheTarget) {
  const char* big = "kernel k() gpu threads 32 { %s = shared ptr_shared bytes 200000 }";
  EXPECT_EQ(code_of(big, "sm_90a"), "");
  EXPECT_EQ(code_of(big, "sm_80"), "G007");
  EXPECT_EQ(code_of("kernel k() gpu threads 32 cluster 2 { }", "sm_89"), "G007");
  const auto error = emit_ptx(read_kernel(big), target("sm_89"));
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(error.error().front().message, "kernel k asks for 200000 bytes of shared memory, and sm_89 has 101376");
}

TEST(NvptxErrors, EachKindOfKernelHasItsTarget) {
  EXPECT_EQ(code_of("kernel k() { }", "sm_90a"), "G006");
  const auto host = compile_for_host(legal(read_kernel("kernel k() gpu threads 32 { }"), host_target()));
  ASSERT_FALSE(host.has_value());
  EXPECT_EQ(host.error().front().code, "G006");
}

TEST(NvptxErrors, VerificationComesFirst) {
  EXPECT_EQ(code_of("kernel k(%n: i64) gpu threads 32 { %x = sqrt i64 %n }", "sm_80"), "K013");
}

TEST(GpuTargets, AreThree) {
  EXPECT_EQ(target("sm_90a").max_block_shared_bytes, 232448);
  EXPECT_EQ(target("sm_89").max_block_shared_bytes, 101376);
  EXPECT_EQ(target("sm_80").max_block_shared_bytes, 166912);
  EXPECT_EQ(gpu_target_named("sm_70"), nullptr);
}

}  // namespace
}  // namespace tilewright::codegen
