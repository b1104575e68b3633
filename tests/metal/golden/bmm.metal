// bmm[i, j, l] ++= a[i, j, k] * b[i, k, l] do:
//   example: a = f32 3x2x5, b = f32 3x5x3
//   example: a = f32 64x256x256, b = f32 64x256x256
//   example: a = f32 37x129x131, b = f32 37x131x67
//
// a: f32, rank 3
// b: f32, rank 3
// bmm: f32, rank 3 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 4 bytes, axis 1 any multiple of 4 bytes, axis 2 one element
//   b: at a multiple of 16 bytes; strides: axis 0 any multiple of 4 bytes, axis 1 any multiple of 4 bytes, axis 2 one element
//   bmm: at a multiple of 16 bytes; strides: axis 0 any multiple of 4 bytes, axis 1 any multiple of 4 bytes, axis 2 one element
//   bmm: shares memory with no operand; no two of its elements are one
//   launches of bmm: at most 2147483647 threadgroups in all
//
// rows of a allow copies of 4 bytes at a time, not worth repacking: about 0K cycles saved for 7K
// rows of b allow copies of 4 bytes at a time, not worth repacking: about 0K cycles saved for 7K
// form: contraction; 2 of j by 4 of l, 4 of i a block, 2 by 4 a thread
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct bmm_sizes {
  long begin;               // the launch's first group
  long a_extent0;           // a.0
  long a_extent1;           // a.1
  long b_extent2;           // b.2
  long a_extent2;           // a.2
  long bmm_stride0_bytes;   // bmm.s0 * 4 bytes
  long n6;                  // ceil(b.2 / 4)
  long n7;                  // ceil(a.1 / 2)
  long n8;                  // ceil(a.0 / 4)
  long a_stride0_bytes;     // a.s0 * 4
  long b_stride0_bytes;     // b.s0 * 4
  long a_stride1_bytes;     // a.s1 * 4
  long bmm_stride1_bytes;   // bmm.s1 * 4 bytes
  long b_stride1_bytes;     // b.s1 * 4
  long a_stride0_x2_bytes;  // a.s0 * 4 * 2
  long a_stride0_x3_bytes;  // a.s0 * 4 * 3
};

[[kernel, max_total_threads_per_threadgroup(4)]]
void bmm(device const float* a [[buffer(0)]],
         device const float* b [[buffer(1)]],
         device float* bmm [[buffer(2)]],
         constant bmm_sizes& sizes [[buffer(3)]],
         uint group [[threadgroup_position_in_grid]],
         uint thread_index [[thread_index_in_threadgroup]]) {
  const long bmm_stride0 = sizes.bmm_stride0_bytes / 4;
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const long b_stride0 = sizes.b_stride0_bytes / 4;
  const long a_stride1 = sizes.a_stride1_bytes / 4;
  const long bmm_stride1 = sizes.bmm_stride1_bytes / 4;
  const long b_stride1 = sizes.b_stride1_bytes / 4;
  const long a_stride0_x2 = sizes.a_stride0_x2_bytes / 4;
  const long a_stride0_x3 = sizes.a_stride0_x3_bytes / 4;
  alignas(16) threadgroup float staged[96];
  alignas(16) threadgroup float staged0[128];
  const long v0 = long(thread_index);
  device float* bmm0 = bmm + v0 * bmm_stride0;
  const int v1 = int(sizes.begin + long(group));
  const int v2 = int(sizes.n6);
  const uint v3 = uint(v1) / uint(v2);
  const int v4 = int(sizes.n7);
  const long v5 = long(v3 / uint(v4)) * 4;
  const long v6 = long(v3 % uint(v4)) * 2;
  const long v7 = long(uint(v1) % uint(v2)) * 4;
  const long v8 = v5 + 4;
  const long v9 = v6 + 2;
  const long v10 = v7 + 4;
  const bool v11 = v8 <= sizes.a_extent0 && v9 <= sizes.a_extent1 && v10 <= sizes.b_extent2;
  if (v11) {
    device const float* a0 = a + v5 * a_stride0 + v6 * a_stride1;
    device const float* b0 = b + v5 * b_stride0 + v7;
    device float* bmm1 = bmm0 + v5 * bmm_stride0 + v6 * bmm_stride1 + v7;
    const long v12 = sizes.a_extent2 / 8 * 8;
    threadgroup float* at0 = staged0 + v0 * 32;
    threadgroup float* at1 = staged + v0 * 24;
    const uint v13 = thread_index / 8u;
    const long v14 = long(thread_index % 8u);
    const long v15 = long(v13 % 2u);
    const long v16 = long(v13 / 2u);
    threadgroup float* at2 = staged + (v16 * 24 + v15 * 12 + v14);
    float4 sum0 = float4(0.0f);
    float4 sum1 = float4(0.0f);
    for (long i0 = 0; i0 < v12; i0 += 8) {
      device const float* b1 = b0 + i0 * b_stride1;
      for (long i1 = v0; i1 < 128; i1 += 4) {
        const int v17 = int(i1);
        const uint v18 = uint(v17) / 4u;
        const long v19 = long(uint(v17) % 4u);
        const long v20 = long(v18 % 8u);
        const long v21 = long(v18 / 8u);
        device const float* b2 = b1 + v21 * b_stride0 + v19 + v20 * b_stride1;
        const float b_v0 = b2[0];
        staged0[v21 * 32 + v20 * 4 + v19] = b_v0;
      }
      device const float* a1 = a0 + i0 + v16 * a_stride0 + v15 * a_stride1;
      device const float* a2 = a1 + v14;
      const float a_v0 = a2[0];
      const float a_v1 = a2[4];
      device const float* a3 = a2 + a_stride1;
      const float a_v2 = a3[0];
      const float a_v3 = a3[4];
      device const float* a4 = a2 + a_stride0;
      const float a_v4 = a4[0];
      const float a_v5 = a4[4];
      device const float* a5 = a4 + a_stride1;
      const float a_v6 = a5[0];
      const float a_v7 = a5[4];
      device const float* a6 = a2 + a_stride0_x2;
      const float a_v8 = a6[0];
      const float a_v9 = a6[4];
      device const float* a7 = a6 + a_stride1;
      const float a_v10 = a7[0];
      const float a_v11 = a7[4];
      device const float* a8 = a2 + a_stride0_x3;
      const float a_v12 = a8[0];
      const float a_v13 = a8[4];
      device const float* a9 = a8 + a_stride1;
      const float a_v14 = a9[0];
      const float a_v15 = a9[4];
      at2[0] = a_v0;
      at2[4] = a_v1;
      at2[12] = a_v2;
      at2[16] = a_v3;
      at2[24] = a_v4;
      at2[28] = a_v5;
      at2[36] = a_v6;
      at2[40] = a_v7;
      at2[48] = a_v8;
      at2[52] = a_v9;
      at2[60] = a_v10;
      at2[64] = a_v11;
      at2[72] = a_v12;
      at2[76] = a_v13;
      at2[84] = a_v14;
      at2[88] = a_v15;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float4 v22 = *(threadgroup const float4*)at1;
      const float4 v23 = *(threadgroup const float4*)(at1 + 12);
      const float4 v24 = *(threadgroup const float4*)at0;
      const float4 v25 = *(threadgroup const float4*)(at0 + 4);
      const float4 v26 = *(threadgroup const float4*)(at0 + 8);
      const float4 v27 = *(threadgroup const float4*)(at0 + 12);
      const float v28 = fma(v22.w, v27.x, fma(v22.z, v26.x, fma(v22.y, v25.x, fma(v22.x, v24.x, sum0.x))));
      const float v29 = fma(v22.w, v27.y, fma(v22.z, v26.y, fma(v22.y, v25.y, fma(v22.x, v24.y, sum0.y))));
      const float v30 = fma(v22.w, v27.z, fma(v22.z, v26.z, fma(v22.y, v25.z, fma(v22.x, v24.z, sum0.z))));
      const float v31 = fma(v22.w, v27.w, fma(v22.z, v26.w, fma(v22.y, v25.w, fma(v22.x, v24.w, sum0.w))));
      const float v32 = fma(v23.w, v27.w, fma(v23.z, v26.w, fma(v23.y, v25.w, fma(v23.x, v24.w, sum1.w))));
      const float v33 = fma(v23.w, v27.z, fma(v23.z, v26.z, fma(v23.y, v25.z, fma(v23.x, v24.z, sum1.z))));
      const float v34 = fma(v23.w, v27.y, fma(v23.z, v26.y, fma(v23.y, v25.y, fma(v23.x, v24.y, sum1.y))));
      const float v35 = fma(v23.w, v27.x, fma(v23.z, v26.x, fma(v23.y, v25.x, fma(v23.x, v24.x, sum1.x))));
      const float4 v36 = *(threadgroup const float4*)(at1 + 4);
      const float4 v37 = *(threadgroup const float4*)(at1 + 16);
      const float4 v38 = *(threadgroup const float4*)(at0 + 16);
      const float4 v39 = *(threadgroup const float4*)(at0 + 20);
      const float4 v40 = *(threadgroup const float4*)(at0 + 24);
      const float4 v41 = *(threadgroup const float4*)(at0 + 28);
      const float v42 = fma(v36.w, v41.x, fma(v36.z, v40.x, fma(v36.y, v39.x, fma(v36.x, v38.x, v28))));
      const float v43 = fma(v36.w, v41.y, fma(v36.z, v40.y, fma(v36.y, v39.y, fma(v36.x, v38.y, v29))));
      const float v44 = fma(v36.w, v41.z, fma(v36.z, v40.z, fma(v36.y, v39.z, fma(v36.x, v38.z, v30))));
      const float v45 = fma(v36.w, v41.w, fma(v36.z, v40.w, fma(v36.y, v39.w, fma(v36.x, v38.w, v31))));
      const float v46 = fma(v37.w, v41.w, fma(v37.z, v40.w, fma(v37.y, v39.w, fma(v37.x, v38.w, v32))));
      const float v47 = fma(v37.w, v41.z, fma(v37.z, v40.z, fma(v37.y, v39.z, fma(v37.x, v38.z, v33))));
      const float v48 = fma(v37.w, v41.y, fma(v37.z, v40.y, fma(v37.y, v39.y, fma(v37.x, v38.y, v34))));
      const float v49 = fma(v37.w, v41.x, fma(v37.z, v40.x, fma(v37.y, v39.x, fma(v37.x, v38.x, v35))));
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum0 = float4(v42, v43, v44, v45);
      sum1 = float4(v49, v48, v47, v46);
    }
    float4 v50;
    float4 v51;
    if (v12 < sizes.a_extent2) {
      device const float* b3 = b0 + v12 * b_stride1;
      const long v52 = sizes.a_extent2 - v12;
      for (long i2 = v0; i2 < 128; i2 += 4) {
        const int v53 = int(i2);
        const uint v54 = uint(v53) / 4u;
        const long v55 = long(uint(v53) % 4u);
        const long v56 = long(v54 % 8u);
        const long v57 = long(v54 / 8u);
        device const float* b4 = b3 + v57 * b_stride0 + v55 + v56 * b_stride1;
        const bool v58 = v56 < v52;
        const float b_v1 = v58 ? b4[0] : 0.0f;
        staged0[v57 * 32 + v56 * 4 + v55] = b_v1;
      }
      device const float* a10 = a0 + v12 + v16 * a_stride0 + v15 * a_stride1;
      device const float* a11 = a10 + v14;
      const bool is0 = v14 < v52;
      const float a_v16 = is0 ? a11[0] : 0.0f;
      const bool is1 = v14 + 4 < v52;
      const float a_v17 = is1 ? a11[4] : 0.0f;
      device const float* a12 = a11 + a_stride1;
      const float a_v18 = is0 ? a12[0] : 0.0f;
      const float a_v19 = is1 ? a12[4] : 0.0f;
      device const float* a13 = a11 + a_stride0;
      const float a_v20 = is0 ? a13[0] : 0.0f;
      const float a_v21 = is1 ? a13[4] : 0.0f;
      device const float* a14 = a13 + a_stride1;
      const float a_v22 = is0 ? a14[0] : 0.0f;
      const float a_v23 = is1 ? a14[4] : 0.0f;
      device const float* a15 = a11 + a_stride0_x2;
      const float a_v24 = is0 ? a15[0] : 0.0f;
      const float a_v25 = is1 ? a15[4] : 0.0f;
      device const float* a16 = a15 + a_stride1;
      const float a_v26 = is0 ? a16[0] : 0.0f;
      const float a_v27 = is1 ? a16[4] : 0.0f;
      device const float* a17 = a11 + a_stride0_x3;
      const float a_v28 = is0 ? a17[0] : 0.0f;
      const float a_v29 = is1 ? a17[4] : 0.0f;
      device const float* a18 = a17 + a_stride1;
      const float a_v30 = is0 ? a18[0] : 0.0f;
      const float a_v31 = is1 ? a18[4] : 0.0f;
      at2[0] = a_v16;
      at2[4] = a_v17;
      at2[12] = a_v18;
      at2[16] = a_v19;
      at2[24] = a_v20;
      at2[28] = a_v21;
      at2[36] = a_v22;
      at2[40] = a_v23;
      at2[48] = a_v24;
      at2[52] = a_v25;
      at2[60] = a_v26;
      at2[64] = a_v27;
      at2[72] = a_v28;
      at2[76] = a_v29;
      at2[84] = a_v30;
      at2[88] = a_v31;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const long v59 = v12 + v52 / 4 * 4;
      float4 sum2 = sum0;
      float4 sum3 = sum1;
      for (long i3 = v12; i3 < v59; i3 += 4) {
        const long v60 = i3 - v12;
        threadgroup float* at3 = at1 + v60;
        threadgroup float* at4 = at0 + v60 * 4;
        const float4 v61 = *(threadgroup const float4*)at3;
        const float4 v62 = *(threadgroup const float4*)(at3 + 12);
        const float4 v63 = *(threadgroup const float4*)at4;
        const float4 v64 = *(threadgroup const float4*)(at4 + 4);
        const float4 v65 = *(threadgroup const float4*)(at4 + 8);
        const float4 v66 = *(threadgroup const float4*)(at4 + 12);
        const float v67 = fma(v61.w, v66.x, fma(v61.z, v65.x, fma(v61.y, v64.x, fma(v61.x, v63.x, sum2.x))));
        const float v68 = fma(v61.w, v66.y, fma(v61.z, v65.y, fma(v61.y, v64.y, fma(v61.x, v63.y, sum2.y))));
        const float v69 = fma(v61.w, v66.z, fma(v61.z, v65.z, fma(v61.y, v64.z, fma(v61.x, v63.z, sum2.z))));
        const float v70 = fma(v61.w, v66.w, fma(v61.z, v65.w, fma(v61.y, v64.w, fma(v61.x, v63.w, sum2.w))));
        const float v71 = fma(v62.w, v66.w, fma(v62.z, v65.w, fma(v62.y, v64.w, fma(v62.x, v63.w, sum3.w))));
        const float v72 = fma(v62.w, v66.z, fma(v62.z, v65.z, fma(v62.y, v64.z, fma(v62.x, v63.z, sum3.z))));
        const float v73 = fma(v62.w, v66.y, fma(v62.z, v65.y, fma(v62.y, v64.y, fma(v62.x, v63.y, sum3.y))));
        const float v74 = fma(v62.w, v66.x, fma(v62.z, v65.x, fma(v62.y, v64.x, fma(v62.x, v63.x, sum3.x))));
        sum2 = float4(v67, v68, v69, v70);
        sum3 = float4(v74, v73, v72, v71);
      }
      const bool is2 = v59 < sizes.a_extent2;
      float4 v75;
      float4 v76;
      if (is2) {
        const long v77 = v59 - v12;
        threadgroup float* at5 = at1 + v77;
        threadgroup float* at6 = at0 + v77 * 4;
        const float4 v78 = *(threadgroup const float4*)at5;
        const float4 v79 = *(threadgroup const float4*)(at5 + 12);
        const float v80 = is2 ? v78.x : 0.0f;
        const bool is3 = v59 + 1 < sizes.a_extent2;
        const float v81 = is3 ? v78.y : 0.0f;
        const bool is4 = v59 + 2 < sizes.a_extent2;
        const float v82 = is4 ? v78.z : 0.0f;
        const bool is5 = v59 + 3 < sizes.a_extent2;
        const float v83 = is5 ? v78.w : 0.0f;
        const float v84 = is2 ? v79.x : 0.0f;
        const float v85 = is3 ? v79.y : 0.0f;
        const float v86 = is4 ? v79.z : 0.0f;
        const float v87 = is5 ? v79.w : 0.0f;
        const float4 v88 = *(threadgroup const float4*)at6;
        const float4 v89 = *(threadgroup const float4*)(at6 + 4);
        const float4 v90 = *(threadgroup const float4*)(at6 + 8);
        const float4 v91 = *(threadgroup const float4*)(at6 + 12);
        const float4 v92 = is2 ? v88 : float4(0.0f);
        const float4 v93 = is3 ? v89 : float4(0.0f);
        const float4 v94 = is4 ? v90 : float4(0.0f);
        const float4 v95 = is5 ? v91 : float4(0.0f);
        const float v96 = fma(v83, v95.x, fma(v82, v94.x, fma(v81, v93.x, fma(v80, v92.x, sum2.x))));
        const float v97 = fma(v83, v95.y, fma(v82, v94.y, fma(v81, v93.y, fma(v80, v92.y, sum2.y))));
        const float v98 = fma(v83, v95.z, fma(v82, v94.z, fma(v81, v93.z, fma(v80, v92.z, sum2.z))));
        const float v99 = fma(v83, v95.w, fma(v82, v94.w, fma(v81, v93.w, fma(v80, v92.w, sum2.w))));
        const float v100 = fma(v87, v95.w, fma(v86, v94.w, fma(v85, v93.w, fma(v84, v92.w, sum3.w))));
        const float v101 = fma(v87, v95.z, fma(v86, v94.z, fma(v85, v93.z, fma(v84, v92.z, sum3.z))));
        const float v102 = fma(v87, v95.y, fma(v86, v94.y, fma(v85, v93.y, fma(v84, v92.y, sum3.y))));
        const float v103 = fma(v87, v95.x, fma(v86, v94.x, fma(v85, v93.x, fma(v84, v92.x, sum3.x))));
        v75 = float4(v96, v97, v98, v99);
        v76 = float4(v103, v102, v101, v100);
      } else {
        v75 = sum2;
        v76 = sum3;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v50 = v75;
      v51 = v76;
    } else {
      v50 = sum0;
      v51 = sum1;
    }
    bmm1[0] = v50.x;
    bmm1[1] = v50.y;
    bmm1[2] = v50.z;
    bmm1[3] = v50.w;
    bmm1[bmm_stride1] = v51.x;
    bmm1[bmm_stride1 + 1] = v51.y;
    bmm1[bmm_stride1 + 2] = v51.z;
    bmm1[bmm_stride1 + 3] = v51.w;
  } else {
    const long v104 = min(v8, sizes.a_extent0);
    const long v105 = min(v9, sizes.a_extent1);
    device const float* a19 = a + v5 * a_stride0 + v6 * a_stride1;
    device const float* b5 = b + v5 * b_stride0 + v7;
    device float* bmm2 = bmm0 + v5 * bmm_stride0 + v6 * bmm_stride1 + v7;
    const long v106 = sizes.a_extent2 / 8 * 8;
    threadgroup float* at7 = staged0 + v0 * 32;
    const long v107 = v104 - v5;
    const long v108 = min(v10, sizes.b_extent2) - v7;
    threadgroup float* at8 = staged + v0 * 24;
    const uint v109 = thread_index / 8u;
    const long v110 = long(thread_index % 8u);
    const long v111 = long(v109 % 2u);
    const long v112 = long(v109 / 2u);
    const bool is6 = v112 < v107;
    const long v113 = v105 - v6;
    const bool is7 = v111 < v113;
    const bool v114 = is6 && is7;
    const bool is8 = v111 + 1 < v113;
    const bool v115 = is6 && is8;
    const bool is9 = v112 + 1 < v107;
    const bool v116 = is9 && is7;
    const bool v117 = is9 && is8;
    const bool is10 = v112 + 2 < v107;
    const bool v118 = is10 && is7;
    const bool v119 = is10 && is8;
    const bool is11 = v112 + 3 < v107;
    const bool v120 = is11 && is7;
    const bool v121 = is11 && is8;
    threadgroup float* at9 = staged + (v112 * 24 + v111 * 12 + v110);
    float4 sum4 = float4(0.0f);
    float4 sum5 = float4(0.0f);
    for (long i4 = 0; i4 < v106; i4 += 8) {
      device const float* b6 = b5 + i4 * b_stride1;
      for (long i5 = v0; i5 < 128; i5 += 4) {
        const int v122 = int(i5);
        const uint v123 = uint(v122) / 4u;
        const long v124 = long(uint(v122) % 4u);
        const long v125 = long(v123 % 8u);
        const long v126 = long(v123 / 8u);
        device const float* b7 = b6 + v126 * b_stride0 + v124 + v125 * b_stride1;
        const bool v127 = v126 < v107 && v124 < v108;
        const float b_v2 = v127 ? b7[0] : 0.0f;
        staged0[v126 * 32 + v125 * 4 + v124] = b_v2;
      }
      device const float* a20 = a19 + i4 + v112 * a_stride0 + v111 * a_stride1;
      device const float* a21 = a20 + v110;
      const float a_v32 = v114 ? a21[0] : 0.0f;
      const float a_v33 = v114 ? a21[4] : 0.0f;
      device const float* a22 = a21 + a_stride1;
      const float a_v34 = v115 ? a22[0] : 0.0f;
      const float a_v35 = v115 ? a22[4] : 0.0f;
      device const float* a23 = a21 + a_stride0;
      const float a_v36 = v116 ? a23[0] : 0.0f;
      const float a_v37 = v116 ? a23[4] : 0.0f;
      device const float* a24 = a23 + a_stride1;
      const float a_v38 = v117 ? a24[0] : 0.0f;
      const float a_v39 = v117 ? a24[4] : 0.0f;
      device const float* a25 = a21 + a_stride0_x2;
      const float a_v40 = v118 ? a25[0] : 0.0f;
      const float a_v41 = v118 ? a25[4] : 0.0f;
      device const float* a26 = a25 + a_stride1;
      const float a_v42 = v119 ? a26[0] : 0.0f;
      const float a_v43 = v119 ? a26[4] : 0.0f;
      device const float* a27 = a21 + a_stride0_x3;
      const float a_v44 = v120 ? a27[0] : 0.0f;
      const float a_v45 = v120 ? a27[4] : 0.0f;
      device const float* a28 = a27 + a_stride1;
      const float a_v46 = v121 ? a28[0] : 0.0f;
      const float a_v47 = v121 ? a28[4] : 0.0f;
      at9[0] = a_v32;
      at9[4] = a_v33;
      at9[12] = a_v34;
      at9[16] = a_v35;
      at9[24] = a_v36;
      at9[28] = a_v37;
      at9[36] = a_v38;
      at9[40] = a_v39;
      at9[48] = a_v40;
      at9[52] = a_v41;
      at9[60] = a_v42;
      at9[64] = a_v43;
      at9[72] = a_v44;
      at9[76] = a_v45;
      at9[84] = a_v46;
      at9[88] = a_v47;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float4 v128 = *(threadgroup const float4*)at8;
      const float4 v129 = *(threadgroup const float4*)(at8 + 12);
      const float4 v130 = *(threadgroup const float4*)at7;
      const float4 v131 = *(threadgroup const float4*)(at7 + 4);
      const float4 v132 = *(threadgroup const float4*)(at7 + 8);
      const float4 v133 = *(threadgroup const float4*)(at7 + 12);
      const float v134 = fma(v128.z, v132.x, fma(v128.y, v131.x, fma(v128.x, v130.x, sum4.x)));
      const float v135 = fma(v128.z, v132.y, fma(v128.y, v131.y, fma(v128.x, v130.y, sum4.y)));
      const float v136 = fma(v128.z, v132.z, fma(v128.y, v131.z, fma(v128.x, v130.z, sum4.z)));
      const float v137 = fma(v128.z, v132.w, fma(v128.y, v131.w, fma(v128.x, v130.w, sum4.w)));
      const float v138 = fma(v129.z, v132.w, fma(v129.y, v131.w, fma(v129.x, v130.w, sum5.w)));
      const float v139 = fma(v129.z, v132.z, fma(v129.y, v131.z, fma(v129.x, v130.z, sum5.z)));
      const float v140 = fma(v129.z, v132.y, fma(v129.y, v131.y, fma(v129.x, v130.y, sum5.y)));
      const float v141 = fma(v129.z, v132.x, fma(v129.y, v131.x, fma(v129.x, v130.x, sum5.x)));
      const float v142 = fma(v128.w, v133.x, v134);
      const float v143 = fma(v128.w, v133.y, v135);
      const float v144 = fma(v128.w, v133.z, v136);
      const float v145 = fma(v128.w, v133.w, v137);
      const float v146 = fma(v129.w, v133.x, v141);
      const float v147 = fma(v129.w, v133.y, v140);
      const float v148 = fma(v129.w, v133.z, v139);
      const float v149 = fma(v129.w, v133.w, v138);
      const float4 v150 = *(threadgroup const float4*)(at8 + 4);
      const float4 v151 = *(threadgroup const float4*)(at8 + 16);
      const float4 v152 = *(threadgroup const float4*)(at7 + 16);
      const float4 v153 = *(threadgroup const float4*)(at7 + 20);
      const float4 v154 = *(threadgroup const float4*)(at7 + 24);
      const float4 v155 = *(threadgroup const float4*)(at7 + 28);
      const float v156 = fma(v150.z, v154.x, fma(v150.y, v153.x, fma(v150.x, v152.x, v142)));
      const float v157 = fma(v150.z, v154.y, fma(v150.y, v153.y, fma(v150.x, v152.y, v143)));
      const float v158 = fma(v150.z, v154.z, fma(v150.y, v153.z, fma(v150.x, v152.z, v144)));
      const float v159 = fma(v150.z, v154.w, fma(v150.y, v153.w, fma(v150.x, v152.w, v145)));
      const float v160 = fma(v151.z, v154.w, fma(v151.y, v153.w, fma(v151.x, v152.w, v149)));
      const float v161 = fma(v151.z, v154.z, fma(v151.y, v153.z, fma(v151.x, v152.z, v148)));
      const float v162 = fma(v151.z, v154.y, fma(v151.y, v153.y, fma(v151.x, v152.y, v147)));
      const float v163 = fma(v151.z, v154.x, fma(v151.y, v153.x, fma(v151.x, v152.x, v146)));
      const float v164 = fma(v150.w, v155.x, v156);
      const float v165 = fma(v150.w, v155.y, v157);
      const float v166 = fma(v150.w, v155.z, v158);
      const float v167 = fma(v150.w, v155.w, v159);
      const float v168 = fma(v151.w, v155.x, v163);
      const float v169 = fma(v151.w, v155.y, v162);
      const float v170 = fma(v151.w, v155.z, v161);
      const float v171 = fma(v151.w, v155.w, v160);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum4 = float4(v164, v165, v166, v167);
      sum5 = float4(v168, v169, v170, v171);
    }
    float4 v172;
    float4 v173;
    if (v106 < sizes.a_extent2) {
      device const float* b8 = b5 + v106 * b_stride1;
      const long v174 = sizes.a_extent2 - v106;
      for (long i6 = v0; i6 < 128; i6 += 4) {
        const int v175 = int(i6);
        const uint v176 = uint(v175) / 4u;
        const long v177 = long(uint(v175) % 4u);
        const long v178 = long(v176 % 8u);
        const long v179 = long(v176 / 8u);
        device const float* b9 = b8 + v179 * b_stride0 + v177 + v178 * b_stride1;
        const bool v180 = v179 < v107 && v178 < v174 && v177 < v108;
        const float b_v3 = v180 ? b9[0] : 0.0f;
        staged0[v179 * 32 + v178 * 4 + v177] = b_v3;
      }
      device const float* a29 = a19 + v106 + v112 * a_stride0 + v111 * a_stride1;
      device const float* a30 = a29 + v110;
      const bool is12 = v110 < v174;
      const bool v181 = v114 && is12;
      const float a_v48 = v181 ? a30[0] : 0.0f;
      const bool is13 = v110 + 4 < v174;
      const bool v182 = v114 && is13;
      const float a_v49 = v182 ? a30[4] : 0.0f;
      device const float* a31 = a30 + a_stride1;
      const bool v183 = v115 && is12;
      const float a_v50 = v183 ? a31[0] : 0.0f;
      const bool v184 = v115 && is13;
      const float a_v51 = v184 ? a31[4] : 0.0f;
      device const float* a32 = a30 + a_stride0;
      const bool v185 = v116 && is12;
      const float a_v52 = v185 ? a32[0] : 0.0f;
      const bool v186 = v116 && is13;
      const float a_v53 = v186 ? a32[4] : 0.0f;
      device const float* a33 = a32 + a_stride1;
      const bool v187 = v117 && is12;
      const float a_v54 = v187 ? a33[0] : 0.0f;
      const bool v188 = v117 && is13;
      const float a_v55 = v188 ? a33[4] : 0.0f;
      device const float* a34 = a30 + a_stride0_x2;
      const bool v189 = v118 && is12;
      const float a_v56 = v189 ? a34[0] : 0.0f;
      const bool v190 = v118 && is13;
      const float a_v57 = v190 ? a34[4] : 0.0f;
      device const float* a35 = a34 + a_stride1;
      const bool v191 = v119 && is12;
      const float a_v58 = v191 ? a35[0] : 0.0f;
      const bool v192 = v119 && is13;
      const float a_v59 = v192 ? a35[4] : 0.0f;
      device const float* a36 = a30 + a_stride0_x3;
      const bool v193 = v120 && is12;
      const float a_v60 = v193 ? a36[0] : 0.0f;
      const bool v194 = v120 && is13;
      const float a_v61 = v194 ? a36[4] : 0.0f;
      device const float* a37 = a36 + a_stride1;
      const bool v195 = v121 && is12;
      const float a_v62 = v195 ? a37[0] : 0.0f;
      const bool v196 = v121 && is13;
      const float a_v63 = v196 ? a37[4] : 0.0f;
      at9[0] = a_v48;
      at9[4] = a_v49;
      at9[12] = a_v50;
      at9[16] = a_v51;
      at9[24] = a_v52;
      at9[28] = a_v53;
      at9[36] = a_v54;
      at9[40] = a_v55;
      at9[48] = a_v56;
      at9[52] = a_v57;
      at9[60] = a_v58;
      at9[64] = a_v59;
      at9[72] = a_v60;
      at9[76] = a_v61;
      at9[84] = a_v62;
      at9[88] = a_v63;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const long v197 = v106 + v174 / 4 * 4;
      float4 sum6 = sum4;
      float4 sum7 = sum5;
      for (long i7 = v106; i7 < v197; i7 += 4) {
        const long v198 = i7 - v106;
        threadgroup float* at10 = at8 + v198;
        threadgroup float* at11 = at7 + v198 * 4;
        const float4 v199 = *(threadgroup const float4*)at10;
        const float4 v200 = *(threadgroup const float4*)(at10 + 12);
        const float4 v201 = *(threadgroup const float4*)at11;
        const float4 v202 = *(threadgroup const float4*)(at11 + 4);
        const float4 v203 = *(threadgroup const float4*)(at11 + 8);
        const float4 v204 = *(threadgroup const float4*)(at11 + 12);
        const float v205 = fma(v199.z, v203.x, fma(v199.y, v202.x, fma(v199.x, v201.x, sum6.x)));
        const float v206 = fma(v199.z, v203.y, fma(v199.y, v202.y, fma(v199.x, v201.y, sum6.y)));
        const float v207 = fma(v199.z, v203.z, fma(v199.y, v202.z, fma(v199.x, v201.z, sum6.z)));
        const float v208 = fma(v199.z, v203.w, fma(v199.y, v202.w, fma(v199.x, v201.w, sum6.w)));
        const float v209 = fma(v200.z, v203.w, fma(v200.y, v202.w, fma(v200.x, v201.w, sum7.w)));
        const float v210 = fma(v200.z, v203.z, fma(v200.y, v202.z, fma(v200.x, v201.z, sum7.z)));
        const float v211 = fma(v200.z, v203.y, fma(v200.y, v202.y, fma(v200.x, v201.y, sum7.y)));
        const float v212 = fma(v200.z, v203.x, fma(v200.y, v202.x, fma(v200.x, v201.x, sum7.x)));
        const float v213 = fma(v199.w, v204.x, v205);
        const float v214 = fma(v199.w, v204.y, v206);
        const float v215 = fma(v199.w, v204.z, v207);
        const float v216 = fma(v199.w, v204.w, v208);
        const float v217 = fma(v200.w, v204.x, v212);
        const float v218 = fma(v200.w, v204.y, v211);
        const float v219 = fma(v200.w, v204.z, v210);
        const float v220 = fma(v200.w, v204.w, v209);
        sum6 = float4(v213, v214, v215, v216);
        sum7 = float4(v217, v218, v219, v220);
      }
      const bool is14 = v197 < sizes.a_extent2;
      float4 v221;
      float4 v222;
      if (is14) {
        const long v223 = v197 - v106;
        threadgroup float* at12 = at8 + v223;
        threadgroup float* at13 = at7 + v223 * 4;
        const float4 v224 = *(threadgroup const float4*)at12;
        const float4 v225 = *(threadgroup const float4*)(at12 + 12);
        const float v226 = is14 ? v224.x : 0.0f;
        const bool is15 = v197 + 1 < sizes.a_extent2;
        const float v227 = is15 ? v224.y : 0.0f;
        const bool is16 = v197 + 2 < sizes.a_extent2;
        const float v228 = is16 ? v224.z : 0.0f;
        const bool is17 = v197 + 3 < sizes.a_extent2;
        const float v229 = is17 ? v224.w : 0.0f;
        const float v230 = is14 ? v225.x : 0.0f;
        const float v231 = is15 ? v225.y : 0.0f;
        const float v232 = is16 ? v225.z : 0.0f;
        const float v233 = is17 ? v225.w : 0.0f;
        const float4 v234 = *(threadgroup const float4*)at13;
        const float4 v235 = *(threadgroup const float4*)(at13 + 4);
        const float4 v236 = *(threadgroup const float4*)(at13 + 8);
        const float4 v237 = *(threadgroup const float4*)(at13 + 12);
        const float4 v238 = is14 ? v234 : float4(0.0f);
        const float4 v239 = is15 ? v235 : float4(0.0f);
        const float4 v240 = is16 ? v236 : float4(0.0f);
        const float4 v241 = is17 ? v237 : float4(0.0f);
        const float v242 = fma(v229, v241.x, fma(v228, v240.x, fma(v227, v239.x, fma(v226, v238.x, sum6.x))));
        const float v243 = fma(v229, v241.y, fma(v228, v240.y, fma(v227, v239.y, fma(v226, v238.y, sum6.y))));
        const float v244 = fma(v229, v241.z, fma(v228, v240.z, fma(v227, v239.z, fma(v226, v238.z, sum6.z))));
        const float v245 = fma(v229, v241.w, fma(v228, v240.w, fma(v227, v239.w, fma(v226, v238.w, sum6.w))));
        const float v246 = fma(v233, v241.w, fma(v232, v240.w, fma(v231, v239.w, fma(v230, v238.w, sum7.w))));
        const float v247 = fma(v233, v241.z, fma(v232, v240.z, fma(v231, v239.z, fma(v230, v238.z, sum7.z))));
        const float v248 = fma(v233, v241.y, fma(v232, v240.y, fma(v231, v239.y, fma(v230, v238.y, sum7.y))));
        const float v249 = fma(v233, v241.x, fma(v232, v240.x, fma(v231, v239.x, fma(v230, v238.x, sum7.x))));
        v221 = float4(v242, v243, v244, v245);
        v222 = float4(v249, v248, v247, v246);
      } else {
        v221 = sum6;
        v222 = sum7;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v172 = v221;
      v173 = v222;
    } else {
      v172 = sum4;
      v173 = sum5;
    }
    const bool is18 = v5 + v0 < v104;
    if (v6 < v105 && is18) {
      const bool4 v250 = int4(0, 1, 2, 3) < int4(int(max(min(v108, 4L), 0L)));
      if (v250.x) bmm2[0] = v172.x;
      if (v250.y) bmm2[1] = v172.y;
      if (v250.z) bmm2[2] = v172.z;
      if (v250.w) bmm2[3] = v172.w;
    }
    if (v6 + 1 < v105 && is18) {
      const bool4 v251 = int4(0, 1, 2, 3) < int4(int(max(min(v108, 4L), 0L)));
      if (v251.x) bmm2[bmm_stride1] = v173.x;
      if (v251.y) bmm2[bmm_stride1 + 1] = v173.y;
      if (v251.z) bmm2[bmm_stride1 + 2] = v173.z;
      if (v251.w) bmm2[bmm_stride1 + 3] = v173.w;
    }
  }
}
