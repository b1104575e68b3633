// threads = n. See set_threads.h.
#include "nest/passes/set_threads.h"

#include <fmt/format.h>

namespace tilewright::nest {

Result<void> set_threads(Nest& nest, ScheduleContext& context) {
  if (nest.schedule.threads != 0)
    return context.fail_line("N025", fmt::format("'threads' is given twice; it is {} already", nest.schedule.threads),
                             "give it once");
  nest.schedule.threads = context.count_at(0);
  return {};
}

}  // namespace tilewright::nest
