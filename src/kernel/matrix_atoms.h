// The products of small matrices that matrix units compute: types of the pieces that each thread holds, and PTX's
// names. What the verifier allows, codegen writes and the simulator executes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernel/types.h"
#include "support/matrix_unit.h"

namespace tilewright::kernel {

/// Of mma, done by a warp: m × k times k × n, a's rows and b's columns along k. Which elements a thread holds is in the
/// PTX ISA, "Matrix Fragments for mma", under the shape; of an Apple GPU's simdgroup thread t of each matrix has row 4
/// · (t / 16) + t / 2 % 4 and column 4 · (t / 8 % 2) + 2 · (t % 2) with the next, in the order of thread_elements().
struct MmaAtom {
  matrix_unit::Unit unit;
  Type a;
  Type b;
  Type c;  ///< of the sums, too
  std::int32_t m;
  std::int32_t n;
  std::int32_t k;
  std::string_view ptx;  ///< what stands behind `mma.sync.aligned.`; of a simdgroup's there is none
};
/// Of f32 operands 10 bits of mantissa matter (tf32).
std::span<const MmaAtom> mma_atoms();
const MmaAtom* find_mma(Type a, Type b, Type c);
/// By the elements of the factors' fragments and of the sums.
const MmaAtom* find_mma(matrix_unit::Unit unit, Element of, Element sums);
/// Where thread t's first element lies in each matrix of a simdgroup's product; the other one is its neighbour.
struct SimdgroupPlace {
  std::uint32_t row, column;
};
constexpr SimdgroupPlace simdgroup_place(std::uint32_t thread) {
  return {4 * (thread / 16) + thread / 2 % 4, 4 * (thread / 8 % 2) + 2 * (thread % 2)};
}
/// The legal types, for messages.
std::string mma_forms();

/// Of wgmma, done by four warps: 64 × k times k × n; k is 32 bytes of elements.
struct WarpgroupAtom {
  Element of;
  Type a;     ///< of the first factor where it is in registers; of f32, words of 32 bits
  Element c;  ///< of the sums
  std::int32_t k;
  std::string_view ptx;  ///< the element's name
  bool scales;           ///< the instruction has signs for its factors
};
std::span<const WarpgroupAtom> wgmma_atoms();
const WarpgroupAtom* find_wgmma(Element of);

}  // namespace tilewright::kernel
