// The record of what compilation did to a statement: one entry a pass, in order. `explain` prints it, the API returns
// it, and the passes below the nest append to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nest/ir.h"

namespace tilewright::nest {

enum class PassKind : std::uint8_t { transform, analysis, lowering };
std::string_view name(PassKind kind);

/// Why a decision is what it is: "tile of i is 128" from "tile(i, 128)".
struct Provenance {
  std::string decision;
  std::string reason;
  friend bool operator==(const Provenance&, const Provenance&) = default;
};

struct TraceEntry {
  std::string pass;         ///< "tile"
  std::string description;  ///< what the pass does, in a few words
  PassKind kind = PassKind::transform;
  std::string line;     ///< the schedule line as written; empty for a pass that no line asks for
  std::string summary;  ///< the nest after it, in one line: see summarize
  std::string text;     ///< the nest (or the lower IR) after it, in full
  std::vector<std::string> notes;
  std::vector<Provenance> provenance;
  double seconds = 0;  ///< that the pass took, where it was timed
};

struct Trace {
  std::vector<TraceEntry> entries;
};

/// Loops with steps and roles, reads, cache plans and the other facts:
/// "loops i step 128 (output), i.in (output), k (reduction); reads a[i, k]; cache a[i, k] 128x32; threads 256".
std::string summarize(const Nest& nest);

/// Extents of the buffer that stages a cached read: along each axis, Σ |coefficient| · (tile − 1) + 1.
std::vector<std::int64_t> staged_shape(const Nest& nest, const CachedRead& cache);

/// One line a pass ("1 tile  transform  tile(i, 128)  loops …"), with its notes and provenance indented under it.
std::string to_text(const Trace& trace);

}  // namespace tilewright::nest
