// hadamard[i, j] = a[i, j] * b[i, j] do:
//   example: a = f32 2x3, b = f32 2x3
//   example: a = f32 4096x4096, b = f32 4096x4096
//   example: a = f32 4099x3001, b = f32 4099x3001
//
// a: f32, rank 2, as rank 1: dense axes are one
// b: f32, rank 2, as rank 1: dense axes are one
// hadamard: f32, rank 2, as rank 1: dense axes are one (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axes 0, 1 (dense: each stride is the next one's times its extent) one element
//   b: at a multiple of 16 bytes; strides: axes 0, 1 (dense: each stride is the next one's times its extent) one element
//   hadamard: at a multiple of 16 bytes; strides: axes 0, 1 (dense: each stride is the next one's times its extent) one element
//   hadamard: shares memory with no operand; no two of its elements are one
//
// form: elementwise; threads along ij, 4 points each
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct hadamard_sizes {
  long begin;      // the launch's first group
  long b_extent0;  // b.0
  long n2;         // ceil(b.0 / 8)
};

[[kernel, max_total_threads_per_threadgroup(2)]]
void hadamard(device const float* a [[buffer(0)]],
              device const float* b [[buffer(1)]],
              device float* hadamard [[buffer(2)]],
              constant hadamard_sizes& sizes [[buffer(3)]],
              uint group [[threadgroup_position_in_grid]],
              uint thread_index [[thread_index_in_threadgroup]]) {
  const long v0 = long(thread_index) * 4;
  device const float* a0 = a + v0;
  device const float* b0 = b + v0;
  device float* hadamard0 = hadamard + v0;
  const long v1 = (sizes.begin + long(group)) * 8;
  const long v2 = v1 + 8;
  if (v2 <= sizes.b_extent0) {
    const float4 a_v0 = *(device const float4*)(a0 + v1);
    const float4 b_v0 = *(device const float4*)(b0 + v1);
    *(device float4*)(hadamard0 + v1) = a_v0 * b_v0;
  } else {
    const int4 v3 = int4(int(max(min(min(v2, sizes.b_extent0) - (v1 + v0), 4L), 0L)));
    const bool4 is0 = int4(0, 1, 2, 3) < v3;
    const float4 a_v1 = float4(is0.x ? a0[v1] : 0.0f, is0.y ? a0[v1 + 1] : 0.0f, is0.z ? a0[v1 + 2] : 0.0f, is0.w ? a0[v1 + 3] : 0.0f);
    const float4 b_v1 = float4(is0.x ? b0[v1] : 0.0f, is0.y ? b0[v1 + 1] : 0.0f, is0.z ? b0[v1 + 2] : 0.0f, is0.w ? b0[v1 + 3] : 0.0f);
    const float4 v4 = a_v1 * b_v1;
    if (is0.x) hadamard0[v1] = v4.x;
    if (is0.y) hadamard0[v1 + 1] = v4.y;
    if (is0.z) hadamard0[v1 + 2] = v4.z;
    if (is0.w) hadamard0[v1 + 3] = v4.w;
  }
}
