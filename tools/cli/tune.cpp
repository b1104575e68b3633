// `tilewright tune`: no device has a tuner yet.
#include <fmt/format.h>

#include "cli/device.h"
#include "cli/load.h"
#include "cli/subcommands.h"

namespace tilewright::cli {

Outcome run_tune(const Options& options) {
  if (Result<Engine> engine = open_device(options); !engine) return std::unexpected(std::move(engine.error()));
  if (Result<std::vector<Kernel>> kernels = load_kernels(options); !kernels)
    return std::unexpected(std::move(kernels.error()));
  return fail("C017", fmt::format("tuning is not available on {} yet", options.device),
              "the scheduler's own choice is used; write a schedule block for another");
}

}  // namespace tilewright::cli
