// GPU kernels with mbarriers, the copy engine, clusters and matrix products: their text form, and each rule broken
// once.
#include <gtest/gtest.h>

#include <set>

#include "kernel/builder.h"
#include "kernel/matrix_atoms.h"
#include "kernel/passes/pipeline.h"
#include "kernel/shared_memory.h"
#include "kernel/walk.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

constexpr const char* every_form =
    "kernel all_of_it(%m: ptr tensormap, %x: ptr readonly, %y: ptr) gpu threads 256 cluster 2 resident 1 {\n"
    "  %0 = constant i32 1\n"
    "  %1 = constant f32x64 0\n"
    "  %2 = constant i1 1\n"
    "  %3 = constant f32x4 0\n"
    "  %s = shared ptr_shared bytes 16384 align 1024\n"
    "  %b = shared ptr_shared bytes 8\n"
    "  mbarrier_init %b count 2\n"
    "  fence_mbarrier\n"
    "  mbarrier_expect %b, %0\n"
    "  mbarrier_arrive %b\n"
    "  mbarrier_arrive %b, %0\n"
    "  mbarrier_wait %b, %0\n"
    "  bulk_load %s, %x, %0, %b\n"
    "  tensor_load %s, %m, %b, %0 rank 1\n"
    "  tensor_load %s, %m, %b, %0, %0, %0 rank 2 multicast evict_first\n"
    "  fence_async\n"
    "  tensor_store %m, %s, %0, %0, %0 rank 3 evict_last\n"
    "  bulk_store %y, %s, %0\n"
    "  commit_bulk\n"
    "  wait_bulk pending 0\n"
    "  wait_bulk_reads pending 1\n"
    "  cluster_arrive\n"
    "  cluster_wait\n"
    "  %4 = cluster_load f32x4 %s, %0 align 16\n"
    "  cluster_store f32x4 %4, %s, %0 align 16\n"
    "  %5 = load_matrix f16x8 %s\n"
    "  %6 = load_matrix f16x4 %s transposed\n"
    "  store_matrix f16x8 %5, %s\n"
    "  store_matrix f16x4 %6, %s transposed\n"
    "  %7 = mma f32x4 %5, %6, %3\n"
    "  %8, %9 = wgmma_fence f32x64 %1, %1\n"
    "  %10, %11 = wgmma f32x64 %s, %s, %2, %8, %9 n 256 of bf16 a 8192 1024 b 16384 2048 transposed_a transposed_b\n"
    "  wgmma_commit\n"
    "  %12, %13 = wgmma_wait f32x64 %10, %11 pending 0\n"
    "  %14 = wgmma f32x64 %5, %s, %2, %12 n 128 of f16 a 0 1024 b 0 1024\n"
    "  %15 = constant i32x4 0\n"
    "  %16, %17 = wgmma_fence f32x64 %14, %15\n"
    "  %18 = wgmma f32x64 %17, %s, %2, %16 n 128 of f32 a 0 1024 b 0 1024\n"
    "  %19, %20 = wgmma_wait f32x64 %18, %17 pending 0\n"
    "  %21 = elect i1\n"
    "  raise_registers count 232\n"
    "  lower_registers count 40\n"
    "  grid_wait\n"
    "  grid_launch\n"
    "}\n";

TEST(GpuAsync, RoundTripsEveryForm) {
  const Kernel kernel = read_kernel(every_form);
  const auto legal = verify(kernel);
  EXPECT_EQ(codes(legal), "") << (legal ? "" : render(legal.error()));
  EXPECT_EQ(to_text(kernel), every_form);
  EXPECT_TRUE(kernel.parameters[0].tensor_map);
}

TEST(GpuAsync, TheTwoTextsOfFormsHaveEveryGpuOp) {
  std::set<Opcode> seen;
  walk(read_kernel(every_form).body, [&](const Op& op) { seen.insert(op.code); });
  const std::set<Opcode> others{Opcode::special,       Opcode::barrier,      Opcode::barrier_arrive,
                                Opcode::warp_barrier,  Opcode::warp_shuffle, Opcode::warp_vote,
                                Opcode::atomic,        Opcode::fence,        Opcode::copy_async,
                                Opcode::commit_copies, Opcode::wait_copies};  // gpu_test.cpp has them
#define X(enumerator, name, operands, results, rule, effect, attribute) \
  if (OpRule::rule == OpRule::gpu)                                      \
    EXPECT_TRUE(seen.contains(Opcode::enumerator) || others.contains(Opcode::enumerator)) << name;
  TILEWRIGHT_KERNEL_OPS(X)
#undef X
}

TEST(GpuAsync, PassesKeepEffectsAndTheTensorMap) {
  Kernel kernel = read_kernel(every_form);
  run_kernel_passes(kernel, {});
  EXPECT_TRUE(kernel.parameters[0].tensor_map);
  std::multiset<Opcode> before;
  std::multiset<Opcode> after;
  walk(read_kernel(every_form).body, [&](const Op& op) { before.insert(op.code); });
  walk(kernel.body, [&](const Op& op) { after.insert(op.code); });
  for (const Opcode code : before)
    if (info(code).effect == OpEffect::writes) EXPECT_EQ(after.count(code), before.count(code)) << info(code).name;
  EXPECT_EQ(after.count(Opcode::mma), 0U);    // of no use
  EXPECT_EQ(after.count(Opcode::wgmma), 3U);  // each is waited for
}

struct Case {
  const char* name;
  const char* body;   ///< of a kernel with the values below
  const char* codes;  ///< all that are reported
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class GpuAsyncVerify : public testing::TestWithParam<Case> {};

TEST_P(GpuAsyncVerify, ReportsExactlyItsCodes) {
  const Kernel kernel = read_kernel(
      std::string(
          "kernel k(%m: ptr tensormap, %p: ptr, %r: ptr readonly, %n: i64, %c: i1) gpu threads 128 resident 1 {\n"
          "  %i = constant i32 1\n"
          "  %f = constant f32 1\n"
          "  %v = constant f32x4 1\n"
          "  %u = constant i32x4 1\n"
          "  %h = constant f16x8 1\n"
          "  %q = constant f16x4 1\n"
          "  %a = constant f32x32 1\n"
          "  %s = shared ptr_shared bytes 512\n"
          "  %zero = constant i64 0\n"
          "  %thread = special thread i64\n"
          "  %warp = special warp i64\n"
          "  %first = cmp eq i64 %thread, %zero\n"
          "  %role = cmp eq i64 %warp, %zero\n") +
      GetParam().body + "}\n");
  const Result<void> result = verify(kernel);
  EXPECT_EQ(codes(result), GetParam().codes) << (result ? "" : render(result.error()));
}

INSTANTIATE_TEST_SUITE_P(
    Copies, GpuAsyncVerify,
    testing::Values(
        Case{"init_count", "mbarrier_init %s count 0", "K014"},
        Case{"init_pointer", "mbarrier_init %p count 1", "K013"},
        Case{"arrive_operands", "mbarrier_arrive %s, %i, %i", "K011"},
        Case{"wait_parity", "mbarrier_wait %s, %c", "K013"}, Case{"bulk_size", "bulk_load %s, %p, %n, %s", "K013"},
        Case{"bulk_readonly", "bulk_store %r, %s, %i", "K017"},
        Case{"tensor_coordinates", "tensor_load %s, %m, %s, %i rank 2", "K011"},
        Case{"tensor_coordinate", "tensor_load %s, %m, %s, %n rank 1", "K013"},
        Case{"tensor_rank", "tensor_load %s, %m, %s, %i, %i, %i, %i, %i, %i rank 6", "K014"},
        Case{"tensor_mask", "tensor_load %s, %m, %s, %i rank 1 multicast", "K011"},
        Case{"tensor_of_memory", "tensor_load %s, %p, %s, %i rank 1", "K022"},
        Case{"store_to_several", "tensor_store %m, %s, %i, %i rank 1 multicast", "K014"},
        Case{"map_in_memory", "%x = load f32 %m align 4", "K022"}, Case{"map_moved", "%x = offset ptr %m, %n", "K022"},
        Case{"cluster_width", "%x = cluster_load f32x3 %s, %i align 4", "K013 K014"},
        Case{"cluster_align", "%x = cluster_load f32x4 %s, %i align 4", "K014"},
        Case{"cluster_small", "%x = cluster_load f16x4 %s, %i align 8", "K013"},
        Case{"cluster_in_role", "if %role { cluster_arrive }", "K021"},
        Case{"by_one_thread",
             "if %first { mbarrier_init %s count 1 fence_mbarrier mbarrier_expect %s, %i mbarrier_wait %s, %i "
             "tensor_load %s, %m, %s, %i rank 1 commit_bulk wait_bulk pending 0 fence_async grid_launch }",
             ""},
        Case{"registers", "raise_registers count 233", "K014"},
        Case{"few_registers", "lower_registers count 16", "K014"},
        Case{"registers_by_thread", "if %first { raise_registers count 232 }", "K021"},
        Case{"registers_by_warp", "if %role { raise_registers count 232 }", ""},
        Case{"elected", "%x = elect i1 if %x { %y = elect i1 }", "K021"}, Case{"elect_word", "%x = elect i32", "K013"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Matrices, GpuAsyncVerify,
    testing::Values(Case{"load_words", "%x = load_matrix f16x6 %s", "K013"},
                    Case{"load_element", "%x = load_matrix f64x2 %s", "K013"},
                    Case{"load_turned_element", "%x = load_matrix f32x4 %s transposed", "K013"},
                    Case{"load_memory", "%x = load_matrix f16x8 %p", "K013"},
                    Case{"load_by_thread", "if %first { %x = load_matrix f16x8 %s }", "K021"},
                    Case{"store_by_thread", "if %first { store_matrix f16x8 %h, %s }", "K021"},
                    Case{"mma_shape", "%x = mma f32x4 %h, %h, %v", "K013"},
                    Case{"mma_half_sums", "%x = mma f16x4 %h, %q, %q", ""},
                    Case{"mma_result", "%x = mma f32x2 %h, %q, %v", "K013"},
                    Case{"wgmma", "%x = wgmma f32x32 %s, %s, %c, %a n 64 of f16", ""},
                    Case{"wgmma_registers", "%x = wgmma f32x32 %h, %s, %c, %a n 64 of f16 transposed_b", ""},
                    Case{"wgmma_tf32", "%x = wgmma f32x32 %u, %s, %c, %a n 64 of f32", ""},
                    Case{"wgmma_floats", "%x = wgmma f32x32 %v, %s, %c, %a n 64 of f32", "K013"},
                    Case{"wgmma_columns", "%x = wgmma f32x32 %s, %s, %c, %a n 72 of f16", "K013"},
                    Case{"wgmma_odd_columns", "%x = wgmma f32x32 %s, %s, %c, %a n 60 of f16", "K014 K013"},
                    Case{"wgmma_integers", "%x = wgmma f32x32 %s, %s, %c, %a n 64 of i8", "K013"},
                    Case{"wgmma_words", "%x = wgmma f32x32 %s, %n, %c, %a n 64 of f16", "K013"},
                    Case{"wgmma_distance", "%x = wgmma f32x32 %s, %s, %c, %a n 64 of f16 a 0 1024 b 8 1024", "K014"},
                    Case{"wgmma_far", "%x = wgmma f32x32 %s, %s, %c, %a n 64 of f16 a 262144 1024 b 0 1024", "K014"},
                    Case{"wgmma_of", "%x = wgmma f32x32 %s, %s, %c, %a n 64 of f64", "K014"},
                    Case{"wgmma_turned_tf32", "%x = wgmma f32x32 %s, %s, %c, %a n 64 of f32 transposed_b", "K014"},
                    Case{"wgmma_turned_registers", "%x = wgmma f32x32 %h, %s, %c, %a n 64 of f16 transposed_a", "K014"},
                    Case{"wgmma_operands", "%x = wgmma f32x32 %s, %s, %c n 64 of f16", "K011"},
                    Case{"wgmma_sums", "%x = wgmma f32x32 %s, %s, %c, %a, %a n 64 of f16", "K013"},
                    Case{"wait_results", "%x = wgmma_wait f32x32 %a, %a pending 0", "K013"},
                    Case{"wait_nothing", "wgmma_wait pending 0", ""},
                    Case{"wait_by_thread", "if %first { %x = wgmma_wait f32x32 %a pending 0 }", "K021"}),
    [](const auto& info) { return info.param.name; });

TEST(GpuAsyncVerifyBlock, WholeWarpsAndWarpgroups) {
  EXPECT_EQ(codes(verify(read_kernel("kernel k() gpu threads 48 { %x = elect i1 }"))), "K014");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%c: i1) gpu threads 96 { %a = constant f32x4 0 "
                                     "%s = shared ptr_shared bytes 8192 align 1024 "
                                     "%x = wgmma f32x4 %s, %s, %c, %a n 8 of f16 }"))),
            "K014");
  EXPECT_EQ(codes(verify(read_kernel("kernel k() gpu threads 128 { raise_registers count 64 }"))), "K014");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%m: ptr tensormap) { }"))), "K022");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%m: i64 tensormap) gpu threads 32 { }"))), "K022");
}

TEST(SharedLayout, PlacesBuffersInOrderAndAligned) {
  const Kernel kernel = read_kernel(
      "kernel k() gpu threads 32 { %a = shared ptr_shared bytes 8 align 16 %b = shared ptr_shared bytes 100 align 1024 "
      "%c = shared ptr_shared bytes 4 }");
  const SharedLayout layout = shared_layout(kernel);
  const auto offset = [&](std::size_t op) { return layout.offsets.at(kernel.body.ops[op].results[0].index); };
  EXPECT_EQ(offset(0), 0);
  EXPECT_EQ(offset(1), 1024);
  EXPECT_EQ(offset(2), 1152);
  EXPECT_EQ(layout.bytes, 1156);
  EXPECT_EQ(layout.align, 1024);
}

TEST(MatrixAtoms, HoldTheirMatricesInAWarpOrAWarpgroup) {
  for (const MmaAtom& atom : mma_atoms()) {
    EXPECT_EQ(atom.a.lanes * 32, atom.m * atom.k) << atom.ptx;
    EXPECT_EQ(atom.b.lanes * 32, atom.k * atom.n) << atom.ptx;
    EXPECT_EQ(atom.c.lanes * 32, atom.m * atom.n) << atom.ptx;
  }
  for (const WarpgroupAtom& atom : wgmma_atoms()) {
    EXPECT_EQ(atom.a.lanes * 128, 64 * atom.k) << atom.ptx;
    EXPECT_EQ(atom.k * bits(atom.of), 256) << atom.ptx;
  }
}

}  // namespace
}  // namespace tilewright::kernel
