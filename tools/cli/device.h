// The device that --device names.
#pragma once

#include "cli/options.h"
#include "runtime/engine.h"

namespace tilewright::cli {

/// Opens it, and sets the number of threads. C012: no device is called so. R072: it is not there.
Result<Engine> open_device(const Options& options);

/// Prints errors that end nothing, as warnings.
void warn(Diagnostics errors);

/// Prints, as a warning, what kept stored choices from being used; nothing where nothing did.
void warn_of_choices(const Engine& engine);

}  // namespace tilewright::cli
