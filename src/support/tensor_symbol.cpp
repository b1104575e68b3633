// Names of extents and strides. See tensor_symbol.h.
#include "support/tensor_symbol.h"

#include <fmt/format.h>

#include <charconv>

namespace tilewright {

std::optional<TensorSymbol> parse_tensor_symbol(std::string_view symbol) {
  const std::size_t dot = symbol.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::string_view digits = symbol.substr(dot + 1);
  const bool stride = digits.starts_with('s');
  if (stride) digits.remove_prefix(1);
  std::size_t axis = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), axis);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return TensorSymbol{symbol.substr(0, dot), axis, stride};
}

IntExpr extent_symbol(std::string_view tensor, std::size_t axis) {
  return IntExpr::symbol(fmt::format("{}.{}", tensor, axis));
}
IntExpr stride_symbol(std::string_view tensor, std::size_t axis) {
  return IntExpr::symbol(fmt::format("{}.s{}", tensor, axis));
}

}  // namespace tilewright
