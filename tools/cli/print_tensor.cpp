// Text of tensors. See print_tensor.h.
#include "cli/print_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/cases.h"

namespace tilewright::cli {
namespace {

std::string summary_text(const Tensor& tensor) {
  const TensorView view = tensor.view();
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  double sum = 0;
  std::int64_t nans = 0;
  for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) {
    const double value = view.get(index).as_double();
    if (std::isnan(value)) {
      ++nans;
      return;
    }
    least = std::min(least, value);
    largest = std::max(largest, value);
    sum += value;
  });
  const std::int64_t numbers = tensor.element_count() - nans;
  std::string text = fmt::format("{} values", tensor.element_count());
  if (numbers > 0) text += fmt::format(", min {:.6g}, max {:.6g}, mean {:.6g}", least, largest, sum / double(numbers));
  return nans == 0 ? text : text + fmt::format(", {} nan", nans);
}

constexpr std::size_t line_width = 96;

/// The values of row-major `texts` from `at` on, in brackets for the axes from `axis` on.
std::string nested(const std::vector<std::string>& texts, const Shape& shape, std::size_t axis, std::size_t& at) {
  if (axis == shape.size()) return texts[at++];
  const std::string indent(axis + 1, ' ');
  const bool rows = axis + 1 < shape.size();
  const std::size_t values_a_line =
      rows ? 1 : std::max<std::size_t>((line_width - indent.size()) / (texts.front().size() + 1), 1);
  std::string text = "[";
  for (std::size_t n = 0; n < static_cast<std::size_t>(shape[axis]); ++n) {
    // Blocks of more axes stand further apart.
    if (n > 0 && rows) text += std::string(shape.size() - axis - 1, '\n') + indent;
    if (n > 0 && !rows) text += n % values_a_line == 0 ? "\n" + indent : " ";
    text += nested(texts, shape, axis + 1, at);
  }
  return text + "]";
}

}  // namespace

std::string type_text(const Tensor& tensor) {
  const std::string extents = extents_text(tensor.shape());
  return std::string(name(tensor.dtype())) + (extents.empty() ? "" : " ") + extents;
}

std::string values_text(const Tensor& tensor) {
  if (tensor.element_count() > most_printed) return summary_text(tensor);
  std::vector<std::string> texts;
  std::size_t width = 0;
  const TensorView view = tensor.view();
  for_each_index(view.shape, [&](const std::vector<std::int64_t>& index) {
    texts.push_back(to_text(view.get(index), view.dtype));
    width = std::max(width, texts.back().size());
  });
  if (tensor.element_count() == 0) return "[]";
  if (tensor.rank() > 0)
    for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
  std::size_t at = 0;
  return nested(texts, tensor.shape(), 0, at);
}

}  // namespace tilewright::cli
