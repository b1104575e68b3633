# The C interface: include/tilewright.h declares it.
target_include_directories(tw_c PUBLIC "${CMAKE_SOURCE_DIR}/include")
set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/c/engine.cpp" TARGET_DIRECTORY tw_c
  PROPERTY COMPILE_DEFINITIONS "TILEWRIGHT_VERSION=\"${PROJECT_VERSION}\"")
