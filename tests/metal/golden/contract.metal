// contract[i, k, m, o] ++= a[i, j, k, l, o] * b[m, j, l, o] do:
//   example: a = f32 2x3x4x5x8, b = f32 7x3x5x8
//   example: a = f32 16x32x16x32x32, b = f32 64x32x32x32
//   example: a = f32 7x13x11x17x19, b = f32 23x13x17x19
//
// a: f32, rank 5
// b: f32, rank 4
// contract: f32, rank 4 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 any multiple of 16 bytes, axis 2 any multiple of 16 bytes, axis 3 any multiple of 16 bytes, axis 4 one element
//   b: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 any multiple of 16 bytes, axis 2 any multiple of 16 bytes, axis 3 one element
//   contract: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 any multiple of 16 bytes, axis 2 any multiple of 16 bytes, axis 3 one element
//   contract: shares memory with no operand; no two of its elements are one
//   launches of contract: at most 2147483647 threadgroups in all
//
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
  const int v6 = int(sizes.begin + long(group));
  const int v7 = int(sizes.n10);
  const uint v8 = uint(v6) / uint(v7);
  const int v9 = int(sizes.n11);
  const uint v10 = v8 / uint(v9);
  const int v11 = int(sizes.n12);
  const long v12 = long(v10 / uint(v11)) * 2;
  const long v13 = long(v10 % uint(v11)) * 4;
  const long v14 = long(v8 % uint(v9)) * 4;
  const long v15 = long(uint(v6) % uint(v7)) * 8;
  const long v16 = v12 + 2;
  const long v17 = v13 + 4;
  const long v18 = v14 + 4;
  const bool v19 = v16 <= sizes.a_extent0 && v17 <= sizes.a_extent2 && v18 <= sizes.b_extent0;
  const long v20 = v15 + 8;
  if (v19 && v20 <= sizes.a_extent4) {
    device float* contract2 = contract1 + v12 * contract_stride0 + v13 * contract_stride1 + v14 * contract_stride2;
    device const float* a0 = a + v12 * a_stride0 + v13 * a_stride2 + v15;
    device const float* b0 = b + v14 * b_stride0 + v15;
    const long v21 = sizes.a_extent1 / 4 * 4;
    const long v22 = sizes.a_extent3 / 8 * 8;
    threadgroup float* at0 = staged0 + v4 + v3 * 5;
    const uint v23 = thread_index / 2u;
    const long v24 = long(thread_index % 2u);
    const long v25 = v24 * 4;
    const uint v26 = v23 / 4u;
    const long v27 = long(v23 % 4u);
    const long v28 = long(v26 % 8u);
    const long v29 = long(v26 / 8u);
    threadgroup float* at1 = staged0 + (v29 * 320 + v28 * 40 + v27 + v24 * 20);
    threadgroup float* at2 = staged + v5 * 1024 + v1 * 256 + v3;
    const uint v30 = v23 / 8u;
    const long v31 = long(v23 % 8u);
    const uint v32 = v30 / 4u;
    const long v33 = long(v30 % 4u);
    const long v34 = long(v32 % 4u);
    const long v35 = long(v32 / 4u);
    threadgroup float* at3 = staged + (v35 * 1024 + v34 * 256 + v33 * 64 + v31 * 8 + v24 * 4);
    const bool is0 = v22 < sizes.a_extent3;
    float sum0 = 0.0f;
    for (long i0 = 0; i0 < v21; i0 += 4) {
      device const float* a1 = a0 + i0 * a_stride1;
      device const float* b1 = b0 + i0 * b_stride1;
      float sum1 = sum0;
      for (long i1 = 0; i1 < v22; i1 += 8) {
        device const float* b2 = b1 + i1 * b_stride2 + v27 * b_stride0 + v25;
        const float4 b_v0 = *(device const float4*)(b2 + v29 * b_stride1 + v28 * b_stride2);
        at1[0] = b_v0.x;
        at1[5] = b_v0.y;
        at1[10] = b_v0.z;
        at1[15] = b_v0.w;
        device const float* a2 = a1 + i1 * a_stride3 + v35 * a_stride0 + v34 * a_stride2;
        device const float* a3 = a2 + v25 + v33 * a_stride1 + v31 * a_stride3;
        const float4 a_v0 = *(device const float4*)a3;
        const float4 a_v1 = *(device const float4*)(a3 + a_stride0);
        *(threadgroup float4*)at3 = a_v0;
        *(threadgroup float4*)(at3 + 1024) = a_v1;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const float v36 = at2[0];
        const float v37 = at0[0];
        const float v38 = at2[8];
        const float v39 = at0[40];
        const float v40 = at2[16];
        const float v41 = at0[80];
        const float v42 = at2[24];
        const float v43 = at0[120];
        const float v44 = at2[32];
        const float v45 = at0[160];
        const float v46 = fma(v44, v45, fma(v42, v43, fma(v40, v41, fma(v38, v39, fma(v36, v37, sum1)))));
        const float v47 = at2[40];
        const float v48 = at0[200];
        const float v49 = at2[48];
        const float v50 = at0[240];
        const float v51 = at2[56];
        const float v52 = at0[280];
        const float v53 = at2[64];
        const float v54 = at0[320];
        const float v55 = at2[72];
        const float v56 = at0[360];
        const float v57 = fma(v55, v56, fma(v53, v54, fma(v51, v52, fma(v49, v50, fma(v47, v48, v46)))));
        const float v58 = at2[80];
        const float v59 = at0[400];
        const float v60 = at2[88];
        const float v61 = at0[440];
        const float v62 = at2[96];
        const float v63 = at0[480];
        const float v64 = at2[104];
        const float v65 = at0[520];
        const float v66 = at2[112];
        const float v67 = at0[560];
        const float v68 = fma(v66, v67, fma(v64, v65, fma(v62, v63, fma(v60, v61, fma(v58, v59, v57)))));
        const float v69 = at2[120];
        const float v70 = at0[600];
        const float v71 = at2[128];
        const float v72 = at0[640];
        const float v73 = at2[136];
        const float v74 = at0[680];
        const float v75 = at2[144];
        const float v76 = at0[720];
        const float v77 = at2[152];
        const float v78 = at0[760];
        const float v79 = fma(v77, v78, fma(v75, v76, fma(v73, v74, fma(v71, v72, fma(v69, v70, v68)))));
        const float v80 = at2[160];
        const float v81 = at0[800];
        const float v82 = at2[168];
        const float v83 = at0[840];
        const float v84 = at2[176];
        const float v85 = at0[880];
        const float v86 = at2[184];
        const float v87 = at0[920];
        const float v88 = at2[192];
        const float v89 = at0[960];
        const float v90 = fma(v88, v89, fma(v86, v87, fma(v84, v85, fma(v82, v83, fma(v80, v81, v79)))));
        const float v91 = at2[200];
        const float v92 = at0[1000];
        const float v93 = at2[208];
        const float v94 = at0[1040];
        const float v95 = at2[216];
        const float v96 = at0[1080];
        const float v97 = at2[224];
        const float v98 = at0[1120];
        const float v99 = at2[232];
        const float v100 = at0[1160];
        const float v101 = fma(v99, v100, fma(v97, v98, fma(v95, v96, fma(v93, v94, fma(v91, v92, v90)))));
        const float v102 = at2[240];
        const float v103 = at0[1200];
        const float v104 = at2[248];
        const float v105 = at0[1240];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum1 = fma(v104, v105, fma(v102, v103, v101));
      }
      float v106;
      if (is0) {
        device const float* b3 = b1 + v22 * b_stride2 + v27 * b_stride0 + v25;
        const long v107 = sizes.a_extent3 - v22;
        const bool4 v108 = bool4(v28 < v107);
        const float4 b_v1 = float4(v108.x ? b3[v29 * b_stride1 + v28 * b_stride2] : 0.0f, v108.y ? b3[v29 * b_stride1 + v28 * b_stride2 + 1] : 0.0f, v108.z ? b3[v29 * b_stride1 + v28 * b_stride2 + 2] : 0.0f, v108.w ? b3[v29 * b_stride1 + v28 * b_stride2 + 3] : 0.0f);
        at1[0] = b_v1.x;
        at1[5] = b_v1.y;
        at1[10] = b_v1.z;
        at1[15] = b_v1.w;
        device const float* a4 = a1 + v22 * a_stride3 + v35 * a_stride0 + v34 * a_stride2;
        device const float* a5 = a4 + v25 + v33 * a_stride1 + v31 * a_stride3;
        const bool4 v109 = bool4(v31 < v107);
        const float4 a_v2 = float4(v109.x ? a5[0] : 0.0f, v109.y ? a5[1] : 0.0f, v109.z ? a5[2] : 0.0f, v109.w ? a5[3] : 0.0f);
        const float4 a_v3 = float4(v109.x ? a5[a_stride0] : 0.0f, v109.y ? a5[a_stride0 + 1] : 0.0f, v109.z ? a5[a_stride0 + 2] : 0.0f, v109.w ? a5[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at3 = a_v2;
        *(threadgroup float4*)(at3 + 1024) = a_v3;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum2 = sum1;
        for (long i2 = v22; i2 < sizes.a_extent3; i2 += 1) {
          const long v110 = i2 - v22;
          const float v111 = at2[v110 * 8];
          const float v112 = at0[v110 * 40];
          sum2 = fma(v111, v112, sum2);
        }
        float sum3 = sum2;
        for (long i3 = v22; i3 < sizes.a_extent3; i3 += 1) {
          const long v113 = i3 - v22;
          const float v114 = at2[v113 * 8 + 64];
          const float v115 = at0[v113 * 40 + 320];
          sum3 = fma(v114, v115, sum3);
        }
        float sum4 = sum3;
        for (long i4 = v22; i4 < sizes.a_extent3; i4 += 1) {
          const long v116 = i4 - v22;
          const float v117 = at2[v116 * 8 + 128];
          const float v118 = at0[v116 * 40 + 640];
          sum4 = fma(v117, v118, sum4);
        }
        float sum5 = sum4;
        for (long i5 = v22; i5 < sizes.a_extent3; i5 += 1) {
          const long v119 = i5 - v22;
          const float v120 = at2[v119 * 8 + 192];
          const float v121 = at0[v119 * 40 + 960];
          sum5 = fma(v120, v121, sum5);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v106 = sum5;
      } else {
        v106 = sum1;
      }
      sum0 = v106;
    }
    float v122;
    if (v21 < sizes.a_extent1) {
      device const float* a6 = a0 + v21 * a_stride1;
      device const float* b4 = b0 + v21 * b_stride1;
      const long v123 = sizes.a_extent1 - v21;
      const bool is1 = v29 < v123;
      const bool4 v124 = bool4(is1);
      const bool is2 = v33 < v123;
      const bool4 v125 = bool4(is2);
      float sum6 = sum0;
      for (long i6 = 0; i6 < v22; i6 += 8) {
        device const float* b5 = b4 + i6 * b_stride2 + v27 * b_stride0 + v25;
        const float4 b_v2 = float4(v124.x ? b5[v29 * b_stride1 + v28 * b_stride2] : 0.0f, v124.y ? b5[v29 * b_stride1 + v28 * b_stride2 + 1] : 0.0f, v124.z ? b5[v29 * b_stride1 + v28 * b_stride2 + 2] : 0.0f, v124.w ? b5[v29 * b_stride1 + v28 * b_stride2 + 3] : 0.0f);
        at1[0] = b_v2.x;
        at1[5] = b_v2.y;
        at1[10] = b_v2.z;
        at1[15] = b_v2.w;
        device const float* a7 = a6 + i6 * a_stride3 + v35 * a_stride0 + v34 * a_stride2;
        device const float* a8 = a7 + v25 + v33 * a_stride1 + v31 * a_stride3;
        const float4 a_v4 = float4(v125.x ? a8[0] : 0.0f, v125.y ? a8[1] : 0.0f, v125.z ? a8[2] : 0.0f, v125.w ? a8[3] : 0.0f);
        const float4 a_v5 = float4(v125.x ? a8[a_stride0] : 0.0f, v125.y ? a8[a_stride0 + 1] : 0.0f, v125.z ? a8[a_stride0 + 2] : 0.0f, v125.w ? a8[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at3 = a_v4;
        *(threadgroup float4*)(at3 + 1024) = a_v5;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum7 = sum6;
        for (long i7 = v21; i7 < sizes.a_extent1; i7 += 1) {
          const long v126 = i7 - v21;
          threadgroup float* at4 = at2 + v126 * 64;
          threadgroup float* at5 = at0 + v126 * 320;
          const float v127 = at4[0];
          const float v128 = at5[0];
          const float v129 = at4[8];
          const float v130 = at5[40];
          const float v131 = at4[16];
          const float v132 = at5[80];
          const float v133 = at4[24];
          const float v134 = at5[120];
          const float v135 = fma(v133, v134, fma(v131, v132, fma(v129, v130, fma(v127, v128, sum7))));
          const float v136 = at4[32];
          const float v137 = at5[160];
          const float v138 = at4[40];
          const float v139 = at5[200];
          const float v140 = at4[48];
          const float v141 = at5[240];
          const float v142 = at4[56];
          const float v143 = at5[280];
          const float v144 = fma(v142, v143, fma(v140, v141, fma(v138, v139, fma(v136, v137, v135))));
          sum7 = v144;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum6 = sum7;
      }
      float v145;
      if (is0) {
        device const float* b6 = b4 + v22 * b_stride2 + v27 * b_stride0 + v25;
        const long v146 = sizes.a_extent3 - v22;
        const bool4 v147 = bool4(is1 && v28 < v146);
        const float4 b_v3 = float4(v147.x ? b6[v29 * b_stride1 + v28 * b_stride2] : 0.0f, v147.y ? b6[v29 * b_stride1 + v28 * b_stride2 + 1] : 0.0f, v147.z ? b6[v29 * b_stride1 + v28 * b_stride2 + 2] : 0.0f, v147.w ? b6[v29 * b_stride1 + v28 * b_stride2 + 3] : 0.0f);
        at1[0] = b_v3.x;
        at1[5] = b_v3.y;
        at1[10] = b_v3.z;
        at1[15] = b_v3.w;
        device const float* a9 = a6 + v22 * a_stride3 + v35 * a_stride0 + v34 * a_stride2;
        device const float* a10 = a9 + v25 + v33 * a_stride1 + v31 * a_stride3;
        const bool4 v148 = bool4(is2 && v31 < v146);
        const float4 a_v6 = float4(v148.x ? a10[0] : 0.0f, v148.y ? a10[1] : 0.0f, v148.z ? a10[2] : 0.0f, v148.w ? a10[3] : 0.0f);
        const float4 a_v7 = float4(v148.x ? a10[a_stride0] : 0.0f, v148.y ? a10[a_stride0 + 1] : 0.0f, v148.z ? a10[a_stride0 + 2] : 0.0f, v148.w ? a10[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at3 = a_v6;
        *(threadgroup float4*)(at3 + 1024) = a_v7;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum8 = sum6;
        for (long i8 = v21; i8 < sizes.a_extent1; i8 += 1) {
          const long v149 = i8 - v21;
          threadgroup float* at6 = at2 + v149 * 64;
          threadgroup float* at7 = at0 + v149 * 320;
          float sum9 = sum8;
          for (long i9 = v22; i9 < sizes.a_extent3; i9 += 1) {
            const long v150 = i9 - v22;
            const float v151 = at6[v150 * 8];
            const float v152 = at7[v150 * 40];
            sum9 = fma(v151, v152, sum9);
          }
          sum8 = sum9;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v145 = sum8;
      } else {
        v145 = sum6;
      }
      v122 = v145;
    } else {
      v122 = sum0;
    }
    contract2[v15] = v122;
  } else {
    const long v153 = min(v16, sizes.a_extent0);
    const long v154 = min(v17, sizes.a_extent2);
    const long v155 = min(v18, sizes.b_extent0);
    device float* contract3 = contract1 + v12 * contract_stride0 + v13 * contract_stride1 + v14 * contract_stride2;
    const long v156 = min(v20, sizes.a_extent4);
    device const float* a11 = a + v12 * a_stride0 + v13 * a_stride2 + v15;
    device const float* b7 = b + v14 * b_stride0 + v15;
    device float* contract4 = contract3 + v15;
    const long v157 = sizes.a_extent1 / 4 * 4;
    const long v158 = sizes.a_extent3 / 8 * 8;
    threadgroup float* at8 = staged0 + v4 + v3 * 5;
    const uint v159 = thread_index / 2u;
    const long v160 = long(thread_index % 2u);
    const long v161 = v160 * 4;
    const uint v162 = v159 / 4u;
    const long v163 = long(v159 % 4u);
    const long v164 = long(v162 % 8u);
    const long v165 = long(v162 / 8u);
    const bool is3 = v163 < v155 - v14;
    const bool4 is4 = long4(v161) + long4(0, 1, 2, 3) < long4(v156 - v15);
    const bool4 v166 = bool4(is3) && is4;
    threadgroup float* at9 = staged0 + (v165 * 320 + v164 * 40 + v163 + v160 * 20);
    threadgroup float* at10 = staged + v5 * 1024 + v1 * 256 + v3;
    const uint v167 = v159 / 8u;
    const long v168 = long(v159 % 8u);
    const uint v169 = v167 / 4u;
    const long v170 = long(v167 % 4u);
    const long v171 = long(v169 % 4u);
    const long v172 = long(v169 / 4u);
    const long v173 = v153 - v12;
    const bool is5 = v171 < v154 - v13;
    const bool v174 = v172 < v173 && is5;
    const bool4 v175 = bool4(v174) && is4;
    const bool v176 = v172 + 1 < v173 && is5;
    const bool4 v177 = bool4(v176) && is4;
    threadgroup float* at11 = staged + (v172 * 1024 + v171 * 256 + v170 * 64 + v168 * 8 + v160 * 4);
    const bool is6 = v158 < sizes.a_extent3;
    float sum10 = 0.0f;
    for (long i10 = 0; i10 < v157; i10 += 4) {
      device const float* a12 = a11 + i10 * a_stride1;
      device const float* b8 = b7 + i10 * b_stride1;
      float sum11 = sum10;
      for (long i11 = 0; i11 < v158; i11 += 8) {
        device const float* b9 = b8 + i11 * b_stride2 + v163 * b_stride0 + v161;
        const float4 b_v4 = float4(v166.x ? b9[v165 * b_stride1 + v164 * b_stride2] : 0.0f, v166.y ? b9[v165 * b_stride1 + v164 * b_stride2 + 1] : 0.0f, v166.z ? b9[v165 * b_stride1 + v164 * b_stride2 + 2] : 0.0f, v166.w ? b9[v165 * b_stride1 + v164 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v4.x;
        at9[5] = b_v4.y;
        at9[10] = b_v4.z;
        at9[15] = b_v4.w;
        device const float* a13 = a12 + i11 * a_stride3 + v172 * a_stride0 + v171 * a_stride2;
        device const float* a14 = a13 + v161 + v170 * a_stride1 + v168 * a_stride3;
        const float4 a_v8 = float4(v175.x ? a14[0] : 0.0f, v175.y ? a14[1] : 0.0f, v175.z ? a14[2] : 0.0f, v175.w ? a14[3] : 0.0f);
        const float4 a_v9 = float4(v177.x ? a14[a_stride0] : 0.0f, v177.y ? a14[a_stride0 + 1] : 0.0f, v177.z ? a14[a_stride0 + 2] : 0.0f, v177.w ? a14[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v8;
        *(threadgroup float4*)(at11 + 1024) = a_v9;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const float v178 = at10[0];
        const float v179 = at8[0];
        const float v180 = at10[8];
        const float v181 = at8[40];
        const float v182 = at10[16];
        const float v183 = at8[80];
        const float v184 = at10[24];
        const float v185 = at8[120];
        const float v186 = fma(v184, v185, fma(v182, v183, fma(v180, v181, fma(v178, v179, sum11))));
        const float v187 = at10[32];
        const float v188 = at8[160];
        const float v189 = at10[40];
        const float v190 = at8[200];
        const float v191 = at10[48];
        const float v192 = at8[240];
        const float v193 = at10[56];
        const float v194 = at8[280];
        const float v195 = fma(v193, v194, fma(v191, v192, fma(v189, v190, fma(v187, v188, v186))));
        const float v196 = at10[64];
        const float v197 = at8[320];
        const float v198 = at10[72];
        const float v199 = at8[360];
        const float v200 = at10[80];
        const float v201 = at8[400];
        const float v202 = at10[88];
        const float v203 = at8[440];
        const float v204 = fma(v202, v203, fma(v200, v201, fma(v198, v199, fma(v196, v197, v195))));
        const float v205 = at10[96];
        const float v206 = at8[480];
        const float v207 = at10[104];
        const float v208 = at8[520];
        const float v209 = at10[112];
        const float v210 = at8[560];
        const float v211 = at10[120];
        const float v212 = at8[600];
        const float v213 = fma(v211, v212, fma(v209, v210, fma(v207, v208, fma(v205, v206, v204))));
        const float v214 = at10[128];
        const float v215 = at8[640];
        const float v216 = at10[136];
        const float v217 = at8[680];
        const float v218 = at10[144];
        const float v219 = at8[720];
        const float v220 = at10[152];
        const float v221 = at8[760];
        const float v222 = fma(v220, v221, fma(v218, v219, fma(v216, v217, fma(v214, v215, v213))));
        const float v223 = at10[160];
        const float v224 = at8[800];
        const float v225 = at10[168];
        const float v226 = at8[840];
        const float v227 = at10[176];
        const float v228 = at8[880];
        const float v229 = at10[184];
        const float v230 = at8[920];
        const float v231 = fma(v229, v230, fma(v227, v228, fma(v225, v226, fma(v223, v224, v222))));
        const float v232 = at10[192];
        const float v233 = at8[960];
        const float v234 = at10[200];
        const float v235 = at8[1000];
        const float v236 = at10[208];
        const float v237 = at8[1040];
        const float v238 = at10[216];
        const float v239 = at8[1080];
        const float v240 = fma(v238, v239, fma(v236, v237, fma(v234, v235, fma(v232, v233, v231))));
        const float v241 = at10[224];
        const float v242 = at8[1120];
        const float v243 = at10[232];
        const float v244 = at8[1160];
        const float v245 = at10[240];
        const float v246 = at8[1200];
        const float v247 = at10[248];
        const float v248 = at8[1240];
        const float v249 = fma(v247, v248, fma(v245, v246, fma(v243, v244, fma(v241, v242, v240))));
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum11 = v249;
      }
      float v250;
      if (is6) {
        device const float* b10 = b8 + v158 * b_stride2 + v163 * b_stride0 + v161;
        const long v251 = sizes.a_extent3 - v158;
        const bool4 v252 = bool4(v164 < v251 && is3) && is4;
        const float4 b_v5 = float4(v252.x ? b10[v165 * b_stride1 + v164 * b_stride2] : 0.0f, v252.y ? b10[v165 * b_stride1 + v164 * b_stride2 + 1] : 0.0f, v252.z ? b10[v165 * b_stride1 + v164 * b_stride2 + 2] : 0.0f, v252.w ? b10[v165 * b_stride1 + v164 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v5.x;
        at9[5] = b_v5.y;
        at9[10] = b_v5.z;
        at9[15] = b_v5.w;
        device const float* a15 = a12 + v158 * a_stride3 + v172 * a_stride0 + v171 * a_stride2;
        device const float* a16 = a15 + v161 + v170 * a_stride1 + v168 * a_stride3;
        const bool is7 = v168 < v251;
        const bool4 v253 = bool4(v174 && is7) && is4;
        const float4 a_v10 = float4(v253.x ? a16[0] : 0.0f, v253.y ? a16[1] : 0.0f, v253.z ? a16[2] : 0.0f, v253.w ? a16[3] : 0.0f);
        const bool4 v254 = bool4(v176 && is7) && is4;
        const float4 a_v11 = float4(v254.x ? a16[a_stride0] : 0.0f, v254.y ? a16[a_stride0 + 1] : 0.0f, v254.z ? a16[a_stride0 + 2] : 0.0f, v254.w ? a16[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v10;
        *(threadgroup float4*)(at11 + 1024) = a_v11;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum12 = sum11;
        for (long i12 = v158; i12 < sizes.a_extent3; i12 += 1) {
          const long v255 = i12 - v158;
          const float v256 = at10[v255 * 8];
          const float v257 = at8[v255 * 40];
          sum12 = fma(v256, v257, sum12);
        }
        float sum13 = sum12;
        for (long i13 = v158; i13 < sizes.a_extent3; i13 += 1) {
          const long v258 = i13 - v158;
          const float v259 = at10[v258 * 8 + 64];
          const float v260 = at8[v258 * 40 + 320];
          sum13 = fma(v259, v260, sum13);
        }
        float sum14 = sum13;
        for (long i14 = v158; i14 < sizes.a_extent3; i14 += 1) {
          const long v261 = i14 - v158;
          const float v262 = at10[v261 * 8 + 128];
          const float v263 = at8[v261 * 40 + 640];
          sum14 = fma(v262, v263, sum14);
        }
        float sum15 = sum14;
        for (long i15 = v158; i15 < sizes.a_extent3; i15 += 1) {
          const long v264 = i15 - v158;
          const float v265 = at10[v264 * 8 + 192];
          const float v266 = at8[v264 * 40 + 960];
          sum15 = fma(v265, v266, sum15);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v250 = sum15;
      } else {
        v250 = sum11;
      }
      sum10 = v250;
    }
    float v267;
    if (v157 < sizes.a_extent1) {
      device const float* a17 = a11 + v157 * a_stride1;
      device const float* b11 = b7 + v157 * b_stride1;
      const long v268 = sizes.a_extent1 - v157;
      const bool is8 = v165 < v268;
      const bool4 v269 = bool4(is8 && is3) && is4;
      const bool is9 = v170 < v268;
      const bool v270 = v174 && is9;
      const bool4 v271 = bool4(v270) && is4;
      const bool v272 = v176 && is9;
      const bool4 v273 = bool4(v272) && is4;
      float sum16 = sum10;
      for (long i16 = 0; i16 < v158; i16 += 8) {
        device const float* b12 = b11 + i16 * b_stride2 + v163 * b_stride0 + v161;
        const float4 b_v6 = float4(v269.x ? b12[v165 * b_stride1 + v164 * b_stride2] : 0.0f, v269.y ? b12[v165 * b_stride1 + v164 * b_stride2 + 1] : 0.0f, v269.z ? b12[v165 * b_stride1 + v164 * b_stride2 + 2] : 0.0f, v269.w ? b12[v165 * b_stride1 + v164 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v6.x;
        at9[5] = b_v6.y;
        at9[10] = b_v6.z;
        at9[15] = b_v6.w;
        device const float* a18 = a17 + i16 * a_stride3 + v172 * a_stride0 + v171 * a_stride2;
        device const float* a19 = a18 + v161 + v170 * a_stride1 + v168 * a_stride3;
        const float4 a_v12 = float4(v271.x ? a19[0] : 0.0f, v271.y ? a19[1] : 0.0f, v271.z ? a19[2] : 0.0f, v271.w ? a19[3] : 0.0f);
        const float4 a_v13 = float4(v273.x ? a19[a_stride0] : 0.0f, v273.y ? a19[a_stride0 + 1] : 0.0f, v273.z ? a19[a_stride0 + 2] : 0.0f, v273.w ? a19[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v12;
        *(threadgroup float4*)(at11 + 1024) = a_v13;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum17 = sum16;
        for (long i17 = v157; i17 < sizes.a_extent1; i17 += 1) {
          const long v274 = i17 - v157;
          threadgroup float* at12 = at10 + v274 * 64;
          threadgroup float* at13 = at8 + v274 * 320;
          const float v275 = at12[0];
          const float v276 = at13[0];
          const float v277 = at12[8];
          const float v278 = at13[40];
          const float v279 = at12[16];
          const float v280 = at13[80];
          const float v281 = at12[24];
          const float v282 = at13[120];
          const float v283 = fma(v281, v282, fma(v279, v280, fma(v277, v278, fma(v275, v276, sum17))));
          const float v284 = at12[32];
          const float v285 = at13[160];
          const float v286 = at12[40];
          const float v287 = at13[200];
          const float v288 = at12[48];
          const float v289 = at13[240];
          const float v290 = at12[56];
          const float v291 = at13[280];
          const float v292 = fma(v290, v291, fma(v288, v289, fma(v286, v287, fma(v284, v285, v283))));
          sum17 = v292;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum16 = sum17;
      }
      float v293;
      if (is6) {
        device const float* b13 = b11 + v158 * b_stride2 + v163 * b_stride0 + v161;
        const long v294 = sizes.a_extent3 - v158;
        const bool4 v295 = bool4(is8 && v164 < v294 && is3) && is4;
        const float4 b_v7 = float4(v295.x ? b13[v165 * b_stride1 + v164 * b_stride2] : 0.0f, v295.y ? b13[v165 * b_stride1 + v164 * b_stride2 + 1] : 0.0f, v295.z ? b13[v165 * b_stride1 + v164 * b_stride2 + 2] : 0.0f, v295.w ? b13[v165 * b_stride1 + v164 * b_stride2 + 3] : 0.0f);
        at9[0] = b_v7.x;
        at9[5] = b_v7.y;
        at9[10] = b_v7.z;
        at9[15] = b_v7.w;
        device const float* a20 = a17 + v158 * a_stride3 + v172 * a_stride0 + v171 * a_stride2;
        device const float* a21 = a20 + v161 + v170 * a_stride1 + v168 * a_stride3;
        const bool is10 = v168 < v294;
        const bool4 v296 = bool4(v270 && is10) && is4;
        const float4 a_v14 = float4(v296.x ? a21[0] : 0.0f, v296.y ? a21[1] : 0.0f, v296.z ? a21[2] : 0.0f, v296.w ? a21[3] : 0.0f);
        const bool4 v297 = bool4(v272 && is10) && is4;
        const float4 a_v15 = float4(v297.x ? a21[a_stride0] : 0.0f, v297.y ? a21[a_stride0 + 1] : 0.0f, v297.z ? a21[a_stride0 + 2] : 0.0f, v297.w ? a21[a_stride0 + 3] : 0.0f);
        *(threadgroup float4*)at11 = a_v14;
        *(threadgroup float4*)(at11 + 1024) = a_v15;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float sum18 = sum16;
        for (long i18 = v157; i18 < sizes.a_extent1; i18 += 1) {
          const long v298 = i18 - v157;
          threadgroup float* at14 = at10 + v298 * 64;
          threadgroup float* at15 = at8 + v298 * 320;
          float sum19 = sum18;
          for (long i19 = v158; i19 < sizes.a_extent3; i19 += 1) {
            const long v299 = i19 - v158;
            const float v300 = at14[v299 * 8];
            const float v301 = at15[v299 * 40];
            sum19 = fma(v300, v301, sum19);
          }
          sum18 = sum19;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        v293 = sum18;
      } else {
        v293 = sum16;
      }
      v267 = v293;
    } else {
      v267 = sum10;
    }
    const bool v302 = v12 + v5 < v153 && v14 + v4 < v155 && v15 + v3 < v156 && v13 + v1 < v154;
    if (v302) {
      contract4[0] = v267;
    }
  }
}
