// dot[] ++= x[i] * y[i] do:
//   example: x = f32 64, y = f32 64
//   example: x = f32 16777216, y = f32 16777216
//   example: x = f32 10000019, y = f32 10000019
//
// x: f32, rank 1
// y: f32, rank 1
// dot: f32, rank 0 (result)
//
// assumes
//   x: at a multiple of 16 bytes; strides: axis 0 one element
//   y: at a multiple of 16 bytes; strides: axis 0 one element
//   dot: at a multiple of 16 bytes
//   dot: shares memory with no operand; no two of its elements are one
//
// form: reduction; threads share the terms along i, 4 each a step
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct dot_sizes {
  long begin;      // the launch's first group
  long x_extent0;  // x.0
};

[[kernel, max_total_threads_per_threadgroup(16)]]
void dot_(device const float* x [[buffer(0)]],
          device const float* y [[buffer(1)]],
          device float* dot_ [[buffer(2)]],
          constant dot_sizes& sizes [[buffer(3)]],
          uint thread_index [[thread_index_in_threadgroup]]) {
  alignas(16) threadgroup float staged[16];
  const long v0 = long(thread_index);
  const long v1 = v0 * 4;
  device const float* x0 = x + v1;
  device const float* y0 = y + v1;
  const long v2 = sizes.x_extent0 / 64 * 64;
  float4 sum0 = float4(0.0f);
  for (long i0 = 0; i0 < v2; i0 += 64) {
    const float4 x_v0 = *(device const float4*)(x0 + i0);
    const float4 y_v0 = *(device const float4*)(y0 + i0);
    const float v3 = fma(x_v0.x, y_v0.x, sum0.x);
    const float v4 = fma(x_v0.y, y_v0.y, sum0.y);
    const float v5 = fma(x_v0.z, y_v0.z, sum0.z);
    const float v6 = fma(x_v0.w, y_v0.w, sum0.w);
    sum0 = float4(v3, v4, v5, v6);
  }
  float4 v7;
  if (v2 < sizes.x_extent0) {
    const bool4 is0 = int4(0, 1, 2, 3) < int4(int(max(min(sizes.x_extent0 - (v2 + v1), 4L), 0L)));
    const float4 x_v1 = float4(is0.x ? x0[v2] : 0.0f, is0.y ? x0[v2 + 1] : 0.0f, is0.z ? x0[v2 + 2] : 0.0f, is0.w ? x0[v2 + 3] : 0.0f);
    const float4 v8 = select(float4(0.0f), x_v1, is0);
    const float4 y_v1 = float4(is0.x ? y0[v2] : 0.0f, is0.y ? y0[v2 + 1] : 0.0f, is0.z ? y0[v2 + 2] : 0.0f, is0.w ? y0[v2 + 3] : 0.0f);
    const float4 v9 = select(float4(0.0f), y_v1, is0);
    const float v10 = fma(v8.x, v9.x, sum0.x);
    const float v11 = fma(v8.y, v9.y, sum0.y);
    const float v12 = fma(v8.z, v9.z, sum0.z);
    const float v13 = fma(v8.w, v9.w, sum0.w);
    v7 = float4(v10, v11, v12, v13);
  } else {
    v7 = sum0;
  }
  const float2 v14 = float2(v7.x, v7.y) + float2(v7.z, v7.w);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  staged[v0] = v14.x + v14.y;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup float* at0 = staged + long(thread_index - thread_index % 16u);
  const float v15 = at0[0];
  const float v16 = at0[1];
  const float v17 = at0[2];
  const float v18 = at0[3];
  const float v19 = at0[4];
  const float v20 = at0[5];
  const float v21 = at0[6];
  const float v22 = at0[7];
  const float v23 = at0[8];
  const float v24 = at0[9];
  const float v25 = at0[10];
  const float v26 = at0[11];
  const float v27 = at0[12];
  const float v28 = at0[13];
  const float v29 = at0[14];
  const float v30 = at0[15];
  const float v31 = v15 + v16 + (v17 + v18) + (v19 + v20 + (v21 + v22)) + (v23 + v24 + (v25 + v26) + (v27 + v28 + (v29 + v30)));
  if (thread_index == 0u) {
    dot_[0] = v31;
  }
}
