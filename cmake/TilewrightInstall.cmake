# What an installation holds: the shared library of all layers, its C++ and C headers, the command line where it is built,
# a CMake package (find_package(tilewright), target tilewright::tilewright) and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The objects of both interfaces, with what they use from the layers; the version script keeps everything else inside.
set(version_script "${CMAKE_SOURCE_DIR}/cmake/tilewright.map")
add_library(tilewright_shared SHARED $<TARGET_OBJECTS:tw_api> $<TARGET_OBJECTS:tw_c>)
target_include_directories(tilewright_shared INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
                                                       "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>")
target_compile_features(tilewright_shared INTERFACE cxx_std_23)
target_link_libraries(tilewright_shared PRIVATE tw_report tw_flags)
target_link_options(tilewright_shared PRIVATE "-Wl,--version-script=${version_script}" -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,--as-needed)
if(NOT TILEWRIGHT_SANITIZE)
  target_link_options(tilewright_shared PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(tilewright_shared PROPERTIES
  TILEWRIGHT_HOLDS_LLVM ${TILEWRIGHT_LLVM_INSIDE}
  OUTPUT_NAME tilewright EXPORT_NAME tilewright LINK_DEPENDS "${version_script}"
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_library(tilewright::tilewright ALIAS tilewright_shared)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tilewright")
install(TARGETS tilewright_shared EXPORT tilewright_targets)
install(DIRECTORY include/tilewright TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES include/tilewright.h TYPE INCLUDE)
install(FILES LICENSE-APACHE LICENSE-MIT TYPE DOC)
install(EXPORT tilewright_targets NAMESPACE tilewright:: FILE tilewright-targets.cmake DESTINATION "${package_dir}")
if(TARGET tilewright_cli)
  install(TARGETS tilewright_cli)
endif()

configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/tilewright-config.cmake.in"
  "${CMAKE_BINARY_DIR}/package/tilewright-config.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/package/tilewright-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/package/tilewright-config.cmake"
              "${CMAKE_BINARY_DIR}/package/tilewright-config-version.cmake" DESTINATION "${package_dir}")

set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pc_include "/${pc_dir}" "/${CMAKE_INSTALL_INCLUDEDIR}")
configure_file("${CMAKE_SOURCE_DIR}/cmake/tilewright.pc.in" "${CMAKE_BINARY_DIR}/package/tilewright.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/package/tilewright.pc" DESTINATION "${pc_dir}")
