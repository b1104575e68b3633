// outer[i, j] = x[i] * y[j] do:
//   example: x = f32 3, y = f32 4
//   example: x = f32 4096, y = f32 4096
//   example: x = f32 4099, y = f32 3001
//
// x: f32, rank 1
// y: f32, rank 1
// outer: f32, rank 2 (result)
//
// assumes
//   x: at a multiple of 16 bytes; strides: axis 0 one element
//   y: at a multiple of 16 bytes; strides: axis 0 one element
//   outer: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   outer: shares memory with no operand; no two of its elements are one
//   launches of outer: at most 2147483647 threadgroups in all
//
// form: elementwise; threads along j, 4 points each
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct outer_sizes {
  long begin;                // the launch's first group
  long x_extent0;            // x.0
  long y_extent0;            // y.0
  long outer_stride0_bytes;  // outer.s0 * 4 bytes
  long n4;                   // ceil(y.0 / 4)
  long n5;                   // ceil(x.0 / 4)
};

[[kernel, max_total_threads_per_threadgroup(4)]]
void outer(device const float* x [[buffer(0)]],
           device const float* y [[buffer(1)]],
           device float* outer [[buffer(2)]],
           constant outer_sizes& sizes [[buffer(3)]],
           uint group [[threadgroup_position_in_grid]],
           uint thread_index [[thread_index_in_threadgroup]]) {
  const long outer_stride0 = sizes.outer_stride0_bytes / 4;
  const long v0 = long(thread_index);
  device const float* x0 = x + v0;
  device float* outer0 = outer + v0 * outer_stride0;
  const int v1 = int(sizes.begin + long(group));
  const int v2 = int(sizes.n4);
  const long v3 = long(uint(v1) / uint(v2)) * 4;
  const long v4 = long(uint(v1) % uint(v2)) * 4;
  const long v5 = v3 + 4;
  const long v6 = v4 + 4;
  if (v5 <= sizes.x_extent0 && v6 <= sizes.y_extent0) {
    const float x_v0 = x0[v3];
    const float4 y_v0 = *(device const float4*)(y + v4);
    *(device float4*)(outer0 + v3 * outer_stride0 + v4) = float4(x_v0) * y_v0;
  } else {
    device float* outer1 = outer0 + v3 * outer_stride0 + v4;
    const bool is0 = v3 + v0 < min(v5, sizes.x_extent0);
    const float x_v1 = is0 ? x0[v3] : 0.0f;
    const bool4 is1 = int4(0, 1, 2, 3) < int4(int(max(min(min(v6, sizes.y_extent0) - v4, 4L), 0L)));
    const float4 y_v1 = float4(is1.x ? y[v4] : 0.0f, is1.y ? y[v4 + 1] : 0.0f, is1.z ? y[v4 + 2] : 0.0f, is1.w ? y[v4 + 3] : 0.0f);
    const float4 v7 = float4(x_v1) * y_v1;
    if (is0) {
      if (is1.x) outer1[0] = v7.x;
      if (is1.y) outer1[1] = v7.y;
      if (is1.z) outer1[2] = v7.z;
      if (is1.w) outer1[3] = v7.w;
    }
  }
}
