// The figures of repeated calls.
#pragma once

#include <string>

#include "runtime/call_timing.h"

namespace tilewright::report {

struct Timing {
  double median = 0;  ///< seconds
  double low = 0;     ///< first quartile
  double high = 0;    ///< third quartile
  std::size_t calls = 0;
  std::string method;  ///< CallTiming's
  /// Half of the distance between the quartiles, relative to the median.
  double spread() const { return median > 0 ? (high - low) / 2 / median : 0; }
};

/// Of at least one call.
Timing summarize(CallTiming calls);

}  // namespace tilewright::report
