# What only the runtime sees. xxHash is used as a header, so there is nothing of it to link.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
target_include_directories(tw_runtime SYSTEM PRIVATE "${XXHASH_INCLUDE_DIR}")

# parallel_for has one implementation for each value of TILEWRIGHT_THREADS, thread_pool_<value>.cpp.
target_link_libraries(tw_runtime PRIVATE tw_threads)
foreach(threads tbb std)
  if(NOT threads STREQUAL TILEWRIGHT_THREADS)
    set_source_files_properties("${CMAKE_SOURCE_DIR}/src/runtime/thread_pool_${threads}.cpp"
      PROPERTIES HEADER_FILE_ONLY ON)
  endif()
endforeach()

# The CUDA driver is loaded at run time (cuda/driver.cpp).
target_link_libraries(tw_runtime PRIVATE ${CMAKE_DL_LIBS})

# Stored choices are in an SQLite database (choice_store.cpp).
target_link_libraries(tw_runtime PRIVATE tw_sqlite)

# tw_version_header(NAME LAYERS …): a header NAME.h, whose constant NAME stands for the sources of these layers.
function(tw_version_header name)
  set(folders "")
  set(sources "")
  foreach(layer IN LISTS ARGN)
    list(APPEND folders "${CMAKE_SOURCE_DIR}/src/${layer}")
    file(GLOB_RECURSE of_layer CONFIGURE_DEPENDS
      "${CMAKE_SOURCE_DIR}/src/${layer}/*.cpp" "${CMAKE_SOURCE_DIR}/src/${layer}/*.h")
    list(APPEND sources ${of_layer})
  endforeach()
  set(header "${CMAKE_BINARY_DIR}/generated/${name}.h")
  add_custom_command(OUTPUT "${header}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${header}" "-DNAME=${name}" "-DFOLDERS=${folders}"
      "-DVERSION=tilewright ${PROJECT_VERSION} llvm ${LLVM_PACKAGE_VERSION}" -P "${CMAKE_SOURCE_DIR}/cmake/CodeVersion.cmake"
    DEPENDS ${sources} "${CMAKE_SOURCE_DIR}/cmake/CodeVersion.cmake"
    VERBATIM)
  target_sources(tw_runtime PRIVATE "${header}")
endfunction()

# Machine code that is kept between processes is valid while what makes it is the same; a stored choice was measured
# against what the schedulers and all that they use make.
tw_version_header(code_version kernel codegen)
tw_version_header(schedule_version support layout nest tile plan kernel codegen)
target_include_directories(tw_runtime PRIVATE "${CMAKE_BINARY_DIR}/generated")
