// Kernels on operands of working size, in turns with peers and with the ceilings of the memory.
#pragma once

#include <memory>
#include <string>

#include "peers.h"
#include "report.h"

namespace tilewright::bench {

struct Peers {
  std::unique_ptr<OpenBlas> blas;  ///< null: not there
  std::unique_ptr<OneDnn> dnnl;
};

struct KernelOptions {
  double seconds = 2.0;  ///< time box of a row
  std::string only;      ///< rows whose names have this; empty: all
  int threads = 1;
};

/// Appends a row a case. A kernel that fails or whose result is wrong is reported on stderr and returns false.
bool run_kernel_cases(const Peers& peers, const KernelOptions& options, Report& report);

/// The inputs, in words, for the report.
std::string input_conditions();

}  // namespace tilewright::bench
