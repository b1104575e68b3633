// Uses the installed library as a stranger would; check_install.cmake builds it twice, through the CMake package and
// through pkg-config.
#include <cstdio>
#include <string_view>

#include <tilewright/version.h>

int main(int argc, char** argv) {
  const std::string_view expected = argc == 2 ? argv[1] : "";
  const std::string_view found = tilewright::version();
  if (found != expected) {
    std::fprintf(stderr, "version: expected %.*s, found %.*s\n", static_cast<int>(expected.size()), expected.data(),
                 static_cast<int>(found.size()), found.data());
    return 1;
  }
}
