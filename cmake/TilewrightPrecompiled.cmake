# Headers cost most of a translation unit's time, so those that a layer's sources share are compiled once: the standard
# ones for all layers (tw_precompiled) and all tests (tw_precompiled_tests), and with them the headers that a layer names
# in PRECOMPILE, for itself and for what stands above it. A source still includes what it uses: the tsan preset builds
# without this, and so does lint_headers.
option(TILEWRIGHT_PRECOMPILED "Compile the headers that sources share once" ON)

set(tw_standard_headers
  <algorithm> <array> <cmath> <cstdint> <expected> <filesystem> <functional> <map> <memory> <optional> <ostream> <ranges>
  <span> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# Sources of one target are compiled some at a time, in half the time; a change then compiles its neighbours too, so the
# dev preset, which is for editing, does not.
option(TILEWRIGHT_UNITY "Compile sources in batches" ON)

# tw_batch(TARGET FOLDER [SOURCES …]): compiles TARGET in batches, but these SOURCES of FOLDER alone: they give a name of
# their own to something that another source names so too.
function(tw_batch target folder)
  if(TILEWRIGHT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    if(ARGN)
      list(TRANSFORM ARGN PREPEND "${folder}/")
      set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endif()
endfunction()

# tw_add_precompiled(NAME HEADERS … [LIBRARIES …] [VIEW LAYER]): the target NAME, whose precompiled headers others use.
# They are seen with the include path of LAYER.
function(tw_add_precompiled name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "VIEW" "HEADERS;LIBRARIES")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${name}.cpp" CONTENT "// A precompiled header needs a target with a source.\n")
  add_library(${name} OBJECT "${CMAKE_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE tw_flags tw_fmt ${arg_LIBRARIES})
  if(arg_VIEW)
    target_include_directories(${name} PRIVATE $<TARGET_PROPERTY:tw_${arg_VIEW},INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# tw_precompile(TARGET FROM): compiles TARGET with the headers of FROM, a target that has some.
function(tw_precompile target from)
  if(TILEWRIGHT_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# tw_add_precompiled_tests(NAME [VIEW LAYER] [HEADERS …]): the same for tests, with GoogleTest.
function(tw_add_precompiled_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "VIEW" "HEADERS")
  list(TRANSFORM arg_HEADERS REPLACE ".+" "<\\0>")  # found by the include path
  tw_add_precompiled(${name} VIEW ${arg_VIEW} LIBRARIES GTest::gtest
    HEADERS ${tw_standard_headers} <gtest/gtest.h> ${arg_HEADERS})
  target_compile_options(${name} PRIVATE -O0)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

if(TILEWRIGHT_PRECOMPILED)
  tw_add_precompiled(tw_precompiled HEADERS ${tw_standard_headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # for ccache, which cannot see through a time stamp
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()
