// Which rejections are the statement's own fault, for tests that draw statements.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::differential {

/// Rejected by the language, or by what a target lacks. A level's own code (of a plan, a tile program or a kernel) is
/// never a user's fault, and limits of a block are met only by schedules that say what is past them: what nobody wrote
/// is chosen to fit.
inline bool is_legal_rejection(const std::string& statement, const std::string& rejection) {
  struct Limit {
    std::string_view code;
    std::vector<std::string_view> lines;
  };
  static const std::vector<Limit> limits = {{"N050", {"threads = ", "warps("}},
                                            {"N051", {"tile(", "vectorize(", "unroll("}},
                                            {"N052", {"cache("}},
                                            {"N053", {"variant = "}},
                                            {"N054", {"variant = "}},
                                            {"N055", {"stages = "}}};
  for (const Limit& limit : limits)
    if (rejection.contains("error[" + std::string(limit.code) + "]"))
      return std::ranges::any_of(limit.lines, [&](std::string_view line) { return statement.contains(line); });
  return std::ranges::any_of(std::string_view("LBNR"),
                             [&](char level) { return rejection.contains(std::string("error[") + level); });
}

}  // namespace tilewright::differential
