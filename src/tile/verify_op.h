// The part of the tile verifier that looks at one op by itself: types, access, phase and lanes (invariants 4, 5, 7, 8,
// 10 and 12 of verify.cpp). Not for use outside of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tile/ir.h"

namespace tilewright::tile {

struct Complaint {
  std::string_view code;
  std::string message;
};

/// Requires that every id of the op lies in its table. Empty: the op is right.
std::vector<Complaint> complaints(const Program& program, const Op& op);

}  // namespace tilewright::tile
