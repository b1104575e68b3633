// matvec[i] ++= a[i, k] * x[k] do:
//   example: a = f32 64x64, x = f32 64
//   example: a = f32 4096x4096, x = f32 4096
//   example: a = f32 4099x3001, x = f32 3001
//
// a: f32, rank 2
// x: f32, rank 1
// matvec: f32, rank 1 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   x: at a multiple of 16 bytes; strides: axis 0 one element
//   matvec: at a multiple of 16 bytes; strides: axis 0 one element
//   matvec: shares memory with no operand; no two of its elements are one
//
// form: reduction; threads share the terms along k, 4 each a step
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct matvec_sizes {
  long begin;            // the launch's first group
  long a_extent0;        // a.0
  long a_extent1;        // a.1
  long a_stride0_bytes;  // a.s0 * 4 bytes
  long n4;               // ceil(a.0 / 16)
};

[[kernel, max_total_threads_per_threadgroup(256)]]
void matvec(device const float* a [[buffer(0)]],
            device const float* x [[buffer(1)]],
            device float* matvec [[buffer(2)]],
            constant matvec_sizes& sizes [[buffer(3)]],
            uint group [[threadgroup_position_in_grid]],
            uint thread_index [[thread_index_in_threadgroup]]) {
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const uint v0 = thread_index % 16u;
  const long v1 = long(v0) * 4;
  const long v2 = long(thread_index / 16u);
  device const float* a0 = a + v2 * a_stride0 + v1;
  device const float* x0 = x + v1;
  device float* matvec0 = matvec + v2;
  const long v3 = (sizes.begin + long(group)) * 16;
  const long v4 = v3 + 16;
  if (v4 <= sizes.a_extent0) {
    device const float* a1 = a0 + v3 * a_stride0;
    device float* matvec1 = matvec0 + v3;
    const long v5 = sizes.a_extent1 / 64 * 64;
    float4 sum0 = float4(0.0f);
    for (long i0 = 0; i0 < v5; i0 += 64) {
      const float4 a_v0 = *(device const float4*)(a1 + i0);
      const float4 x_v0 = *(device const float4*)(x0 + i0);
      const float v6 = fma(a_v0.x, x_v0.x, sum0.x);
      const float v7 = fma(a_v0.y, x_v0.y, sum0.y);
      const float v8 = fma(a_v0.z, x_v0.z, sum0.z);
      const float v9 = fma(a_v0.w, x_v0.w, sum0.w);
      sum0 = float4(v6, v7, v8, v9);
    }
    float4 v10;
    if (v5 < sizes.a_extent1) {
      const bool4 is0 = int4(0, 1, 2, 3) < int4(int(max(min(sizes.a_extent1 - (v5 + v1), 4L), 0L)));
      const float4 a_v1 = float4(is0.x ? a1[v5] : 0.0f, is0.y ? a1[v5 + 1] : 0.0f, is0.z ? a1[v5 + 2] : 0.0f, is0.w ? a1[v5 + 3] : 0.0f);
      const float4 v11 = select(float4(0.0f), a_v1, is0);
      const float4 x_v1 = float4(is0.x ? x0[v5] : 0.0f, is0.y ? x0[v5 + 1] : 0.0f, is0.z ? x0[v5 + 2] : 0.0f, is0.w ? x0[v5 + 3] : 0.0f);
      const float4 v12 = select(float4(0.0f), x_v1, is0);
      const float v13 = fma(v11.x, v12.x, sum0.x);
      const float v14 = fma(v11.y, v12.y, sum0.y);
      const float v15 = fma(v11.z, v12.z, sum0.z);
      const float v16 = fma(v11.w, v12.w, sum0.w);
      v10 = float4(v13, v14, v15, v16);
    } else {
      v10 = sum0;
    }
    const float2 v17 = float2(v10.x, v10.y) + float2(v10.z, v10.w);
    const float v18 = v17.x + v17.y;
    const float other0 = simd_shuffle_xor(v18, 1);
    const float v19 = v18 + other0;
    const float other1 = simd_shuffle_xor(v19, 2);
    const float v20 = v19 + other1;
    const float other2 = simd_shuffle_xor(v20, 4);
    const float v21 = v20 + other2;
    const float other3 = simd_shuffle_xor(v21, 8);
    const float v22 = v21 + other3;
    if (v0 == 0u) {
      matvec1[0] = v22;
    }
  } else {
    device const float* a2 = a0 + v3 * a_stride0;
    device float* matvec2 = matvec0 + v3;
    const long v23 = sizes.a_extent1 / 64 * 64;
    const bool is1 = v3 + v2 < min(v4, sizes.a_extent0);
    const bool4 v24 = bool4(is1);
    float4 sum1 = float4(0.0f);
    for (long i1 = 0; i1 < v23; i1 += 64) {
      const float4 a_v2 = float4(v24.x ? a2[i1] : 0.0f, v24.y ? a2[i1 + 1] : 0.0f, v24.z ? a2[i1 + 2] : 0.0f, v24.w ? a2[i1 + 3] : 0.0f);
      const float4 x_v2 = *(device const float4*)(x0 + i1);
      const float v25 = fma(a_v2.x, x_v2.x, sum1.x);
      const float v26 = fma(a_v2.y, x_v2.y, sum1.y);
      const float v27 = fma(a_v2.z, x_v2.z, sum1.z);
      const float v28 = fma(a_v2.w, x_v2.w, sum1.w);
      sum1 = float4(v25, v26, v27, v28);
    }
    float4 v29;
    if (v23 < sizes.a_extent1) {
      const bool4 is2 = int4(0, 1, 2, 3) < int4(int(max(min(sizes.a_extent1 - (v23 + v1), 4L), 0L)));
      const bool4 v30 = is2 && v24;
      const float4 a_v3 = float4(v30.x ? a2[v23] : 0.0f, v30.y ? a2[v23 + 1] : 0.0f, v30.z ? a2[v23 + 2] : 0.0f, v30.w ? a2[v23 + 3] : 0.0f);
      const float4 v31 = select(float4(0.0f), a_v3, is2);
      const float4 x_v3 = float4(is2.x ? x0[v23] : 0.0f, is2.y ? x0[v23 + 1] : 0.0f, is2.z ? x0[v23 + 2] : 0.0f, is2.w ? x0[v23 + 3] : 0.0f);
      const float4 v32 = select(float4(0.0f), x_v3, is2);
      const float v33 = fma(v31.x, v32.x, sum1.x);
      const float v34 = fma(v31.y, v32.y, sum1.y);
      const float v35 = fma(v31.z, v32.z, sum1.z);
      const float v36 = fma(v31.w, v32.w, sum1.w);
      v29 = float4(v33, v34, v35, v36);
    } else {
      v29 = sum1;
    }
    const float2 v37 = float2(v29.x, v29.y) + float2(v29.z, v29.w);
    const float v38 = v37.x + v37.y;
    const float other4 = simd_shuffle_xor(v38, 1);
    const float v39 = v38 + other4;
    const float other5 = simd_shuffle_xor(v39, 2);
    const float v40 = v39 + other5;
    const float other6 = simd_shuffle_xor(v40, 4);
    const float v41 = v40 + other6;
    const float other7 = simd_shuffle_xor(v41, 8);
    const float v42 = v41 + other7;
    if (is1 && v0 == 0u) {
      matvec2[0] = v42;
    }
  }
}
