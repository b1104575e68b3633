// PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions" and "Asynchronous Warpgroup Level …".
#include "kernel/matrix_atoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tilewright::kernel {

namespace {

using matrix_unit::Unit;

constexpr Type lanes(Element element, std::uint16_t count) {
  return {element, count};
}

constexpr Type f32x4 = lanes(Element::f32, 4);

constexpr std::array mma_table = {
    MmaAtom{Unit::warp, lanes(Element::f16, 8), lanes(Element::f16, 4), f32x4, 16, 8, 16,
            "m16n8k16.row.col.f32.f16.f16.f32"},
    MmaAtom{Unit::warp, lanes(Element::f16, 8), lanes(Element::f16, 4), lanes(Element::f16, 4), 16, 8, 16,
            "m16n8k16.row.col.f16.f16.f16.f16"},
    MmaAtom{Unit::warp, lanes(Element::bf16, 8), lanes(Element::bf16, 4), f32x4, 16, 8, 16,
            "m16n8k16.row.col.f32.bf16.bf16.f32"},
    MmaAtom{Unit::warp, f32x4, lanes(Element::f32, 2), f32x4, 16, 8, 8, "m16n8k8.row.col.f32.tf32.tf32.f32"},
    MmaAtom{Unit::warp, lanes(Element::i8, 16), lanes(Element::i8, 8), lanes(Element::i32, 4), 16, 8, 32,
            "m16n8k32.row.col.s32.s8.s8.s32"},
    MmaAtom{Unit::warp, lanes(Element::f64, 1), lanes(Element::f64, 1), lanes(Element::f64, 2), 8, 8, 4,
            "m8n8k4.row.col.f64.f64.f64.f64"},
    MmaAtom{Unit::simdgroup, lanes(Element::f32, 2), lanes(Element::f32, 2), lanes(Element::f32, 2), 8, 8, 8, ""},
};

constexpr std::array wgmma_table = {
    WarpgroupAtom{Element::f16, lanes(Element::f16, 8), Element::f32, 16, "f16", true},
    WarpgroupAtom{Element::bf16, lanes(Element::bf16, 8), Element::f32, 16, "bf16", true},
    WarpgroupAtom{Element::f32, lanes(Element::i32, 4), Element::f32, 8, "tf32", true},
    WarpgroupAtom{Element::i8, lanes(Element::i8, 16), Element::i32, 32, "s8", false},
    WarpgroupAtom{Element::f8e4m3, lanes(Element::f8e4m3, 16), Element::f32, 32, "e4m3", true},
    WarpgroupAtom{Element::f8e5m2, lanes(Element::f8e5m2, 16), Element::f32, 32, "e5m2", true},
};

}  // namespace

std::span<const MmaAtom> mma_atoms() {
  return mma_table;
}

const MmaAtom* find_mma(Type a, Type b, Type c) {
  const auto found =
      std::ranges::find_if(mma_table, [&](const MmaAtom& atom) { return atom.a == a && atom.b == b && atom.c == c; });
  return found == mma_table.end() ? nullptr : &*found;
}

const MmaAtom* find_mma(matrix_unit::Unit unit, Element of, Element sums) {
  const auto found = std::ranges::find_if(mma_table, [&](const MmaAtom& atom) {
    return atom.unit == unit && atom.a.element == of && atom.c.element == sums;
  });
  return found == mma_table.end() ? nullptr : &*found;
}

std::string mma_forms() {
  std::string text = "one of";
  for (const MmaAtom& atom : mma_table)
    text += fmt::format("{} ({}, {}, {})", &atom == &mma_table.front() ? "" : ",", to_text(atom.a), to_text(atom.b),
                        to_text(atom.c));
  return text;
}

std::span<const WarpgroupAtom> wgmma_atoms() {
  return wgmma_table;
}

const WarpgroupAtom* find_wgmma(Element of) {
  const auto found = std::ranges::find(wgmma_table, of, &WarpgroupAtom::of);
  return found == wgmma_table.end() ? nullptr : &*found;
}

}  // namespace tilewright::kernel
