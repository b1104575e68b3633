// What this machine can do at most, measured by kernels of this compiler on as many threads as a run uses.
#pragma once

#include "report/cost.h"
#include "runtime/engine.h"

namespace tilewright::report {

struct Ceilings {
  double copy = 0;   ///< bytes read and written a second
  double read = 0;   ///< bytes read a second
  double write = 0;  ///< bytes written a second
  double flops = 0;  ///< f32 multiplications and additions a second, in a matrix product

  /// Seconds that nothing can beat: the slower of moving the bytes and of computing.
  double floor(const Cost& cost) const;
  /// Bytes a second for a kernel that reads and writes as this one does.
  double bandwidth(const Cost& cost) const;
};

Result<Ceilings> measure_ceilings(const Engine& engine);

}  // namespace tilewright::report
