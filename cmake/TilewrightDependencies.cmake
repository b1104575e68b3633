# The libraries of others, each behind one target, so that a layer names what it needs and not how it is linked:
#   tw_llvm     LLVM 19's code generation, and the loader of its objects (only src/codegen may link it); a target whose
#               property TILEWRIGHT_HOLDS_LLVM is true links its archives
#   tw_sqlite   SQLite (only src/runtime may link it)
#   tw_threads  the host's threads: oneTBB, or the standard library alone (only src/runtime may link it)
# TILEWRIGHT_STATIC takes archives everywhere, so that the command line needs nothing but the C library.
if(TILEWRIGHT_STATIC)
  set(ZLIB_USE_STATIC_LIBS ON)
endif()

find_package(fmt REQUIRED)
if(TILEWRIGHT_STATIC OR SKBUILD)  # a wheel brings what it needs
  add_library(tw_fmt ALIAS fmt::fmt-header-only)  # distributions ship no archive of it
else()
  add_library(tw_fmt ALIAS fmt::fmt)
endif()

find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_library(tw_llvm INTERFACE)
target_include_directories(tw_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(tw_llvm INTERFACE ${llvm_definitions})
if(TILEWRIGHT_STATIC)
  llvm_map_components_to_libnames(llvm_archives core native NVPTX runtimedyld)
  target_link_libraries(tw_llvm INTERFACE ${llvm_archives})
  if(TARGET zstd::libzstd_shared)  # LLVM's own export asks for this one by name
    find_library(ZSTD_ARCHIVE libzstd.a REQUIRED)
    set_target_properties(zstd::libzstd_shared PROPERTIES IMPORTED_LOCATION "${ZSTD_ARCHIVE}"
      IMPORTED_LOCATION_NONE "${ZSTD_ARCHIVE}" IMPORTED_LOCATION_RELEASE "${ZSTD_ARCHIVE}")
  endif()
else()
  # The installed library holds LLVM and hides it, so that it lives beside another LLVM in one process; what is only run
  # here (tests, the command line) takes the shared one, which links in no time.
  option(TILEWRIGHT_LLVM_INSIDE "Link LLVM into libtilewright instead of depending on its shared library" ON)
  llvm_map_components_to_libnames(llvm_archives core native NVPTX runtimedyld)
  set(inside "$<BOOL:$<TARGET_PROPERTY:TILEWRIGHT_HOLDS_LLVM>>")
  target_link_libraries(tw_llvm INTERFACE "$<${inside}:${llvm_archives}>" "$<$<NOT:${inside}>:LLVM>")
endif()

find_package(SQLite3 REQUIRED)
add_library(tw_sqlite INTERFACE)
if(TILEWRIGHT_STATIC OR SKBUILD)  # a wheel brings what it needs
  find_library(SQLITE_ARCHIVE libsqlite3.a REQUIRED)
  target_include_directories(tw_sqlite SYSTEM INTERFACE ${SQLite3_INCLUDE_DIRS})
  target_link_libraries(tw_sqlite INTERFACE "${SQLITE_ARCHIVE}" m ${CMAKE_DL_LIBS})
else()
  target_link_libraries(tw_sqlite INTERFACE SQLite::SQLite3)
endif()

# Distributions ship oneTBB as a shared library only; the self-contained file uses the standard library's threads.
if(TILEWRIGHT_STATIC)
  set(default_threads std)
else()
  set(default_threads tbb)
endif()
set(TILEWRIGHT_THREADS ${default_threads} CACHE STRING "The host's threads: tbb (oneTBB) or std (the standard library)")
set_property(CACHE TILEWRIGHT_THREADS PROPERTY STRINGS tbb std)
add_library(tw_threads INTERFACE)
find_package(Threads REQUIRED)
target_link_libraries(tw_threads INTERFACE Threads::Threads)
if(TILEWRIGHT_THREADS STREQUAL "tbb")
  find_package(TBB REQUIRED)
  target_link_libraries(tw_threads INTERFACE TBB::tbb)
elseif(NOT TILEWRIGHT_THREADS STREQUAL "std")
  message(FATAL_ERROR "TILEWRIGHT_THREADS is '${TILEWRIGHT_THREADS}'; it may be 'tbb' or 'std'")
endif()
