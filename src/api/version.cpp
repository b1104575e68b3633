// The version that the build system states (project() in the top CMakeLists.txt).
#include "tilewright/version.h"

namespace tilewright {

std::string_view version() noexcept {
  return TILEWRIGHT_VERSION;
}

}  // namespace tilewright
