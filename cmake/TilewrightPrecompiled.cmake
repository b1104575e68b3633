# Standard headers cost most of a translation unit's time, so they are compiled once: tw_precompiled for the layers,
# tw_precompiled_tests for the tests. A source still includes what it uses: the tsan preset builds without this, and
# so does lint_headers.
option(TILEWRIGHT_PRECOMPILED "Compile the standard headers once" ON)

set(headers
  <algorithm> <array> <cmath> <cstdint> <expected> <functional> <map> <memory> <optional> <ranges> <span> <string>
  <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

function(tw_add_precompiled name)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${name}.cpp" CONTENT "// A precompiled header needs a target with a source.\n")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE tw_flags tw_fmt ${ARGN})
endfunction()

# tw_precompile(TARGET FROM): compiles TARGET with FROM's headers.
function(tw_precompile target from)
  if(TILEWRIGHT_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

if(TILEWRIGHT_PRECOMPILED)
  tw_add_precompiled(tw_precompiled)
  target_precompile_headers(tw_precompiled PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # for ccache, which cannot see through a time stamp
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
  if(TILEWRIGHT_TESTS)
    find_package(GTest REQUIRED)
    tw_add_precompiled(tw_precompiled_tests GTest::gtest)
    target_precompile_headers(tw_precompiled_tests PRIVATE ${headers} <gtest/gtest.h>)
    target_compile_options(tw_precompiled_tests PRIVATE -O0)
    set_target_properties(tw_precompiled_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  endif()
endif()
