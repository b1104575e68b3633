// product[i, j] ++= a[i, k] * b[k, j] do:
//   example: a = f32 64x64, b = f32 64x32
//   schedule:
//     tile(i, 16)
//     tile(j, 16)
//     variant = simdgroup
//
// a: f32, rank 2
// b: f32, rank 2
// product: f32, rank 2 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   b: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   product: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   product: shares memory with no operand; no two of its elements are one
//   launches of product: at most 2147483647 threadgroups in all
//
// form: contraction by matrix units of 2 by 2 warps; 16 rows by 16 columns a block of 128 threads, 32 terms of f32 a stage
// estimate: 5212 cycles; by tiles of 16 x 16 by 2 x 1 warps 1.00 times that, 16 x 16 by 1 x 1 warps 1.00 times that, 16 x 16 by 2 x 2 warps in 2 parts 1.60 times that
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

// Of a simdgroup's matrices of 8 x 8: a thread has two neighbours of a row of each.
inline float2 matrix_product(float2 a, float2 b, float2 c) {
  simdgroup_float8x8 left, right, sum;
  reinterpret_cast<thread float2&>(left.thread_elements()) = a;
  reinterpret_cast<thread float2&>(right.thread_elements()) = b;
  reinterpret_cast<thread float2&>(sum.thread_elements()) = c;
  simdgroup_multiply_accumulate(sum, left, right, sum);
  return reinterpret_cast<thread float2&>(sum.thread_elements());
}

struct product_sizes {
  long begin;                  // the launch's first group
  long a_extent0;              // a.0
  long b_extent1;              // b.1
  long a_extent1;              // a.1
  long product_stride0_bytes;  // product.s0 * 4 bytes
  long n5;                     // ceil(b.1 / 16) * 8
  long n6;                     // ceil(a.0 / 16)
  long a_stride0_bytes;        // a.s0 * 4
  long b_stride0_bytes;        // b.s0 * 4
};

[[kernel, max_total_threads_per_threadgroup(128)]]
void product(device const float* a [[buffer(0)]],
             device const float* b [[buffer(1)]],
             device float* product [[buffer(2)]],
             constant product_sizes& sizes [[buffer(3)]],
             uint group [[threadgroup_position_in_grid]],
             uint thread_index [[thread_index_in_threadgroup]]) {
  const long product_stride0 = sizes.product_stride0_bytes / 4;
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const long b_stride0 = sizes.b_stride0_bytes / 4;
  alignas(16) threadgroup float staged[640];
  alignas(16) threadgroup float staged0[1280];
  const uint v0 = thread_index / 2u;
  const uint v1 = v0 / 4u;
  const uint v2 = v1 / 2u;
  const uint v3 = v2 / 2u;
  const long v4 = long(thread_index % 2u) * 2 + long(v1 % 2u) * 4 + long(v3 % 2u) * 8;
  const long v5 = long(v0 % 4u) + long(v2 % 2u) * 4 + long(v3 / 2u) * 8;
  const long v6 = long(thread_index);
  const ulong v7 = ((ulong(v6) >> 4) & 1u) * 4u + ((ulong(v6) >> 1) & 3u);
  const ulong v8 = ((ulong(v6) >> 3) & 1u) * 4u + ulong((v6 & 1) * 2);
  const ulong v9 = ulong(v6 / 64 % 2 * 8) + v7;
  const ulong v10 = ulong(v6 / 32 % 2 * 8) + v8;
  device float* product0 = product + v5 * product_stride0 + v4;
  const int v11 = int(sizes.begin + long(group));
  const int v12 = int(min(sizes.n5, 2147483647L));
  const uint v13 = uint(v11) / uint(v12) * 8u;
  const int v14 = min(int(uint(int(sizes.n6)) - v13), 8);
  const uint v15 = uint(v11) % uint(v12);
  const long v16 = long(v13 + v15 % uint(v14)) * 16;
  const long v17 = long(v15 / uint(v14)) * 16;
  const long v18 = v16 + 16;
  const long v19 = v17 + 16;
  if (v18 <= sizes.a_extent0 && v19 <= sizes.b_extent1) {
    device const float* a0 = a + v16 * a_stride0;
    device const float* b0 = b + v17;
    const long v20 = sizes.a_extent1 / 32 * 32;
    const long v21 = long(thread_index % 4u);
    const long v22 = v21 * 4;
    const long v23 = long(thread_index / 4u);
    threadgroup float* at0 = staged0 + (v23 * 40 + v21 * 4);
    const long v24 = long(thread_index % 8u);
    const long v25 = v24 * 4;
    const long v26 = long(thread_index / 8u);
    threadgroup float* at1 = staged + (v26 * 40 + v24 * 4);
    threadgroup float* at2 = staged + (long(v9) * 40 + long(v8));
    threadgroup float* at3 = staged0 + (long(v10) + long(v7) * 40);
    float2 sum0 = float2(0.0f);
    for (long i0 = 0; i0 < v20; i0 += 32) {
      device const float* b1 = b0 + i0 * b_stride0 + v22 + v23 * b_stride0;
      const float4 b_v0 = *(device const float4*)b1;
      *(threadgroup float4*)at0 = b_v0;
      device const float* a1 = a0 + i0 + v26 * a_stride0 + v25;
      const float4 a_v0 = *(device const float4*)a1;
      *(threadgroup float4*)at1 = a_v0;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float2 v27 = *(threadgroup const float2*)at2;
      const float2 v28 = *(threadgroup const float2*)at3;
      const float2 v29 = *(threadgroup const float2*)(at2 + 8);
      const float2 v30 = *(threadgroup const float2*)(at3 + 320);
      const float2 sums0 = matrix_product(v27, v28, sum0);
      const float2 v31 = *(threadgroup const float2*)(at2 + 16);
      const float2 v32 = *(threadgroup const float2*)(at3 + 640);
      const float2 sums1 = matrix_product(v29, v30, sums0);
      const float2 v33 = *(threadgroup const float2*)(at2 + 24);
      const float2 v34 = *(threadgroup const float2*)(at3 + 960);
      const float2 sums2 = matrix_product(v31, v32, sums1);
      const float2 sums3 = matrix_product(v33, v34, sums2);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum0 = sums3;
    }
    float2 v35;
    if (v20 < sizes.a_extent1) {
      device const float* b2 = b0 + v20 * b_stride0 + v22 + v23 * b_stride0;
      const long v36 = sizes.a_extent1 - v20;
      const bool4 v37 = bool4(v23 < v36);
      const float4 b_v1 = float4(v37.x ? b2[0] : 0.0f, v37.y ? b2[1] : 0.0f, v37.z ? b2[2] : 0.0f, v37.w ? b2[3] : 0.0f);
      *(threadgroup float4*)at0 = b_v1;
      device const float* a2 = a0 + v20 + v26 * a_stride0 + v25;
      const bool4 v38 = long4(v25) + long4(0, 1, 2, 3) < long4(v36);
      const float4 a_v1 = float4(v38.x ? a2[0] : 0.0f, v38.y ? a2[1] : 0.0f, v38.z ? a2[2] : 0.0f, v38.w ? a2[3] : 0.0f);
      *(threadgroup float4*)at1 = a_v1;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float2 v39 = *(threadgroup const float2*)at2;
      const float2 v40 = *(threadgroup const float2*)at3;
      const float2 v41 = *(threadgroup const float2*)(at2 + 8);
      const float2 v42 = *(threadgroup const float2*)(at3 + 320);
      const float2 sums4 = matrix_product(v39, v40, sum0);
      const float2 v43 = *(threadgroup const float2*)(at2 + 16);
      const float2 v44 = *(threadgroup const float2*)(at3 + 640);
      const float2 sums5 = matrix_product(v41, v42, sums4);
      const float2 v45 = *(threadgroup const float2*)(at2 + 24);
      const float2 v46 = *(threadgroup const float2*)(at3 + 960);
      const float2 sums6 = matrix_product(v43, v44, sums5);
      const float2 sums7 = matrix_product(v45, v46, sums6);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v35 = sums7;
    } else {
      v35 = sum0;
    }
    *(device float2*)(product0 + v16 * product_stride0 + v17) = v35;
  } else {
    const long v47 = min(v18, sizes.a_extent0);
    device const float* a3 = a + v16 * a_stride0;
    const long v48 = min(v19, sizes.b_extent1);
    device const float* b3 = b + v17;
    device float* product1 = product0 + v16 * product_stride0 + v17;
    const long v49 = sizes.a_extent1 / 32 * 32;
    const long v50 = long(thread_index % 4u);
    const long v51 = v50 * 4;
    const long v52 = long(thread_index / 4u);
    const long4 v53 = long4(0, 1, 2, 3);
    const bool4 is0 = long4(v51) + v53 < long4(v48 - v17);
    threadgroup float* at4 = staged0 + (v52 * 40 + v50 * 4);
    const long v54 = long(thread_index % 8u);
    const long v55 = v54 * 4;
    const long v56 = long(thread_index / 8u);
    const bool4 v57 = bool4(v56 < v47 - v16);
    threadgroup float* at5 = staged + (v56 * 40 + v54 * 4);
    threadgroup float* at6 = staged + (long(v9) * 40 + long(v8));
    threadgroup float* at7 = staged0 + (long(v10) + long(v7) * 40);
    float2 sum1 = float2(0.0f);
    for (long i1 = 0; i1 < v49; i1 += 32) {
      device const float* b4 = b3 + i1 * b_stride0 + v51 + v52 * b_stride0;
      const float4 b_v2 = float4(is0.x ? b4[0] : 0.0f, is0.y ? b4[1] : 0.0f, is0.z ? b4[2] : 0.0f, is0.w ? b4[3] : 0.0f);
      *(threadgroup float4*)at4 = b_v2;
      device const float* a4 = a3 + i1 + v56 * a_stride0 + v55;
      const float4 a_v2 = float4(v57.x ? a4[0] : 0.0f, v57.y ? a4[1] : 0.0f, v57.z ? a4[2] : 0.0f, v57.w ? a4[3] : 0.0f);
      *(threadgroup float4*)at5 = a_v2;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float2 v58 = *(threadgroup const float2*)at6;
      const float2 v59 = *(threadgroup const float2*)at7;
      const float2 v60 = *(threadgroup const float2*)(at6 + 8);
      const float2 v61 = *(threadgroup const float2*)(at7 + 320);
      const float2 sums8 = matrix_product(v58, v59, sum1);
      const float2 v62 = *(threadgroup const float2*)(at6 + 16);
      const float2 v63 = *(threadgroup const float2*)(at7 + 640);
      const float2 sums9 = matrix_product(v60, v61, sums8);
      const float2 v64 = *(threadgroup const float2*)(at6 + 24);
      const float2 v65 = *(threadgroup const float2*)(at7 + 960);
      const float2 sums10 = matrix_product(v62, v63, sums9);
      const float2 sums11 = matrix_product(v64, v65, sums10);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum1 = sums11;
    }
    float2 v66;
    if (v49 < sizes.a_extent1) {
      device const float* b5 = b3 + v49 * b_stride0 + v51 + v52 * b_stride0;
      const long v67 = sizes.a_extent1 - v49;
      const bool4 v68 = bool4(v52 < v67) && is0;
      const float4 b_v3 = float4(v68.x ? b5[0] : 0.0f, v68.y ? b5[1] : 0.0f, v68.z ? b5[2] : 0.0f, v68.w ? b5[3] : 0.0f);
      *(threadgroup float4*)at4 = b_v3;
      device const float* a5 = a3 + v49 + v56 * a_stride0 + v55;
      const bool4 v69 = v57 && long4(v55) + v53 < long4(v67);
      const float4 a_v3 = float4(v69.x ? a5[0] : 0.0f, v69.y ? a5[1] : 0.0f, v69.z ? a5[2] : 0.0f, v69.w ? a5[3] : 0.0f);
      *(threadgroup float4*)at5 = a_v3;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float2 v70 = *(threadgroup const float2*)at6;
      const float2 v71 = *(threadgroup const float2*)at7;
      const float2 v72 = *(threadgroup const float2*)(at6 + 8);
      const float2 v73 = *(threadgroup const float2*)(at7 + 320);
      const float2 sums12 = matrix_product(v70, v71, sum1);
      const float2 v74 = *(threadgroup const float2*)(at6 + 16);
      const float2 v75 = *(threadgroup const float2*)(at7 + 640);
      const float2 sums13 = matrix_product(v72, v73, sums12);
      const float2 v76 = *(threadgroup const float2*)(at6 + 24);
      const float2 v77 = *(threadgroup const float2*)(at7 + 960);
      const float2 sums14 = matrix_product(v74, v75, sums13);
      const float2 sums15 = matrix_product(v76, v77, sums14);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v66 = sums15;
    } else {
      v66 = sum1;
    }
    const bool is1 = v16 + v5 < v47;
    if (is1 && is1 && is1) {
      const bool2 v78 = int2(0, 1) < int2(int(max(min(v48 - (v17 + v4), 2L), 0L)));
      if (v78.x) product1[0] = v66.x;
      if (v78.y) product1[1] = v66.y;
    }
  }
}
