// warps(m, n) and warps(m, n, k). See set_warps.h.
#include "nest/passes/set_warps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright::nest {

Result<void> set_warps(Nest& nest, ScheduleContext& context) {
  if (!nest.schedule.warps.empty())
    return context.fail_line(
        "N025", fmt::format("'warps' is given twice; it is {} already", fmt::join(nest.schedule.warps, " x ")),
        "give it once");
  for (std::size_t argument = 0; argument < context.line.arguments.size(); ++argument)
    nest.schedule.warps.push_back(context.count_at(argument));
  return {};
}

}  // namespace tilewright::nest
