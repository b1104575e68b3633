# The target lint_headers compiles each header alone: one translation unit that includes it and nothing else, with its
# layer's include path. A header that leans on its includer does not build.
add_custom_target(lint_headers)

# tw_check_headers(LAYER FOLDER): the headers of FOLDER, written in an include as "<name of FOLDER>/…".
function(tw_check_headers layer folder)
  cmake_path(GET folder FILENAME prefix)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.h")
  set(units "")
  foreach(header IN LISTS headers)
    set(unit "${CMAKE_BINARY_DIR}/lint/${prefix}/${header}.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include \"${prefix}/${header}\"\n")
    list(APPEND units "${unit}")
  endforeach()
  if(units)
    add_library(lint_headers_${prefix} OBJECT EXCLUDE_FROM_ALL ${units})
    get_target_property(private_libraries tw_${layer} LINK_LIBRARIES)
    if(NOT private_libraries)  # an interface library has none
      set(private_libraries "")
    endif()
    target_link_libraries(lint_headers_${prefix} PRIVATE tw_${layer} ${private_libraries})
    target_compile_options(lint_headers_${prefix} PRIVATE -O0)
    add_dependencies(lint_headers lint_headers_${prefix})
  endif()
endfunction()

get_property(layers GLOBAL PROPERTY TILEWRIGHT_LAYERS)
foreach(layer IN LISTS layers)
  tw_check_headers(${layer} "${CMAKE_SOURCE_DIR}/src/${layer}")
endforeach()
tw_check_headers(api "${CMAKE_SOURCE_DIR}/include/tilewright")
