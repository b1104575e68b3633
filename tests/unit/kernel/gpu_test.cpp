// GPU kernels: their text form, each rule broken once, agreement of threads, and what passes keep.
#include <gtest/gtest.h>

#include "kernel/builder.h"
#include "kernel/interpret.h"
#include "kernel/passes/pipeline.h"
#include "kernel/pointer_roots.h"
#include "kernel/uniformity.h"
#include "kernel_text.h"

namespace tilewright::kernel {
namespace {

constexpr const char* every_form =
    "kernel all_of_it(%x: ptr readonly align 16, %y: ptr) gpu threads 96 cluster 2 resident 3 {\n"
    "  %s = shared ptr_shared bytes 4096\n"
    "  %t = shared ptr_shared bytes 64 align 1024\n"
    "  %0 = special thread i32\n"
    "  %1 = special threads i32\n"
    "  %2 = special block i64\n"
    "  %3 = special blocks i64\n"
    "  %4 = special lane i32\n"
    "  %5 = special warp i32\n"
    "  %6 = special cluster_block i32\n"
    "  %7 = offset ptr_shared %s, %2\n"
    "  %8 = load f32x4 %x align 16 no_allocate\n"
    "  store f32x4 %8, %7 align 16\n"
    "  store f32x4 %8, %y align 16 nontemporal evict_first\n"
    "  copy_async %t, %x bytes 16\n"
    "  copy_async %t, %x, %0 bytes 4\n"
    "  commit_copies\n"
    "  wait_copies pending 2\n"
    "  barrier\n"
    "  barrier_arrive id 3 threads 64\n"
    "  barrier id 3 threads 64\n"
    "  warp_barrier\n"
    "  %9 = warp_shuffle idx i32 %0, %4\n"
    "  %10 = warp_shuffle down i64 %2, %4\n"
    "  %11 = warp_shuffle up i64 %2, %4\n"
    "  %12 = warp_shuffle xor i64 %2, %4\n"
    "  %13 = cmp eq i32 %0, %4\n"
    "  %14 = warp_vote any i1 %13\n"
    "  %15 = warp_vote all i1 %13\n"
    "  %16 = warp_vote ballot i32 %13\n"
    "  fence block\n"
    "  fence system\n"
    "  %17 = extract f32 %8 lane 0\n"
    "  %18 = atomic add f32 %y, %17 relaxed device\n"
    "  %19 = atomic exch f32 %s, %17 acquire block\n"
    "  %20 = atomic and i32 %y, %0 release cluster\n"
    "  %21 = atomic umax i64 %y, %2 acq_rel system\n"
    "  %22 = atomic cas i32 %y, %0, %4 relaxed device\n"
    "}\n";

TEST(GpuKernel, RoundTripsEveryForm) {
  const Kernel kernel = read_kernel(every_form);
  EXPECT_EQ(codes(verify(kernel)), "");
  EXPECT_EQ(to_text(kernel), every_form);
  ASSERT_TRUE(kernel.block.has_value());
  EXPECT_EQ(*kernel.block, (ThreadBlock{96, 2, 3}));
}

TEST(GpuKernel, PassesKeepItsOpsInOrder) {
  // Constants aside, which are none here, every op of the text but the unused pure ones and loads has an effect.
  Kernel kernel = read_kernel(every_form);
  run_kernel_passes(kernel, {});
  EXPECT_EQ(kernel.block, (ThreadBlock{96, 2, 3}));
  const std::string text = to_text(kernel);
  for (const char* gone : {"special blocks", "warp_shuffle", "warp_vote"})
    EXPECT_EQ(text.find(gone), std::string::npos) << gone;
  std::size_t at = 0;
  for (const char* kept : {"copy_async %t, %x bytes 16", "commit_copies", "wait_copies pending 2", "  barrier\n",
                           "barrier_arrive", "barrier id 3", "fence block", "fence system", "atomic add", "atomic exch",
                           "atomic and", "atomic umax", "atomic cas"}) {
    const std::size_t found = text.find(kept, at);
    ASSERT_NE(found, std::string::npos) << kept << " in\n" << text;
    at = found;
  }
}

TEST(GpuKernel, BuilderGivesTheSameText) {
  Builder b("built", ThreadBlock{.threads = 64});
  const ValueId p = b.parameter("p", {Element::ptr, 1});
  const ValueId s = b.shared(256);
  const ValueId thread = b.special(Special::thread);
  EXPECT_EQ(b.special(Special::thread), thread);  // a thread's index does not change
  const ValueId at = b.offset(s, b.mul(thread, b.index(4)));
  b.copy_async(at, p, 4);
  b.commit_copies();
  b.wait_copies(0);
  b.barrier();
  const ValueId lane = b.special(Special::lane, Element::i32);
  const ValueId other =
      b.warp_shuffle(ShuffleMode::by_xor, lane, b.constant({Element::i32, 1}, Scalar::of(std::int64_t{1})));
  const ValueId most = b.warp_vote(Vote::ballot, b.cmp(Predicate::eq, other, lane));
  b.fence(MemoryScope::device);
  b.atomic({AtomicOp::cas, MemoryOrder::acq_rel, MemoryScope::device}, p, lane, most);
  const Kernel kernel = b.finish();
  EXPECT_EQ(codes(verify(kernel)), "");
  EXPECT_EQ(to_text(kernel),
            "kernel built(%p: ptr) gpu threads 64 {\n"
            "  %0 = shared ptr_shared bytes 256\n"
            "  %1 = constant i64 4\n"
            "  %2 = constant i32 1\n"
            "  %3 = special thread i64\n"
            "  %4 = mul i64 %3, %1\n"
            "  %5 = offset ptr_shared %0, %4\n"
            "  copy_async %5, %p bytes 4\n"
            "  commit_copies\n"
            "  wait_copies pending 0\n"
            "  barrier\n"
            "  %6 = special lane i32\n"
            "  %7 = warp_shuffle xor i32 %6, %2\n"
            "  %8 = cmp eq i32 %7, %6\n"
            "  %9 = warp_vote ballot i32 %8\n"
            "  fence device\n"
            "  %10 = atomic cas i32 %p, %6, %9 acq_rel device\n"
            "}\n");
}

struct Case {
  const char* name;
  const char* body;   ///< of a kernel with the values below
  const char* codes;  ///< all that are reported
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class GpuVerify : public testing::TestWithParam<Case> {};

TEST_P(GpuVerify, ReportsExactlyItsCodes) {
  const Kernel kernel =
      read_kernel(std::string("kernel k(%p: ptr, %r: ptr readonly, %n: i64, %c: i1) gpu threads 128 {\n"
                              "  %f = constant f32 1\n"
                              "  %v = constant f32x4 1\n"
                              "  %one = constant i64 1\n"
                              "  %i = constant i32 1\n"
                              "  %s = shared ptr_shared bytes 512\n"
                              "  %thread = special thread i64\n"
                              "  %warp = special warp i64\n"
                              "  %first = cmp eq i64 %thread, %one\n"
                              "  %role = cmp eq i64 %warp, %one\n") +
                  GetParam().body + "}\n");
  const Result<void> result = verify(kernel);
  EXPECT_EQ(codes(result), GetParam().codes) << (result ? "" : render(result.error()));
}

INSTANTIATE_TEST_SUITE_P(
    Types, GpuVerify,
    testing::Values(
        Case{"special_float", "%x = special thread f32", "K013"},
        Case{"shared_pointer", "%x = shared ptr bytes 8", "K013"},
        Case{"shared_empty", "%x = shared ptr_shared bytes 0", "K014"},
        Case{"shared_align", "%x = shared ptr_shared bytes 8 align 96", "K014"},
        Case{"shared_small_align", "%x = shared ptr_shared bytes 8 align 8", "K014"},
        Case{"shared_in_loop", "for %j = %n to %n step %n { %x = shared ptr_shared bytes 8 }", "K019"},
        Case{"shuffle_narrow", "%x = trunc i16 %n %y = warp_shuffle xor i16 %x, %i", "K013"},
        Case{"shuffle_vector", "%y = warp_shuffle xor f32x4 %v, %i", "K013"},
        Case{"shuffle_index", "%y = warp_shuffle xor f32 %f, %n", "K013"},
        Case{"vote_of_int", "%y = warp_vote any i1 %i", "K013"},
        Case{"ballot_to_i1", "%y = warp_vote ballot i1 %c", "K013"},
        Case{"atomic_fmin", "%y = atomic smin f32 %p, %f relaxed device", "K013"},
        Case{"atomic_cas_operands", "%y = atomic cas i64 %p, %n relaxed device", "K011"},
        Case{"atomic_cas_float", "%y = atomic cas f32 %p, %f, %f relaxed device", "K013"},
        Case{"atomic_operands", "%y = atomic add i64 %p, %n, %n relaxed device", "K011"},
        Case{"atomic_value", "%y = atomic add i64 %p, %f relaxed device", "K013"},
        Case{"atomic_shared", "%y = atomic add i64 %s, %n relaxed block", ""},
        Case{"atomic_readonly", "%y = atomic add i64 %r, %n relaxed device", "K017"},
        Case{"copy_to_memory", "copy_async %p, %r bytes 16", "K013"},
        Case{"copy_from_shared", "copy_async %s, %s bytes 16", "K013"},
        Case{"copy_size", "copy_async %s, %r bytes 12", "K014"},
        Case{"copy_zeros", "copy_async %s, %r, %n bytes 8", "K013"},
        Case{"copy_operands", "copy_async %s bytes 8", "K011"}, Case{"wait", "wait_copies pending 8", "K014"},
        Case{"barrier_id", "barrier id 16 threads 64", "K014"}, Case{"barrier_part", "barrier id 1 threads 48", "K014"},
        Case{"barrier_more", "barrier id 1 threads 160", "K014"}, Case{"arrive_of_all", "barrier_arrive", "K014"},
        Case{"mixed_pointers", "%x = select ptr %c, %p, %s", "K013"},
        Case{"offset_changes_memory", "%x = offset ptr %s, %n", "K013"}, Case{"prefetch_shared", "prefetch %s", "K013"},
        Case{"shared_vectors", "%x = load f32x4 %s align 16", ""}, Case{"shared_address", "%x = bitcast i64 %s", ""}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Convergence, GpuVerify,
    testing::Values(
        Case{"by_parameter", "if %c { barrier }", ""}, Case{"by_thread", "if %first { barrier }", "K021"},
        Case{"by_warp", "if %role { barrier }", "K021"},
        Case{"part_by_warp", "if %role { barrier id 1 threads 32 }", ""},
        Case{"part_by_thread", "if %first { barrier id 1 threads 32 }", "K021"},
        Case{"arrive_by_thread", "if %first { barrier_arrive id 1 threads 32 }", "K021"},
        Case{"shuffle_by_warp", "if %role { %x = warp_shuffle xor f32 %f, %i }", ""},
        Case{"shuffle_by_thread", "if %first { } else { %x = warp_shuffle xor f32 %f, %i }", "K021"},
        Case{"vote_by_thread", "if %first { %x = warp_vote any i1 %c }", "K021"},
        Case{"trips_by_thread", "for %j = %thread to %n step %one { barrier }", "K021"},
        Case{"trips_by_block", "%b = special block i64 for %j = %b to %n step %one { barrier }", ""},
        Case{"index_by_thread", "for %j = %thread to %n step %one { %x = cmp eq i64 %j, %n } if %c { barrier }", ""},
        Case{"nested", "for %j = %one to %n step %one { %x = cmp slt i64 %j, %thread if %x { barrier } }", "K021"},
        Case{"carried",
             "%r0 = for %j = %one to %n step %one carry %a = %one { %x = cmp eq i64 %a, %n if %x { barrier } "
             "%y = add i64 %a, %thread yield %y }",
             "K021"},
        Case{"left_at_different_times",
             "%r0 = for %j = %one to %thread step %one carry %a = %one { yield %j } %x = cmp eq i64 %r0, %n "
             "if %x { barrier }",
             "K021"},
        Case{"chosen_by_thread",
             "%x = if %first { yield %one } else { yield %n } %y = cmp eq i64 %x, %n if %y { barrier }", "K021"},
        Case{"read_at_one_address", "%x = load i64 %s align 8 %y = cmp eq i64 %x, %n if %y { barrier }", ""},
        Case{"read_by_thread",
             "%q = offset ptr %p, %thread %x = load i64 %q align 8 %y = cmp eq i64 %x, %n if %y { barrier }", "K021"},
        Case{"read_of_a_local",
             "%l = local ptr bytes 8 store i64 %thread, %l align 8 %x = load i64 %l align 8 %y = cmp eq i64 %x, %n "
             "if %y { barrier }",
             "K021"},
        Case{"atomics_differ", "%x = atomic add i64 %p, %n relaxed device %y = cmp eq i64 %x, %n if %y { barrier }",
             "K021"},
        Case{"votes_agree", "%x = warp_vote any i1 %first if %x { %y = warp_shuffle idx f32 %f, %i }", ""},
        Case{"votes_of_warps", "%x = warp_vote any i1 %first if %x { barrier }", "K021"},
        Case{"broadcast_agrees",
             "%t = trunc i32 %thread %x = warp_shuffle idx i32 %t, %i %y = cmp eq i32 %x, %i "
             "if %y { %z = warp_vote any i1 %c }",
             ""},
        Case{"exchange_differs",
             "%t = trunc i32 %thread %x = warp_shuffle xor i32 %t, %i %y = cmp eq i32 %x, %i "
             "if %y { %z = warp_vote any i1 %c }",
             "K021"}),
    [](const auto& info) { return info.param.name; });

TEST(GpuVerifyKind, GpuOpsNeedAGpuKernel) {
  EXPECT_EQ(codes(verify(read_kernel("kernel k() { barrier }"))), "K020");
  EXPECT_EQ(codes(verify(read_kernel("kernel k() { %x = shared ptr_shared bytes 8 }"))), "K020");
  EXPECT_EQ(codes(verify(read_kernel("kernel k() gpu threads 0 { }"))), "K020");
  EXPECT_EQ(codes(verify(read_kernel("kernel k() gpu threads 1025 { }"))), "K020");
  EXPECT_EQ(codes(verify(read_kernel("kernel k() gpu threads 32 cluster 17 { }"))), "K020");
  EXPECT_EQ(codes(verify(read_kernel("kernel k() gpu threads 32 resident 33 { }"))), "K020");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%p: ptr_shared) gpu threads 32 { }"))), "K018");
  EXPECT_EQ(codes(verify(read_kernel("kernel k(%p: ptr) gpu threads 32 { prefetch %p }"))), "");
}

TEST(GpuParse, NamesTheWordsThatAreLegal) {
  const auto error = [](std::string_view body) {
    return parse_kernel(source_of("kernel k(%p: ptr, %i: i32) gpu threads 32 { " + std::string(body) + " }"))
        .error()[0];
  };
  EXPECT_EQ(error("%x = special warps i32").code, "K005");
  EXPECT_EQ(error("%x = special warps i32").remedy, "one of thread, threads, block, blocks, lane, warp, cluster_block");
  EXPECT_EQ(error("%x = warp_shuffle by_xor i32 %i, %i").remedy, "one of idx, down, up, xor");
  EXPECT_EQ(error("%x = atomic add i32 %p, %i seq_cst device").remedy, "one of relaxed, acquire, release, acq_rel");
  EXPECT_EQ(error("%x = atomic add i32 %p, %i relaxed gpu").remedy, "one of block, cluster, device, system");
  EXPECT_EQ(codes(parse_kernel(source_of("kernel k() gpu { }"))), "X001");
  EXPECT_EQ(codes(parse_kernel(source_of("kernel k() gpu threads 2000000 { }"))), "K005");
}

TEST(GpuInterpret, ReportsThatOneThreadIsNotEnough) {
  const Kernel kernel = read_kernel("kernel k() gpu threads 32 { barrier }");
  EXPECT_EQ(codes(interpret(kernel, {}, {})), "K107");
}

TEST(Uniformity, GivesTheAgreementOfEachValue) {
  const Kernel kernel = read_kernel(
      "kernel k(%p: ptr, %n: i64) gpu threads 64 {\n"
      "  %thread = special thread i64\n"
      "  %warp = special warp i64\n"
      "  %block = special block i64\n"
      "  %a = add i64 %warp, %block\n"
      "  %b = add i64 %a, %thread\n"
      "  %l = local ptr bytes 8\n"
      "}\n");
  const Uniformity uniformity(kernel);
  const auto of = [&](std::size_t op) { return uniformity.of(kernel.body.ops[op].results[0]); };
  EXPECT_EQ(of(0), Agreement::thread);
  EXPECT_EQ(of(1), Agreement::warp);
  EXPECT_EQ(of(2), Agreement::block);
  EXPECT_EQ(of(3), Agreement::warp);
  EXPECT_EQ(of(4), Agreement::thread);
  EXPECT_EQ(of(5), Agreement::thread);
  EXPECT_EQ(uniformity.of(kernel.parameters[0].value), Agreement::block);
}

}  // namespace
}  // namespace tilewright::kernel
