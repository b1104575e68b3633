// Results as text: small ones element by element, large ones as a summary.
#pragma once

#include <string>

#include "runtime/tensor.h"

namespace tilewright::cli {

/// Of more elements than this only a summary is printed.
inline constexpr std::int64_t most_printed = 256;

/// "f32 2x3", "f32" for a scalar.
std::string type_text(const Tensor& tensor);
/// Rows in nested brackets, as NumPy prints them, each value the shortest text that reads back as itself; of a large
/// tensor its least and largest value, mean and number of NaNs. Without a line break at the end.
std::string values_text(const Tensor& tensor);

}  // namespace tilewright::cli
