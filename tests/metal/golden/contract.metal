// contract[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o] do:
//   example: a = f32 2x3x4x5x8, b = f32 7x3x5x8
//   example: a = f32 16x32x16x32x32, b = f32 64x32x32x32
//   example: a = f32 7x13x11x17x19, b = f32 23x13x17x19
//
// a: f32, rank 5
// b: f32, rank 4
// contract: f32, rank 4 (result)
// form: contraction; 2 of i x 4 of k by 4 of m, 8 of o a block, 1 by 1 a thread
// threads along o: a batch that memory is contiguous along
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct contract_sizes {
  long begin;                   // the launch's first group
  long a_extent0;               // a.0
  long a_extent2;               // a.2
  long b_extent0;               // b.0
  long a_extent4;               // a.4
  long a_extent1;               // a.1
  long a_extent3;               // a.3
  long contract_stride0_bytes;  // contract.s0 * 4 bytes
  long contract_stride1_bytes;  // contract.s1 * 4 bytes
  long contract_stride2_bytes;  // contract.s2 * 4 bytes
  long n10;                     // ceil(a.4 / 8)
  long n11;                     // ceil(b.0 / 4)
  long n12;                     // ceil(a.2 / 4)
  long n13;                     // ceil(a.0 / 2)
  long a_stride0_bytes;         // a.s0 * 4
  long a_stride2_bytes;         // a.s2 * 4
  long b_stride0_bytes;         // b.s0 * 4
  long a_stride1_bytes;         // a.s1 * 4
  long b_stride1_bytes;         // b.s1 * 4
  long a_stride3_bytes;         // a.s3 * 4
  long b_stride2_bytes;         // b.s2 * 4
};

[[kernel, max_total_threads_per_threadgroup(256)]]
void contract(device const float* a [[buffer(0)]],
              device const float* b [[buffer(1)]],
              device float* contract [[buffer(2)]],
              constant contract_sizes& sizes [[buffer(3)]],
              uint group [[threadgroup_position_in_grid]],
              uint thread_index [[thread_index_in_threadgroup]]) {
  const long contract_stride0 = sizes.contract_stride0_bytes / 4;
  const long contract_stride1 = sizes.contract_stride1_bytes / 4;
  const long contract_stride2 = sizes.contract_stride2_bytes / 4;
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const long a_stride2 = sizes.a_stride2_bytes / 4;
  const long b_stride0 = sizes.b_stride0_bytes / 4;
  const long a_stride1 = sizes.a_stride1_bytes / 4;
  const long b_stride1 = sizes.b_stride1_bytes / 4;
  const long a_stride3 = sizes.a_stride3_bytes / 4;
  const long b_stride2 = sizes.b_stride2_bytes / 4;
  alignas(16) threadgroup float staged[2048];
  alignas(16) threadgroup float staged0[1280];
  const uint v0 = thread_index / 4u;
  const long v1 = long(thread_index % 4u);
  const uint v2 = v0 / 8u;
  const long v3 = long(v0 % 8u);
  const long v4 = long(v2 % 4u);
  const long v5 = long(v2 / 4u);
  device float* contract0 = contract + v5 * contract_stride0 + v1 * contract_stride1 + v4 * contract_stride2;
  device float* contract1 = contract0 + v3;
  const long v6 = sizes.begin + long(group);
  const long v7 = v6 / sizes.n10;
  const long v8 = v7 / sizes.n11;
  const long v9 = v8 / sizes.n12 * 2;
  const long v10 = v8 % sizes.n12 * 4;
  const long v11 = v7 % sizes.n11 * 4;
  const long v12 = v6 % sizes.n10 * 8;
  const long v13 = v9 + 2;
  const long v14 = v10 + 4;
  const long v15 = v11 + 4;
  const bool v16 = v13 <= sizes.a_extent0 && v14 <= sizes.a_extent2 && v15 <= sizes.b_extent0;
  const long v17 = v12 + 8;
  if (v16 && v17 <= sizes.a_extent4) {
    device float* contract2 = contract1 + v9 * contract_stride0 + v10 * contract_stride1 + v11 * contract_stride2;
    device const float* a0 = a + v9 * a_stride0 + v10 * a_stride2 + v12;
    device const float* b0 = b + v11 * b_stride0 + v12;
    const long v18 = sizes.a_extent1 / 4 * 4;
    const long v19 = sizes.a_extent3 / 8 * 8;
    threadgroup float* at0 = staged0 + v4 + v3 * 5;
    const uint v20 = thread_index / 2u;
    const long v21 = long(thread_index % 2u);
    const long v22 = v21 * 4;
    const uint v23 = v20 / 4u;
    const long v24 = long(v20 % 4u);
    const long v25 = long(v23 % 8u);
    const long v26 = long(v23 / 8u);
    threadgroup float* at1 = staged0 + (v26 * 320 + v25 * 40 + v24 + v21 * 20);
    threadgroup float* at2 = staged + v5 * 1024 + v1 * 256 + v3;
    const uint v27 = v20 / 8u;
    const long v28 = long(v20 % 8u);
    const uint v29 = v27 / 4u;
    const long v30 = long(v27 % 4u);
    const long v31 = long(v29 % 4u);
    const long v32 = long(v29 / 4u);
    threadgroup float* at3 = staged + (v32 * 1024 + v31 * 256 + v30 * 64 + v28 * 8 + v21 * 4);
    const bool is0 = v19 < sizes.a_extent3;
    float sum0 = 0.0f;
    for (long i0 = 0; i0 < v18; i0 += 4) {
      device const float* a1 = a0 + i0 * a_stride1;
      device const float* b1 = b0 + i0 * b_stride1;
      float sum1 = sum0;
      for (long i1 = 0; i1 < v19; i1 += 8) {
        device const float* b2 = b1 + i1 * b_stride2 + v24 * b_stride0 + v22;
        const float4 b_v0 = *(device const float4*)(b2 + v26 * b_stride1 + v25 * b_stride2);
        at1[0] = b_v0.x;
        at1[5] = b_v0.y;
        at1[10] = b_v0.z;
        at1[15] = b_v0.w;
        device const float* a2 = a1 + i1 * a_stride3 + v32 * a_stride0 + v31 * a_stride2;
        device const float* a3 = a2 + v22 + v30 * a_stride1 + v28 * a_stride3;
        const float4 a_v0 = *(device const float4*)a3;
        const float4 a_v1 = *(device const float4*)(a3 + a_stride0);
        *(threadgroup float4*)at3 = a_v0;
        *(threadgroup float4*)(at3 + 1024) = a_v1;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const float v33 = at2[0];
        const float v34 = at0[0];
        const float v35 = at2[8];
        const float v36 = at0[40];
        const float v37 = at2[16];
        const float v38 = at0[80];
        const float v39 = at2[24];
        const float v40 = at0[120];
        const float v41 = at2[32];
        const float v42 = at0[160];
        const float v43 = fma(v41, v42, fma(v39, v40, fma(v37, v38, fma(v35, v36, fma(v33, v34, sum1)))));
        const float v44 = at2[40];
        const float v45 = at0[200];
        const float v46 = at2[48];
        const float v47 = at0[240];
        const float v48 = at2[56];
        const float v49 = at0[280];
        const float v50 = at2[64];
        const float v51 = at0[320];
        const float v52 = at2[72];
        const float v53 = at0[360];
        const float v54 = fma(v52, v53, fma(v50, v51, fma(v48, v49, fma(v46, v47, fma(v44, v45, v43)))));
        const float v55 = at2[80];
        const float v56 = at0[400];
        const float v57 = at2[88];
        const float v58 = at0[440];
        const float v59 = at2[96];
        const float v60 = at0[480];
        const float v61 = at2[104];
        const float v62 = at0[520];
        const float v63 = at2[112];
        const float v64 = at0[560];
        const float v65 = fma(v63, v64, fma(v61, v62, fma(v59, v60, fma(v57, v58, fma(v55, v56, v54)))));
        const float v66 = at2[120];
        const float v67 = at0[600];
        const float v68 = at2[128];
        const float v69 = at0[640];
        const float v70 = at2[136];
        const float v71 = at0[680];
        const float v72 = at2[144];
        const float v73 = at0[720];
        const float v74 = at2[152];
        const float v75 = at0[760];
        const float v76 = fma(v74, v75, fma(v72, v73, fma(v70, v71, fma(v68, v69, fma(v66, v67, v65)))));
        const float v77 = at2[160];
        const float v78 = at0[800];
        const float v79 = at2[168];
        const float v80 = at0[840];
        const float v81 = at2[176];
        const float v82 = at0[880];
        const float v83 = at2[184];
        const float v84 = at0[920];
        const float v85 = at2[192];
        const float v86 = at0[960];
        const float v87 = fma(v85, v86, fma(v83, v84, fma(v81, v82, fma(v79, v80, fma(v77, v78, v76)))));
        const float v88 = at2[200];
        const float v89 = at0[1000];
        const float v90 = at2[208];
        const float v91 = at0[1040];
        const float v92 = at2[216];
        const float v93 = at0[1080];
        const float v94 = at2[224];
        const float v95 = at0[1120];
        const float v96 = at2[232];
        const float v97 = at0[1160];
        const float v98 = fma(v96, v97, fma(v94, v95, fma(v92, v93, fma(v90, v91, fma(v88, v89, v87)))));
        const float v99 = at2[240];
        const float v100 = at0[1200];
        const float v101 = at2[248];
        const float v102 = at0[1240];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum1 = fma(v101, v102, fma(v99, v100, v98));
      }
      float v103;
      if (is0) {
        device const float* b3 = b1 + v19 * b_stride2 + v24 * b_stride0 + v22;
        const long v104 = sizes.a_extent3 - v19;
        const bool4 v105 = bool4(v25 < v104);
        const float4 b_v1 = float4(v105.x ? b3[v26 * b_stride1 + v25 * b_stride2] : 0.0f, v105.y ? b3[v26 * b_stride1 + v25 * b_stride2 + 1] : 0.0f, v105.z ? b3[v26 * b_stride1 + v25 * b_stride2 + 2] : 0.0f, v105.w ? b3[v26 * b_stride1 + v25 * b_stride2 + 3] : 0.0f);
        at1[0] = b_v1.x;
        at1[5] = b_v1.y;
        at1[10] = b_v1.z;
        at1[15] = b_v1.w;
        device const float* a4 = a1 + v19 * a_stride3 + v32 * a_stride0 + v31 * a_stride2;
        device const float* a5 = a4 + v22 + v30 * a_stride1 + v28 * a_stride3;
        const bool4 v106 = bool4(v28 < v104);
        const float4 a_v2 = float4(v106.x ? a5[0] : 0.0f, v106.y ? a5[1] : 0.0f, v106.z ? a5[2] : 0.0f, v106.w ? a5[3] : 0.0f);
        const float4 a_v3 = float4(v106.x ? a5[a_stride0] : 0.0f, v106.y ? a5[a_stride0 + 1] : 0.0f, v106.z ? a5[a_stride0 + 2] : 0.0f, v106.w ? a5[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at3 = a_v2;
        *(threadgroup float4*)(at3 + 1024) = a_v3;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum2 = sum1;
        for (long i2 = v19; i2 < sizes.a_extent3; i2 += 1) {
          const long v107 = i2 - v19;
          const float v108 = at2[v107 * 8];
          const float v109 = at0[v107 * 40];
          sum2 = fma(v108, v109, sum2);
        }
        float sum3 = sum2;
        for (long i3 = v19; i3 < sizes.a_extent3; i3 += 1) {
          const long v110 = i3 - v19;
          const float v111 = at2[v110 * 8 + 64];
          const float v112 = at0[v110 * 40 + 320];
          sum3 = fma(v111, v112, sum3);
        }
        float sum4 = sum3;
        for (long i4 = v19; i4 < sizes.a_extent3; i4 += 1) {
          const long v113 = i4 - v19;
          const float v114 = at2[v113 * 8 + 128];
          const float v115 = at0[v113 * 40 + 640];
          sum4 = fma(v114, v115, sum4);
        }
        float sum5 = sum4;
        for (long i5 = v19; i5 < sizes.a_extent3; i5 += 1) {
          const long v116 = i5 - v19;
          const float v117 = at2[v116 * 8 + 192];
          const float v118 = at0[v116 * 40 + 960];
          sum5 = fma(v117, v118, sum5);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v103 = sum5;
      } else {
        v103 = sum1;
      }
      sum0 = v103;
    }
    float v119;
    if (v18 < sizes.a_extent1) {
      device const float* a6 = a0 + v18 * a_stride1;
      device const float* b4 = b0 + v18 * b_stride1;
      const long v120 = sizes.a_extent1 - v18;
      const bool is1 = v26 < v120;
      const bool4 v121 = bool4(is1);
      const bool is2 = v30 < v120;
      const bool4 v122 = bool4(is2);
      float sum6 = sum0;
      for (long i6 = 0; i6 < v19; i6 += 8) {
        device const float* b5 = b4 + i6 * b_stride2 + v24 * b_stride0 + v22;
        const float4 b_v2 = float4(v121.x ? b5[v26 * b_stride1 + v25 * b_stride2] : 0.0f, v121.y ? b5[v26 * b_stride1 + v25 * b_stride2 + 1] : 0.0f, v121.z ? b5[v26 * b_stride1 + v25 * b_stride2 + 2] : 0.0f, v121.w ? b5[v26 * b_stride1 + v25 * b_stride2 + 3] : 0.0f);
        at1[0] = b_v2.x;
        at1[5] = b_v2.y;
        at1[10] = b_v2.z;
        at1[15] = b_v2.w;
        device const float* a7 = a6 + i6 * a_stride3 + v32 * a_stride0 + v31 * a_stride2;
        device const float* a8 = a7 + v22 + v30 * a_stride1 + v28 * a_stride3;
        const float4 a_v4 = float4(v122.x ? a8[0] : 0.0f, v122.y ? a8[1] : 0.0f, v122.z ? a8[2] : 0.0f, v122.w ? a8[3] : 0.0f);
        const float4 a_v5 = float4(v122.x ? a8[a_stride0] : 0.0f, v122.y ? a8[a_stride0 + 1] : 0.0f, v122.z ? a8[a_stride0 + 2] : 0.0f, v122.w ? a8[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at3 = a_v4;
        *(threadgroup float4*)(at3 + 1024) = a_v5;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum7 = sum6;
        for (long i7 = v18; i7 < sizes.a_extent1; i7 += 1) {
          const long v123 = i7 - v18;
          threadgroup float* at4 = at2 + v123 * 64;
          threadgroup float* at5 = at0 + v123 * 320;
          const float v124 = at4[0];
          const float v125 = at5[0];
          const float v126 = at4[8];
          const float v127 = at5[40];
          const float v128 = at4[16];
          const float v129 = at5[80];
          const float v130 = at4[24];
          const float v131 = at5[120];
          const float v132 = fma(v130, v131, fma(v128, v129, fma(v126, v127, fma(v124, v125, sum7))));
          const float v133 = at4[32];
          const float v134 = at5[160];
          const float v135 = at4[40];
          const float v136 = at5[200];
          const float v137 = at4[48];
          const float v138 = at5[240];
          const float v139 = at4[56];
          const float v140 = at5[280];
          const float v141 = fma(v139, v140, fma(v137, v138, fma(v135, v136, fma(v133, v134, v132))));
          sum7 = v141;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum6 = sum7;
      }
      float v142;
      if (is0) {
        device const float* b6 = b4 + v19 * b_stride2 + v24 * b_stride0 + v22;
        const long v143 = sizes.a_extent3 - v19;
        const bool4 v144 = bool4(is1 && v25 < v143);
        const float4 b_v3 = float4(v144.x ? b6[v26 * b_stride1 + v25 * b_stride2] : 0.0f, v144.y ? b6[v26 * b_stride1 + v25 * b_stride2 + 1] : 0.0f, v144.z ? b6[v26 * b_stride1 + v25 * b_stride2 + 2] : 0.0f, v144.w ? b6[v26 * b_stride1 + v25 * b_stride2 + 3] : 0.0f);
        at1[0] = b_v3.x;
        at1[5] = b_v3.y;
        at1[10] = b_v3.z;
        at1[15] = b_v3.w;
        device const float* a9 = a6 + v19 * a_stride3 + v32 * a_stride0 + v31 * a_stride2;
        device const float* a10 = a9 + v22 + v30 * a_stride1 + v28 * a_stride3;
        const bool4 v145 = bool4(is2 && v28 < v143);
        const float4 a_v6 = float4(v145.x ? a10[0] : 0.0f, v145.y ? a10[1] : 0.0f, v145.z ? a10[2] : 0.0f, v145.w ? a10[3] : 0.0f);
        const float4 a_v7 = float4(v145.x ? a10[a_stride0] : 0.0f, v145.y ? a10[a_stride0 + 1] : 0.0f, v145.z ? a10[a_stride0 + 2] : 0.0f, v145.w ? a10[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at3 = a_v6;
        *(threadgroup float4*)(at3 + 1024) = a_v7;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum8 = sum6;
        for (long i8 = v18; i8 < sizes.a_extent1; i8 += 1) {
          const long v146 = i8 - v18;
          threadgroup float* at6 = at2 + v146 * 64;
          threadgroup float* at7 = at0 + v146 * 320;
          float sum9 = sum8;
          for (long i9 = v19; i9 < sizes.a_extent3; i9 += 1) {
            const long v147 = i9 - v19;
            const float v148 = at6[v147 * 8];
            const float v149 = at7[v147 * 40];
            sum9 = fma(v148, v149, sum9);
          }
          sum8 = sum9;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v142 = sum8;
      } else {
        v142 = sum6;
      }
      v119 = v142;
    } else {
      v119 = sum0;
    }
    contract2[v12] = v119;
  } else {
    const long v150 = min(v13, sizes.a_extent0);
    const long v151 = min(v14, sizes.a_extent2);
    const long v152 = min(v15, sizes.b_extent0);
    device float* contract3 = contract1 + v9 * contract_stride0 + v10 * contract_stride1 + v11 * contract_stride2;
    const long v153 = min(v17, sizes.a_extent4);
    device const float* a11 = a + v9 * a_stride0 + v10 * a_stride2 + v12;
    device const float* b7 = b + v11 * b_stride0 + v12;
    device float* contract4 = contract3 + v12;
    const long v154 = sizes.a_extent1 / 4 * 4;
    const long v155 = sizes.a_extent3 / 8 * 8;
    threadgroup float* at8 = staged0 + v4 + v3 * 5;
    const uint v156 = thread_index / 2u;
    const long v157 = long(thread_index % 2u);
    const long v158 = v157 * 4;
    const uint v159 = v156 / 4u;
    const long v160 = long(v156 % 4u);
    const long v161 = long(v159 % 8u);
    const long v162 = long(v159 / 8u);
    const bool is3 = v160 < v152 - v11;
    const bool4 is4 = long4(v158) + long4(0, 1, 2, 3) < long4(v153 - v12);
    const bool4 v163 = bool4(is3) && is4;
    threadgroup float* at9 = staged0 + (v162 * 320 + v161 * 40 + v160 + v157 * 20);
    threadgroup float* at10 = staged + v5 * 1024 + v1 * 256 + v3;
    const uint v164 = v156 / 8u;
    const long v165 = long(v156 % 8u);
    const uint v166 = v164 / 4u;
    const long v167 = long(v164 % 4u);
    const long v168 = long(v166 % 4u);
    const long v169 = long(v166 / 4u);
    const long v170 = v150 - v9;
    const bool is5 = v168 < v151 - v10;
    const bool v171 = v169 < v170 && is5;
    const bool4 v172 = bool4(v171) && is4;
    const bool v173 = v169 + 1 < v170 && is5;
    const bool4 v174 = bool4(v173) && is4;
    threadgroup float* at11 = staged + (v169 * 1024 + v168 * 256 + v167 * 64 + v165 * 8 + v157 * 4);
    const bool is6 = v155 < sizes.a_extent3;
    float sum10 = 0.0f;
    for (long i10 = 0; i10 < v154; i10 += 4) {
      device const float* a12 = a11 + i10 * a_stride1;
      device const float* b8 = b7 + i10 * b_stride1;
      float sum11 = sum10;
      for (long i11 = 0; i11 < v155; i11 += 8) {
        device const float* b9 = b8 + i11 * b_stride2 + v160 * b_stride0 + v158;
        const float4 b_v4 = float4(v163.x ? b9[v162 * b_stride1 + v161 * b_stride2] : 0.0f, v163.y ? b9[v162 * b_stride1 + v161 * b_stride2 + 1] : 0.0f, v163.z ? b9[v162 * b_stride1 + v161 * b_stride2 + 2] : 0.0f, v163.w ? b9[v162 * b_stride1 + v161 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v4.x;
        at9[5] = b_v4.y;
        at9[10] = b_v4.z;
        at9[15] = b_v4.w;
        device const float* a13 = a12 + i11 * a_stride3 + v169 * a_stride0 + v168 * a_stride2;
        device const float* a14 = a13 + v158 + v167 * a_stride1 + v165 * a_stride3;
        const float4 a_v8 = float4(v172.x ? a14[0] : 0.0f, v172.y ? a14[1] : 0.0f, v172.z ? a14[2] : 0.0f, v172.w ? a14[3] : 0.0f);
        const float4 a_v9 = float4(v174.x ? a14[a_stride0] : 0.0f, v174.y ? a14[a_stride0 + 1] : 0.0f, v174.z ? a14[a_stride0 + 2] : 0.0f, v174.w ? a14[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v8;
        *(threadgroup float4*)(at11 + 1024) = a_v9;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const float v175 = at10[0];
        const float v176 = at8[0];
        const float v177 = at10[8];
        const float v178 = at8[40];
        const float v179 = at10[16];
        const float v180 = at8[80];
        const float v181 = at10[24];
        const float v182 = at8[120];
        const float v183 = fma(v181, v182, fma(v179, v180, fma(v177, v178, fma(v175, v176, sum11))));
        const float v184 = at10[32];
        const float v185 = at8[160];
        const float v186 = at10[40];
        const float v187 = at8[200];
        const float v188 = at10[48];
        const float v189 = at8[240];
        const float v190 = at10[56];
        const float v191 = at8[280];
        const float v192 = fma(v190, v191, fma(v188, v189, fma(v186, v187, fma(v184, v185, v183))));
        const float v193 = at10[64];
        const float v194 = at8[320];
        const float v195 = at10[72];
        const float v196 = at8[360];
        const float v197 = at10[80];
        const float v198 = at8[400];
        const float v199 = at10[88];
        const float v200 = at8[440];
        const float v201 = fma(v199, v200, fma(v197, v198, fma(v195, v196, fma(v193, v194, v192))));
        const float v202 = at10[96];
        const float v203 = at8[480];
        const float v204 = at10[104];
        const float v205 = at8[520];
        const float v206 = at10[112];
        const float v207 = at8[560];
        const float v208 = at10[120];
        const float v209 = at8[600];
        const float v210 = fma(v208, v209, fma(v206, v207, fma(v204, v205, fma(v202, v203, v201))));
        const float v211 = at10[128];
        const float v212 = at8[640];
        const float v213 = at10[136];
        const float v214 = at8[680];
        const float v215 = at10[144];
        const float v216 = at8[720];
        const float v217 = at10[152];
        const float v218 = at8[760];
        const float v219 = fma(v217, v218, fma(v215, v216, fma(v213, v214, fma(v211, v212, v210))));
        const float v220 = at10[160];
        const float v221 = at8[800];
        const float v222 = at10[168];
        const float v223 = at8[840];
        const float v224 = at10[176];
        const float v225 = at8[880];
        const float v226 = at10[184];
        const float v227 = at8[920];
        const float v228 = fma(v226, v227, fma(v224, v225, fma(v222, v223, fma(v220, v221, v219))));
        const float v229 = at10[192];
        const float v230 = at8[960];
        const float v231 = at10[200];
        const float v232 = at8[1000];
        const float v233 = at10[208];
        const float v234 = at8[1040];
        const float v235 = at10[216];
        const float v236 = at8[1080];
        const float v237 = fma(v235, v236, fma(v233, v234, fma(v231, v232, fma(v229, v230, v228))));
        const float v238 = at10[224];
        const float v239 = at8[1120];
        const float v240 = at10[232];
        const float v241 = at8[1160];
        const float v242 = at10[240];
        const float v243 = at8[1200];
        const float v244 = at10[248];
        const float v245 = at8[1240];
        const float v246 = fma(v244, v245, fma(v242, v243, fma(v240, v241, fma(v238, v239, v237))));
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum11 = v246;
      }
      float v247;
      if (is6) {
        device const float* b10 = b8 + v155 * b_stride2 + v160 * b_stride0 + v158;
        const long v248 = sizes.a_extent3 - v155;
        const bool4 v249 = bool4(v161 < v248 && is3) && is4;
        const float4 b_v5 = float4(v249.x ? b10[v162 * b_stride1 + v161 * b_stride2] : 0.0f, v249.y ? b10[v162 * b_stride1 + v161 * b_stride2 + 1] : 0.0f, v249.z ? b10[v162 * b_stride1 + v161 * b_stride2 + 2] : 0.0f, v249.w ? b10[v162 * b_stride1 + v161 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v5.x;
        at9[5] = b_v5.y;
        at9[10] = b_v5.z;
        at9[15] = b_v5.w;
        device const float* a15 = a12 + v155 * a_stride3 + v169 * a_stride0 + v168 * a_stride2;
        device const float* a16 = a15 + v158 + v167 * a_stride1 + v165 * a_stride3;
        const bool is7 = v165 < v248;
        const bool4 v250 = bool4(v171 && is7) && is4;
        const float4 a_v10 = float4(v250.x ? a16[0] : 0.0f, v250.y ? a16[1] : 0.0f, v250.z ? a16[2] : 0.0f, v250.w ? a16[3] : 0.0f);
        const bool4 v251 = bool4(v173 && is7) && is4;
        const float4 a_v11 = float4(v251.x ? a16[a_stride0] : 0.0f, v251.y ? a16[a_stride0 + 1] : 0.0f, v251.z ? a16[a_stride0 + 2] : 0.0f, v251.w ? a16[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v10;
        *(threadgroup float4*)(at11 + 1024) = a_v11;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum12 = sum11;
        for (long i12 = v155; i12 < sizes.a_extent3; i12 += 1) {
          const long v252 = i12 - v155;
          const float v253 = at10[v252 * 8];
          const float v254 = at8[v252 * 40];
          sum12 = fma(v253, v254, sum12);
        }
        float sum13 = sum12;
        for (long i13 = v155; i13 < sizes.a_extent3; i13 += 1) {
          const long v255 = i13 - v155;
          const float v256 = at10[v255 * 8 + 64];
          const float v257 = at8[v255 * 40 + 320];
          sum13 = fma(v256, v257, sum13);
        }
        float sum14 = sum13;
        for (long i14 = v155; i14 < sizes.a_extent3; i14 += 1) {
          const long v258 = i14 - v155;
          const float v259 = at10[v258 * 8 + 128];
          const float v260 = at8[v258 * 40 + 640];
          sum14 = fma(v259, v260, sum14);
        }
        float sum15 = sum14;
        for (long i15 = v155; i15 < sizes.a_extent3; i15 += 1) {
          const long v261 = i15 - v155;
          const float v262 = at10[v261 * 8 + 192];
          const float v263 = at8[v261 * 40 + 960];
          sum15 = fma(v262, v263, sum15);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v247 = sum15;
      } else {
        v247 = sum11;
      }
      sum10 = v247;
    }
    float v264;
    if (v154 < sizes.a_extent1) {
      device const float* a17 = a11 + v154 * a_stride1;
      device const float* b11 = b7 + v154 * b_stride1;
      const long v265 = sizes.a_extent1 - v154;
      const bool is8 = v162 < v265;
      const bool4 v266 = bool4(is8 && is3) && is4;
      const bool is9 = v167 < v265;
      const bool v267 = v171 && is9;
      const bool4 v268 = bool4(v267) && is4;
      const bool v269 = v173 && is9;
      const bool4 v270 = bool4(v269) && is4;
      float sum16 = sum10;
      for (long i16 = 0; i16 < v155; i16 += 8) {
        device const float* b12 = b11 + i16 * b_stride2 + v160 * b_stride0 + v158;
        const float4 b_v6 = float4(v266.x ? b12[v162 * b_stride1 + v161 * b_stride2] : 0.0f, v266.y ? b12[v162 * b_stride1 + v161 * b_stride2 + 1] : 0.0f, v266.z ? b12[v162 * b_stride1 + v161 * b_stride2 + 2] : 0.0f, v266.w ? b12[v162 * b_stride1 + v161 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v6.x;
        at9[5] = b_v6.y;
        at9[10] = b_v6.z;
        at9[15] = b_v6.w;
        device const float* a18 = a17 + i16 * a_stride3 + v169 * a_stride0 + v168 * a_stride2;
        device const float* a19 = a18 + v158 + v167 * a_stride1 + v165 * a_stride3;
        const float4 a_v12 = float4(v268.x ? a19[0] : 0.0f, v268.y ? a19[1] : 0.0f, v268.z ? a19[2] : 0.0f, v268.w ? a19[3] : 0.0f);
        const float4 a_v13 = float4(v270.x ? a19[a_stride0] : 0.0f, v270.y ? a19[a_stride0 + 1] : 0.0f, v270.z ? a19[a_stride0 + 2] : 0.0f, v270.w ? a19[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v12;
        *(threadgroup float4*)(at11 + 1024) = a_v13;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum17 = sum16;
        for (long i17 = v154; i17 < sizes.a_extent1; i17 += 1) {
          const long v271 = i17 - v154;
          threadgroup float* at12 = at10 + v271 * 64;
          threadgroup float* at13 = at8 + v271 * 320;
          const float v272 = at12[0];
          const float v273 = at13[0];
          const float v274 = at12[8];
          const float v275 = at13[40];
          const float v276 = at12[16];
          const float v277 = at13[80];
          const float v278 = at12[24];
          const float v279 = at13[120];
          const float v280 = fma(v278, v279, fma(v276, v277, fma(v274, v275, fma(v272, v273, sum17))));
          const float v281 = at12[32];
          const float v282 = at13[160];
          const float v283 = at12[40];
          const float v284 = at13[200];
          const float v285 = at12[48];
          const float v286 = at13[240];
          const float v287 = at12[56];
          const float v288 = at13[280];
          const float v289 = fma(v287, v288, fma(v285, v286, fma(v283, v284, fma(v281, v282, v280))));
          sum17 = v289;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum16 = sum17;
      }
      float v290;
      if (is6) {
        device const float* b13 = b11 + v155 * b_stride2 + v160 * b_stride0 + v158;
        const long v291 = sizes.a_extent3 - v155;
        const bool4 v292 = bool4(is8 && v161 < v291 && is3) && is4;
        const float4 b_v7 = float4(v292.x ? b13[v162 * b_stride1 + v161 * b_stride2] : 0.0f, v292.y ? b13[v162 * b_stride1 + v161 * b_stride2 + 1] : 0.0f, v292.z ? b13[v162 * b_stride1 + v161 * b_stride2 + 2] : 0.0f, v292.w ? b13[v162 * b_stride1 + v161 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v7.x;
        at9[5] = b_v7.y;
        at9[10] = b_v7.z;
        at9[15] = b_v7.w;
        device const float* a20 = a17 + v155 * a_stride3 + v169 * a_stride0 + v168 * a_stride2;
        device const float* a21 = a20 + v158 + v167 * a_stride1 + v165 * a_stride3;
        const bool is10 = v165 < v291;
        const bool4 v293 = bool4(v267 && is10) && is4;
        const float4 a_v14 = float4(v293.x ? a21[0] : 0.0f, v293.y ? a21[1] : 0.0f, v293.z ? a21[2] : 0.0f, v293.w ? a21[3] : 0.0f);
        const bool4 v294 = bool4(v269 && is10) && is4;
        const float4 a_v15 = float4(v294.x ? a21[a_stride0] : 0.0f, v294.y ? a21[a_stride0 + 1] : 0.0f, v294.z ? a21[a_stride0 + 2] : 0.0f, v294.w ? a21[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v14;
        *(threadgroup float4*)(at11 + 1024) = a_v15;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum18 = sum16;
        for (long i18 = v154; i18 < sizes.a_extent1; i18 += 1) {
          const long v295 = i18 - v154;
          threadgroup float* at14 = at10 + v295 * 64;
          threadgroup float* at15 = at8 + v295 * 320;
          float sum19 = sum18;
          for (long i19 = v155; i19 < sizes.a_extent3; i19 += 1) {
            const long v296 = i19 - v155;
            const float v297 = at14[v296 * 8];
            const float v298 = at15[v296 * 40];
            sum19 = fma(v297, v298, sum19);
          }
          sum18 = sum19;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v290 = sum18;
      } else {
        v290 = sum16;
      }
      v264 = v290;
    } else {
      v264 = sum10;
    }
    const bool v299 = v9 + v5 < v150 && v11 + v4 < v152 && v12 + v3 < v153 && v10 + v1 < v151;
    if (v299) {
      contract4[0] = v264;
    }
  }
}
