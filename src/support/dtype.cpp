// The element type table as data. See dtype.h.
#include "support/dtype.h"

#include <algorithm>
#include <array>

namespace tilewright {
namespace {

constexpr std::array table = {
#define X(enumerator, text, bytes, type_class, evaluate, default_output) \
  DTypeInfo{text, bytes, DTypeClass::type_class, DType::evaluate, DType::default_output},
    TILEWRIGHT_DTYPES(X)
#undef X
};

}  // namespace

const DTypeInfo& info(DType type) {
  return table[static_cast<std::size_t>(type)];
}

std::optional<DType> dtype_from_name(std::string_view name) {
  const auto found = std::ranges::find(table, name, &DTypeInfo::name);
  if (found == table.end()) return std::nullopt;
  return static_cast<DType>(found - table.begin());
}

}  // namespace tilewright
