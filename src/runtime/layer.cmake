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

# Machine code that is kept between processes is valid while what makes it is the same.
set(code_folders "${CMAKE_SOURCE_DIR}/src/kernel" "${CMAKE_SOURCE_DIR}/src/codegen")
file(GLOB_RECURSE code_sources CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/src/kernel/*.cpp" "${CMAKE_SOURCE_DIR}/src/kernel/*.h"
  "${CMAKE_SOURCE_DIR}/src/codegen/*.cpp" "${CMAKE_SOURCE_DIR}/src/codegen/*.h")
set(code_version "${CMAKE_BINARY_DIR}/generated/code_version.h")
add_custom_command(OUTPUT "${code_version}"
  COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${code_version}" "-DFOLDERS=${code_folders}"
    "-DVERSION=tilewright ${PROJECT_VERSION} llvm ${LLVM_PACKAGE_VERSION}" -P "${CMAKE_SOURCE_DIR}/cmake/CodeVersion.cmake"
  DEPENDS ${code_sources} "${CMAKE_SOURCE_DIR}/cmake/CodeVersion.cmake"
  VERBATIM)
target_sources(tw_runtime PRIVATE "${code_version}")
target_include_directories(tw_runtime PRIVATE "${CMAKE_BINARY_DIR}/generated")
