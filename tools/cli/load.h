// Files of kernels: reading the text, parsing it, selecting what -k names.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "runtime/kernel.h"

namespace tilewright::cli {

/// The text of a file, or of standard input for "-". C002: it cannot be read.
Result<SourcePtr> read_source(const std::string& path);

/// The kernels of options.files[0] that -k selects, in the file's order, with --precision applied. Errors of the
/// parser; C003: there are none in the file; C004: no kernel of that name.
Result<std::vector<Kernel>> load_kernels(const Options& options);

}  // namespace tilewright::cli
