// product[i, j] ++= a[i, k] * b[k, j] do:
//   example: a = f16 64x64, b = f16 64x32
//   schedule:
//     tile(i, 16)
//     tile(j, 16)
//     variant = simdgroup
//
// a: f16, rank 2
// b: f16, rank 2
// product: f16, rank 2 (result)
//
// assumes
//   a: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   b: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   product: at a multiple of 16 bytes; strides: axis 0 any multiple of 16 bytes, axis 1 one element
//   product: shares memory with no operand; no two of its elements are one
//   launches of product: at most 2147483647 threadgroups in all
//
// form: contraction by matrix units of 2 by 2 warps; 16 rows by 16 columns a block of 128 threads, 64 terms of f16 a stage
// estimate: 3297 cycles; by tiles of 16 x 16 by 2 x 1 warps 1.00 times that, 16 x 16 by 1 x 1 warps 1.00 times that
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
  long product_stride0_bytes;  // product.s0 * 2 bytes
  long n5;                     // ceil(b.1 / 16) * 8
  long n6;                     // ceil(a.0 / 16)
  long a_stride0_bytes;        // a.s0 * 2
  long b_stride0_bytes;        // b.s0 * 2
};

[[kernel, max_total_threads_per_threadgroup(128)]]
void product(device const half* a [[buffer(0)]],
             device const half* b [[buffer(1)]],
             device half* product [[buffer(2)]],
             constant product_sizes& sizes [[buffer(3)]],
             uint group [[threadgroup_position_in_grid]],
             uint thread_index [[thread_index_in_threadgroup]]) {
  const long product_stride0 = sizes.product_stride0_bytes / 2;
  const long a_stride0 = sizes.a_stride0_bytes / 2;
  const long b_stride0 = sizes.b_stride0_bytes / 2;
  alignas(16) threadgroup half staged[1152];
  alignas(16) threadgroup half staged0[4608];
  const uint v0 = thread_index / 2u;
  const long v1 = long(thread_index % 2u);
  const uint v2 = v0 / 4u;
  const uint v3 = v2 / 2u;
  const uint v4 = v3 / 2u;
  const long v5 = v1 * 2 + long(v2 % 2u) * 4 + long(v4 % 2u) * 8;
  const long v6 = long(v0 % 4u) + long(v3 % 2u) * 4 + long(v4 / 2u) * 8;
  const long v7 = long(thread_index);
  const ulong v8 = ((ulong(v7) >> 4) & 1u) * 4u + ((ulong(v7) >> 1) & 3u);
  const ulong v9 = ((ulong(v7) >> 3) & 1u) * 4u + ulong((v7 & 1) * 2);
  const ulong v10 = ulong(v7 / 64 % 2 * 8) + v8;
  const ulong v11 = ulong(v7 / 32 % 2 * 8) + v9;
  device half* product0 = product + v6 * product_stride0 + v5;
  const int v12 = int(sizes.begin + long(group));
  const int v13 = int(min(sizes.n5, 2147483647L));
  const uint v14 = uint(v12) / uint(v13) * 8u;
  const int v15 = min(int(uint(int(sizes.n6)) - v14), 8);
  const uint v16 = uint(v12) % uint(v13);
  const long v17 = long(v14 + v16 % uint(v15)) * 16;
  const long v18 = long(v16 / uint(v15)) * 16;
  const long v19 = v17 + 16;
  const long v20 = v18 + 16;
  if (v19 <= sizes.a_extent0 && v20 <= sizes.b_extent1) {
    device const half* a0 = a + v17 * a_stride0;
    device const half* b0 = b + v18;
    const long v21 = sizes.a_extent1 / 64 * 64;
    const long v22 = v1 * 8;
    const long v23 = long(v0);
    threadgroup half* at0 = staged0 + (v23 * 72 + v1 * 8);
    const long v24 = long(thread_index % 8u);
    const long v25 = v24 * 8;
    const long v26 = long(thread_index / 8u);
    threadgroup half* at1 = staged + (v26 * 72 + v24 * 8);
    threadgroup half* at2 = staged + (long(v10) * 72 + long(v9));
    threadgroup half* at3 = staged0 + (long(v11) + long(v8) * 72);
    float2 sum0 = float2(0.0f);
    for (long i0 = 0; i0 < v21; i0 += 64) {
      device const half* b1 = b0 + i0 * b_stride0 + v22 + v23 * b_stride0;
      const half4 b_v0 = *(device const half4*)b1;
      const half4 b_v1 = *(device const half4*)(b1 + 4);
      *(threadgroup half4*)at0 = b_v0;
      *(threadgroup half4*)(at0 + 4) = b_v1;
      device const half* a1 = a0 + i0 + v26 * a_stride0 + v25;
      const half4 a_v0 = *(device const half4*)a1;
      const half4 a_v1 = *(device const half4*)(a1 + 4);
      *(threadgroup half4*)at1 = a_v0;
      *(threadgroup half4*)(at1 + 4) = a_v1;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const half2 v27 = *(threadgroup const half2*)at2;
      const half2 v28 = *(threadgroup const half2*)at3;
      const half2 v29 = *(threadgroup const half2*)(at2 + 8);
      const half2 v30 = *(threadgroup const half2*)(at3 + 576);
      const float2 sums0 = matrix_product(float2(v27), float2(v28), sum0);
      const half2 v31 = *(threadgroup const half2*)(at2 + 16);
      const half2 v32 = *(threadgroup const half2*)(at3 + 1152);
      const float2 sums1 = matrix_product(float2(v29), float2(v30), sums0);
      const half2 v33 = *(threadgroup const half2*)(at2 + 24);
      const half2 v34 = *(threadgroup const half2*)(at3 + 1728);
      const float2 sums2 = matrix_product(float2(v31), float2(v32), sums1);
      const half2 v35 = *(threadgroup const half2*)(at2 + 32);
      const half2 v36 = *(threadgroup const half2*)(at3 + 2304);
      const float2 sums3 = matrix_product(float2(v33), float2(v34), sums2);
      const half2 v37 = *(threadgroup const half2*)(at2 + 40);
      const half2 v38 = *(threadgroup const half2*)(at3 + 2880);
      const float2 sums4 = matrix_product(float2(v35), float2(v36), sums3);
      const half2 v39 = *(threadgroup const half2*)(at2 + 48);
      const half2 v40 = *(threadgroup const half2*)(at3 + 3456);
      const float2 sums5 = matrix_product(float2(v37), float2(v38), sums4);
      const half2 v41 = *(threadgroup const half2*)(at2 + 56);
      const half2 v42 = *(threadgroup const half2*)(at3 + 4032);
      const float2 sums6 = matrix_product(float2(v39), float2(v40), sums5);
      const float2 sums7 = matrix_product(float2(v41), float2(v42), sums6);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum0 = sums7;
    }
    float2 v43;
    if (v21 < sizes.a_extent1) {
      device const half* b2 = b0 + v21 * b_stride0 + v22 + v23 * b_stride0;
      const long v44 = sizes.a_extent1 - v21;
      const bool4 v45 = bool4(v23 < v44);
      const bool4 v46 = bool4(v23 < v44);
      const half4 b_v2 = half4(v45.x ? b2[0] : half(0.0f), v45.y ? b2[1] : half(0.0f), v45.z ? b2[2] : half(0.0f), v45.w ? b2[3] : half(0.0f));
      const half4 b_v3 = half4(v46.x ? b2[4] : half(0.0f), v46.y ? b2[5] : half(0.0f), v46.z ? b2[6] : half(0.0f), v46.w ? b2[7] : half(0.0f));
      *(threadgroup half4*)at0 = b_v2;
      *(threadgroup half4*)(at0 + 4) = b_v3;
      device const half* a2 = a0 + v21 + v26 * a_stride0 + v25;
      const bool4 v47 = long4(v25) + long4(0, 1, 2, 3) < long4(v44);
      const bool4 v48 = long4(v25) + long4(4, 5, 6, 7) < long4(v44);
      const half4 a_v2 = half4(v47.x ? a2[0] : half(0.0f), v47.y ? a2[1] : half(0.0f), v47.z ? a2[2] : half(0.0f), v47.w ? a2[3] : half(0.0f));
      const half4 a_v3 = half4(v48.x ? a2[4] : half(0.0f), v48.y ? a2[5] : half(0.0f), v48.z ? a2[6] : half(0.0f), v48.w ? a2[7] : half(0.0f));
      *(threadgroup half4*)at1 = a_v2;
      *(threadgroup half4*)(at1 + 4) = a_v3;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const half2 v49 = *(threadgroup const half2*)at2;
      const half2 v50 = *(threadgroup const half2*)at3;
      const half2 v51 = *(threadgroup const half2*)(at2 + 8);
      const half2 v52 = *(threadgroup const half2*)(at3 + 576);
      const float2 sums8 = matrix_product(float2(v49), float2(v50), sum0);
      const half2 v53 = *(threadgroup const half2*)(at2 + 16);
      const half2 v54 = *(threadgroup const half2*)(at3 + 1152);
      const float2 sums9 = matrix_product(float2(v51), float2(v52), sums8);
      const half2 v55 = *(threadgroup const half2*)(at2 + 24);
      const half2 v56 = *(threadgroup const half2*)(at3 + 1728);
      const float2 sums10 = matrix_product(float2(v53), float2(v54), sums9);
      const half2 v57 = *(threadgroup const half2*)(at2 + 32);
      const half2 v58 = *(threadgroup const half2*)(at3 + 2304);
      const float2 sums11 = matrix_product(float2(v55), float2(v56), sums10);
      const half2 v59 = *(threadgroup const half2*)(at2 + 40);
      const half2 v60 = *(threadgroup const half2*)(at3 + 2880);
      const float2 sums12 = matrix_product(float2(v57), float2(v58), sums11);
      const half2 v61 = *(threadgroup const half2*)(at2 + 48);
      const half2 v62 = *(threadgroup const half2*)(at3 + 3456);
      const float2 sums13 = matrix_product(float2(v59), float2(v60), sums12);
      const half2 v63 = *(threadgroup const half2*)(at2 + 56);
      const half2 v64 = *(threadgroup const half2*)(at3 + 4032);
      const float2 sums14 = matrix_product(float2(v61), float2(v62), sums13);
      const float2 sums15 = matrix_product(float2(v63), float2(v64), sums14);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v43 = sums15;
    } else {
      v43 = sum0;
    }
    *(device half2*)(product0 + v17 * product_stride0 + v18) = half2(v43);
  } else {
    const long v65 = min(v19, sizes.a_extent0);
    device const half* a3 = a + v17 * a_stride0;
    const long v66 = min(v20, sizes.b_extent1);
    device const half* b3 = b + v18;
    device half* product1 = product0 + v17 * product_stride0 + v18;
    const long v67 = sizes.a_extent1 / 64 * 64;
    const long v68 = v1 * 8;
    const long v69 = long(v0);
    const long4 v70 = long4(0, 1, 2, 3);
    const long4 v71 = long4(4, 5, 6, 7);
    const bool4 is0 = long4(v68) + v70 < long4(v66 - v18);
    const bool4 is1 = long4(v68) + v71 < long4(v66 - v18);
    threadgroup half* at4 = staged0 + (v69 * 72 + v1 * 8);
    const long v72 = long(thread_index % 8u);
    const long v73 = v72 * 8;
    const long v74 = long(thread_index / 8u);
    const bool4 v75 = bool4(v74 < v65 - v17);
    const bool4 v76 = bool4(v74 < v65 - v17);
    threadgroup half* at5 = staged + (v74 * 72 + v72 * 8);
    threadgroup half* at6 = staged + (long(v10) * 72 + long(v9));
    threadgroup half* at7 = staged0 + (long(v11) + long(v8) * 72);
    float2 sum1 = float2(0.0f);
    for (long i1 = 0; i1 < v67; i1 += 64) {
      device const half* b4 = b3 + i1 * b_stride0 + v68 + v69 * b_stride0;
      const half4 b_v4 = half4(is0.x ? b4[0] : half(0.0f), is0.y ? b4[1] : half(0.0f), is0.z ? b4[2] : half(0.0f), is0.w ? b4[3] : half(0.0f));
      const half4 b_v5 = half4(is1.x ? b4[4] : half(0.0f), is1.y ? b4[5] : half(0.0f), is1.z ? b4[6] : half(0.0f), is1.w ? b4[7] : half(0.0f));
      *(threadgroup half4*)at4 = b_v4;
      *(threadgroup half4*)(at4 + 4) = b_v5;
      device const half* a4 = a3 + i1 + v74 * a_stride0 + v73;
      const half4 a_v4 = half4(v75.x ? a4[0] : half(0.0f), v75.y ? a4[1] : half(0.0f), v75.z ? a4[2] : half(0.0f), v75.w ? a4[3] : half(0.0f));
      const half4 a_v5 = half4(v76.x ? a4[4] : half(0.0f), v76.y ? a4[5] : half(0.0f), v76.z ? a4[6] : half(0.0f), v76.w ? a4[7] : half(0.0f));
      *(threadgroup half4*)at5 = a_v4;
      *(threadgroup half4*)(at5 + 4) = a_v5;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const half2 v77 = *(threadgroup const half2*)at6;
      const half2 v78 = *(threadgroup const half2*)at7;
      const half2 v79 = *(threadgroup const half2*)(at6 + 8);
      const half2 v80 = *(threadgroup const half2*)(at7 + 576);
      const float2 sums16 = matrix_product(float2(v77), float2(v78), sum1);
      const half2 v81 = *(threadgroup const half2*)(at6 + 16);
      const half2 v82 = *(threadgroup const half2*)(at7 + 1152);
      const float2 sums17 = matrix_product(float2(v79), float2(v80), sums16);
      const half2 v83 = *(threadgroup const half2*)(at6 + 24);
      const half2 v84 = *(threadgroup const half2*)(at7 + 1728);
      const float2 sums18 = matrix_product(float2(v81), float2(v82), sums17);
      const half2 v85 = *(threadgroup const half2*)(at6 + 32);
      const half2 v86 = *(threadgroup const half2*)(at7 + 2304);
      const float2 sums19 = matrix_product(float2(v83), float2(v84), sums18);
      const half2 v87 = *(threadgroup const half2*)(at6 + 40);
      const half2 v88 = *(threadgroup const half2*)(at7 + 2880);
      const float2 sums20 = matrix_product(float2(v85), float2(v86), sums19);
      const half2 v89 = *(threadgroup const half2*)(at6 + 48);
      const half2 v90 = *(threadgroup const half2*)(at7 + 3456);
      const float2 sums21 = matrix_product(float2(v87), float2(v88), sums20);
      const half2 v91 = *(threadgroup const half2*)(at6 + 56);
      const half2 v92 = *(threadgroup const half2*)(at7 + 4032);
      const float2 sums22 = matrix_product(float2(v89), float2(v90), sums21);
      const float2 sums23 = matrix_product(float2(v91), float2(v92), sums22);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      sum1 = sums23;
    }
    float2 v93;
    if (v67 < sizes.a_extent1) {
      device const half* b5 = b3 + v67 * b_stride0 + v68 + v69 * b_stride0;
      const long v94 = sizes.a_extent1 - v67;
      const bool4 v95 = bool4(v69 < v94) && is0;
      const bool4 v96 = bool4(v69 < v94) && is1;
      const half4 b_v6 = half4(v95.x ? b5[0] : half(0.0f), v95.y ? b5[1] : half(0.0f), v95.z ? b5[2] : half(0.0f), v95.w ? b5[3] : half(0.0f));
      const half4 b_v7 = half4(v96.x ? b5[4] : half(0.0f), v96.y ? b5[5] : half(0.0f), v96.z ? b5[6] : half(0.0f), v96.w ? b5[7] : half(0.0f));
      *(threadgroup half4*)at4 = b_v6;
      *(threadgroup half4*)(at4 + 4) = b_v7;
      device const half* a5 = a3 + v67 + v74 * a_stride0 + v73;
      const bool4 v97 = v75 && long4(v73) + v70 < long4(v94);
      const bool4 v98 = v76 && long4(v73) + v71 < long4(v94);
      const half4 a_v6 = half4(v97.x ? a5[0] : half(0.0f), v97.y ? a5[1] : half(0.0f), v97.z ? a5[2] : half(0.0f), v97.w ? a5[3] : half(0.0f));
      const half4 a_v7 = half4(v98.x ? a5[4] : half(0.0f), v98.y ? a5[5] : half(0.0f), v98.z ? a5[6] : half(0.0f), v98.w ? a5[7] : half(0.0f));
      *(threadgroup half4*)at5 = a_v6;
      *(threadgroup half4*)(at5 + 4) = a_v7;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      const half2 v99 = *(threadgroup const half2*)at6;
      const half2 v100 = *(threadgroup const half2*)at7;
      const half2 v101 = *(threadgroup const half2*)(at6 + 8);
      const half2 v102 = *(threadgroup const half2*)(at7 + 576);
      const float2 sums24 = matrix_product(float2(v99), float2(v100), sum1);
      const half2 v103 = *(threadgroup const half2*)(at6 + 16);
      const half2 v104 = *(threadgroup const half2*)(at7 + 1152);
      const float2 sums25 = matrix_product(float2(v101), float2(v102), sums24);
      const half2 v105 = *(threadgroup const half2*)(at6 + 24);
      const half2 v106 = *(threadgroup const half2*)(at7 + 1728);
      const float2 sums26 = matrix_product(float2(v103), float2(v104), sums25);
      const half2 v107 = *(threadgroup const half2*)(at6 + 32);
      const half2 v108 = *(threadgroup const half2*)(at7 + 2304);
      const float2 sums27 = matrix_product(float2(v105), float2(v106), sums26);
      const half2 v109 = *(threadgroup const half2*)(at6 + 40);
      const half2 v110 = *(threadgroup const half2*)(at7 + 2880);
      const float2 sums28 = matrix_product(float2(v107), float2(v108), sums27);
      const half2 v111 = *(threadgroup const half2*)(at6 + 48);
      const half2 v112 = *(threadgroup const half2*)(at7 + 3456);
      const float2 sums29 = matrix_product(float2(v109), float2(v110), sums28);
      const half2 v113 = *(threadgroup const half2*)(at6 + 56);
      const half2 v114 = *(threadgroup const half2*)(at7 + 4032);
      const float2 sums30 = matrix_product(float2(v111), float2(v112), sums29);
      const float2 sums31 = matrix_product(float2(v113), float2(v114), sums30);
      threadgroup_barrier(mem_flags::mem_threadgroup);
      v93 = sums31;
    } else {
      v93 = sum1;
    }
    const half2 v115 = half2(v93);
    const bool is2 = v17 + v6 < v65;
    if (is2 && is2 && is2) {
      const bool2 v116 = int2(0, 1) < int2(int(max(min(v66 - (v18 + v5), 2L), 0L)));
      if (v116.x) product1[0] = v115.x;
      if (v116.y) product1[1] = v115.y;
    }
  }
}
