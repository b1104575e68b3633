// total[] ++= a[i, j] do:
//   example: a = f32 2x3
//   example: a = f32 4096x4096
//   example: a = f32 4099x3001
//
// a: f32, rank 2, as rank 1: dense axes are one
// total: f32, rank 0 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axes 0, 1 (dense: each stride is the next one's times its extent) one element
//   total: at a multiple of 16 bytes
//   total: shares memory with no operand; no two of its elements are one
//
// form: reduction; an output a thread
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct total_sizes {
  long begin;      // the launch's first group
  long a_extent0;  // a.0
};

[[kernel, max_total_threads_per_threadgroup(1)]]
void total(device const float* a [[buffer(0)]],
           device float* total [[buffer(1)]],
           constant total_sizes& sizes [[buffer(2)]]) {
  float sum0 = 0.0f;
  for (long i0 = 0; i0 < sizes.a_extent0; i0 += 1) {
    const float a_v0 = a[i0];
    sum0 = sum0 + a_v0;
  }
  total[0] = sum0;
}
