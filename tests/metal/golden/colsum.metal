// colsum[j] ++= a[i, j] do:
//   example: a = f32 2x3
//   example: a = f32 4096x4096
//   example: a = f32 4099x3001
//
// a: f32, rank 2
// colsum: f32, rank 1 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 4 bytes, axis 1 one element
//   colsum: at a multiple of 16 bytes; strides: axis 0 one element
//   colsum: shares memory with no operand; no two of its elements are one
//
// form: column reduction; threads along j
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct colsum_sizes {
  long begin;            // the launch's first group
  long a_extent1;        // a.1
  long a_extent0;        // a.0
  long n3;               // ceil(a.1 / 4)
  long a_stride0_bytes;  // a.s0 * 4 bytes
};

[[kernel, max_total_threads_per_threadgroup(4)]]
void colsum(device const float* a [[buffer(0)]],
            device float* colsum [[buffer(1)]],
            constant colsum_sizes& sizes [[buffer(2)]],
            uint group [[threadgroup_position_in_grid]],
            uint thread_index [[thread_index_in_threadgroup]]) {
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const long v0 = long(thread_index);
  device const float* a0 = a + v0;
  device float* colsum0 = colsum + v0;
  const long v1 = (sizes.begin + long(group)) * 4;
  const long v2 = v1 + 4;
  if (v2 <= sizes.a_extent1) {
    device const float* a1 = a0 + v1;
    const long v3 = sizes.a_extent0 / 2 * 2;
    float sum0 = 0.0f;
    for (long i0 = 0; i0 < v3; i0 += 2) {
      device const float* a2 = a1 + i0 * a_stride0;
      const float a_v0 = a2[0];
      const float a_v1 = a2[a_stride0];
      sum0 = sum0 + (a_v0 + a_v1);
    }
    const bool is0 = v3 < sizes.a_extent0;
    float v4;
    if (is0) {
      device const float* a3 = a1 + v3 * a_stride0;
      const float a_v2 = is0 ? a3[0] : 0.0f;
      const bool is1 = v3 + 1 < sizes.a_extent0;
      const float a_v3 = is1 ? a3[a_stride0] : 0.0f;
      v4 = sum0 + ((is0 ? a_v2 : 0.0f) + (is1 ? a_v3 : 0.0f));
    } else {
      v4 = sum0;
    }
    colsum0[v1] = v4;
  } else {
    device const float* a4 = a0 + v1;
    device float* colsum1 = colsum0 + v1;
    const long v5 = sizes.a_extent0 / 2 * 2;
    const bool is2 = v1 + v0 < min(v2, sizes.a_extent1);
    float sum1 = 0.0f;
    for (long i1 = 0; i1 < v5; i1 += 2) {
      device const float* a5 = a4 + i1 * a_stride0;
      const float a_v4 = is2 ? a5[0] : 0.0f;
      const float a_v5 = is2 ? a5[a_stride0] : 0.0f;
      sum1 = sum1 + (a_v4 + a_v5);
    }
    const bool is3 = v5 < sizes.a_extent0;
    float v6;
    if (is3) {
      device const float* a6 = a4 + v5 * a_stride0;
      const bool v7 = is3 && is2;
      const float a_v6 = v7 ? a6[0] : 0.0f;
      const bool is4 = v5 + 1 < sizes.a_extent0;
      const bool v8 = is4 && is2;
      const float a_v7 = v8 ? a6[a_stride0] : 0.0f;
      v6 = sum1 + ((is3 ? a_v6 : 0.0f) + (is4 ? a_v7 : 0.0f));
    } else {
      v6 = sum1;
    }
    if (is2) {
      colsum1[0] = v6;
    }
  }
}
