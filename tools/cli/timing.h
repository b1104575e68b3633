// The time of repeated calls.
#pragma once

#include <functional>

#include "support/diagnostic.h"

namespace tilewright::cli {

struct Timing {
  double median = 0;  ///< seconds
  double low = 0;     ///< first quartile
  double high = 0;    ///< third quartile
  int calls = 0;
  /// Half of the distance between the quartiles, relative to the median.
  double spread() const { return median > 0 ? (high - low) / 2 / median : 0; }
};

/// Calls once to warm up, then until `seconds` have passed and at least `least` calls are made.
Result<Timing> measure(const std::function<Result<void>()>& call, double seconds, int least);

}  // namespace tilewright::cli
