// The products of small matrices that tensor cores compute: types of the pieces that each thread holds, and PTX's
// names. What the verifier allows, codegen writes and the simulator executes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kernel/types.h"

namespace tilewright::kernel {

/// Of mma, done by a warp: m × k times k × n, a's rows and b's columns along k. Which elements a thread holds is in the
/// PTX ISA, "Matrix Fragments for mma", under the shape.
struct MmaAtom {
  Type a;
  Type b;
  Type c;  ///< of the sums, too
  std::int32_t m;
  std::int32_t n;
  std::int32_t k;
  std::string_view ptx;  ///< what stands behind `mma.sync.aligned.`
};
/// Of f32 operands 10 bits of mantissa matter (tf32).
std::span<const MmaAtom> mma_atoms();
const MmaAtom* find_mma(Type a, Type b, Type c);
/// By the elements of the factors and of the sums.
const MmaAtom* find_mma(Element of, Element sums);
/// The legal types, for messages.
std::string mma_forms();

/// Of wgmma, done by four warps: 64 × k times k × n; k is 32 bytes of elements.
struct WarpgroupAtom {
  Element of;
  Type a;     ///< of the first factor where it is in registers
  Element c;  ///< of the sums
  std::int32_t k;
  std::string_view ptx;  ///< the element's name
  bool scales;           ///< the instruction has signs for its factors
};
std::span<const WarpgroupAtom> wgmma_atoms();
const WarpgroupAtom* find_wgmma(Element of);

}  // namespace tilewright::kernel
