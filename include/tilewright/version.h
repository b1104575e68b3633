// The library's version, as a program finds it at run time.
#pragma once

#include <string_view>

#include "tilewright/export.h"

namespace tilewright {

/// "MAJOR.MINOR.PATCH" of the library that is loaded, which may be newer than the headers.
TILEWRIGHT_API std::string_view version() noexcept;

}  // namespace tilewright
