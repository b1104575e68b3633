# Tests of every layer run kernels on the interpreter: it is optimised in debug builds too.
file(GLOB interpreter_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/interpret/*.cpp")
set_source_files_properties(${interpreter_sources} PROPERTIES
  COMPILE_OPTIONS "-O2"
  SKIP_PRECOMPILE_HEADERS ON)  # theirs are of the build type's optimisation
