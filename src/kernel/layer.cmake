# Tests of every layer run kernels on the interpreter and the simulator: they are optimised in debug builds too.
file(GLOB interpreter_sources CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_LIST_DIR}/interpret/*.cpp" "${CMAKE_CURRENT_LIST_DIR}/simulate/*.cpp")
set_source_files_properties(${interpreter_sources} PROPERTIES
  COMPILE_OPTIONS "-O2"
  SKIP_PRECOMPILE_HEADERS ON)  # theirs are of the build type's optimisation
