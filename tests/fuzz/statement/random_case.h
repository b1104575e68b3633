// Random statements with operands and schedules that the language takes (nearly always), drawn through RapidCheck so
// that failures shrink.
#pragma once

#include "differential.h"

namespace tilewright::differential {

/// What a case is mostly about.
enum class Flavour : std::uint8_t { elementwise, reduction, contraction, scheduled };

/// To be called inside a property.
Case draw_case(Flavour flavour);

}  // namespace tilewright::differential
