// See cuda_kernels.h.
#include "cuda_kernels.h"

#include <fmt/format.h>

namespace tilewright::cuda::kernels {
namespace {

/// The element's number in %r1, its byte offset of 4 bytes each in %rd1; leaves where it is `count` or more.
constexpr const char* element_number = R"(
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r1, %r2, %r3, %r4;
  ld.param.u32 %r5, [count];
  setp.ge.u32 %p1, %r1, %r5;
  @%p1 ret;
)";

constexpr const char* registers = R"(
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  .reg .f32 %f<8>;
)";

std::string add(const char* name, const char* prologue) {
  return fmt::format(R"(
.visible .entry {0}(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 count)
{{{1}{2}{3}
  mul.wide.u32 %rd1, %r1, 4;
  ld.param.u64 %rd2, [a];
  ld.param.u64 %rd3, [b];
  ld.param.u64 %rd4, [c];
  add.u64 %rd5, %rd2, %rd1;
  add.u64 %rd6, %rd3, %rd1;
  add.u64 %rd7, %rd4, %rd1;
  ld.global.f32 %f1, [%rd5];
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%rd7], %f3;
  ret;
}}
)",
                     name, registers, element_number, prologue);
}

std::string copy() {
  return fmt::format(R"(
.visible .entry copy(.param .u64 from, .param .u64 to, .param .u32 count)
{{{0}{1}
  mul.wide.u32 %rd1, %r1, 16;
  ld.param.u64 %rd2, [from];
  ld.param.u64 %rd3, [to];
  add.u64 %rd4, %rd2, %rd1;
  add.u64 %rd5, %rd3, %rd1;
  ld.global.v4.u32 {{%r6, %r7, %r8, %r9}}, [%rd4];
  st.global.v4.u32 [%rd5], {{%r6, %r7, %r8, %r9}};
  ret;
}}
)",
                     registers, element_number);
}

/// 1024 threads; thread t moves words t, t + 1024, … of 25600.
std::string reverse() {
  return fmt::format(R"(
.extern .shared .align 16 .b8 words[];
.visible .entry reverse(.param .u64 from, .param .u64 to)
{{{0}
  ld.param.u64 %rd2, [from];
  ld.param.u64 %rd3, [to];
  mov.u32 %r2, words;
  mov.u32 %r1, %tid.x;
fill:
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd4, %rd2, %rd1;
  ld.global.u32 %r6, [%rd4];
  mad.lo.u32 %r3, %r1, 4, %r2;
  st.shared.u32 [%r3], %r6;
  add.u32 %r1, %r1, 1024;
  setp.lt.u32 %p1, %r1, 25600;
  @%p1 bra fill;
  bar.sync 0;
  mov.u32 %r1, %tid.x;
drain:
  sub.u32 %r4, 25599, %r1;
  mad.lo.u32 %r3, %r4, 4, %r2;
  ld.shared.u32 %r6, [%r3];
  mul.wide.u32 %rd1, %r1, 4;
  add.u64 %rd4, %rd3, %rd1;
  st.global.u32 [%rd4], %r6;
  add.u32 %r1, %r1, 1024;
  setp.lt.u32 %p1, %r1, 25600;
  @%p1 bra drain;
  ret;
}}
)",
                     registers);
}

std::string fault() {
  return fmt::format(R"(
.visible .entry fault(.param .u64 address)
{{{0}
  ld.param.u64 %rd1, [address];
  st.global.u32 [%rd1], 1;
  ret;
}}
)",
                     registers);
}

/// 64 values loaded, then used in the reverse order across a barrier: all live at once.
std::string spills() {
  std::string text =
      "\n.visible .entry spills(.param .u64 from, .param .u64 to)\n{\n  .reg .b64 %rd<4>;\n  .reg .f32 %v<65>;\n";
  text += "  ld.param.u64 %rd1, [from];\n  ld.param.u64 %rd2, [to];\n";
  for (int n = 0; n < 64; ++n) text += fmt::format("  ld.volatile.global.f32 %v{}, [%rd1+{}];\n", n, 4 * n);
  text += "  bar.sync 0;\n";
  for (int n = 63; n >= 0; --n) text += fmt::format("  st.volatile.global.f32 [%rd2+{}], %v{};\n", 4 * (63 - n), n);
  return text + "  ret;\n}\n";
}

/// Launched with one thread a block in clusters of two.
std::string neighbour() {
  return fmt::format(R"(
.visible .entry neighbour(.param .u64 to)
{{{0}
  .shared .align 4 .u32 mine;
  mov.u32 %r1, %ctaid.x;
  add.u32 %r2, %r1, 1000;
  st.shared.u32 [mine], %r2;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r3, %cluster_ctarank;
  xor.b32 %r3, %r3, 1;
  mov.u32 %r4, mine;
  mapa.shared::cluster.u32 %r5, %r4, %r3;
  ld.shared::cluster.u32 %r6, [%r5];
  ld.param.u64 %rd1, [to];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  barrier.cluster.arrive.aligned;
  barrier.cluster.wait.aligned;
  ret;
}}
)",
                     registers);
}

/// 32 threads; the first asks for the box at column x and row y.
std::string load_box() {
  return fmt::format(R"(
.visible .entry load_box(.param .align 64 .b8 map[128], .param .u64 to, .param .u32 x, .param .u32 y)
{{{0}
  .shared .align 128 .b8 box[1024];
  .shared .align 8 .b64 arrived;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, box;
  mov.u32 %r3, arrived;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra wait;
  mbarrier.init.shared::cta.b64 [%r3], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 %rd9, [%r3], 1024;
  mov.b64 %rd1, map;
  cvta.param.u64 %rd2, %rd1;
  ld.param.u32 %r4, [x];
  ld.param.u32 %r5, [y];
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd2, {{%r4, %r5}}], [%r3];
wait:
  bar.sync 0;
again:
  mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
  @!%p2 bra again;
  ld.param.u64 %rd3, [to];
store:
  mad.lo.u32 %r6, %r1, 4, %r2;
  ld.shared.u32 %r7, [%r6];
  mul.wide.u32 %rd4, %r1, 4;
  add.u64 %rd5, %rd3, %rd4;
  st.global.u32 [%rd5], %r7;
  add.u32 %r1, %r1, 32;
  setp.lt.u32 %p3, %r1, 256;
  @%p3 bra store;
  ret;
}}
)",
                     registers);
}

}  // namespace

std::string any_device() {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + add("add", "") + copy() + reverse() + fault() + spills();
}

std::string hopper() {
  return ".version 8.0\n.target sm_90\n.address_size 64\n" + neighbour() +
         add("add_after", "  griddepcontrol.wait;\n") + load_box();
}

}  // namespace tilewright::cuda::kernels
