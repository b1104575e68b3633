// xpose_untiled[j, i] = a[i, j] do:
//   example: a = f32 2x3
//   example: a = f32 4096x4096
//   example: a = f32 4099x3001
//
// a: f32, rank 2
// xpose_untiled: f32, rank 2 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 4 bytes, axis 1 one element
//   xpose_untiled: at a multiple of 16 bytes; strides: axis 0 any multiple of 8 bytes, axis 1 one element
//   xpose_untiled: shares memory with no operand; no two of its elements are one
//   launches of xpose_untiled: at most 2147483647 threadgroups in all
//
// form: elementwise; threads along i, 2 points each
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct xpose_untiled_sizes {
  long begin;                        // the launch's first group
  long a_extent1;                    // a.1
  long a_extent0;                    // a.0
  long xpose_untiled_stride0_bytes;  // xpose_untiled.s0 * 4 bytes
  long n4;                           // ceil(a.0 / 2)
  long n5;                           // ceil(a.1 / 4)
  long a_stride0_bytes;              // a.s0 * 4 bytes
};

[[kernel, max_total_threads_per_threadgroup(4)]]
void xpose_untiled(device const float* a [[buffer(0)]],
                   device float* xpose_untiled [[buffer(1)]],
                   constant xpose_untiled_sizes& sizes [[buffer(2)]],
                   uint group [[threadgroup_position_in_grid]],
                   uint thread_index [[thread_index_in_threadgroup]]) {
  const long xpose_untiled_stride0 = sizes.xpose_untiled_stride0_bytes / 4;
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const long v0 = long(thread_index);
  device const float* a0 = a + v0;
  device float* xpose_untiled0 = xpose_untiled + v0 * xpose_untiled_stride0;
  const int v1 = int(sizes.begin + long(group));
  const int v2 = int(sizes.n4);
  const long v3 = long(uint(v1) / uint(v2)) * 4;
  const long v4 = long(uint(v1) % uint(v2)) * 2;
  const long v5 = v3 + 4;
  const long v6 = v4 + 2;
  if (v5 <= sizes.a_extent1 && v6 <= sizes.a_extent0) {
    const long2 v7 = long2(0, 1) * long2(sizes.a_stride0_bytes);
    const float a_v0 = *(device const float*)((device const char*)(a0 + v3 + v4 * a_stride0) + v7.x);
    const float a_v1 = *(device const float*)((device const char*)(a0 + v3 + v4 * a_stride0) + v7.y);
    *(device float2*)(xpose_untiled0 + v3 * xpose_untiled_stride0 + v4) = float2(a_v0, a_v1);
  } else {
    device float* xpose_untiled1 = xpose_untiled0 + v3 * xpose_untiled_stride0 + v4;
    const bool2 is0 = int2(0, 1) < int2(int(max(min(min(v6, sizes.a_extent0) - v4, 2L), 0L)));
    const bool is1 = v3 + v0 < min(v5, sizes.a_extent1);
    const long2 v8 = long2(0, 1) * long2(sizes.a_stride0_bytes);
    const bool2 v9 = is0 && bool2(is1);
    const float a_v2 = v9.x ? *(device const float*)((device const char*)(a0 + v3 + v4 * a_stride0) + v8.x) : 0.0f;
    const float a_v3 = v9.y ? *(device const float*)((device const char*)(a0 + v3 + v4 * a_stride0) + v8.y) : 0.0f;
    if (is1) {
      if (is0.x) xpose_untiled1[0] = a_v2;
      if (is0.y) xpose_untiled1[1] = a_v3;
    }
  }
}
