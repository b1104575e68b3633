// The table of units' figures, and lists for messages. See unit_figures.h.
#include "nest/passes/unit_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "nest/passes/gpu_schedule.h"

namespace tilewright::nest::gpu_schedule {
namespace {

using matrix_unit::Unit;

constexpr std::array figures_table{
    UnitFigures{Unit::warpgroup, 90, 2048, 0, 40, 67, 160, 8, 3},
    UnitFigures{Unit::warp, 80, 1024, 64, 8, 40, 128, 3, 2},
    UnitFigures{Unit::warp, 89, 512, 1, 8, 40, 128, 3, 2},
    UnitFigures{Unit::warp, 90, 1024, 128, 8, 50, 128, 3, 2},
    UnitFigures{Unit::simdgroup, 0, 256, 0, 8, 40, 128, 1, 1},
};

/// "a", "a or b", "a, b or c"
std::string either(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

}  // namespace

bool has_unit(const GpuTarget& target, Unit unit) {
  switch (unit) {
    case Unit::scalar:
      return true;
    case Unit::warpgroup:
      return target.has_hopper_ops;
    case Unit::warp:
      return target.has_warp_products;
    case Unit::simdgroup:
      return target.has_simdgroup_products;
  }
  internal_error("an unknown unit");
}

std::optional<Unit> find_unit(const GpuTarget& target, DType element, DType sums, Precision precision,
                              std::optional<Unit> asked) {
  const auto found = std::ranges::find_if(matrix_unit::products, [&](const matrix_unit::Product& product) {
    return product.element == element && product.sums == sums && matrix_unit::serves(product, precision) &&
           has_unit(target, product.unit) && (!asked || *asked == product.unit);
  });
  return found == matrix_unit::products.end() ? std::nullopt : std::optional(found->unit);
}

const UnitFigures* figures_of(const GpuTarget& target, Unit unit) {
  const UnitFigures* found = nullptr;
  if (!has_unit(target, unit)) return found;
  for (const UnitFigures& figures : figures_table)
    if (figures.unit == unit && figures.capability <= target.capability) found = &figures;
  return found;
}

std::string variants_text(const GpuTarget& target) {
  std::vector<std::string> units;
  for (const auto& [unit, name] : matrix_unit::unit_names)
    if (has_unit(target, unit)) units.push_back(fmt::format("'{}'", name));
  const std::string scalar = fmt::format("'{}'", scalar_variant);
  return units.empty() ? scalar : fmt::format("{}, or {} for matrix units", scalar, either(units));
}

std::string elements_text(const GpuTarget& target, Unit unit) {
  std::string text;
  for (const Precision precision : target.precisions) {
    std::vector<std::string> elements;
    for (const matrix_unit::Product& product : matrix_unit::products)
      if (product.unit == unit && matrix_unit::serves(product, precision))
        elements.emplace_back(name(precision == Precision::exact ? product.element : DType::f32));
    if (elements.empty()) continue;
    text += (text.empty() ? "" : ", or of ") + either(elements);
    if (precision != Precision::exact) text += fmt::format(" with precision: {}", name(precision));
  }
  return text;
}

}  // namespace tilewright::nest::gpu_schedule
