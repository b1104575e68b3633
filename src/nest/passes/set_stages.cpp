// stages = n. See set_stages.h.
#include "nest/passes/set_stages.h"

#include <fmt/format.h>

namespace tilewright::nest {

Result<void> set_stages(Nest& nest, ScheduleContext& context) {
  if (nest.schedule.stages != 0)
    return context.fail_line("N025", fmt::format("'stages' is given twice; it is {} already", nest.schedule.stages),
                             "give it once");
  nest.schedule.stages = context.count_at(0);
  return {};
}

}  // namespace tilewright::nest
