// mm[i, j] ++= m1[i, k] * m2[k, j] | (i, j, k) do:
//   example: m1 = f32 64x64, m2 = f32 64x64
//   example: m1 = f32 1024x1024, m2 = f32 1024x1024
//   example: m1 = f32 514x130, m2 = f32 130x500
//   schedule:
//     tile(i, 16)
//     tile(j, 16)
//     tile(k, 16)
//     cache(m1)
//     cache(m2)
//     threads = 32
//
// m1: f32, rank 2
// m2: f32, rank 2
// mm: f32, rank 2 (result)
//
// assumes
//   m1: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   m2: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   mm: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   mm: shares memory with no operand; no two of its elements are one
//   launches of mm: at most 2147483647 threadgroups in all
//
// form: as written; 32 threads a block
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct mm_sizes {
  long begin;                // the launch's first group
  long m1_extent0;           // m1.0
  long m2_extent1;           // m2.1
  long m1_extent1;           // m1.1
  long mm_stride0_bytes;     // mm.s0 * 4 bytes
  long n5;                   // ceil(m2.1 / 16)
  long n6;                   // ceil(m1.0 / 16)
  long m1_stride0_bytes;     // m1.s0 * 4
  long m2_stride0_bytes;     // m2.s0 * 4
  long m2_stride0_x8_bytes;  // m2.s0 * 4 * 8
  long m1_stride0_x8_bytes;  // m1.s0 * 4 * 8
};

[[kernel, max_total_threads_per_threadgroup(32)]]
void mm(device const float* m1 [[buffer(0)]],
        device const float* m2 [[buffer(1)]],
        device float* mm [[buffer(2)]],
        constant mm_sizes& sizes [[buffer(3)]],
        uint group [[threadgroup_position_in_grid]],
        uint thread_index [[thread_index_in_threadgroup]]) {
  const long mm_stride0 = sizes.mm_stride0_bytes / 4;
  const long m1_stride0 = sizes.m1_stride0_bytes / 4;
  const long m2_stride0 = sizes.m2_stride0_bytes / 4;
  const long m2_stride0_x8 = sizes.m2_stride0_x8_bytes / 4;
  const long m1_stride0_x8 = sizes.m1_stride0_x8_bytes / 4;
  alignas(16) threadgroup float staged[320];
  alignas(16) threadgroup float staged0[256];
  const long v0 = long(thread_index % 2u);
  const long v1 = long(thread_index / 2u);
  device float* mm0 = mm + v1 * mm_stride0 + v0;
  const int v2 = int(sizes.begin + long(group));
  const int v3 = int(sizes.n5);
  const long v4 = long(uint(v2) / uint(v3)) * 16;
  const long v5 = long(uint(v2) % uint(v3)) * 16;
  const long v6 = v4 + 16;
  const long v7 = v5 + 16;
  if (v6 <= sizes.m1_extent0 && v7 <= sizes.m2_extent1) {
    device const float* m1_0 = m1 + v4 * m1_stride0;
    device const float* m2_0 = m2 + v5;
    device float* mm1 = mm0 + v4 * mm_stride0 + v5;
    const long v8 = sizes.m1_extent1 / 16 * 16;
    threadgroup float* at0 = staged0 + v0;
    const long v9 = long(thread_index % 4u);
    const long v10 = v9 * 4;
    const long v11 = long(thread_index / 4u);
    threadgroup float* at1 = staged0 + (v11 * 16 + v9 * 4);
    threadgroup float* at2 = staged + v1 * 20;
    threadgroup float* at3 = staged + (v11 * 20 + v9 * 4);
    float sum0 = 0.0f;
    float sum1 = 0.0f;
    float sum2 = 0.0f;
    float sum3 = 0.0f;
    float sum4 = 0.0f;
    float sum5 = 0.0f;
    float sum6 = 0.0f;
    float sum7 = 0.0f;
    for (long i0 = 0; i0 < v8; i0 += 16) {
      device const float* m2_1 = m2_0 + i0 * m2_stride0 + v10 + v11 * m2_stride0;
      const float4 m2_v0 = *(device const float4*)m2_1;
      const float4 m2_v1 = *(device const float4*)(m2_1 + m2_stride0_x8);
      *(threadgroup float4*)at1 = m2_v0;
      *(threadgroup float4*)(at1 + 128) = m2_v1;
      device const float* m1_1 = m1_0 + i0 + v11 * m1_stride0 + v10;
      const float4 m1_v0 = *(device const float4*)m1_1;
      const float4 m1_v1 = *(device const float4*)(m1_1 + m1_stride0_x8);
      *(threadgroup float4*)at3 = m1_v0;
      *(threadgroup float4*)(at3 + 160) = m1_v1;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float4 v12 = *(threadgroup const float4*)at2;
      const float v13 = at0[0];
      const float v14 = at0[2];
      const float v15 = at0[4];
      const float v16 = at0[6];
      const float v17 = at0[8];
      const float v18 = at0[10];
      const float v19 = at0[12];
      const float v20 = at0[14];
      const float v21 = at0[16];
      const float v22 = at0[18];
      const float v23 = at0[20];
      const float v24 = at0[22];
      const float v25 = at0[24];
      const float v26 = at0[26];
      const float v27 = at0[28];
      const float v28 = at0[30];
      const float v29 = at0[32];
      const float v30 = at0[34];
      const float v31 = at0[36];
      const float v32 = at0[38];
      const float v33 = at0[40];
      const float v34 = at0[42];
      const float v35 = at0[44];
      const float v36 = at0[46];
      const float v37 = at0[48];
      const float v38 = at0[50];
      const float v39 = at0[52];
      const float v40 = at0[54];
      const float v41 = at0[56];
      const float v42 = at0[58];
      const float v43 = at0[60];
      const float v44 = at0[62];
      const float v45 = fma(v12.w, v44, fma(v12.z, v36, fma(v12.y, v28, fma(v12.x, v20, sum7))));
      const float v46 = fma(v12.w, v43, fma(v12.z, v35, fma(v12.y, v27, fma(v12.x, v19, sum6))));
      const float v47 = fma(v12.w, v42, fma(v12.z, v34, fma(v12.y, v26, fma(v12.x, v18, sum5))));
      const float v48 = fma(v12.w, v41, fma(v12.z, v33, fma(v12.y, v25, fma(v12.x, v17, sum4))));
      const float v49 = fma(v12.w, v40, fma(v12.z, v32, fma(v12.y, v24, fma(v12.x, v16, sum3))));
      const float v50 = fma(v12.w, v39, fma(v12.z, v31, fma(v12.y, v23, fma(v12.x, v15, sum2))));
      const float v51 = fma(v12.w, v38, fma(v12.z, v30, fma(v12.y, v22, fma(v12.x, v14, sum1))));
      const float v52 = fma(v12.w, v37, fma(v12.z, v29, fma(v12.y, v21, fma(v12.x, v13, sum0))));
      const float4 v53 = *(threadgroup const float4*)(at2 + 4);
      const float v54 = at0[64];
      const float v55 = at0[66];
      const float v56 = at0[68];
      const float v57 = at0[70];
      const float v58 = at0[72];
      const float v59 = at0[74];
      const float v60 = at0[76];
      const float v61 = at0[78];
      const float v62 = at0[80];
      const float v63 = at0[82];
      const float v64 = at0[84];
      const float v65 = at0[86];
      const float v66 = at0[88];
      const float v67 = at0[90];
      const float v68 = at0[92];
      const float v69 = at0[94];
      const float v70 = at0[96];
      const float v71 = at0[98];
      const float v72 = at0[100];
      const float v73 = at0[102];
      const float v74 = at0[104];
      const float v75 = at0[106];
      const float v76 = at0[108];
      const float v77 = at0[110];
      const float v78 = at0[112];
      const float v79 = at0[114];
      const float v80 = at0[116];
      const float v81 = at0[118];
      const float v82 = at0[120];
      const float v83 = at0[122];
      const float v84 = at0[124];
      const float v85 = at0[126];
      const float v86 = fma(v53.w, v85, fma(v53.z, v77, fma(v53.y, v69, fma(v53.x, v61, v45))));
      const float v87 = fma(v53.w, v84, fma(v53.z, v76, fma(v53.y, v68, fma(v53.x, v60, v46))));
      const float v88 = fma(v53.w, v83, fma(v53.z, v75, fma(v53.y, v67, fma(v53.x, v59, v47))));
      const float v89 = fma(v53.w, v82, fma(v53.z, v74, fma(v53.y, v66, fma(v53.x, v58, v48))));
      const float v90 = fma(v53.w, v81, fma(v53.z, v73, fma(v53.y, v65, fma(v53.x, v57, v49))));
      const float v91 = fma(v53.w, v80, fma(v53.z, v72, fma(v53.y, v64, fma(v53.x, v56, v50))));
      const float v92 = fma(v53.w, v79, fma(v53.z, v71, fma(v53.y, v63, fma(v53.x, v55, v51))));
      const float v93 = fma(v53.w, v78, fma(v53.z, v70, fma(v53.y, v62, fma(v53.x, v54, v52))));
      const float4 v94 = *(threadgroup const float4*)(at2 + 8);
      const float v95 = at0[128];
      const float v96 = at0[130];
      const float v97 = at0[132];
      const float v98 = at0[134];
      const float v99 = at0[136];
      const float v100 = at0[138];
      const float v101 = at0[140];
      const float v102 = at0[142];
      const float v103 = at0[144];
      const float v104 = at0[146];
      const float v105 = at0[148];
      const float v106 = at0[150];
      const float v107 = at0[152];
      const float v108 = at0[154];
      const float v109 = at0[156];
      const float v110 = at0[158];
      const float v111 = at0[160];
      const float v112 = at0[162];
      const float v113 = at0[164];
      const float v114 = at0[166];
      const float v115 = at0[168];
      const float v116 = at0[170];
      const float v117 = at0[172];
      const float v118 = at0[174];
      const float v119 = at0[176];
      const float v120 = at0[178];
      const float v121 = at0[180];
      const float v122 = at0[182];
      const float v123 = at0[184];
      const float v124 = at0[186];
      const float v125 = at0[188];
      const float v126 = at0[190];
      const float v127 = fma(v94.w, v126, fma(v94.z, v118, fma(v94.y, v110, fma(v94.x, v102, v86))));
      const float v128 = fma(v94.w, v125, fma(v94.z, v117, fma(v94.y, v109, fma(v94.x, v101, v87))));
      const float v129 = fma(v94.w, v124, fma(v94.z, v116, fma(v94.y, v108, fma(v94.x, v100, v88))));
      const float v130 = fma(v94.w, v123, fma(v94.z, v115, fma(v94.y, v107, fma(v94.x, v99, v89))));
      const float v131 = fma(v94.w, v122, fma(v94.z, v114, fma(v94.y, v106, fma(v94.x, v98, v90))));
      const float v132 = fma(v94.w, v121, fma(v94.z, v113, fma(v94.y, v105, fma(v94.x, v97, v91))));
      const float v133 = fma(v94.w, v120, fma(v94.z, v112, fma(v94.y, v104, fma(v94.x, v96, v92))));
      const float v134 = fma(v94.w, v119, fma(v94.z, v111, fma(v94.y, v103, fma(v94.x, v95, v93))));
      const float4 v135 = *(threadgroup const float4*)(at2 + 12);
      const float v136 = at0[192];
      const float v137 = at0[194];
      const float v138 = at0[196];
      const float v139 = at0[198];
      const float v140 = at0[200];
      const float v141 = at0[202];
      const float v142 = at0[204];
      const float v143 = at0[206];
      const float v144 = at0[208];
      const float v145 = at0[210];
      const float v146 = at0[212];
      const float v147 = at0[214];
      const float v148 = at0[216];
      const float v149 = at0[218];
      const float v150 = at0[220];
      const float v151 = at0[222];
      const float v152 = at0[224];
      const float v153 = at0[226];
      const float v154 = at0[228];
      const float v155 = at0[230];
      const float v156 = at0[232];
      const float v157 = at0[234];
      const float v158 = at0[236];
      const float v159 = at0[238];
      const float v160 = at0[240];
      const float v161 = at0[242];
      const float v162 = at0[244];
      const float v163 = at0[246];
      const float v164 = at0[248];
      const float v165 = at0[250];
      const float v166 = at0[252];
      const float v167 = at0[254];
      const float v168 = fma(v135.w, v167, fma(v135.z, v159, fma(v135.y, v151, fma(v135.x, v143, v127))));
      const float v169 = fma(v135.w, v166, fma(v135.z, v158, fma(v135.y, v150, fma(v135.x, v142, v128))));
      const float v170 = fma(v135.w, v165, fma(v135.z, v157, fma(v135.y, v149, fma(v135.x, v141, v129))));
      const float v171 = fma(v135.w, v164, fma(v135.z, v156, fma(v135.y, v148, fma(v135.x, v140, v130))));
      const float v172 = fma(v135.w, v163, fma(v135.z, v155, fma(v135.y, v147, fma(v135.x, v139, v131))));
      const float v173 = fma(v135.w, v162, fma(v135.z, v154, fma(v135.y, v146, fma(v135.x, v138, v132))));
      const float v174 = fma(v135.w, v161, fma(v135.z, v153, fma(v135.y, v145, fma(v135.x, v137, v133))));
      const float v175 = fma(v135.w, v160, fma(v135.z, v152, fma(v135.y, v144, fma(v135.x, v136, v134))));
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum0 = v175;
      sum1 = v174;
      sum2 = v173;
      sum3 = v172;
      sum4 = v171;
      sum5 = v170;
      sum6 = v169;
      sum7 = v168;
    }
    float v176;
    float v177;
    float v178;
    float v179;
    float v180;
    float v181;
    float v182;
    float v183;
    if (v8 < sizes.m1_extent1) {
      device const float* m2_2 = m2_0 + v8 * m2_stride0 + v10 + v11 * m2_stride0;
      const long v184 = sizes.m1_extent1 - v8;
      const bool4 v185 = bool4(v11 < v184);
      const float4 m2_v2 = float4(v185.x ? m2_2[0] : 0.0f, v185.y ? m2_2[1] : 0.0f, v185.z ? m2_2[2] : 0.0f, v185.w ? m2_2[3] : 0.0f);
      const bool4 v186 = bool4(v11 + 8 < v184);
      const float4 m2_v3 = float4(v186.x ? m2_2[m2_stride0_x8] : 0.0f, v186.y ? m2_2[m2_stride0_x8 + 1] : 0.0f, v186.z ? m2_2[m2_stride0_x8 + 2] : 0.0f, v186.w ? m2_2[m2_stride0_x8 + 3] : 0.0f);
      *(threadgroup float4*)at1 = m2_v2;
      *(threadgroup float4*)(at1 + 128) = m2_v3;
      device const float* m1_2 = m1_0 + v8 + v11 * m1_stride0 + v10;
      const bool4 is0 = long4(v10) + long4(0, 1, 2, 3) < long4(v184);
      const float4 m1_v2 = float4(is0.x ? m1_2[0] : 0.0f, is0.y ? m1_2[1] : 0.0f, is0.z ? m1_2[2] : 0.0f, is0.w ? m1_2[3] : 0.0f);
      const float4 m1_v3 = float4(is0.x ? m1_2[m1_stride0_x8] : 0.0f, is0.y ? m1_2[m1_stride0_x8 + 1] : 0.0f, is0.z ? m1_2[m1_stride0_x8 + 2] : 0.0f, is0.w ? m1_2[m1_stride0_x8 + 3] : 0.0f);
      *(threadgroup float4*)at3 = m1_v2;
      *(threadgroup float4*)(at3 + 160) = m1_v3;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const long v187 = v8 + v184 / 4 * 4;
      float sum8 = sum0;
      float sum9 = sum1;
      float sum10 = sum2;
      float sum11 = sum3;
      float sum12 = sum4;
      float sum13 = sum5;
      float sum14 = sum6;
      float sum15 = sum7;
      for (long i1 = v8; i1 < v187; i1 += 4) {
        const long v188 = i1 - v8;
        threadgroup float* at4 = at0 + v188 * 16;
        const float4 v189 = *(threadgroup const float4*)(at2 + v188);
        const float v190 = at4[0];
        const float v191 = at4[2];
        const float v192 = at4[4];
        const float v193 = at4[6];
        const float v194 = at4[8];
        const float v195 = at4[10];
        const float v196 = at4[12];
        const float v197 = at4[14];
        const float v198 = at4[16];
        const float v199 = at4[18];
        const float v200 = at4[20];
        const float v201 = at4[22];
        const float v202 = at4[24];
        const float v203 = at4[26];
        const float v204 = at4[28];
        const float v205 = at4[30];
        const float v206 = at4[32];
        const float v207 = at4[34];
        const float v208 = at4[36];
        const float v209 = at4[38];
        const float v210 = at4[40];
        const float v211 = at4[42];
        const float v212 = at4[44];
        const float v213 = at4[46];
        const float v214 = at4[48];
        const float v215 = at4[50];
        const float v216 = at4[52];
        const float v217 = at4[54];
        const float v218 = at4[56];
        const float v219 = at4[58];
        const float v220 = at4[60];
        const float v221 = at4[62];
        const float v222 = fma(v189.w, v221, fma(v189.z, v213, fma(v189.y, v205, fma(v189.x, v197, sum15))));
        const float v223 = fma(v189.w, v220, fma(v189.z, v212, fma(v189.y, v204, fma(v189.x, v196, sum14))));
        const float v224 = fma(v189.w, v219, fma(v189.z, v211, fma(v189.y, v203, fma(v189.x, v195, sum13))));
        const float v225 = fma(v189.w, v218, fma(v189.z, v210, fma(v189.y, v202, fma(v189.x, v194, sum12))));
        const float v226 = fma(v189.w, v217, fma(v189.z, v209, fma(v189.y, v201, fma(v189.x, v193, sum11))));
        const float v227 = fma(v189.w, v216, fma(v189.z, v208, fma(v189.y, v200, fma(v189.x, v192, sum10))));
        const float v228 = fma(v189.w, v215, fma(v189.z, v207, fma(v189.y, v199, fma(v189.x, v191, sum9))));
        const float v229 = fma(v189.w, v214, fma(v189.z, v206, fma(v189.y, v198, fma(v189.x, v190, sum8))));
        sum8 = v229;
        sum9 = v228;
        sum10 = v227;
        sum11 = v226;
        sum12 = v225;
        sum13 = v224;
        sum14 = v223;
        sum15 = v222;
      }
      const bool is1 = v187 < sizes.m1_extent1;
      float v230;
      float v231;
      float v232;
      float v233;
      float v234;
      float v235;
      float v236;
      float v237;
      if (is1) {
        const long v238 = v187 - v8;
        threadgroup float* at5 = at0 + v238 * 16;
        const float4 v239 = *(threadgroup const float4*)(at2 + v238);
        const float v240 = is1 ? v239.x : 0.0f;
        const bool is2 = v187 + 1 < sizes.m1_extent1;
        const float v241 = is2 ? v239.y : 0.0f;
        const bool is3 = v187 + 2 < sizes.m1_extent1;
        const float v242 = is3 ? v239.z : 0.0f;
        const bool is4 = v187 + 3 < sizes.m1_extent1;
        const float v243 = is4 ? v239.w : 0.0f;
        const float v244 = at5[0];
        const float v245 = at5[2];
        const float v246 = at5[4];
        const float v247 = at5[6];
        const float v248 = at5[8];
        const float v249 = at5[10];
        const float v250 = at5[12];
        const float v251 = at5[14];
        const float v252 = at5[16];
        const float v253 = at5[18];
        const float v254 = at5[20];
        const float v255 = at5[22];
        const float v256 = at5[24];
        const float v257 = at5[26];
        const float v258 = at5[28];
        const float v259 = at5[30];
        const float v260 = at5[32];
        const float v261 = at5[34];
        const float v262 = at5[36];
        const float v263 = at5[38];
        const float v264 = at5[40];
        const float v265 = at5[42];
        const float v266 = at5[44];
        const float v267 = at5[46];
        const float v268 = at5[48];
        const float v269 = at5[50];
        const float v270 = at5[52];
        const float v271 = at5[54];
        const float v272 = at5[56];
        const float v273 = at5[58];
        const float v274 = at5[60];
        const float v275 = at5[62];
        const float v276 = fma(v241, is2 ? v259 : 0.0f, fma(v240, is1 ? v251 : 0.0f, sum15));
        const float v277 = fma(v241, is2 ? v258 : 0.0f, fma(v240, is1 ? v250 : 0.0f, sum14));
        const float v278 = fma(v241, is2 ? v257 : 0.0f, fma(v240, is1 ? v249 : 0.0f, sum13));
        const float v279 = fma(v241, is2 ? v256 : 0.0f, fma(v240, is1 ? v248 : 0.0f, sum12));
        const float v280 = fma(v241, is2 ? v255 : 0.0f, fma(v240, is1 ? v247 : 0.0f, sum11));
        const float v281 = fma(v241, is2 ? v254 : 0.0f, fma(v240, is1 ? v246 : 0.0f, sum10));
        const float v282 = fma(v242, is3 ? v260 : 0.0f, fma(v241, is2 ? v252 : 0.0f, fma(v240, is1 ? v244 : 0.0f, sum8)));
        const float v283 = fma(v242, is3 ? v261 : 0.0f, fma(v241, is2 ? v253 : 0.0f, fma(v240, is1 ? v245 : 0.0f, sum9)));
        v230 = fma(v243, is4 ? v268 : 0.0f, v282);
        v231 = fma(v243, is4 ? v269 : 0.0f, v283);
        v232 = fma(v243, is4 ? v270 : 0.0f, fma(v242, is3 ? v262 : 0.0f, v281));
        v233 = fma(v243, is4 ? v271 : 0.0f, fma(v242, is3 ? v263 : 0.0f, v280));
        v234 = fma(v243, is4 ? v272 : 0.0f, fma(v242, is3 ? v264 : 0.0f, v279));
        v235 = fma(v243, is4 ? v273 : 0.0f, fma(v242, is3 ? v265 : 0.0f, v278));
        v236 = fma(v243, is4 ? v274 : 0.0f, fma(v242, is3 ? v266 : 0.0f, v277));
        v237 = fma(v243, is4 ? v275 : 0.0f, fma(v242, is3 ? v267 : 0.0f, v276));
      } else {
        v230 = sum8;
        v231 = sum9;
        v232 = sum10;
        v233 = sum11;
        v234 = sum12;
        v235 = sum13;
        v236 = sum14;
        v237 = sum15;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v176 = v230;
      v177 = v231;
      v178 = v232;
      v179 = v233;
      v180 = v234;
      v181 = v235;
      v182 = v236;
      v183 = v237;
    } else {
      v176 = sum0;
      v177 = sum1;
      v178 = sum2;
      v179 = sum3;
      v180 = sum4;
      v181 = sum5;
      v182 = sum6;
      v183 = sum7;
    }
    mm1[0] = v176;
    mm1[2] = v177;
    mm1[4] = v178;
    mm1[6] = v179;
    mm1[8] = v180;
    mm1[10] = v181;
    mm1[12] = v182;
    mm1[14] = v183;
  } else {
    const long v284 = min(v6, sizes.m1_extent0);
    device const float* m1_3 = m1 + v4 * m1_stride0;
    const long v285 = min(v7, sizes.m2_extent1);
    device const float* m2_3 = m2 + v5;
    device float* mm2 = mm0 + v4 * mm_stride0 + v5;
    const long v286 = sizes.m1_extent1 / 16 * 16;
    threadgroup float* at6 = staged0 + v0;
    const long v287 = long(thread_index % 4u);
    const long v288 = v287 * 4;
    const long v289 = long(thread_index / 4u);
    const long4 v290 = long4(v288) + long4(0, 1, 2, 3);
    const bool4 is5 = v290 < long4(v285 - v5);
    threadgroup float* at7 = staged0 + (v289 * 16 + v287 * 4);
    threadgroup float* at8 = staged + v1 * 20;
    const long v291 = v284 - v4;
    const bool4 v292 = bool4(v289 < v291);
    const long v293 = v289 + 8;
    const bool4 v294 = bool4(v293 < v291);
    threadgroup float* at9 = staged + (v289 * 20 + v287 * 4);
    float sum16 = 0.0f;
    float sum17 = 0.0f;
    float sum18 = 0.0f;
    float sum19 = 0.0f;
    float sum20 = 0.0f;
    float sum21 = 0.0f;
    float sum22 = 0.0f;
    float sum23 = 0.0f;
    for (long i2 = 0; i2 < v286; i2 += 16) {
      device const float* m2_4 = m2_3 + i2 * m2_stride0 + v288 + v289 * m2_stride0;
      const float4 m2_v4 = float4(is5.x ? m2_4[0] : 0.0f, is5.y ? m2_4[1] : 0.0f, is5.z ? m2_4[2] : 0.0f, is5.w ? m2_4[3] : 0.0f);
      const float4 m2_v5 = float4(is5.x ? m2_4[m2_stride0_x8] : 0.0f, is5.y ? m2_4[m2_stride0_x8 + 1] : 0.0f, is5.z ? m2_4[m2_stride0_x8 + 2] : 0.0f, is5.w ? m2_4[m2_stride0_x8 + 3] : 0.0f);
      *(threadgroup float4*)at7 = m2_v4;
      *(threadgroup float4*)(at7 + 128) = m2_v5;
      device const float* m1_4 = m1_3 + i2 + v289 * m1_stride0 + v288;
      const float4 m1_v4 = float4(v292.x ? m1_4[0] : 0.0f, v292.y ? m1_4[1] : 0.0f, v292.z ? m1_4[2] : 0.0f, v292.w ? m1_4[3] : 0.0f);
      const float4 m1_v5 = float4(v294.x ? m1_4[m1_stride0_x8] : 0.0f, v294.y ? m1_4[m1_stride0_x8 + 1] : 0.0f, v294.z ? m1_4[m1_stride0_x8 + 2] : 0.0f, v294.w ? m1_4[m1_stride0_x8 + 3] : 0.0f);
      *(threadgroup float4*)at9 = m1_v4;
      *(threadgroup float4*)(at9 + 160) = m1_v5;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const float4 v295 = *(threadgroup const float4*)at8;
      const float v296 = at6[0];
      const float v297 = at6[2];
      const float v298 = at6[4];
      const float v299 = at6[6];
      const float v300 = at6[8];
      const float v301 = at6[10];
      const float v302 = at6[12];
      const float v303 = at6[14];
      const float v304 = at6[16];
      const float v305 = at6[18];
      const float v306 = at6[20];
      const float v307 = at6[22];
      const float v308 = at6[24];
      const float v309 = at6[26];
      const float v310 = at6[28];
      const float v311 = at6[30];
      const float v312 = at6[32];
      const float v313 = at6[34];
      const float v314 = at6[36];
      const float v315 = at6[38];
      const float v316 = at6[40];
      const float v317 = at6[42];
      const float v318 = at6[44];
      const float v319 = at6[46];
      const float v320 = at6[48];
      const float v321 = at6[50];
      const float v322 = at6[52];
      const float v323 = at6[54];
      const float v324 = at6[56];
      const float v325 = at6[58];
      const float v326 = at6[60];
      const float v327 = at6[62];
      const float v328 = fma(v295.w, v327, fma(v295.z, v319, fma(v295.y, v311, fma(v295.x, v303, sum23))));
      const float v329 = fma(v295.w, v326, fma(v295.z, v318, fma(v295.y, v310, fma(v295.x, v302, sum22))));
      const float v330 = fma(v295.w, v325, fma(v295.z, v317, fma(v295.y, v309, fma(v295.x, v301, sum21))));
      const float v331 = fma(v295.w, v324, fma(v295.z, v316, fma(v295.y, v308, fma(v295.x, v300, sum20))));
      const float v332 = fma(v295.w, v323, fma(v295.z, v315, fma(v295.y, v307, fma(v295.x, v299, sum19))));
      const float v333 = fma(v295.w, v322, fma(v295.z, v314, fma(v295.y, v306, fma(v295.x, v298, sum18))));
      const float v334 = fma(v295.w, v321, fma(v295.z, v313, fma(v295.y, v305, fma(v295.x, v297, sum17))));
      const float v335 = fma(v295.w, v320, fma(v295.z, v312, fma(v295.y, v304, fma(v295.x, v296, sum16))));
      const float4 v336 = *(threadgroup const float4*)(at8 + 4);
      const float v337 = at6[64];
      const float v338 = at6[66];
      const float v339 = at6[68];
      const float v340 = at6[70];
      const float v341 = at6[72];
      const float v342 = at6[74];
      const float v343 = at6[76];
      const float v344 = at6[78];
      const float v345 = at6[80];
      const float v346 = at6[82];
      const float v347 = at6[84];
      const float v348 = at6[86];
      const float v349 = at6[88];
      const float v350 = at6[90];
      const float v351 = at6[92];
      const float v352 = at6[94];
      const float v353 = at6[96];
      const float v354 = at6[98];
      const float v355 = at6[100];
      const float v356 = at6[102];
      const float v357 = at6[104];
      const float v358 = at6[106];
      const float v359 = at6[108];
      const float v360 = at6[110];
      const float v361 = at6[112];
      const float v362 = at6[114];
      const float v363 = at6[116];
      const float v364 = at6[118];
      const float v365 = at6[120];
      const float v366 = at6[122];
      const float v367 = at6[124];
      const float v368 = at6[126];
      const float v369 = fma(v336.w, v368, fma(v336.z, v360, fma(v336.y, v352, fma(v336.x, v344, v328))));
      const float v370 = fma(v336.w, v367, fma(v336.z, v359, fma(v336.y, v351, fma(v336.x, v343, v329))));
      const float v371 = fma(v336.w, v366, fma(v336.z, v358, fma(v336.y, v350, fma(v336.x, v342, v330))));
      const float v372 = fma(v336.w, v365, fma(v336.z, v357, fma(v336.y, v349, fma(v336.x, v341, v331))));
      const float v373 = fma(v336.w, v364, fma(v336.z, v356, fma(v336.y, v348, fma(v336.x, v340, v332))));
      const float v374 = fma(v336.w, v363, fma(v336.z, v355, fma(v336.y, v347, fma(v336.x, v339, v333))));
      const float v375 = fma(v336.w, v362, fma(v336.z, v354, fma(v336.y, v346, fma(v336.x, v338, v334))));
      const float v376 = fma(v336.w, v361, fma(v336.z, v353, fma(v336.y, v345, fma(v336.x, v337, v335))));
      const float4 v377 = *(threadgroup const float4*)(at8 + 8);
      const float v378 = at6[128];
      const float v379 = at6[130];
      const float v380 = at6[132];
      const float v381 = at6[134];
      const float v382 = at6[136];
      const float v383 = at6[138];
      const float v384 = at6[140];
      const float v385 = at6[142];
      const float v386 = at6[144];
      const float v387 = at6[146];
      const float v388 = at6[148];
      const float v389 = at6[150];
      const float v390 = at6[152];
      const float v391 = at6[154];
      const float v392 = at6[156];
      const float v393 = at6[158];
      const float v394 = at6[160];
      const float v395 = at6[162];
      const float v396 = at6[164];
      const float v397 = at6[166];
      const float v398 = at6[168];
      const float v399 = at6[170];
      const float v400 = at6[172];
      const float v401 = at6[174];
      const float v402 = at6[176];
      const float v403 = at6[178];
      const float v404 = at6[180];
      const float v405 = at6[182];
      const float v406 = at6[184];
      const float v407 = at6[186];
      const float v408 = at6[188];
      const float v409 = at6[190];
      const float v410 = fma(v377.w, v409, fma(v377.z, v401, fma(v377.y, v393, fma(v377.x, v385, v369))));
      const float v411 = fma(v377.w, v408, fma(v377.z, v400, fma(v377.y, v392, fma(v377.x, v384, v370))));
      const float v412 = fma(v377.w, v407, fma(v377.z, v399, fma(v377.y, v391, fma(v377.x, v383, v371))));
      const float v413 = fma(v377.w, v406, fma(v377.z, v398, fma(v377.y, v390, fma(v377.x, v382, v372))));
      const float v414 = fma(v377.w, v405, fma(v377.z, v397, fma(v377.y, v389, fma(v377.x, v381, v373))));
      const float v415 = fma(v377.w, v404, fma(v377.z, v396, fma(v377.y, v388, fma(v377.x, v380, v374))));
      const float v416 = fma(v377.w, v403, fma(v377.z, v395, fma(v377.y, v387, fma(v377.x, v379, v375))));
      const float v417 = fma(v377.w, v402, fma(v377.z, v394, fma(v377.y, v386, fma(v377.x, v378, v376))));
      const float4 v418 = *(threadgroup const float4*)(at8 + 12);
      const float v419 = at6[192];
      const float v420 = at6[194];
      const float v421 = at6[196];
      const float v422 = at6[198];
      const float v423 = at6[200];
      const float v424 = at6[202];
      const float v425 = at6[204];
      const float v426 = at6[206];
      const float v427 = at6[208];
      const float v428 = at6[210];
      const float v429 = at6[212];
      const float v430 = at6[214];
      const float v431 = at6[216];
      const float v432 = at6[218];
      const float v433 = at6[220];
      const float v434 = at6[222];
      const float v435 = at6[224];
      const float v436 = at6[226];
      const float v437 = at6[228];
      const float v438 = at6[230];
      const float v439 = at6[232];
      const float v440 = at6[234];
      const float v441 = at6[236];
      const float v442 = at6[238];
      const float v443 = at6[240];
      const float v444 = at6[242];
      const float v445 = at6[244];
      const float v446 = at6[246];
      const float v447 = at6[248];
      const float v448 = at6[250];
      const float v449 = at6[252];
      const float v450 = at6[254];
      const float v451 = fma(v418.w, v450, fma(v418.z, v442, fma(v418.y, v434, fma(v418.x, v426, v410))));
      const float v452 = fma(v418.w, v449, fma(v418.z, v441, fma(v418.y, v433, fma(v418.x, v425, v411))));
      const float v453 = fma(v418.w, v448, fma(v418.z, v440, fma(v418.y, v432, fma(v418.x, v424, v412))));
      const float v454 = fma(v418.w, v447, fma(v418.z, v439, fma(v418.y, v431, fma(v418.x, v423, v413))));
      const float v455 = fma(v418.w, v446, fma(v418.z, v438, fma(v418.y, v430, fma(v418.x, v422, v414))));
      const float v456 = fma(v418.w, v445, fma(v418.z, v437, fma(v418.y, v429, fma(v418.x, v421, v415))));
      const float v457 = fma(v418.w, v444, fma(v418.z, v436, fma(v418.y, v428, fma(v418.x, v420, v416))));
      const float v458 = fma(v418.w, v443, fma(v418.z, v435, fma(v418.y, v427, fma(v418.x, v419, v417))));
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum16 = v458;
      sum17 = v457;
      sum18 = v456;
      sum19 = v455;
      sum20 = v454;
      sum21 = v453;
      sum22 = v452;
      sum23 = v451;
    }
    float v459;
    float v460;
    float v461;
    float v462;
    float v463;
    float v464;
    float v465;
    float v466;
    if (v286 < sizes.m1_extent1) {
      device const float* m2_5 = m2_3 + v286 * m2_stride0 + v288 + v289 * m2_stride0;
      const long v467 = sizes.m1_extent1 - v286;
      const bool4 v468 = bool4(v289 < v467) && is5;
      const float4 m2_v6 = float4(v468.x ? m2_5[0] : 0.0f, v468.y ? m2_5[1] : 0.0f, v468.z ? m2_5[2] : 0.0f, v468.w ? m2_5[3] : 0.0f);
      const bool4 v469 = bool4(v293 < v467) && is5;
      const float4 m2_v7 = float4(v469.x ? m2_5[m2_stride0_x8] : 0.0f, v469.y ? m2_5[m2_stride0_x8 + 1] : 0.0f, v469.z ? m2_5[m2_stride0_x8 + 2] : 0.0f, v469.w ? m2_5[m2_stride0_x8 + 3] : 0.0f);
      *(threadgroup float4*)at7 = m2_v6;
      *(threadgroup float4*)(at7 + 128) = m2_v7;
      device const float* m1_5 = m1_3 + v286 + v289 * m1_stride0 + v288;
      const bool4 is6 = v290 < long4(v467);
      const bool4 v470 = v292 && is6;
      const float4 m1_v6 = float4(v470.x ? m1_5[0] : 0.0f, v470.y ? m1_5[1] : 0.0f, v470.z ? m1_5[2] : 0.0f, v470.w ? m1_5[3] : 0.0f);
      const bool4 v471 = v294 && is6;
      const float4 m1_v7 = float4(v471.x ? m1_5[m1_stride0_x8] : 0.0f, v471.y ? m1_5[m1_stride0_x8 + 1] : 0.0f, v471.z ? m1_5[m1_stride0_x8 + 2] : 0.0f, v471.w ? m1_5[m1_stride0_x8 + 3] : 0.0f);
      *(threadgroup float4*)at9 = m1_v6;
      *(threadgroup float4*)(at9 + 160) = m1_v7;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const long v472 = v286 + v467 / 4 * 4;
      float sum24 = sum16;
      float sum25 = sum17;
      float sum26 = sum18;
      float sum27 = sum19;
      float sum28 = sum20;
      float sum29 = sum21;
      float sum30 = sum22;
      float sum31 = sum23;
      for (long i3 = v286; i3 < v472; i3 += 4) {
        const long v473 = i3 - v286;
        threadgroup float* at10 = at6 + v473 * 16;
        const float4 v474 = *(threadgroup const float4*)(at8 + v473);
        const float v475 = at10[0];
        const float v476 = at10[2];
        const float v477 = at10[4];
        const float v478 = at10[6];
        const float v479 = at10[8];
        const float v480 = at10[10];
        const float v481 = at10[12];
        const float v482 = at10[14];
        const float v483 = at10[16];
        const float v484 = at10[18];
        const float v485 = at10[20];
        const float v486 = at10[22];
        const float v487 = at10[24];
        const float v488 = at10[26];
        const float v489 = at10[28];
        const float v490 = at10[30];
        const float v491 = at10[32];
        const float v492 = at10[34];
        const float v493 = at10[36];
        const float v494 = at10[38];
        const float v495 = at10[40];
        const float v496 = at10[42];
        const float v497 = at10[44];
        const float v498 = at10[46];
        const float v499 = at10[48];
        const float v500 = at10[50];
        const float v501 = at10[52];
        const float v502 = at10[54];
        const float v503 = at10[56];
        const float v504 = at10[58];
        const float v505 = at10[60];
        const float v506 = at10[62];
        const float v507 = fma(v474.w, v506, fma(v474.z, v498, fma(v474.y, v490, fma(v474.x, v482, sum31))));
        const float v508 = fma(v474.w, v505, fma(v474.z, v497, fma(v474.y, v489, fma(v474.x, v481, sum30))));
        const float v509 = fma(v474.w, v504, fma(v474.z, v496, fma(v474.y, v488, fma(v474.x, v480, sum29))));
        const float v510 = fma(v474.w, v503, fma(v474.z, v495, fma(v474.y, v487, fma(v474.x, v479, sum28))));
        const float v511 = fma(v474.w, v502, fma(v474.z, v494, fma(v474.y, v486, fma(v474.x, v478, sum27))));
        const float v512 = fma(v474.w, v501, fma(v474.z, v493, fma(v474.y, v485, fma(v474.x, v477, sum26))));
        const float v513 = fma(v474.w, v500, fma(v474.z, v492, fma(v474.y, v484, fma(v474.x, v476, sum25))));
        const float v514 = fma(v474.w, v499, fma(v474.z, v491, fma(v474.y, v483, fma(v474.x, v475, sum24))));
        sum24 = v514;
        sum25 = v513;
        sum26 = v512;
        sum27 = v511;
        sum28 = v510;
        sum29 = v509;
        sum30 = v508;
        sum31 = v507;
      }
      const bool is7 = v472 < sizes.m1_extent1;
      float v515;
      float v516;
      float v517;
      float v518;
      float v519;
      float v520;
      float v521;
      float v522;
      if (is7) {
        const long v523 = v472 - v286;
        threadgroup float* at11 = at6 + v523 * 16;
        const float4 v524 = *(threadgroup const float4*)(at8 + v523);
        const float v525 = is7 ? v524.x : 0.0f;
        const bool is8 = v472 + 1 < sizes.m1_extent1;
        const float v526 = is8 ? v524.y : 0.0f;
        const bool is9 = v472 + 2 < sizes.m1_extent1;
        const float v527 = is9 ? v524.z : 0.0f;
        const bool is10 = v472 + 3 < sizes.m1_extent1;
        const float v528 = is10 ? v524.w : 0.0f;
        const float v529 = at11[0];
        const float v530 = at11[2];
        const float v531 = at11[4];
        const float v532 = at11[6];
        const float v533 = at11[8];
        const float v534 = at11[10];
        const float v535 = at11[12];
        const float v536 = at11[14];
        const float v537 = at11[16];
        const float v538 = at11[18];
        const float v539 = at11[20];
        const float v540 = at11[22];
        const float v541 = at11[24];
        const float v542 = at11[26];
        const float v543 = at11[28];
        const float v544 = at11[30];
        const float v545 = at11[32];
        const float v546 = at11[34];
        const float v547 = at11[36];
        const float v548 = at11[38];
        const float v549 = at11[40];
        const float v550 = at11[42];
        const float v551 = at11[44];
        const float v552 = at11[46];
        const float v553 = at11[48];
        const float v554 = at11[50];
        const float v555 = at11[52];
        const float v556 = at11[54];
        const float v557 = at11[56];
        const float v558 = at11[58];
        const float v559 = at11[60];
        const float v560 = at11[62];
        const float v561 = fma(v526, is8 ? v544 : 0.0f, fma(v525, is7 ? v536 : 0.0f, sum31));
        const float v562 = fma(v526, is8 ? v543 : 0.0f, fma(v525, is7 ? v535 : 0.0f, sum30));
        const float v563 = fma(v526, is8 ? v542 : 0.0f, fma(v525, is7 ? v534 : 0.0f, sum29));
        const float v564 = fma(v526, is8 ? v541 : 0.0f, fma(v525, is7 ? v533 : 0.0f, sum28));
        const float v565 = fma(v526, is8 ? v540 : 0.0f, fma(v525, is7 ? v532 : 0.0f, sum27));
        const float v566 = fma(v526, is8 ? v539 : 0.0f, fma(v525, is7 ? v531 : 0.0f, sum26));
        const float v567 = fma(v526, is8 ? v538 : 0.0f, fma(v525, is7 ? v530 : 0.0f, sum25));
        const float v568 = fma(v526, is8 ? v537 : 0.0f, fma(v525, is7 ? v529 : 0.0f, sum24));
        const float v569 = fma(v528, is10 ? v560 : 0.0f, fma(v527, is9 ? v552 : 0.0f, v561));
        const float v570 = fma(v528, is10 ? v559 : 0.0f, fma(v527, is9 ? v551 : 0.0f, v562));
        const float v571 = fma(v528, is10 ? v558 : 0.0f, fma(v527, is9 ? v550 : 0.0f, v563));
        const float v572 = fma(v528, is10 ? v557 : 0.0f, fma(v527, is9 ? v549 : 0.0f, v564));
        const float v573 = fma(v528, is10 ? v556 : 0.0f, fma(v527, is9 ? v548 : 0.0f, v565));
        const float v574 = fma(v528, is10 ? v555 : 0.0f, fma(v527, is9 ? v547 : 0.0f, v566));
        const float v575 = fma(v528, is10 ? v554 : 0.0f, fma(v527, is9 ? v546 : 0.0f, v567));
        const float v576 = fma(v528, is10 ? v553 : 0.0f, fma(v527, is9 ? v545 : 0.0f, v568));
        v515 = v576;
        v516 = v575;
        v517 = v574;
        v518 = v573;
        v519 = v572;
        v520 = v571;
        v521 = v570;
        v522 = v569;
      } else {
        v515 = sum24;
        v516 = sum25;
        v517 = sum26;
        v518 = sum27;
        v519 = sum28;
        v520 = sum29;
        v521 = sum30;
        v522 = sum31;
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v459 = v515;
      v460 = v516;
      v461 = v517;
      v462 = v518;
      v463 = v519;
      v464 = v520;
      v465 = v521;
      v466 = v522;
    } else {
      v459 = sum16;
      v460 = sum17;
      v461 = sum18;
      v462 = sum19;
      v463 = sum20;
      v464 = sum21;
      v465 = sum22;
      v466 = sum23;
    }
    const long v577 = v5 + v0;
    const bool is11 = v4 + v1 < v284;
    if (v577 < v285 && is11) {
      mm2[0] = v459;
    }
    if (v577 + 2 < v285 && is11) {
      mm2[2] = v460;
    }
    if (v577 + 4 < v285 && is11) {
      mm2[4] = v461;
    }
    if (v577 + 6 < v285 && is11) {
      mm2[6] = v462;
    }
    if (v577 + 8 < v285 && is11) {
      mm2[8] = v463;
    }
    if (v577 + 10 < v285 && is11) {
      mm2[10] = v464;
    }
    if (v577 + 12 < v285 && is11) {
      mm2[12] = v465;
    }
    if (v577 + 14 < v285 && is11) {
      mm2[14] = v466;
    }
  }
}
