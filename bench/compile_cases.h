// What a kernel costs before and beside its run: compiling cold, loading from the disk cache, a cached call, checking a
// file.
#pragma once

#include <string>

#include "report.h"

namespace tilewright::bench {

/// Appends a row a case whose name has `only`. False, with a message on stderr, if something fails.
bool run_compile_cases(const std::string& only, Report& report);

}  // namespace tilewright::bench
