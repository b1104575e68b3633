// rowsum[i] ++= a[i, j] do:
//   example: a = f32 2x3
//   example: a = f32 4096x4096
//   example: a = f32 4099x3001
//
// a: f32, rank 2
// rowsum: f32, rank 1 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 4 bytes, axis 1 one element
//   rowsum: at a multiple of 16 bytes; strides: axis 0 one element
//   rowsum: shares memory with no operand; no two of its elements are one
//
// form: reduction; an output a thread
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct rowsum_sizes {
  long begin;            // the launch's first group
  long a_extent0;        // a.0
  long a_extent1;        // a.1
  long a_stride0_bytes;  // a.s0 * 4 bytes
  long n4;               // ceil(a.0 / 2)
};

[[kernel, max_total_threads_per_threadgroup(2)]]
void rowsum(device const float* a [[buffer(0)]],
            device float* rowsum [[buffer(1)]],
            constant rowsum_sizes& sizes [[buffer(2)]],
            uint group [[threadgroup_position_in_grid]],
            uint thread_index [[thread_index_in_threadgroup]]) {
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const long v0 = long(thread_index);
  device const float* a0 = a + v0 * a_stride0;
  device float* rowsum0 = rowsum + v0;
  const long v1 = (sizes.begin + long(group)) * 2;
  const long v2 = v1 + 2;
  if (v2 <= sizes.a_extent0) {
    device const float* a1 = a0 + v1 * a_stride0;
    float sum0 = 0.0f;
    for (long i0 = 0; i0 < sizes.a_extent1; i0 += 1) {
      const float a_v0 = a1[i0];
      sum0 = sum0 + a_v0;
    }
    rowsum0[v1] = sum0;
  } else {
    device const float* a2 = a0 + v1 * a_stride0;
    device float* rowsum1 = rowsum0 + v1;
    const bool is0 = v1 + v0 < min(v2, sizes.a_extent0);
    float sum1 = 0.0f;
    for (long i1 = 0; i1 < sizes.a_extent1; i1 += 1) {
      const float a_v1 = is0 ? a2[i1] : 0.0f;
      sum1 = sum1 + a_v1;
    }
    if (is0) {
      rowsum1[0] = sum1;
    }
  }
}
