// Element types: the public enum is held to the inner table.
#include "api/inside.h"

namespace tilewright::v0 {

#define X(enumerator, ...) \
  static_assert(static_cast<int>(DType::enumerator) == static_cast<int>(tilewright::DType::enumerator));
TILEWRIGHT_DTYPES(X)
#undef X
static_assert(static_cast<int>(Precision::exact) == static_cast<int>(tilewright::Precision::exact));
static_assert(static_cast<int>(Precision::tf32) == static_cast<int>(tilewright::Precision::tf32));
static_assert(static_cast<int>(Precision::tf32x3) == static_cast<int>(tilewright::Precision::tf32x3));

std::string_view name(DType type) noexcept {
  return tilewright::name(inner(type));
}

std::size_t size_of(DType type) noexcept {
  return tilewright::size_of(inner(type));
}

}  // namespace tilewright::v0
