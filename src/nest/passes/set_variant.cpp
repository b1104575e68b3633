// variant = NAME. See set_variant.h.
#include "nest/passes/set_variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tilewright::nest {

std::span<const std::string_view> variant_names() {
  static constexpr std::array<std::string_view, 7> names = {"flat",      "thread",    "block", "warp",
                                                            "warpgroup", "simdgroup", "panel"};
  return names;
}

Result<void> set_variant(Nest& nest, ScheduleContext& context) {
  if (!nest.schedule.variant.empty())
    return context.fail_line("N025", fmt::format("'variant' is given twice; it is {} already", nest.schedule.variant),
                             "give it once");
  const std::string& variant = context.name_at(0);
  if (std::ranges::find(variant_names(), variant) == variant_names().end())
    return context.fail_at(0, "N028", fmt::format("there is no variant '{}'", variant),
                           fmt::format("the variants are {}", fmt::join(variant_names(), ", ")));
  nest.schedule.variant = variant;
  return {};
}

}  // namespace tilewright::nest
