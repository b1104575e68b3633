// What `explain` says of one compiled statement, as sections of text or as a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/ceilings.h"
#include "runtime/compilation.h"
#include "runtime/fused_program.h"

namespace tilewright::report {

struct Explanation {
  struct Section {
    std::string title;
    std::string text;
    bool open = true;  ///< on a page: shown at first
  };
  std::string title;
  std::vector<Section> sections;
};

/// Without ceilings, of a device that is not there to be measured, there is no floor.
Explanation explain(std::string title, const Compilation& compilation, const kernel::Occupancy& occupancy,
                    const std::optional<Ceilings>& ceilings);
/// Of a program as a whole: which of its statements are computed as one, and where intermediate results lie.
Explanation explain(std::string title, const FusedProgram& program);

/// Sections under their titles, one explanation after another.
std::string to_text(const std::vector<Explanation>& explanations);
/// One self-contained page: no script, no other file.
std::string to_html(const std::vector<Explanation>& explanations);

}  // namespace tilewright::report
