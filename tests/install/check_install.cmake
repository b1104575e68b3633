# Installs the build into an empty prefix, moves that prefix, and builds and runs the outside project against it.
# Run as: cmake -D BUILD=… -D SOURCE=… -D CXX=… -D VERSION=… -P check_install.cmake
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

set(work "${BUILD}/install-check")
file(REMOVE_RECURSE "${work}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${work}/first")
file(RENAME "${work}/first" "${work}/moved")  # an installed tree holds no absolute path of its own

run(${CMAKE_COMMAND} -S "${SOURCE}" -B "${work}/consumer" "-DCMAKE_PREFIX_PATH=${work}/moved" -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build "${work}/consumer")
run("${work}/consumer/consumer" ${VERSION})

file(GLOB_RECURSE pc_file "${work}/moved/*/tilewright.pc")
cmake_path(GET pc_file PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} "${pc_dir}")
execute_process(COMMAND pkg-config --cflags --libs tilewright OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${CXX} -std=c++23 "${SOURCE}/consumer.cpp" -o "${work}/consumer-pc" ${flags})
cmake_path(GET pc_dir PARENT_PATH lib_dir)
run(${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${lib_dir}" "${work}/consumer-pc" ${VERSION})
