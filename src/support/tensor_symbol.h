// The symbols that integer expressions use for tensors: "NAME.AXIS" is an extent, "NAME.sAXIS" a stride in elements.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "support/int_expr.h"

namespace tilewright {

struct TensorSymbol {
  std::string_view tensor;
  std::size_t axis = 0;
  bool stride = false;  ///< else an extent
};

/// nullopt if the text is not of that form; the tensor's name may hold dots itself.
std::optional<TensorSymbol> parse_tensor_symbol(std::string_view symbol);

IntExpr extent_symbol(std::string_view tensor, std::size_t axis);
IntExpr stride_symbol(std::string_view tensor, std::size_t axis);

}  // namespace tilewright
