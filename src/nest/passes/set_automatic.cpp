// auto. See set_automatic.h.
#include "nest/passes/set_automatic.h"

namespace tilewright::nest {

Result<void> set_automatic(Nest& nest, ScheduleContext& context) {
  if (nest.schedule.automatic) return context.fail_line("N025", "'auto' is given twice", "give it once");
  nest.schedule.automatic = true;
  return {};
}

}  // namespace tilewright::nest
