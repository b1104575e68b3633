# The public face: include/tilewright/ is its interface, src/api/ implements it over the layers below.
target_include_directories(tw_api PUBLIC "${CMAKE_SOURCE_DIR}/include")
set_property(SOURCE "${CMAKE_SOURCE_DIR}/src/api/version.cpp" TARGET_DIRECTORY tw_api
  PROPERTY COMPILE_DEFINITIONS "TILEWRIGHT_VERSION=\"${PROJECT_VERSION}\"")
