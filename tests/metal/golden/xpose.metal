// xpose[j, i] = a[i, j] | (i, j) do:
//   example: a = f32 2x3
//   example: a = f32 4096x4096
//   example: a = f32 4099x3001
//   schedule:
//     tile(i, 32)
//     tile(j, 32)
//
// a: f32, rank 2
// xpose: f32, rank 2 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 4 bytes, axis 1 one element
//   xpose: at a multiple of 16 bytes; strides: axis 0 any multiple of 8 bytes, axis 1 one element
//   xpose: shares memory with no operand; no two of its elements are one
//   launches of xpose: at most 2147483647 threadgroups in all
//
// form: as written; 8 threads a block
//
// Compile without fast math: products and sums are fused where fma stands, and nowhere else.
#include <metal_stdlib>

using namespace metal;

#pragma METAL fp contract(off)

struct xpose_sizes {
  long begin;                    // the launch's first group
  long a_extent1;                // a.1
  long a_extent0;                // a.0
  long a_stride0_bytes;          // a.s0 * 4 bytes
  long xpose_stride0_bytes;      // xpose.s0 * 4 bytes
  long n5;                       // ceil(a.0 / 32)
  long n6;                       // ceil(a.1 / 32)
  long a_stride0_x4_bytes;       // a.s0 * 4 * 4 bytes
  long a_stride0_x8_bytes;       // a.s0 * 4 * 8 bytes
  long a_stride0_x12_bytes;      // a.s0 * 4 * 12 bytes
  long a_stride0_x16_bytes;      // a.s0 * 4 * 16 bytes
  long a_stride0_x20_bytes;      // a.s0 * 4 * 20 bytes
  long a_stride0_x24_bytes;      // a.s0 * 4 * 24 bytes
  long a_stride0_x28_bytes;      // a.s0 * 4 * 28 bytes
  long xpose_stride0_x4_bytes;   // xpose.s0 * 4 * 4 bytes
  long xpose_stride0_x8_bytes;   // xpose.s0 * 4 * 8 bytes
  long xpose_stride0_x12_bytes;  // xpose.s0 * 4 * 12 bytes
  long xpose_stride0_x16_bytes;  // xpose.s0 * 4 * 16 bytes
  long xpose_stride0_x20_bytes;  // xpose.s0 * 4 * 20 bytes
  long xpose_stride0_x24_bytes;  // xpose.s0 * 4 * 24 bytes
  long xpose_stride0_x28_bytes;  // xpose.s0 * 4 * 28 bytes
};

[[kernel, max_total_threads_per_threadgroup(8)]]
void xpose(device const float* a [[buffer(0)]],
           device float* xpose [[buffer(1)]],
           constant xpose_sizes& sizes [[buffer(2)]],
           uint group [[threadgroup_position_in_grid]],
           uint thread_index [[thread_index_in_threadgroup]]) {
  const long a_stride0 = sizes.a_stride0_bytes / 4;
  const long xpose_stride0 = sizes.xpose_stride0_bytes / 4;
  const long a_stride0_x4 = sizes.a_stride0_x4_bytes / 4;
  const long a_stride0_x8 = sizes.a_stride0_x8_bytes / 4;
  const long a_stride0_x12 = sizes.a_stride0_x12_bytes / 4;
  const long a_stride0_x16 = sizes.a_stride0_x16_bytes / 4;
  const long a_stride0_x20 = sizes.a_stride0_x20_bytes / 4;
  const long a_stride0_x24 = sizes.a_stride0_x24_bytes / 4;
  const long a_stride0_x28 = sizes.a_stride0_x28_bytes / 4;
  const long xpose_stride0_x4 = sizes.xpose_stride0_x4_bytes / 4;
  const long xpose_stride0_x8 = sizes.xpose_stride0_x8_bytes / 4;
  const long xpose_stride0_x12 = sizes.xpose_stride0_x12_bytes / 4;
  const long xpose_stride0_x16 = sizes.xpose_stride0_x16_bytes / 4;
  const long xpose_stride0_x20 = sizes.xpose_stride0_x20_bytes / 4;
  const long xpose_stride0_x24 = sizes.xpose_stride0_x24_bytes / 4;
  const long xpose_stride0_x28 = sizes.xpose_stride0_x28_bytes / 4;
  const long v0 = long(thread_index % 2u) * 2;
  const long v1 = long(thread_index / 2u);
  device const float* a0 = a + v1 + v0 * a_stride0;
  device float* xpose0 = xpose + v1 * xpose_stride0 + v0;
  const int v2 = int(sizes.begin + long(group));
  const int v3 = int(sizes.n5);
  const long v4 = long(uint(v2) / uint(v3)) * 32;
  const long v5 = long(uint(v2) % uint(v3)) * 32;
  const long v6 = v4 + 32;
  const long v7 = v5 + 32;
  if (v6 <= sizes.a_extent1 && v7 <= sizes.a_extent0) {
    device const float* a1 = a0 + v4 + v5 * a_stride0;
    device float* xpose1 = xpose0 + v4 * xpose_stride0 + v5;
    const long2 v8 = long2(0, 1) * long2(sizes.a_stride0_bytes);
    const float a_v0 = *(device const float*)((device const char*)(a1) + v8.x);
    const float a_v1 = *(device const float*)((device const char*)(a1) + v8.y);
    const float a_v2 = *(device const float*)((device const char*)(a1 + a_stride0_x4) + v8.x);
    const float a_v3 = *(device const float*)((device const char*)(a1 + a_stride0_x4) + v8.y);
    const float a_v4 = *(device const float*)((device const char*)(a1 + a_stride0_x8) + v8.x);
    const float a_v5 = *(device const float*)((device const char*)(a1 + a_stride0_x8) + v8.y);
    const float a_v6 = *(device const float*)((device const char*)(a1 + a_stride0_x12) + v8.x);
    const float a_v7 = *(device const float*)((device const char*)(a1 + a_stride0_x12) + v8.y);
    const float a_v8 = *(device const float*)((device const char*)(a1 + a_stride0_x16) + v8.x);
    const float a_v9 = *(device const float*)((device const char*)(a1 + a_stride0_x16) + v8.y);
    const float a_v10 = *(device const float*)((device const char*)(a1 + a_stride0_x20) + v8.x);
    const float a_v11 = *(device const float*)((device const char*)(a1 + a_stride0_x20) + v8.y);
    const float a_v12 = *(device const float*)((device const char*)(a1 + a_stride0_x24) + v8.x);
    const float a_v13 = *(device const float*)((device const char*)(a1 + a_stride0_x24) + v8.y);
    const float a_v14 = *(device const float*)((device const char*)(a1 + a_stride0_x28) + v8.x);
    const float a_v15 = *(device const float*)((device const char*)(a1 + a_stride0_x28) + v8.y);
    const float a_v16 = *(device const float*)((device const char*)(a1 + 4) + v8.x);
    const float a_v17 = *(device const float*)((device const char*)(a1 + 4) + v8.y);
    const float a_v18 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 4) + v8.x);
    const float a_v19 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 4) + v8.y);
    const float a_v20 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 4) + v8.x);
    const float a_v21 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 4) + v8.y);
    const float a_v22 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 4) + v8.x);
    const float a_v23 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 4) + v8.y);
    const float a_v24 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 4) + v8.x);
    const float a_v25 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 4) + v8.y);
    const float a_v26 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 4) + v8.x);
    const float a_v27 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 4) + v8.y);
    const float a_v28 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 4) + v8.x);
    const float a_v29 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 4) + v8.y);
    const float a_v30 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 4) + v8.x);
    const float a_v31 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 4) + v8.y);
    const float a_v32 = *(device const float*)((device const char*)(a1 + 8) + v8.x);
    const float a_v33 = *(device const float*)((device const char*)(a1 + 8) + v8.y);
    const float a_v34 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 8) + v8.x);
    const float a_v35 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 8) + v8.y);
    const float a_v36 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 8) + v8.x);
    const float a_v37 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 8) + v8.y);
    const float a_v38 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 8) + v8.x);
    const float a_v39 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 8) + v8.y);
    const float a_v40 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 8) + v8.x);
    const float a_v41 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 8) + v8.y);
    const float a_v42 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 8) + v8.x);
    const float a_v43 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 8) + v8.y);
    const float a_v44 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 8) + v8.x);
    const float a_v45 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 8) + v8.y);
    const float a_v46 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 8) + v8.x);
    const float a_v47 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 8) + v8.y);
    const float a_v48 = *(device const float*)((device const char*)(a1 + 12) + v8.x);
    const float a_v49 = *(device const float*)((device const char*)(a1 + 12) + v8.y);
    const float a_v50 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 12) + v8.x);
    const float a_v51 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 12) + v8.y);
    const float a_v52 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 12) + v8.x);
    const float a_v53 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 12) + v8.y);
    const float a_v54 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 12) + v8.x);
    const float a_v55 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 12) + v8.y);
    const float a_v56 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 12) + v8.x);
    const float a_v57 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 12) + v8.y);
    const float a_v58 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 12) + v8.x);
    const float a_v59 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 12) + v8.y);
    const float a_v60 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 12) + v8.x);
    const float a_v61 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 12) + v8.y);
    const float a_v62 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 12) + v8.x);
    const float a_v63 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 12) + v8.y);
    const float a_v64 = *(device const float*)((device const char*)(a1 + 16) + v8.x);
    const float a_v65 = *(device const float*)((device const char*)(a1 + 16) + v8.y);
    const float a_v66 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 16) + v8.x);
    const float a_v67 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 16) + v8.y);
    const float a_v68 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 16) + v8.x);
    const float a_v69 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 16) + v8.y);
    const float a_v70 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 16) + v8.x);
    const float a_v71 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 16) + v8.y);
    const float a_v72 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 16) + v8.x);
    const float a_v73 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 16) + v8.y);
    const float a_v74 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 16) + v8.x);
    const float a_v75 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 16) + v8.y);
    const float a_v76 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 16) + v8.x);
    const float a_v77 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 16) + v8.y);
    const float a_v78 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 16) + v8.x);
    const float a_v79 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 16) + v8.y);
    const float a_v80 = *(device const float*)((device const char*)(a1 + 20) + v8.x);
    const float a_v81 = *(device const float*)((device const char*)(a1 + 20) + v8.y);
    const float a_v82 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 20) + v8.x);
    const float a_v83 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 20) + v8.y);
    const float a_v84 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 20) + v8.x);
    const float a_v85 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 20) + v8.y);
    const float a_v86 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 20) + v8.x);
    const float a_v87 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 20) + v8.y);
    const float a_v88 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 20) + v8.x);
    const float a_v89 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 20) + v8.y);
    const float a_v90 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 20) + v8.x);
    const float a_v91 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 20) + v8.y);
    const float a_v92 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 20) + v8.x);
    const float a_v93 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 20) + v8.y);
    const float a_v94 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 20) + v8.x);
    const float a_v95 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 20) + v8.y);
    const float a_v96 = *(device const float*)((device const char*)(a1 + 24) + v8.x);
    const float a_v97 = *(device const float*)((device const char*)(a1 + 24) + v8.y);
    const float a_v98 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 24) + v8.x);
    const float a_v99 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 24) + v8.y);
    const float a_v100 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 24) + v8.x);
    const float a_v101 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 24) + v8.y);
    const float a_v102 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 24) + v8.x);
    const float a_v103 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 24) + v8.y);
    const float a_v104 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 24) + v8.x);
    const float a_v105 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 24) + v8.y);
    const float a_v106 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 24) + v8.x);
    const float a_v107 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 24) + v8.y);
    const float a_v108 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 24) + v8.x);
    const float a_v109 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 24) + v8.y);
    const float a_v110 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 24) + v8.x);
    const float a_v111 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 24) + v8.y);
    const float a_v112 = *(device const float*)((device const char*)(a1 + 28) + v8.x);
    const float a_v113 = *(device const float*)((device const char*)(a1 + 28) + v8.y);
    const float a_v114 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 28) + v8.x);
    const float a_v115 = *(device const float*)((device const char*)(a1 + a_stride0_x4 + 28) + v8.y);
    const float a_v116 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 28) + v8.x);
    const float a_v117 = *(device const float*)((device const char*)(a1 + a_stride0_x8 + 28) + v8.y);
    const float a_v118 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 28) + v8.x);
    const float a_v119 = *(device const float*)((device const char*)(a1 + a_stride0_x12 + 28) + v8.y);
    const float a_v120 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 28) + v8.x);
    const float a_v121 = *(device const float*)((device const char*)(a1 + a_stride0_x16 + 28) + v8.y);
    const float a_v122 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 28) + v8.x);
    const float a_v123 = *(device const float*)((device const char*)(a1 + a_stride0_x20 + 28) + v8.y);
    const float a_v124 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 28) + v8.x);
    const float a_v125 = *(device const float*)((device const char*)(a1 + a_stride0_x24 + 28) + v8.y);
    const float a_v126 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 28) + v8.x);
    const float a_v127 = *(device const float*)((device const char*)(a1 + a_stride0_x28 + 28) + v8.y);
    *(device float2*)xpose1 = float2(a_v0, a_v1);
    *(device float2*)(xpose1 + 4) = float2(a_v2, a_v3);
    *(device float2*)(xpose1 + 8) = float2(a_v4, a_v5);
    *(device float2*)(xpose1 + 12) = float2(a_v6, a_v7);
    *(device float2*)(xpose1 + 16) = float2(a_v8, a_v9);
    *(device float2*)(xpose1 + 20) = float2(a_v10, a_v11);
    *(device float2*)(xpose1 + 24) = float2(a_v12, a_v13);
    *(device float2*)(xpose1 + 28) = float2(a_v14, a_v15);
    device float* xpose2 = xpose1 + xpose_stride0_x4;
    *(device float2*)xpose2 = float2(a_v16, a_v17);
    *(device float2*)(xpose2 + 4) = float2(a_v18, a_v19);
    *(device float2*)(xpose2 + 8) = float2(a_v20, a_v21);
    *(device float2*)(xpose2 + 12) = float2(a_v22, a_v23);
    *(device float2*)(xpose2 + 16) = float2(a_v24, a_v25);
    *(device float2*)(xpose2 + 20) = float2(a_v26, a_v27);
    *(device float2*)(xpose2 + 24) = float2(a_v28, a_v29);
    *(device float2*)(xpose2 + 28) = float2(a_v30, a_v31);
    device float* xpose3 = xpose1 + xpose_stride0_x8;
    *(device float2*)xpose3 = float2(a_v32, a_v33);
    *(device float2*)(xpose3 + 4) = float2(a_v34, a_v35);
    *(device float2*)(xpose3 + 8) = float2(a_v36, a_v37);
    *(device float2*)(xpose3 + 12) = float2(a_v38, a_v39);
    *(device float2*)(xpose3 + 16) = float2(a_v40, a_v41);
    *(device float2*)(xpose3 + 20) = float2(a_v42, a_v43);
    *(device float2*)(xpose3 + 24) = float2(a_v44, a_v45);
    *(device float2*)(xpose3 + 28) = float2(a_v46, a_v47);
    device float* xpose4 = xpose1 + xpose_stride0_x12;
    *(device float2*)xpose4 = float2(a_v48, a_v49);
    *(device float2*)(xpose4 + 4) = float2(a_v50, a_v51);
    *(device float2*)(xpose4 + 8) = float2(a_v52, a_v53);
    *(device float2*)(xpose4 + 12) = float2(a_v54, a_v55);
    *(device float2*)(xpose4 + 16) = float2(a_v56, a_v57);
    *(device float2*)(xpose4 + 20) = float2(a_v58, a_v59);
    *(device float2*)(xpose4 + 24) = float2(a_v60, a_v61);
    *(device float2*)(xpose4 + 28) = float2(a_v62, a_v63);
    device float* xpose5 = xpose1 + xpose_stride0_x16;
    *(device float2*)xpose5 = float2(a_v64, a_v65);
    *(device float2*)(xpose5 + 4) = float2(a_v66, a_v67);
    *(device float2*)(xpose5 + 8) = float2(a_v68, a_v69);
    *(device float2*)(xpose5 + 12) = float2(a_v70, a_v71);
    *(device float2*)(xpose5 + 16) = float2(a_v72, a_v73);
    *(device float2*)(xpose5 + 20) = float2(a_v74, a_v75);
    *(device float2*)(xpose5 + 24) = float2(a_v76, a_v77);
    *(device float2*)(xpose5 + 28) = float2(a_v78, a_v79);
    device float* xpose6 = xpose1 + xpose_stride0_x20;
    *(device float2*)xpose6 = float2(a_v80, a_v81);
    *(device float2*)(xpose6 + 4) = float2(a_v82, a_v83);
    *(device float2*)(xpose6 + 8) = float2(a_v84, a_v85);
    *(device float2*)(xpose6 + 12) = float2(a_v86, a_v87);
    *(device float2*)(xpose6 + 16) = float2(a_v88, a_v89);
    *(device float2*)(xpose6 + 20) = float2(a_v90, a_v91);
    *(device float2*)(xpose6 + 24) = float2(a_v92, a_v93);
    *(device float2*)(xpose6 + 28) = float2(a_v94, a_v95);
    device float* xpose7 = xpose1 + xpose_stride0_x24;
    *(device float2*)xpose7 = float2(a_v96, a_v97);
    *(device float2*)(xpose7 + 4) = float2(a_v98, a_v99);
    *(device float2*)(xpose7 + 8) = float2(a_v100, a_v101);
    *(device float2*)(xpose7 + 12) = float2(a_v102, a_v103);
    *(device float2*)(xpose7 + 16) = float2(a_v104, a_v105);
    *(device float2*)(xpose7 + 20) = float2(a_v106, a_v107);
    *(device float2*)(xpose7 + 24) = float2(a_v108, a_v109);
    *(device float2*)(xpose7 + 28) = float2(a_v110, a_v111);
    device float* xpose8 = xpose1 + xpose_stride0_x28;
    *(device float2*)xpose8 = float2(a_v112, a_v113);
    *(device float2*)(xpose8 + 4) = float2(a_v114, a_v115);
    *(device float2*)(xpose8 + 8) = float2(a_v116, a_v117);
    *(device float2*)(xpose8 + 12) = float2(a_v118, a_v119);
    *(device float2*)(xpose8 + 16) = float2(a_v120, a_v121);
    *(device float2*)(xpose8 + 20) = float2(a_v122, a_v123);
    *(device float2*)(xpose8 + 24) = float2(a_v124, a_v125);
    *(device float2*)(xpose8 + 28) = float2(a_v126, a_v127);
  } else {
    const long v9 = min(v6, sizes.a_extent1);
    const long v10 = min(v7, sizes.a_extent0);
    device const float* a2 = a0 + v4 + v5 * a_stride0;
    device float* xpose9 = xpose0 + v4 * xpose_stride0 + v5;
    const long v11 = v4 + v1;
    const bool is0 = v11 < v9;
    const long v12 = v5 + v0;
    const int2 v13 = int2(0, 1);
    const bool2 is1 = v13 < int2(int(max(min(v10 - v12, 2L), 0L)));
    const bool2 v14 = bool2(is0);
    const long2 v15 = long2(0, 1) * long2(sizes.a_stride0_bytes);
    const bool2 v16 = v14 && is1;
    const float a_v128 = v16.x ? *(device const float*)((device const char*)(a2) + v15.x) : 0.0f;
    const float a_v129 = v16.y ? *(device const float*)((device const char*)(a2) + v15.y) : 0.0f;
    const bool2 is2 = v13 < int2(int(max(min(v10 - (v12 + 4), 2L), 0L)));
    const bool2 v17 = v14 && is2;
    const float a_v130 = v17.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4) + v15.x) : 0.0f;
    const float a_v131 = v17.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4) + v15.y) : 0.0f;
    const bool2 is3 = v13 < int2(int(max(min(v10 - (v12 + 8), 2L), 0L)));
    const bool2 v18 = v14 && is3;
    const float a_v132 = v18.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8) + v15.x) : 0.0f;
    const float a_v133 = v18.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8) + v15.y) : 0.0f;
    const bool2 is4 = v13 < int2(int(max(min(v10 - (v12 + 12), 2L), 0L)));
    const bool2 v19 = v14 && is4;
    const float a_v134 = v19.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12) + v15.x) : 0.0f;
    const float a_v135 = v19.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12) + v15.y) : 0.0f;
    const bool2 is5 = v13 < int2(int(max(min(v10 - (v12 + 16), 2L), 0L)));
    const bool2 v20 = v14 && is5;
    const float a_v136 = v20.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16) + v15.x) : 0.0f;
    const float a_v137 = v20.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16) + v15.y) : 0.0f;
    const bool2 is6 = v13 < int2(int(max(min(v10 - (v12 + 20), 2L), 0L)));
    const bool2 v21 = v14 && is6;
    const float a_v138 = v21.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20) + v15.x) : 0.0f;
    const float a_v139 = v21.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20) + v15.y) : 0.0f;
    const bool2 is7 = v13 < int2(int(max(min(v10 - (v12 + 24), 2L), 0L)));
    const bool2 v22 = v14 && is7;
    const float a_v140 = v22.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24) + v15.x) : 0.0f;
    const float a_v141 = v22.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24) + v15.y) : 0.0f;
    const bool2 is8 = v13 < int2(int(max(min(v10 - (v12 + 28), 2L), 0L)));
    const bool2 v23 = v14 && is8;
    const float a_v142 = v23.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28) + v15.x) : 0.0f;
    const float a_v143 = v23.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28) + v15.y) : 0.0f;
    const bool is9 = v11 + 4 < v9;
    const bool2 v24 = bool2(is9);
    const bool2 v25 = v24 && is1;
    const float a_v144 = v25.x ? *(device const float*)((device const char*)(a2 + 4) + v15.x) : 0.0f;
    const float a_v145 = v25.y ? *(device const float*)((device const char*)(a2 + 4) + v15.y) : 0.0f;
    const bool2 v26 = v24 && is2;
    const float a_v146 = v26.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 4) + v15.x) : 0.0f;
    const float a_v147 = v26.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 4) + v15.y) : 0.0f;
    const bool2 v27 = v24 && is3;
    const float a_v148 = v27.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 4) + v15.x) : 0.0f;
    const float a_v149 = v27.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 4) + v15.y) : 0.0f;
    const bool2 v28 = v24 && is4;
    const float a_v150 = v28.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 4) + v15.x) : 0.0f;
    const float a_v151 = v28.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 4) + v15.y) : 0.0f;
    const bool2 v29 = v24 && is5;
    const float a_v152 = v29.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 4) + v15.x) : 0.0f;
    const float a_v153 = v29.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 4) + v15.y) : 0.0f;
    const bool2 v30 = v24 && is6;
    const float a_v154 = v30.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 4) + v15.x) : 0.0f;
    const float a_v155 = v30.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 4) + v15.y) : 0.0f;
    const bool2 v31 = v24 && is7;
    const float a_v156 = v31.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 4) + v15.x) : 0.0f;
    const float a_v157 = v31.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 4) + v15.y) : 0.0f;
    const bool2 v32 = v24 && is8;
    const float a_v158 = v32.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 4) + v15.x) : 0.0f;
    const float a_v159 = v32.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 4) + v15.y) : 0.0f;
    const bool is10 = v11 + 8 < v9;
    const bool2 v33 = bool2(is10);
    const bool2 v34 = v33 && is1;
    const float a_v160 = v34.x ? *(device const float*)((device const char*)(a2 + 8) + v15.x) : 0.0f;
    const float a_v161 = v34.y ? *(device const float*)((device const char*)(a2 + 8) + v15.y) : 0.0f;
    const bool2 v35 = v33 && is2;
    const float a_v162 = v35.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 8) + v15.x) : 0.0f;
    const float a_v163 = v35.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 8) + v15.y) : 0.0f;
    const bool2 v36 = v33 && is3;
    const float a_v164 = v36.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 8) + v15.x) : 0.0f;
    const float a_v165 = v36.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 8) + v15.y) : 0.0f;
    const bool2 v37 = v33 && is4;
    const float a_v166 = v37.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 8) + v15.x) : 0.0f;
    const float a_v167 = v37.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 8) + v15.y) : 0.0f;
    const bool2 v38 = v33 && is5;
    const float a_v168 = v38.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 8) + v15.x) : 0.0f;
    const float a_v169 = v38.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 8) + v15.y) : 0.0f;
    const bool2 v39 = v33 && is6;
    const float a_v170 = v39.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 8) + v15.x) : 0.0f;
    const float a_v171 = v39.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 8) + v15.y) : 0.0f;
    const bool2 v40 = v33 && is7;
    const float a_v172 = v40.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 8) + v15.x) : 0.0f;
    const float a_v173 = v40.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 8) + v15.y) : 0.0f;
    const bool2 v41 = v33 && is8;
    const float a_v174 = v41.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 8) + v15.x) : 0.0f;
    const float a_v175 = v41.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 8) + v15.y) : 0.0f;
    const bool is11 = v11 + 12 < v9;
    const bool2 v42 = bool2(is11);
    const bool2 v43 = v42 && is1;
    const float a_v176 = v43.x ? *(device const float*)((device const char*)(a2 + 12) + v15.x) : 0.0f;
    const float a_v177 = v43.y ? *(device const float*)((device const char*)(a2 + 12) + v15.y) : 0.0f;
    const bool2 v44 = v42 && is2;
    const float a_v178 = v44.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 12) + v15.x) : 0.0f;
    const float a_v179 = v44.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 12) + v15.y) : 0.0f;
    const bool2 v45 = v42 && is3;
    const float a_v180 = v45.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 12) + v15.x) : 0.0f;
    const float a_v181 = v45.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 12) + v15.y) : 0.0f;
    const bool2 v46 = v42 && is4;
    const float a_v182 = v46.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 12) + v15.x) : 0.0f;
    const float a_v183 = v46.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 12) + v15.y) : 0.0f;
    const bool2 v47 = v42 && is5;
    const float a_v184 = v47.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 12) + v15.x) : 0.0f;
    const float a_v185 = v47.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 12) + v15.y) : 0.0f;
    const bool2 v48 = v42 && is6;
    const float a_v186 = v48.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 12) + v15.x) : 0.0f;
    const float a_v187 = v48.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 12) + v15.y) : 0.0f;
    const bool2 v49 = v42 && is7;
    const float a_v188 = v49.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 12) + v15.x) : 0.0f;
    const float a_v189 = v49.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 12) + v15.y) : 0.0f;
    const bool2 v50 = v42 && is8;
    const float a_v190 = v50.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 12) + v15.x) : 0.0f;
    const float a_v191 = v50.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 12) + v15.y) : 0.0f;
    const bool is12 = v11 + 16 < v9;
    const bool2 v51 = bool2(is12);
    const bool2 v52 = v51 && is1;
    const float a_v192 = v52.x ? *(device const float*)((device const char*)(a2 + 16) + v15.x) : 0.0f;
    const float a_v193 = v52.y ? *(device const float*)((device const char*)(a2 + 16) + v15.y) : 0.0f;
    const bool2 v53 = v51 && is2;
    const float a_v194 = v53.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 16) + v15.x) : 0.0f;
    const float a_v195 = v53.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 16) + v15.y) : 0.0f;
    const bool2 v54 = v51 && is3;
    const float a_v196 = v54.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 16) + v15.x) : 0.0f;
    const float a_v197 = v54.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 16) + v15.y) : 0.0f;
    const bool2 v55 = v51 && is4;
    const float a_v198 = v55.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 16) + v15.x) : 0.0f;
    const float a_v199 = v55.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 16) + v15.y) : 0.0f;
    const bool2 v56 = v51 && is5;
    const float a_v200 = v56.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 16) + v15.x) : 0.0f;
    const float a_v201 = v56.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 16) + v15.y) : 0.0f;
    const bool2 v57 = v51 && is6;
    const float a_v202 = v57.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 16) + v15.x) : 0.0f;
    const float a_v203 = v57.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 16) + v15.y) : 0.0f;
    const bool2 v58 = v51 && is7;
    const float a_v204 = v58.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 16) + v15.x) : 0.0f;
    const float a_v205 = v58.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 16) + v15.y) : 0.0f;
    const bool2 v59 = v51 && is8;
    const float a_v206 = v59.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 16) + v15.x) : 0.0f;
    const float a_v207 = v59.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 16) + v15.y) : 0.0f;
    const bool is13 = v11 + 20 < v9;
    const bool2 v60 = bool2(is13);
    const bool2 v61 = v60 && is1;
    const float a_v208 = v61.x ? *(device const float*)((device const char*)(a2 + 20) + v15.x) : 0.0f;
    const float a_v209 = v61.y ? *(device const float*)((device const char*)(a2 + 20) + v15.y) : 0.0f;
    const bool2 v62 = v60 && is2;
    const float a_v210 = v62.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 20) + v15.x) : 0.0f;
    const float a_v211 = v62.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 20) + v15.y) : 0.0f;
    const bool2 v63 = v60 && is3;
    const float a_v212 = v63.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 20) + v15.x) : 0.0f;
    const float a_v213 = v63.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 20) + v15.y) : 0.0f;
    const bool2 v64 = v60 && is4;
    const float a_v214 = v64.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 20) + v15.x) : 0.0f;
    const float a_v215 = v64.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 20) + v15.y) : 0.0f;
    const bool2 v65 = v60 && is5;
    const float a_v216 = v65.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 20) + v15.x) : 0.0f;
    const float a_v217 = v65.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 20) + v15.y) : 0.0f;
    const bool2 v66 = v60 && is6;
    const float a_v218 = v66.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 20) + v15.x) : 0.0f;
    const float a_v219 = v66.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 20) + v15.y) : 0.0f;
    const bool2 v67 = v60 && is7;
    const float a_v220 = v67.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 20) + v15.x) : 0.0f;
    const float a_v221 = v67.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 20) + v15.y) : 0.0f;
    const bool2 v68 = v60 && is8;
    const float a_v222 = v68.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 20) + v15.x) : 0.0f;
    const float a_v223 = v68.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 20) + v15.y) : 0.0f;
    const bool is14 = v11 + 24 < v9;
    const bool2 v69 = bool2(is14);
    const bool2 v70 = v69 && is1;
    const float a_v224 = v70.x ? *(device const float*)((device const char*)(a2 + 24) + v15.x) : 0.0f;
    const float a_v225 = v70.y ? *(device const float*)((device const char*)(a2 + 24) + v15.y) : 0.0f;
    const bool2 v71 = v69 && is2;
    const float a_v226 = v71.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 24) + v15.x) : 0.0f;
    const float a_v227 = v71.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 24) + v15.y) : 0.0f;
    const bool2 v72 = v69 && is3;
    const float a_v228 = v72.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 24) + v15.x) : 0.0f;
    const float a_v229 = v72.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 24) + v15.y) : 0.0f;
    const bool2 v73 = v69 && is4;
    const float a_v230 = v73.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 24) + v15.x) : 0.0f;
    const float a_v231 = v73.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 24) + v15.y) : 0.0f;
    const bool2 v74 = v69 && is5;
    const float a_v232 = v74.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 24) + v15.x) : 0.0f;
    const float a_v233 = v74.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 24) + v15.y) : 0.0f;
    const bool2 v75 = v69 && is6;
    const float a_v234 = v75.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 24) + v15.x) : 0.0f;
    const float a_v235 = v75.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 24) + v15.y) : 0.0f;
    const bool2 v76 = v69 && is7;
    const float a_v236 = v76.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 24) + v15.x) : 0.0f;
    const float a_v237 = v76.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 24) + v15.y) : 0.0f;
    const bool2 v77 = v69 && is8;
    const float a_v238 = v77.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 24) + v15.x) : 0.0f;
    const float a_v239 = v77.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 24) + v15.y) : 0.0f;
    const bool is15 = v11 + 28 < v9;
    const bool2 v78 = bool2(is15);
    const bool2 v79 = v78 && is1;
    const float a_v240 = v79.x ? *(device const float*)((device const char*)(a2 + 28) + v15.x) : 0.0f;
    const float a_v241 = v79.y ? *(device const float*)((device const char*)(a2 + 28) + v15.y) : 0.0f;
    const bool2 v80 = v78 && is2;
    const float a_v242 = v80.x ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 28) + v15.x) : 0.0f;
    const float a_v243 = v80.y ? *(device const float*)((device const char*)(a2 + a_stride0_x4 + 28) + v15.y) : 0.0f;
    const bool2 v81 = v78 && is3;
    const float a_v244 = v81.x ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 28) + v15.x) : 0.0f;
    const float a_v245 = v81.y ? *(device const float*)((device const char*)(a2 + a_stride0_x8 + 28) + v15.y) : 0.0f;
    const bool2 v82 = v78 && is4;
    const float a_v246 = v82.x ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 28) + v15.x) : 0.0f;
    const float a_v247 = v82.y ? *(device const float*)((device const char*)(a2 + a_stride0_x12 + 28) + v15.y) : 0.0f;
    const bool2 v83 = v78 && is5;
    const float a_v248 = v83.x ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 28) + v15.x) : 0.0f;
    const float a_v249 = v83.y ? *(device const float*)((device const char*)(a2 + a_stride0_x16 + 28) + v15.y) : 0.0f;
    const bool2 v84 = v78 && is6;
    const float a_v250 = v84.x ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 28) + v15.x) : 0.0f;
    const float a_v251 = v84.y ? *(device const float*)((device const char*)(a2 + a_stride0_x20 + 28) + v15.y) : 0.0f;
    const bool2 v85 = v78 && is7;
    const float a_v252 = v85.x ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 28) + v15.x) : 0.0f;
    const float a_v253 = v85.y ? *(device const float*)((device const char*)(a2 + a_stride0_x24 + 28) + v15.y) : 0.0f;
    const bool2 v86 = v78 && is8;
    const float a_v254 = v86.x ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 28) + v15.x) : 0.0f;
    const float a_v255 = v86.y ? *(device const float*)((device const char*)(a2 + a_stride0_x28 + 28) + v15.y) : 0.0f;
    if (is0) {
      if (is1.x) xpose9[0] = a_v128;
      if (is1.y) xpose9[1] = a_v129;
    }
    if (is0) {
      if (is2.x) xpose9[4] = a_v130;
      if (is2.y) xpose9[5] = a_v131;
    }
    if (is0) {
      if (is3.x) xpose9[8] = a_v132;
      if (is3.y) xpose9[9] = a_v133;
    }
    if (is0) {
      if (is4.x) xpose9[12] = a_v134;
      if (is4.y) xpose9[13] = a_v135;
    }
    if (is0) {
      if (is5.x) xpose9[16] = a_v136;
      if (is5.y) xpose9[17] = a_v137;
    }
    if (is0) {
      if (is6.x) xpose9[20] = a_v138;
      if (is6.y) xpose9[21] = a_v139;
    }
    if (is0) {
      if (is7.x) xpose9[24] = a_v140;
      if (is7.y) xpose9[25] = a_v141;
    }
    if (is0) {
      if (is8.x) xpose9[28] = a_v142;
      if (is8.y) xpose9[29] = a_v143;
    }
    if (is9) {
      if (is1.x) xpose9[xpose_stride0_x4] = a_v144;
      if (is1.y) xpose9[xpose_stride0_x4 + 1] = a_v145;
    }
    if (is9) {
      if (is2.x) xpose9[xpose_stride0_x4 + 4] = a_v146;
      if (is2.y) xpose9[xpose_stride0_x4 + 5] = a_v147;
    }
    if (is9) {
      if (is3.x) xpose9[xpose_stride0_x4 + 8] = a_v148;
      if (is3.y) xpose9[xpose_stride0_x4 + 9] = a_v149;
    }
    if (is9) {
      if (is4.x) xpose9[xpose_stride0_x4 + 12] = a_v150;
      if (is4.y) xpose9[xpose_stride0_x4 + 13] = a_v151;
    }
    if (is9) {
      if (is5.x) xpose9[xpose_stride0_x4 + 16] = a_v152;
      if (is5.y) xpose9[xpose_stride0_x4 + 17] = a_v153;
    }
    if (is9) {
      if (is6.x) xpose9[xpose_stride0_x4 + 20] = a_v154;
      if (is6.y) xpose9[xpose_stride0_x4 + 21] = a_v155;
    }
    if (is9) {
      if (is7.x) xpose9[xpose_stride0_x4 + 24] = a_v156;
      if (is7.y) xpose9[xpose_stride0_x4 + 25] = a_v157;
    }
    if (is9) {
      if (is8.x) xpose9[xpose_stride0_x4 + 28] = a_v158;
      if (is8.y) xpose9[xpose_stride0_x4 + 29] = a_v159;
    }
    if (is10) {
      if (is1.x) xpose9[xpose_stride0_x8] = a_v160;
      if (is1.y) xpose9[xpose_stride0_x8 + 1] = a_v161;
    }
    if (is10) {
      if (is2.x) xpose9[xpose_stride0_x8 + 4] = a_v162;
      if (is2.y) xpose9[xpose_stride0_x8 + 5] = a_v163;
    }
    if (is10) {
      if (is3.x) xpose9[xpose_stride0_x8 + 8] = a_v164;
      if (is3.y) xpose9[xpose_stride0_x8 + 9] = a_v165;
    }
    if (is10) {
      if (is4.x) xpose9[xpose_stride0_x8 + 12] = a_v166;
      if (is4.y) xpose9[xpose_stride0_x8 + 13] = a_v167;
    }
    if (is10) {
      if (is5.x) xpose9[xpose_stride0_x8 + 16] = a_v168;
      if (is5.y) xpose9[xpose_stride0_x8 + 17] = a_v169;
    }
    if (is10) {
      if (is6.x) xpose9[xpose_stride0_x8 + 20] = a_v170;
      if (is6.y) xpose9[xpose_stride0_x8 + 21] = a_v171;
    }
    if (is10) {
      if (is7.x) xpose9[xpose_stride0_x8 + 24] = a_v172;
      if (is7.y) xpose9[xpose_stride0_x8 + 25] = a_v173;
    }
    if (is10) {
      if (is8.x) xpose9[xpose_stride0_x8 + 28] = a_v174;
      if (is8.y) xpose9[xpose_stride0_x8 + 29] = a_v175;
    }
    if (is11) {
      if (is1.x) xpose9[xpose_stride0_x12] = a_v176;
      if (is1.y) xpose9[xpose_stride0_x12 + 1] = a_v177;
    }
    if (is11) {
      if (is2.x) xpose9[xpose_stride0_x12 + 4] = a_v178;
      if (is2.y) xpose9[xpose_stride0_x12 + 5] = a_v179;
    }
    if (is11) {
      if (is3.x) xpose9[xpose_stride0_x12 + 8] = a_v180;
      if (is3.y) xpose9[xpose_stride0_x12 + 9] = a_v181;
    }
    if (is11) {
      if (is4.x) xpose9[xpose_stride0_x12 + 12] = a_v182;
      if (is4.y) xpose9[xpose_stride0_x12 + 13] = a_v183;
    }
    if (is11) {
      if (is5.x) xpose9[xpose_stride0_x12 + 16] = a_v184;
      if (is5.y) xpose9[xpose_stride0_x12 + 17] = a_v185;
    }
    if (is11) {
      if (is6.x) xpose9[xpose_stride0_x12 + 20] = a_v186;
      if (is6.y) xpose9[xpose_stride0_x12 + 21] = a_v187;
    }
    if (is11) {
      if (is7.x) xpose9[xpose_stride0_x12 + 24] = a_v188;
      if (is7.y) xpose9[xpose_stride0_x12 + 25] = a_v189;
    }
    if (is11) {
      if (is8.x) xpose9[xpose_stride0_x12 + 28] = a_v190;
      if (is8.y) xpose9[xpose_stride0_x12 + 29] = a_v191;
    }
    if (is12) {
      if (is1.x) xpose9[xpose_stride0_x16] = a_v192;
      if (is1.y) xpose9[xpose_stride0_x16 + 1] = a_v193;
    }
    if (is12) {
      if (is2.x) xpose9[xpose_stride0_x16 + 4] = a_v194;
      if (is2.y) xpose9[xpose_stride0_x16 + 5] = a_v195;
    }
    if (is12) {
      if (is3.x) xpose9[xpose_stride0_x16 + 8] = a_v196;
      if (is3.y) xpose9[xpose_stride0_x16 + 9] = a_v197;
    }
    if (is12) {
      if (is4.x) xpose9[xpose_stride0_x16 + 12] = a_v198;
      if (is4.y) xpose9[xpose_stride0_x16 + 13] = a_v199;
    }
    if (is12) {
      if (is5.x) xpose9[xpose_stride0_x16 + 16] = a_v200;
      if (is5.y) xpose9[xpose_stride0_x16 + 17] = a_v201;
    }
    if (is12) {
      if (is6.x) xpose9[xpose_stride0_x16 + 20] = a_v202;
      if (is6.y) xpose9[xpose_stride0_x16 + 21] = a_v203;
    }
    if (is12) {
      if (is7.x) xpose9[xpose_stride0_x16 + 24] = a_v204;
      if (is7.y) xpose9[xpose_stride0_x16 + 25] = a_v205;
    }
    if (is12) {
      if (is8.x) xpose9[xpose_stride0_x16 + 28] = a_v206;
      if (is8.y) xpose9[xpose_stride0_x16 + 29] = a_v207;
    }
    if (is13) {
      if (is1.x) xpose9[xpose_stride0_x20] = a_v208;
      if (is1.y) xpose9[xpose_stride0_x20 + 1] = a_v209;
    }
    if (is13) {
      if (is2.x) xpose9[xpose_stride0_x20 + 4] = a_v210;
      if (is2.y) xpose9[xpose_stride0_x20 + 5] = a_v211;
    }
    if (is13) {
      if (is3.x) xpose9[xpose_stride0_x20 + 8] = a_v212;
      if (is3.y) xpose9[xpose_stride0_x20 + 9] = a_v213;
    }
    if (is13) {
      if (is4.x) xpose9[xpose_stride0_x20 + 12] = a_v214;
      if (is4.y) xpose9[xpose_stride0_x20 + 13] = a_v215;
    }
    if (is13) {
      if (is5.x) xpose9[xpose_stride0_x20 + 16] = a_v216;
      if (is5.y) xpose9[xpose_stride0_x20 + 17] = a_v217;
    }
    if (is13) {
      if (is6.x) xpose9[xpose_stride0_x20 + 20] = a_v218;
      if (is6.y) xpose9[xpose_stride0_x20 + 21] = a_v219;
    }
    if (is13) {
      if (is7.x) xpose9[xpose_stride0_x20 + 24] = a_v220;
      if (is7.y) xpose9[xpose_stride0_x20 + 25] = a_v221;
    }
    if (is13) {
      if (is8.x) xpose9[xpose_stride0_x20 + 28] = a_v222;
      if (is8.y) xpose9[xpose_stride0_x20 + 29] = a_v223;
    }
    if (is14) {
      if (is1.x) xpose9[xpose_stride0_x24] = a_v224;
      if (is1.y) xpose9[xpose_stride0_x24 + 1] = a_v225;
    }
    if (is14) {
      if (is2.x) xpose9[xpose_stride0_x24 + 4] = a_v226;
      if (is2.y) xpose9[xpose_stride0_x24 + 5] = a_v227;
    }
    if (is14) {
      if (is3.x) xpose9[xpose_stride0_x24 + 8] = a_v228;
      if (is3.y) xpose9[xpose_stride0_x24 + 9] = a_v229;
    }
    if (is14) {
      if (is4.x) xpose9[xpose_stride0_x24 + 12] = a_v230;
      if (is4.y) xpose9[xpose_stride0_x24 + 13] = a_v231;
    }
    if (is14) {
      if (is5.x) xpose9[xpose_stride0_x24 + 16] = a_v232;
      if (is5.y) xpose9[xpose_stride0_x24 + 17] = a_v233;
    }
    if (is14) {
      if (is6.x) xpose9[xpose_stride0_x24 + 20] = a_v234;
      if (is6.y) xpose9[xpose_stride0_x24 + 21] = a_v235;
    }
    if (is14) {
      if (is7.x) xpose9[xpose_stride0_x24 + 24] = a_v236;
      if (is7.y) xpose9[xpose_stride0_x24 + 25] = a_v237;
    }
    if (is14) {
      if (is8.x) xpose9[xpose_stride0_x24 + 28] = a_v238;
      if (is8.y) xpose9[xpose_stride0_x24 + 29] = a_v239;
    }
    if (is15) {
      if (is1.x) xpose9[xpose_stride0_x28] = a_v240;
      if (is1.y) xpose9[xpose_stride0_x28 + 1] = a_v241;
    }
    if (is15) {
      if (is2.x) xpose9[xpose_stride0_x28 + 4] = a_v242;
      if (is2.y) xpose9[xpose_stride0_x28 + 5] = a_v243;
    }
    if (is15) {
      if (is3.x) xpose9[xpose_stride0_x28 + 8] = a_v244;
      if (is3.y) xpose9[xpose_stride0_x28 + 9] = a_v245;
    }
    if (is15) {
      if (is4.x) xpose9[xpose_stride0_x28 + 12] = a_v246;
      if (is4.y) xpose9[xpose_stride0_x28 + 13] = a_v247;
    }
    if (is15) {
      if (is5.x) xpose9[xpose_stride0_x28 + 16] = a_v248;
      if (is5.y) xpose9[xpose_stride0_x28 + 17] = a_v249;
    }
    if (is15) {
      if (is6.x) xpose9[xpose_stride0_x28 + 20] = a_v250;
      if (is6.y) xpose9[xpose_stride0_x28 + 21] = a_v251;
    }
    if (is15) {
      if (is7.x) xpose9[xpose_stride0_x28 + 24] = a_v252;
      if (is7.y) xpose9[xpose_stride0_x28 + 25] = a_v253;
    }
    if (is15) {
      if (is8.x) xpose9[xpose_stride0_x28 + 28] = a_v254;
      if (is8.y) xpose9[xpose_stride0_x28 + 29] = a_v255;
    }
  }
}
