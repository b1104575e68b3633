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
