// bmm[i, j, l] ++= a[i, j, k] * b[i, k, l] do:
//   example: a = f32 3x2x5, b = f32 3x5x3
//   example: a = f32 64x256x256, b = f32 64x256x256
//   example: a = f32 37x129x131, b = f32 37x131x67
//
// a: f32, rank 3
// b: f32, rank 3
// bmm: f32, rank 3 (result)
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
  const long v1 = sizes.begin + long(group);
  const long v2 = v1 / sizes.n6;
  const long v3 = v2 / sizes.n7 * 4;
  const long v4 = v2 % sizes.n7 * 2;
  const long v5 = v1 % sizes.n6 * 4;
  const long v6 = v3 + 4;
  const long v7 = v4 + 2;
  const long v8 = v5 + 4;
  const bool v9 = v6 <= sizes.a_extent0 && v7 <= sizes.a_extent1 && v8 <= sizes.b_extent2;
  if (v9) {
    device const float* a0 = a + v3 * a_stride0 + v4 * a_stride1;
    device const float* b0 = b + v3 * b_stride0 + v5;
    device float* bmm1 = bmm0 + v3 * bmm_stride0 + v4 * bmm_stride1 + v5;
    const long v10 = sizes.a_extent2 / 8 * 8;
    threadgroup float* at0 = staged0 + v0 * 32;
    threadgroup float* at1 = staged + v0 * 24;
    const uint v11 = thread_index / 8u;
    const long v12 = long(thread_index % 8u);
    const long v13 = long(v11 % 2u);
    const long v14 = long(v11 / 2u);
    threadgroup float* at2 = staged + (v14 * 24 + v13 * 12 + v12);
    float4 sum0 = float4(0.0f);
    float4 sum1 = float4(0.0f);
    for (long i0 = 0; i0 < v10; i0 += 8) {
      device const float* b1 = b0 + i0 * b_stride1;
      for (long i1 = v0; i1 < 128; i1 += 4) {
        const int v15 = int(i1);
        const uint v16 = uint(v15) / 4u;
        const long v17 = long(uint(v15) % 4u);
        const long v18 = long(v16 % 8u);
        const long v19 = long(v16 / 8u);
        device const float* b2 = b1 + v19 * b_stride0 + v17 + v18 * b_stride1;
        const float b_v0 = b2[0];
        staged0[v19 * 32 + v18 * 4 + v17] = b_v0;
      }
      device const float* a1 = a0 + i0 + v14 * a_stride0 + v13 * a_stride1;
      device const float* a2 = a1 + v12;
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
      const float4 v20 = *(threadgroup const float4*)at1;
      const float4 v21 = *(threadgroup const float4*)(at1 + 12);
      const float4 v22 = *(threadgroup const float4*)at0;
      const float4 v23 = *(threadgroup const float4*)(at0 + 4);
      const float4 v24 = *(threadgroup const float4*)(at0 + 8);
      const float4 v25 = *(threadgroup const float4*)(at0 + 12);
      const float v26 = fma(v20.w, v25.x, fma(v20.z, v24.x, fma(v20.y, v23.x, fma(v20.x, v22.x, sum0.x))));
      const float v27 = fma(v20.w, v25.y, fma(v20.z, v24.y, fma(v20.y, v23.y, fma(v20.x, v22.y, sum0.y))));
      const float v28 = fma(v20.w, v25.z, fma(v20.z, v24.z, fma(v20.y, v23.z, fma(v20.x, v22.z, sum0.z))));
      const float v29 = fma(v20.w, v25.w, fma(v20.z, v24.w, fma(v20.y, v23.w, fma(v20.x, v22.w, sum0.w))));
      const float v30 = fma(v21.w, v25.w, fma(v21.z, v24.w, fma(v21.y, v23.w, fma(v21.x, v22.w, sum1.w))));
      const float v31 = fma(v21.w, v25.z, fma(v21.z, v24.z, fma(v21.y, v23.z, fma(v21.x, v22.z, sum1.z))));
      const float v32 = fma(v21.w, v25.y, fma(v21.z, v24.y, fma(v21.y, v23.y, fma(v21.x, v22.y, sum1.y))));
      const float v33 = fma(v21.w, v25.x, fma(v21.z, v24.x, fma(v21.y, v23.x, fma(v21.x, v22.x, sum1.x))));
      const float4 v34 = *(threadgroup const float4*)(at1 + 4);
      const float4 v35 = *(threadgroup const float4*)(at1 + 16);
      const float4 v36 = *(threadgroup const float4*)(at0 + 16);
      const float4 v37 = *(threadgroup const float4*)(at0 + 20);
      const float4 v38 = *(threadgroup const float4*)(at0 + 24);
      const float4 v39 = *(threadgroup const float4*)(at0 + 28);
      const float v40 = fma(v34.w, v39.x, fma(v34.z, v38.x, fma(v34.y, v37.x, fma(v34.x, v36.x, v26))));
      const float v41 = fma(v34.w, v39.y, fma(v34.z, v38.y, fma(v34.y, v37.y, fma(v34.x, v36.y, v27))));
      const float v42 = fma(v34.w, v39.z, fma(v34.z, v38.z, fma(v34.y, v37.z, fma(v34.x, v36.z, v28))));
      const float v43 = fma(v34.w, v39.w, fma(v34.z, v38.w, fma(v34.y, v37.w, fma(v34.x, v36.w, v29))));
      const float v44 = fma(v35.w, v39.w, fma(v35.z, v38.w, fma(v35.y, v37.w, fma(v35.x, v36.w, v30))));
      const float v45 = fma(v35.w, v39.z, fma(v35.z, v38.z, fma(v35.y, v37.z, fma(v35.x, v36.z, v31))));
      const float v46 = fma(v35.w, v39.y, fma(v35.z, v38.y, fma(v35.y, v37.y, fma(v35.x, v36.y, v32))));
      const float v47 = fma(v35.w, v39.x, fma(v35.z, v38.x, fma(v35.y, v37.x, fma(v35.x, v36.x, v33))));
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum0 = float4(v40, v41, v42, v43);
      sum1 = float4(v47, v46, v45, v44);
    }
    float4 v48;
    float4 v49;
    if (v10 < sizes.a_extent2) {
      device const float* b3 = b0 + v10 * b_stride1;
      const long v50 = sizes.a_extent2 - v10;
      for (long i2 = v0; i2 < 128; i2 += 4) {
        const int v51 = int(i2);
        const uint v52 = uint(v51) / 4u;
        const long v53 = long(uint(v51) % 4u);
        const long v54 = long(v52 % 8u);
        const long v55 = long(v52 / 8u);
        device const float* b4 = b3 + v55 * b_stride0 + v53 + v54 * b_stride1;
        const bool v56 = v54 < v50;
        const float b_v1 = v56 ? b4[0] : 0.0f;
        staged0[v55 * 32 + v54 * 4 + v53] = b_v1;
      }
      device const float* a10 = a0 + v10 + v14 * a_stride0 + v13 * a_stride1;
      device const float* a11 = a10 + v12;
      const bool is0 = v12 < v50;
      const float a_v16 = is0 ? a11[0] : 0.0f;
      const bool is1 = v12 + 4 < v50;
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
      const long v57 = v10 + v50 / 4 * 4;
      float4 sum2 = sum0;
      float4 sum3 = sum1;
      for (long i3 = v10; i3 < v57; i3 += 4) {
        const long v58 = i3 - v10;
        threadgroup float* at3 = at1 + v58;
        threadgroup float* at4 = at0 + v58 * 4;
        const float4 v59 = *(threadgroup const float4*)at3;
        const float4 v60 = *(threadgroup const float4*)(at3 + 12);
        const float4 v61 = *(threadgroup const float4*)at4;
        const float4 v62 = *(threadgroup const float4*)(at4 + 4);
        const float4 v63 = *(threadgroup const float4*)(at4 + 8);
        const float4 v64 = *(threadgroup const float4*)(at4 + 12);
        const float v65 = fma(v59.w, v64.x, fma(v59.z, v63.x, fma(v59.y, v62.x, fma(v59.x, v61.x, sum2.x))));
        const float v66 = fma(v59.w, v64.y, fma(v59.z, v63.y, fma(v59.y, v62.y, fma(v59.x, v61.y, sum2.y))));
        const float v67 = fma(v59.w, v64.z, fma(v59.z, v63.z, fma(v59.y, v62.z, fma(v59.x, v61.z, sum2.z))));
        const float v68 = fma(v59.w, v64.w, fma(v59.z, v63.w, fma(v59.y, v62.w, fma(v59.x, v61.w, sum2.w))));
        const float v69 = fma(v60.w, v64.w, fma(v60.z, v63.w, fma(v60.y, v62.w, fma(v60.x, v61.w, sum3.w))));
        const float v70 = fma(v60.w, v64.z, fma(v60.z, v63.z, fma(v60.y, v62.z, fma(v60.x, v61.z, sum3.z))));
        const float v71 = fma(v60.w, v64.y, fma(v60.z, v63.y, fma(v60.y, v62.y, fma(v60.x, v61.y, sum3.y))));
        const float v72 = fma(v60.w, v64.x, fma(v60.z, v63.x, fma(v60.y, v62.x, fma(v60.x, v61.x, sum3.x))));
        sum2 = float4(v65, v66, v67, v68);
        sum3 = float4(v72, v71, v70, v69);
      }
      const bool is2 = v57 < sizes.a_extent2;
      float4 v73;
      float4 v74;
      if (is2) {
        const long v75 = v57 - v10;
        threadgroup float* at5 = at1 + v75;
        threadgroup float* at6 = at0 + v75 * 4;
        const float4 v76 = *(threadgroup const float4*)at5;
        const float4 v77 = *(threadgroup const float4*)(at5 + 12);
        const float v78 = is2 ? v76.x : 0.0f;
        const bool is3 = v57 + 1 < sizes.a_extent2;
        const float v79 = is3 ? v76.y : 0.0f;
        const bool is4 = v57 + 2 < sizes.a_extent2;
        const float v80 = is4 ? v76.z : 0.0f;
        const bool is5 = v57 + 3 < sizes.a_extent2;
        const float v81 = is5 ? v76.w : 0.0f;
        const float v82 = is2 ? v77.x : 0.0f;
        const float v83 = is3 ? v77.y : 0.0f;
        const float v84 = is4 ? v77.z : 0.0f;
        const float v85 = is5 ? v77.w : 0.0f;
        const float4 v86 = *(threadgroup const float4*)at6;
        const float4 v87 = *(threadgroup const float4*)(at6 + 4);
        const float4 v88 = *(threadgroup const float4*)(at6 + 8);
        const float4 v89 = *(threadgroup const float4*)(at6 + 12);
        const float4 v90 = is2 ? v86 : float4(0.0f);
        const float4 v91 = is3 ? v87 : float4(0.0f);
        const float4 v92 = is4 ? v88 : float4(0.0f);
        const float4 v93 = is5 ? v89 : float4(0.0f);
        const float v94 = fma(v81, v93.x, fma(v80, v92.x, fma(v79, v91.x, fma(v78, v90.x, sum2.x))));
        const float v95 = fma(v81, v93.y, fma(v80, v92.y, fma(v79, v91.y, fma(v78, v90.y, sum2.y))));
        const float v96 = fma(v81, v93.z, fma(v80, v92.z, fma(v79, v91.z, fma(v78, v90.z, sum2.z))));
        const float v97 = fma(v81, v93.w, fma(v80, v92.w, fma(v79, v91.w, fma(v78, v90.w, sum2.w))));
        const float v98 = fma(v85, v93.w, fma(v84, v92.w, fma(v83, v91.w, fma(v82, v90.w, sum3.w))));
        const float v99 = fma(v85, v93.z, fma(v84, v92.z, fma(v83, v91.z, fma(v82, v90.z, sum3.z))));
        const float v100 = fma(v85, v93.y, fma(v84, v92.y, fma(v83, v91.y, fma(v82, v90.y, sum3.y))));
        const float v101 = fma(v85, v93.x, fma(v84, v92.x, fma(v83, v91.x, fma(v82, v90.x, sum3.x))));
        v73 = float4(v94, v95, v96, v97);
        v74 = float4(v101, v100, v99, v98);
      } else {
        v73 = sum2;
        v74 = sum3;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v48 = v73;
      v49 = v74;
    } else {
      v48 = sum0;
      v49 = sum1;
    }
    bmm1[0] = v48.x;
    bmm1[1] = v48.y;
    bmm1[2] = v48.z;
    bmm1[3] = v48.w;
    bmm1[bmm_stride1] = v49.x;
    bmm1[bmm_stride1 + 1] = v49.y;
    bmm1[bmm_stride1 + 2] = v49.z;
    bmm1[bmm_stride1 + 3] = v49.w;
  } else {
    const long v102 = min(v6, sizes.a_extent0);
    const long v103 = min(v7, sizes.a_extent1);
    device const float* a19 = a + v3 * a_stride0 + v4 * a_stride1;
    device const float* b5 = b + v3 * b_stride0 + v5;
    device float* bmm2 = bmm0 + v3 * bmm_stride0 + v4 * bmm_stride1 + v5;
    const long v104 = sizes.a_extent2 / 8 * 8;
    threadgroup float* at7 = staged0 + v0 * 32;
    const long v105 = v102 - v3;
    const long v106 = min(v8, sizes.b_extent2) - v5;
    threadgroup float* at8 = staged + v0 * 24;
    const uint v107 = thread_index / 8u;
    const long v108 = long(thread_index % 8u);
    const long v109 = long(v107 % 2u);
    const long v110 = long(v107 / 2u);
    const bool is6 = v110 < v105;
    const long v111 = v103 - v4;
    const bool is7 = v109 < v111;
    const bool v112 = is6 && is7;
    const bool is8 = v109 + 1 < v111;
    const bool v113 = is6 && is8;
    const bool is9 = v110 + 1 < v105;
    const bool v114 = is9 && is7;
    const bool v115 = is9 && is8;
    const bool is10 = v110 + 2 < v105;
    const bool v116 = is10 && is7;
    const bool v117 = is10 && is8;
    const bool is11 = v110 + 3 < v105;
    const bool v118 = is11 && is7;
    const bool v119 = is11 && is8;
    threadgroup float* at9 = staged + (v110 * 24 + v109 * 12 + v108);
    float4 sum4 = float4(0.0f);
    float4 sum5 = float4(0.0f);
    for (long i4 = 0; i4 < v104; i4 += 8) {
      device const float* b6 = b5 + i4 * b_stride1;
      for (long i5 = v0; i5 < 128; i5 += 4) {
        const int v120 = int(i5);
        const uint v121 = uint(v120) / 4u;
        const long v122 = long(uint(v120) % 4u);
        const long v123 = long(v121 % 8u);
        const long v124 = long(v121 / 8u);
        device const float* b7 = b6 + v124 * b_stride0 + v122 + v123 * b_stride1;
        const bool v125 = v124 < v105 && v122 < v106;
        const float b_v2 = v125 ? b7[0] : 0.0f;
        staged0[v124 * 32 + v123 * 4 + v122] = b_v2;
      }
      device const float* a20 = a19 + i4 + v110 * a_stride0 + v109 * a_stride1;
      device const float* a21 = a20 + v108;
      const float a_v32 = v112 ? a21[0] : 0.0f;
      const float a_v33 = v112 ? a21[4] : 0.0f;
      device const float* a22 = a21 + a_stride1;
      const float a_v34 = v113 ? a22[0] : 0.0f;
      const float a_v35 = v113 ? a22[4] : 0.0f;
      device const float* a23 = a21 + a_stride0;
      const float a_v36 = v114 ? a23[0] : 0.0f;
      const float a_v37 = v114 ? a23[4] : 0.0f;
      device const float* a24 = a23 + a_stride1;
      const float a_v38 = v115 ? a24[0] : 0.0f;
      const float a_v39 = v115 ? a24[4] : 0.0f;
      device const float* a25 = a21 + a_stride0_x2;
      const float a_v40 = v116 ? a25[0] : 0.0f;
      const float a_v41 = v116 ? a25[4] : 0.0f;
      device const float* a26 = a25 + a_stride1;
      const float a_v42 = v117 ? a26[0] : 0.0f;
      const float a_v43 = v117 ? a26[4] : 0.0f;
      device const float* a27 = a21 + a_stride0_x3;
      const float a_v44 = v118 ? a27[0] : 0.0f;
      const float a_v45 = v118 ? a27[4] : 0.0f;
      device const float* a28 = a27 + a_stride1;
      const float a_v46 = v119 ? a28[0] : 0.0f;
      const float a_v47 = v119 ? a28[4] : 0.0f;
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
      const float4 v126 = *(threadgroup const float4*)at8;
      const float4 v127 = *(threadgroup const float4*)(at8 + 12);
      const float4 v128 = *(threadgroup const float4*)at7;
      const float4 v129 = *(threadgroup const float4*)(at7 + 4);
      const float4 v130 = *(threadgroup const float4*)(at7 + 8);
      const float4 v131 = *(threadgroup const float4*)(at7 + 12);
      const float v132 = fma(v126.z, v130.x, fma(v126.y, v129.x, fma(v126.x, v128.x, sum4.x)));
      const float v133 = fma(v126.z, v130.y, fma(v126.y, v129.y, fma(v126.x, v128.y, sum4.y)));
      const float v134 = fma(v126.z, v130.z, fma(v126.y, v129.z, fma(v126.x, v128.z, sum4.z)));
      const float v135 = fma(v126.z, v130.w, fma(v126.y, v129.w, fma(v126.x, v128.w, sum4.w)));
      const float v136 = fma(v127.z, v130.w, fma(v127.y, v129.w, fma(v127.x, v128.w, sum5.w)));
      const float v137 = fma(v127.z, v130.z, fma(v127.y, v129.z, fma(v127.x, v128.z, sum5.z)));
      const float v138 = fma(v127.z, v130.y, fma(v127.y, v129.y, fma(v127.x, v128.y, sum5.y)));
      const float v139 = fma(v127.z, v130.x, fma(v127.y, v129.x, fma(v127.x, v128.x, sum5.x)));
      const float v140 = fma(v126.w, v131.x, v132);
      const float v141 = fma(v126.w, v131.y, v133);
      const float v142 = fma(v126.w, v131.z, v134);
      const float v143 = fma(v126.w, v131.w, v135);
      const float v144 = fma(v127.w, v131.x, v139);
      const float v145 = fma(v127.w, v131.y, v138);
      const float v146 = fma(v127.w, v131.z, v137);
      const float v147 = fma(v127.w, v131.w, v136);
      const float4 v148 = *(threadgroup const float4*)(at8 + 4);
      const float4 v149 = *(threadgroup const float4*)(at8 + 16);
      const float4 v150 = *(threadgroup const float4*)(at7 + 16);
      const float4 v151 = *(threadgroup const float4*)(at7 + 20);
      const float4 v152 = *(threadgroup const float4*)(at7 + 24);
      const float4 v153 = *(threadgroup const float4*)(at7 + 28);
      const float v154 = fma(v148.z, v152.x, fma(v148.y, v151.x, fma(v148.x, v150.x, v140)));
      const float v155 = fma(v148.z, v152.y, fma(v148.y, v151.y, fma(v148.x, v150.y, v141)));
      const float v156 = fma(v148.z, v152.z, fma(v148.y, v151.z, fma(v148.x, v150.z, v142)));
      const float v157 = fma(v148.z, v152.w, fma(v148.y, v151.w, fma(v148.x, v150.w, v143)));
      const float v158 = fma(v149.z, v152.w, fma(v149.y, v151.w, fma(v149.x, v150.w, v147)));
      const float v159 = fma(v149.z, v152.z, fma(v149.y, v151.z, fma(v149.x, v150.z, v146)));
      const float v160 = fma(v149.z, v152.y, fma(v149.y, v151.y, fma(v149.x, v150.y, v145)));
      const float v161 = fma(v149.z, v152.x, fma(v149.y, v151.x, fma(v149.x, v150.x, v144)));
      const float v162 = fma(v148.w, v153.x, v154);
      const float v163 = fma(v148.w, v153.y, v155);
      const float v164 = fma(v148.w, v153.z, v156);
      const float v165 = fma(v148.w, v153.w, v157);
      const float v166 = fma(v149.w, v153.x, v161);
      const float v167 = fma(v149.w, v153.y, v160);
      const float v168 = fma(v149.w, v153.z, v159);
      const float v169 = fma(v149.w, v153.w, v158);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum4 = float4(v162, v163, v164, v165);
      sum5 = float4(v166, v167, v168, v169);
    }
    float4 v170;
    float4 v171;
    if (v104 < sizes.a_extent2) {
      device const float* b8 = b5 + v104 * b_stride1;
      const long v172 = sizes.a_extent2 - v104;
      for (long i6 = v0; i6 < 128; i6 += 4) {
        const int v173 = int(i6);
        const uint v174 = uint(v173) / 4u;
        const long v175 = long(uint(v173) % 4u);
        const long v176 = long(v174 % 8u);
        const long v177 = long(v174 / 8u);
        device const float* b9 = b8 + v177 * b_stride0 + v175 + v176 * b_stride1;
        const bool v178 = v177 < v105 && v176 < v172 && v175 < v106;
        const float b_v3 = v178 ? b9[0] : 0.0f;
        staged0[v177 * 32 + v176 * 4 + v175] = b_v3;
      }
      device const float* a29 = a19 + v104 + v110 * a_stride0 + v109 * a_stride1;
      device const float* a30 = a29 + v108;
      const bool is12 = v108 < v172;
      const bool v179 = v112 && is12;
      const float a_v48 = v179 ? a30[0] : 0.0f;
      const bool is13 = v108 + 4 < v172;
      const bool v180 = v112 && is13;
      const float a_v49 = v180 ? a30[4] : 0.0f;
      device const float* a31 = a30 + a_stride1;
      const bool v181 = v113 && is12;
      const float a_v50 = v181 ? a31[0] : 0.0f;
      const bool v182 = v113 && is13;
      const float a_v51 = v182 ? a31[4] : 0.0f;
      device const float* a32 = a30 + a_stride0;
      const bool v183 = v114 && is12;
      const float a_v52 = v183 ? a32[0] : 0.0f;
      const bool v184 = v114 && is13;
      const float a_v53 = v184 ? a32[4] : 0.0f;
      device const float* a33 = a32 + a_stride1;
      const bool v185 = v115 && is12;
      const float a_v54 = v185 ? a33[0] : 0.0f;
      const bool v186 = v115 && is13;
      const float a_v55 = v186 ? a33[4] : 0.0f;
      device const float* a34 = a30 + a_stride0_x2;
      const bool v187 = v116 && is12;
      const float a_v56 = v187 ? a34[0] : 0.0f;
      const bool v188 = v116 && is13;
      const float a_v57 = v188 ? a34[4] : 0.0f;
      device const float* a35 = a34 + a_stride1;
      const bool v189 = v117 && is12;
      const float a_v58 = v189 ? a35[0] : 0.0f;
      const bool v190 = v117 && is13;
      const float a_v59 = v190 ? a35[4] : 0.0f;
      device const float* a36 = a30 + a_stride0_x3;
      const bool v191 = v118 && is12;
      const float a_v60 = v191 ? a36[0] : 0.0f;
      const bool v192 = v118 && is13;
      const float a_v61 = v192 ? a36[4] : 0.0f;
      device const float* a37 = a36 + a_stride1;
      const bool v193 = v119 && is12;
      const float a_v62 = v193 ? a37[0] : 0.0f;
      const bool v194 = v119 && is13;
      const float a_v63 = v194 ? a37[4] : 0.0f;
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
      const long v195 = v104 + v172 / 4 * 4;
      float4 sum6 = sum4;
      float4 sum7 = sum5;
      for (long i7 = v104; i7 < v195; i7 += 4) {
        const long v196 = i7 - v104;
        threadgroup float* at10 = at8 + v196;
        threadgroup float* at11 = at7 + v196 * 4;
        const float4 v197 = *(threadgroup const float4*)at10;
        const float4 v198 = *(threadgroup const float4*)(at10 + 12);
        const float4 v199 = *(threadgroup const float4*)at11;
        const float4 v200 = *(threadgroup const float4*)(at11 + 4);
        const float4 v201 = *(threadgroup const float4*)(at11 + 8);
        const float4 v202 = *(threadgroup const float4*)(at11 + 12);
        const float v203 = fma(v197.z, v201.x, fma(v197.y, v200.x, fma(v197.x, v199.x, sum6.x)));
        const float v204 = fma(v197.z, v201.y, fma(v197.y, v200.y, fma(v197.x, v199.y, sum6.y)));
        const float v205 = fma(v197.z, v201.z, fma(v197.y, v200.z, fma(v197.x, v199.z, sum6.z)));
        const float v206 = fma(v197.z, v201.w, fma(v197.y, v200.w, fma(v197.x, v199.w, sum6.w)));
        const float v207 = fma(v198.z, v201.w, fma(v198.y, v200.w, fma(v198.x, v199.w, sum7.w)));
        const float v208 = fma(v198.z, v201.z, fma(v198.y, v200.z, fma(v198.x, v199.z, sum7.z)));
        const float v209 = fma(v198.z, v201.y, fma(v198.y, v200.y, fma(v198.x, v199.y, sum7.y)));
        const float v210 = fma(v198.z, v201.x, fma(v198.y, v200.x, fma(v198.x, v199.x, sum7.x)));
        const float v211 = fma(v197.w, v202.x, v203);
        const float v212 = fma(v197.w, v202.y, v204);
        const float v213 = fma(v197.w, v202.z, v205);
        const float v214 = fma(v197.w, v202.w, v206);
        const float v215 = fma(v198.w, v202.x, v210);
        const float v216 = fma(v198.w, v202.y, v209);
        const float v217 = fma(v198.w, v202.z, v208);
        const float v218 = fma(v198.w, v202.w, v207);
        sum6 = float4(v211, v212, v213, v214);
        sum7 = float4(v215, v216, v217, v218);
      }
      const bool is14 = v195 < sizes.a_extent2;
      float4 v219;
      float4 v220;
      if (is14) {
        const long v221 = v195 - v104;
        threadgroup float* at12 = at8 + v221;
        threadgroup float* at13 = at7 + v221 * 4;
        const float4 v222 = *(threadgroup const float4*)at12;
        const float4 v223 = *(threadgroup const float4*)(at12 + 12);
        const float v224 = is14 ? v222.x : 0.0f;
        const bool is15 = v195 + 1 < sizes.a_extent2;
        const float v225 = is15 ? v222.y : 0.0f;
        const bool is16 = v195 + 2 < sizes.a_extent2;
        const float v226 = is16 ? v222.z : 0.0f;
        const bool is17 = v195 + 3 < sizes.a_extent2;
        const float v227 = is17 ? v222.w : 0.0f;
        const float v228 = is14 ? v223.x : 0.0f;
        const float v229 = is15 ? v223.y : 0.0f;
        const float v230 = is16 ? v223.z : 0.0f;
        const float v231 = is17 ? v223.w : 0.0f;
        const float4 v232 = *(threadgroup const float4*)at13;
        const float4 v233 = *(threadgroup const float4*)(at13 + 4);
        const float4 v234 = *(threadgroup const float4*)(at13 + 8);
        const float4 v235 = *(threadgroup const float4*)(at13 + 12);
        const float4 v236 = is14 ? v232 : float4(0.0f);
        const float4 v237 = is15 ? v233 : float4(0.0f);
        const float4 v238 = is16 ? v234 : float4(0.0f);
        const float4 v239 = is17 ? v235 : float4(0.0f);
        const float v240 = fma(v227, v239.x, fma(v226, v238.x, fma(v225, v237.x, fma(v224, v236.x, sum6.x))));
        const float v241 = fma(v227, v239.y, fma(v226, v238.y, fma(v225, v237.y, fma(v224, v236.y, sum6.y))));
        const float v242 = fma(v227, v239.z, fma(v226, v238.z, fma(v225, v237.z, fma(v224, v236.z, sum6.z))));
        const float v243 = fma(v227, v239.w, fma(v226, v238.w, fma(v225, v237.w, fma(v224, v236.w, sum6.w))));
        const float v244 = fma(v231, v239.w, fma(v230, v238.w, fma(v229, v237.w, fma(v228, v236.w, sum7.w))));
        const float v245 = fma(v231, v239.z, fma(v230, v238.z, fma(v229, v237.z, fma(v228, v236.z, sum7.z))));
        const float v246 = fma(v231, v239.y, fma(v230, v238.y, fma(v229, v237.y, fma(v228, v236.y, sum7.y))));
        const float v247 = fma(v231, v239.x, fma(v230, v238.x, fma(v229, v237.x, fma(v228, v236.x, sum7.x))));
        v219 = float4(v240, v241, v242, v243);
        v220 = float4(v247, v246, v245, v244);
      } else {
        v219 = sum6;
        v220 = sum7;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v170 = v219;
      v171 = v220;
    } else {
      v170 = sum4;
      v171 = sum5;
    }
    const bool is18 = v3 + v0 < v102;
    if (v4 < v103 && is18) {
      const bool4 v248 = int4(0, 1, 2, 3) < int4(int(max(min(v106, 4L), 0L)));
      if (v248.x) bmm2[0] = v170.x;
      if (v248.y) bmm2[1] = v170.y;
      if (v248.z) bmm2[2] = v170.z;
      if (v248.w) bmm2[3] = v170.w;
    }
    if (v4 + 1 < v103 && is18) {
      const bool4 v249 = int4(0, 1, 2, 3) < int4(int(max(min(v106, 4L), 0L)));
      if (v249.x) bmm2[bmm_stride1] = v171.x;
      if (v249.y) bmm2[bmm_stride1 + 1] = v171.y;
      if (v249.z) bmm2[bmm_stride1 + 2] = v171.z;
      if (v249.w) bmm2[bmm_stride1 + 3] = v171.w;
    }
  }
}
