// PTX of kernels with mbarriers, the copy engine, clusters and tensor cores: the instructions that matter, and that
// NVIDIA's assembler takes them without spills and without making wgmma wait (its warnings C75xx).
#include <gtest/gtest.h>

#include <memory>

#include "codegen/llvm/nvptx.h"
#include "kernel/matrix_atoms.h"
#include "legal.h"
#include "ptxas.h"

namespace tilewright::codegen {
namespace {

Result<std::string> emitted(std::string_view text, std::string_view arch) {
  auto kernel = kernel::parse_kernel(std::make_shared<const Source>("test", std::string(text)));
  if (!kernel) throw std::runtime_error(render(kernel.error()));
  return emit_ptx(legal(*kernel, *gpu_target_named(arch)), *gpu_target_named(arch));
}

std::string ptx_of(std::string_view text, std::string_view arch = "sm_90a") {
  const Result<std::string> ptx = emitted(text, arch);
  if (!ptx) throw std::runtime_error(render(ptx.error()));
  return *ptx;
}

struct Example {
  const char* name;
  std::string text;
  std::vector<const char*> has;
};

void PrintTo(const Example& example, std::ostream* out) {
  *out << example.name;
}

// C (64 × 256 a block, f32) = A Bᵀ of bf16, both k-contiguous in boxes of 64 k with 128-byte swizzle, through a ring of
// four stages: warp 4 loads, warps 0 to 3 multiply.
constexpr const char* ring = R"(
kernel ring(%ma: ptr tensormap, %mb: ptr tensormap, %c: ptr align 16, %steps: i64) gpu threads 160 resident 1 {
  %zero = constant i64 0
  %one = constant i64 1
  %z32 = constant i32 0
  %o32 = constant i32 1
  %three = constant i64 3
  %four = constant i64 4
  %five = constant i64 5
  %sixteen = constant i64 16
  %eight = constant i64 8
  %64 = constant i32 64
  %256 = constant i32 256
  %tile_a = constant i64 8192
  %tile_b = constant i64 32768
  %bytes = constant i32 40960
  %acc0 = constant f32x64 0
  %two = constant i64 2
  %kstep = constant i64 32
  %yes = constant i1 1
  %as = shared ptr_shared bytes 32768 align 1024
  %bs = shared ptr_shared bytes 131072 align 1024
  %full = shared ptr_shared bytes 32
  %empty = shared ptr_shared bytes 32
  %thread = special thread i64
  %warp = special warp i64
  %block = special block i32
  %is_first = cmp eq i64 %thread, %zero
  if %is_first {
    for %i = %zero to %four step %one {
      %o = mul i64 %i, %eight
      %fb = offset ptr_shared %full, %o
      %eb = offset ptr_shared %empty, %o
      mbarrier_init %fb count 1
      mbarrier_init %eb count 128
    }
    fence_mbarrier
  }
  barrier
  %loads = cmp eq i64 %warp, %four
  if %loads {
    %leader = elect i1
    if %leader {
      for %k = %zero to %steps step %one {
        %slot = and i64 %k, %three
        %turn = lshr i64 %k, %two
        %t1 = add i64 %turn, %one
        %p = and i64 %t1, %one
        %parity = trunc i32 %p
        %bo = mul i64 %slot, %eight
        %fb2 = offset ptr_shared %full, %bo
        %eb2 = offset ptr_shared %empty, %bo
        mbarrier_wait %eb2, %parity
        mbarrier_expect %fb2, %bytes
        %ao = mul i64 %slot, %tile_a
        %to_a = offset ptr_shared %as, %ao
        %bbo = mul i64 %slot, %tile_b
        %to_b = offset ptr_shared %bs, %bbo
        %k32 = trunc i32 %k
        %kc = mul i32 %k32, %64
        %row = mul i32 %block, %64
        tensor_load %to_a, %ma, %fb2, %kc, %row rank 2
        tensor_load %to_b, %mb, %fb2, %kc, %z32 rank 2 evict_last
      }
    }
  } else {
    %r0, %r1 = for %m_k = %zero to %steps step %one carry %c0 = %acc0, %c1 = %acc0 {
      %m_slot = and i64 %m_k, %three
      %m_turn = lshr i64 %m_k, %two
      %m_p = and i64 %m_turn, %one
      %m_parity = trunc i32 %m_p
      %m_bo = mul i64 %m_slot, %eight
      %m_fb2 = offset ptr_shared %full, %m_bo
      %m_eb2 = offset ptr_shared %empty, %m_bo
      mbarrier_wait %m_fb2, %m_parity
      %m_ao = mul i64 %m_slot, %tile_a
      %from_a = offset ptr_shared %as, %m_ao
      %m_bbo = mul i64 %m_slot, %tile_b
      %from_b = offset ptr_shared %bs, %m_bbo
      %f0, %f1 = wgmma_fence f32x64 %c0, %c1
      %g0, %g1 = wgmma f32x64 %from_a, %from_b, %yes, %f0, %f1 n 256 of bf16 a 0 1024 b 0 1024
      %next_a = offset ptr_shared %from_a, %kstep
      %next_b = offset ptr_shared %from_b, %kstep
      %h0, %h1 = wgmma f32x64 %next_a, %next_b, %yes, %g0, %g1 n 256 of bf16 a 0 1024 b 0 1024
      wgmma_commit
      %w0, %w1 = wgmma_wait f32x64 %h0, %h1 pending 0
      mbarrier_arrive %m_eb2
      yield %w0, %w1
    }
    %row_bytes = mul i64 %thread, %sixteen
    %line = mul i64 %row_bytes, %sixteen
    %cp = offset ptr %c, %line
    store f32x64 %r0, %cp align 16
    %half = constant i64 256
    %cp1 = offset ptr %cp, %half
    store f32x64 %r1, %cp1 align 16
  }
}
)";

std::string warp_product(const kernel::MmaAtom& atom) {
  const auto text = [](kernel::Type type) { return to_text(type); };
  return fmt::format(
      "kernel k(%x: ptr readonly align 16, %y: ptr noalias align 16) gpu threads 32 {{\n"
      "%a = load {0} %x align 8\n%b = load {1} %x align 8\n%c = load {2} %x align 8\n"
      "%d = mma {2} %a, %b, %c\n%e = mma {2} %a, %b, %d\nstore {2} %e, %y align 8 }}",
      text(atom.a), text(atom.b), text(atom.c));
}

std::string warpgroup_product(const kernel::WarpgroupAtom& atom, bool in_registers, std::string_view turned = "") {
  return fmt::format(
      "kernel k(%x: ptr readonly align 16, %y: ptr noalias align 16) gpu threads 128 {{\n"
      "%s = shared ptr_shared bytes 32768 align 1024\n"
      "%no = constant i1 0\n%yes = constant i1 1\n%zero = constant {0}x64 0\n%a = load {1} %x align 16\n"
      "%f = wgmma_fence {0}x64 %zero\n"
      "%g = wgmma {0}x64 {2}, %s, %no, %f n 128 of {3}{4}\n"
      "%h = wgmma {0}x64 {2}, %s, %yes, %g n 128 of {3}{4}\n"
      "wgmma_commit\n%i = wgmma_wait {0}x64 %h pending 0\n"
      "%t = special thread i64\n%q = constant i64 256\n%o = mul i64 %t, %q\n%p = offset ptr %y, %o\n"
      "store {0}x64 %i, %p align 16 }}",
      name(atom.c), to_text(atom.a), in_registers ? "%a" : "%s", name(atom.of), turned);
}

std::vector<Example> examples() {
  std::vector<Example> all = {
      {"ring",
       ring,
       {".param .align 64 .b8 ring_param_0[128]", "mbarrier.init.shared.b64 [%r", "], 128;",
        "fence.mbarrier_init.release.cluster;", "elect.sync", "mbarrier.try_wait.parity.shared.b64",
        "mbarrier.arrive.expect_tx.shared.b64",
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r",
        "createpolicy.fractional.L2::evict_last.b64", ".L2::cache_hint", "wgmma.fence.sync.aligned;",
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {%f", "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;", "mbarrier.arrive.shared.b64", "st.global.v4.f32"}},
      {"stores",
       R"(
kernel stores(%m: ptr tensormap, %x: ptr readonly align 16, %y: ptr align 16, %n: i64) gpu threads 128 {
  %i = constant i32 64
  %zero = constant i64 0
  %four = constant i64 4
  %bar = shared ptr_shared bytes 8
  %s = shared ptr_shared bytes 512
  %t = special thread i64
  %o = mul i64 %t, %four
  %first = cmp eq i64 %t, %zero
  %p = offset ptr_shared %s, %o
  %q = offset ptr %x, %o
  %v = load f32 %q align 4
  store f32 %v, %p align 4
  fence_async
  barrier
  if %first {
    tensor_store %m, %s, %i rank 1
    tensor_store %m, %s, %i, %i, %i rank 3 evict_first
    bulk_store %y, %s, %i
    commit_bulk
    wait_bulk_reads pending 0
    mbarrier_init %bar count 1
    bulk_load %s, %x, %i, %bar
    wait_bulk pending 1
  }
  grid_wait
  grid_launch
})",
       {"fence.proxy.async.shared::cta;", "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [",
        "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group.L2::cache_hint [",
        "cp.async.bulk.global.shared::cta.bulk_group [", "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group.read 0;", "cp.async.bulk.wait_group 1;",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [", "griddepcontrol.wait;",
        "griddepcontrol.launch_dependents;"}},
      {"cluster",
       R"(
kernel cluster_sum(%m: ptr tensormap, %y: ptr align 16) gpu threads 64 cluster 2 {
  %one = constant i32 1
  %three = constant i32 3
  %bar = shared ptr_shared bytes 8
  %s = shared ptr_shared bytes 1024
  %t = special thread i64
  %zero = constant i64 0
  %sixteen = constant i64 16
  %o = mul i64 %t, %sixteen
  %p = offset ptr_shared %s, %o
  %first = cmp eq i64 %t, %zero
  %rank = special cluster_block i32
  %other = xor i32 %rank, %one
  if %first {
    mbarrier_init %bar count 2
    fence_mbarrier
    tensor_load %s, %m, %bar, %one, %one, %three rank 2 multicast
    mbarrier_arrive %bar, %other
  }
  cluster_arrive
  cluster_wait
  %v = cluster_load f32x4 %p, %other align 16
  %d = cluster_load f64x2 %p, %other align 16
  %w = cluster_load i64 %p, %other align 8
  cluster_store f32x4 %v, %p, %other align 16
  cluster_store f64 %e, %p, %other align 8
  cluster_store i32 %rank, %p, %other align 4
  cluster_arrive
  cluster_wait
  store f32x4 %v, %y align 16
  store f64x2 %d, %y align 16
  store i64 %w, %y align 8
})",
       {".reqnctapercluster 2, 1, 1", "mapa.shared::cluster.u32", "ld.shared::cluster.v4.b32",
        "ld.shared::cluster.v2.f64", "st.shared::cluster.v4.b32", "st.shared::cluster.f64", "st.shared::cluster.b32",
        "barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;", ".multicast::cluster [",
        "mbarrier.arrive.shared::cluster.b64 _", "%cluster_ctarank"}},
      {"matrices",
       R"(
kernel matrices(%x: ptr readonly align 16, %y: ptr align 16) gpu threads 32 {
  %s = shared ptr_shared bytes 1024
  %z = constant f32x4 0
  %t = special thread i64
  %sixteen = constant i64 16
  %o = mul i64 %t, %sixteen
  %p = offset ptr_shared %s, %o
  %a = load_matrix bf16x8 %p
  %b = load_matrix bf16x4 %p transposed
  %c = load_matrix f16x2 %p
  %d = mma f32x4 %a, %b, %z
  store_matrix bf16x8 %a, %p
  store_matrix bf16x4 %b, %p transposed
  store_matrix f16x2 %c, %p
  store f32x4 %d, %y align 16
})",
       {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16", "stmatrix.sync.aligned.m8n8.x4.shared.b16",
        "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"}},
      {"roles",
       R"(
kernel roles(%y: ptr align 4) gpu threads 256 resident 1 {
  %four = constant i64 4
  %warp = special warp i64
  %loads = cmp slt i64 %warp, %four
  if %loads {
    lower_registers count 40
    barrier_arrive id 1 threads 256
  } else {
    raise_registers count 232
    barrier id 1 threads 256
    %t = special thread i64
    %o = mul i64 %t, %four
    %p = offset ptr %y, %o
    %v = trunc i32 %t
    store i32 %v, %p align 4
  }
})",
       {"setmaxnreg.dec.sync.aligned.u32 40;", "setmaxnreg.inc.sync.aligned.u32 232;", "bar.arrive 1, 256;",
        "bar.sync 1, 256;"}},
  };
  std::string& cluster = all[2].text;
  cluster.replace(cluster.find("  %w = cluster_load"), 0, "  %e = extract f64 %d lane 1\n");
  return all;
}

class NvptxAsync : public testing::TestWithParam<Example> {};

TEST_P(NvptxAsync, HasItsInstructions) {
  const std::string ptx = ptx_of(GetParam().text);
  for (const char* part : GetParam().has) EXPECT_NE(ptx.find(part), std::string::npos) << part << " is not in\n" << ptx;
}

TEST_P(NvptxAsync, IsAssembledWithoutSpills) {
  if (!find_ptxas()) GTEST_SKIP() << "ptxas is not installed";
  const std::string ptx = ptx_of(GetParam().text);
  expect_clean("sm_90a", ptx);
}

INSTANTIATE_TEST_SUITE_P(Nvptx, NvptxAsync, testing::ValuesIn(examples()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(NvptxMatrices, EveryWarpProductHasItsInstruction) {
  for (const kernel::MmaAtom& atom : kernel::mma_atoms()) {
    if (atom.unit != matrix_unit::Unit::warp) continue;
    const std::string ptx = ptx_of(warp_product(atom), "sm_80");
    EXPECT_NE(ptx.find(fmt::format("mma.sync.aligned.{} {{%", atom.ptx)), std::string::npos) << ptx;
  }
}

TEST(NvptxMatrices, ProductsOfAppleGpusAreRefused) {
  const kernel::MmaAtom* atom =
      kernel::find_mma(matrix_unit::Unit::simdgroup, kernel::Element::f32, kernel::Element::f32);
  ASSERT_NE(atom, nullptr);
  const auto refused = emitted(warp_product(*atom), "sm_90a");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().front().code, "G008");
  EXPECT_NE(refused.error().front().message.find("uses mma, which sm_90a lacks"), std::string::npos);
}

TEST(NvptxMatrices, EveryWarpgroupProductHasItsInstruction) {
  for (const kernel::WarpgroupAtom& atom : kernel::wgmma_atoms())
    for (const bool in_registers : {false, true}) {
      const std::string ptx = ptx_of(warpgroup_product(atom, in_registers));
      EXPECT_NE(ptx.find(fmt::format("wgmma.mma_async.sync.aligned.m64n128k{}.{}.{}.{} {{%", atom.k,
                                     atom.c == kernel::Element::i32 ? "s32" : "f32", atom.ptx, atom.ptx)),
                std::string::npos)
          << ptx;
    }
  const kernel::WarpgroupAtom& half = kernel::wgmma_atoms().front();
  EXPECT_NE(ptx_of(warpgroup_product(half, false, " transposed_a")).find(", 1, 1, 1, 0;"), std::string::npos);
  EXPECT_NE(ptx_of(warpgroup_product(half, false, " transposed_b")).find(", 1, 1, 0, 1;"), std::string::npos);
  EXPECT_NE(ptx_of(warpgroup_product(half, true, " transposed_b")).find(", 1, 1, 1;"), std::string::npos);
}

TEST(NvptxMatrices, AreAssembledWithoutSpillsOrWaits) {
  if (!find_ptxas()) GTEST_SKIP() << "ptxas is not installed";
  for (const kernel::MmaAtom& atom : kernel::mma_atoms()) {
    if (atom.unit != matrix_unit::Unit::warp) continue;
    for (const char* arch : {"sm_80", "sm_90a"}) expect_clean(arch, ptx_of(warp_product(atom), arch));
  }
  for (const kernel::WarpgroupAtom& atom : kernel::wgmma_atoms())
    for (const bool in_registers : {false, true}) expect_clean("sm_90a", ptx_of(warpgroup_product(atom, in_registers)));
}

TEST(NvptxMatrices, AccumulatorsAreNotMovedInTheLoop) {
  const std::string ptx = ptx_of(ring);
  const std::size_t first = ptx.find("wgmma.fence");
  const std::size_t last = ptx.find("wgmma.wait_group");
  ASSERT_LT(first, last);
  const std::string inner = ptx.substr(first, last - first);
  EXPECT_EQ(inner.find("mov.f32"), std::string::npos) << inner;
}

TEST(NvptxMbarrier, WaitsByTestingBeforeSm90) {
  const char* text =
      "kernel k(%p: i32) gpu threads 32 { %b = shared ptr_shared bytes 8 mbarrier_init %b count 32 "
      "barrier mbarrier_arrive %b mbarrier_wait %b, %p }";
  EXPECT_NE(ptx_of(text, "sm_80").find("mbarrier.test_wait.parity"), std::string::npos);
  if (find_ptxas()) {
    expect_clean("sm_80", ptx_of(text, "sm_80"));
    expect_clean("sm_90a", ptx_of(text, "sm_90a"));
  }
}

TEST(NvptxErrors, OpsThatTheTargetLacks) {
  const auto error = emitted("kernel k(%n: i64, %c: i1) gpu threads 128 { wgmma_commit }", "sm_89");
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(error.error().front().code, "G008");
  EXPECT_EQ(error.error().front().message, "kernel k uses wgmma_commit, which sm_89 lacks");
  EXPECT_FALSE(emitted("kernel k() gpu threads 32 { grid_wait }", "sm_80").has_value());
}

}  // namespace
}  // namespace tilewright::codegen
