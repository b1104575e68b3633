# Tests of every layer run kernels on the interpreter and the simulator: they are optimised in debug builds too.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
if(NOT CMAKE_CXX_FLAGS_${build_type} MATCHES "-O2")
  file(GLOB interpreter_sources CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_LIST_DIR}/interpret/*.cpp" "${CMAKE_CURRENT_LIST_DIR}/simulate/*.cpp")
  set_source_files_properties(${interpreter_sources} PROPERTIES COMPILE_OPTIONS "-O2")
  if(NOT CMAKE_CXX_FLAGS_${build_type} MATCHES "-O[13]")  # headers precompiled without optimisation do not fit
    set_source_files_properties(${interpreter_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endif()
