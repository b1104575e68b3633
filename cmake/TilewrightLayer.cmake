# tw_layer(NAME DEPENDS …): the static library of src/NAME over other layers (or fmt). Its include path shows the folders
# of its own layer and of the layers it depends on and no others, so an include against the table in the top
# CMakeLists.txt fails to build.
function(tw_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cpp")
  set(view "${CMAKE_BINARY_DIR}/layers/${name}")
  file(MAKE_DIRECTORY "${view}")
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/${name}" "${view}/${name}" SYMBOLIC)
  set(dependencies "")
  foreach(dependency IN LISTS arg_DEPENDS)
    list(APPEND dependencies "tw_${dependency}")
  endforeach()
  if(sources)
    add_library(tw_${name} STATIC ${sources})
    target_include_directories(tw_${name} PUBLIC "${view}")
    target_link_libraries(tw_${name} PUBLIC ${dependencies} PRIVATE tw_flags)
    tw_precompile(tw_${name} tw_precompiled)
  else()
    add_library(tw_${name} INTERFACE)
    target_include_directories(tw_${name} INTERFACE "${view}")
    target_link_libraries(tw_${name} INTERFACE ${dependencies})
  endif()
  set(extra "${CMAKE_SOURCE_DIR}/src/${name}/layer.cmake")  # libraries that only this layer may see
  if(EXISTS "${extra}")
    include("${extra}")
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_LAYERS ${name})
endfunction()

# tw_test(NAME LAYERS … [LIBRARIES …]): one GoogleTest binary over tests/NAME/**.cpp. The tests themselves are compiled
# without optimisation, in half the time; what they test is not.
function(tw_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS;LIBRARIES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  if(NOT sources)
    return()
  endif()
  string(REPLACE "/" "_" target "test_${name}")
  add_executable(${target} ${sources})
  list(TRANSFORM arg_LAYERS PREPEND "tw_")
  target_link_libraries(${target} PRIVATE tw_flags ${arg_LAYERS} ${arg_LIBRARIES} GTest::gtest_main)
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${name}")  # what its tests share
  target_compile_definitions(${target} PRIVATE TILEWRIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE -O0)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # as the precompiled headers
  tw_precompile(${target} tw_precompiled_tests)
  gtest_discover_tests(${target} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60)
endfunction()
