# Installs the build into an empty prefix, moves that prefix, and checks what a stranger gets: headers that compile,
# a library that exports its public names only, and outside projects (the consumer, the examples) that build and run.
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

# All headers, plainly and without exceptions and RTTI; each one alone is what the target lint_headers compiles.
file(WRITE "${work}/headers/all.cpp" "#include <tilewright/tilewright.h>\n")
foreach(flags "-fexceptions" "-fno-exceptions;-fno-rtti")
  run(${CXX} -std=c++23 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only ${flags} "-I${work}/moved/include"
      "${work}/headers/all.cpp")
endforeach()

# The C header, as C and as C++ of any age.
file(WRITE "${work}/headers/c.c" "#include <tilewright.h>\n")
foreach(flags "-x;c;-std=c11" "-x;c++;-std=c++11")
  run(${CXX} ${flags} -Wall -Wextra -Wconversion -pedantic -Werror -fsyntax-only "-I${work}/moved/include"
      "${work}/headers/c.c")
endforeach()

# The library's dynamic symbols: public names of tilewright:: (and of its C interface), nothing of the layers below.
find_program(NM NAMES nm llvm-nm llvm-nm-19 REQUIRED)
file(GLOB_RECURSE library "${work}/moved/*/libtilewright.so")
execute_process(COMMAND ${NM} --dynamic --defined-only --demangle "${library}" OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
set(exported 0)
set(exported_c 0)
foreach(symbol IN LISTS symbols)
  string(REGEX REPLACE "^[0-9a-f]+ [A-Za-z] " "" symbol "${symbol}")
  if(symbol STREQUAL "")
    continue()
  elseif(symbol MATCHES "::Inside|::Content"
         OR NOT symbol MATCHES "^((typeinfo for |typeinfo name for |vtable for )?tilewright::(v0::|version\\(\\))|tilewright_)")
    message(FATAL_ERROR "libtilewright exports '${symbol}'")
  endif()
  math(EXPR exported "${exported} + 1")
  if(symbol MATCHES "^tilewright_")
    math(EXPR exported_c "${exported_c} + 1")
  endif()
endforeach()
# Each function that the C header declares is there, and no other.
file(READ "${work}/moved/include/tilewright.h" header)
string(REGEX MATCHALL "TILEWRIGHT_C_API [a-z]" declared "${header}")
list(LENGTH declared declared)
if(NOT exported_c EQUAL declared)
  message(FATAL_ERROR "libtilewright exports ${exported_c} C functions; tilewright.h declares ${declared}")
endif()
if(exported LESS 50)
  message(FATAL_ERROR "libtilewright exports ${exported} symbols, which cannot be all of its interface")
endif()

run(${CMAKE_COMMAND} -S "${SOURCE}/../../examples/cpp" -B "${work}/examples" "-DCMAKE_PREFIX_PATH=${work}/moved"
    -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build "${work}/examples")
run(${CMAKE_CTEST_COMMAND} --test-dir "${work}/examples" --output-on-failure --no-tests=error)

run(${CMAKE_COMMAND} -S "${SOURCE}" -B "${work}/consumer" "-DCMAKE_PREFIX_PATH=${work}/moved" -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build "${work}/consumer")
run("${work}/consumer/consumer" ${VERSION})

file(GLOB_RECURSE pc_file "${work}/moved/*/tilewright.pc")
cmake_path(GET pc_file PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} "${pc_dir}")
execute_process(COMMAND pkg-config --cflags --libs tilewright OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${CXX} -std=c++23 "${SOURCE}/consumer.cpp" -o "${work}/consumer-pc" ${flags})
run(${CXX} -x c -std=c11 -c "${SOURCE}/consumer.c" -o "${work}/consumer-c.o" ${flags})
run(${CXX} "${work}/consumer-c.o" -o "${work}/consumer-c" ${flags})
cmake_path(GET pc_dir PARENT_PATH lib_dir)
run(${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${lib_dir}" "${work}/consumer-c" ${VERSION})
run(${CMAKE_COMMAND} -E env "LD_LIBRARY_PATH=${lib_dir}" "${work}/consumer-pc" ${VERSION})
