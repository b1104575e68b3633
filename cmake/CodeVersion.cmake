# Run by the build: writes OUTPUT, a header with the constant NAME, which stands for what is kept between processes and
# depends on the compiler: VERSION, and a hash of the sources in FOLDERS.
set(hashes "")
foreach(folder IN LISTS FOLDERS)
  file(GLOB_RECURSE sources "${folder}/*.cpp" "${folder}/*.h")
  list(SORT sources)
  foreach(source IN LISTS sources)
    file(SHA256 "${source}" hash)
    string(APPEND hashes "${hash}")
  endforeach()
endforeach()
string(SHA256 all "${hashes}")
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Written by cmake/CodeVersion.cmake.
#pragma once

#include <string_view>

namespace tilewright {

inline constexpr std::string_view @NAME@ = "@VERSION@ @all@";

}  // namespace tilewright
]])
