# SPDX-License-Identifier: Apache-2.0
# The part of ESP-IDF's project.cmake that an example with one component needs. Components are
# compiled for size; a file sees only the headers of components that it requires.
set(stubs ${CMAKE_CURRENT_LIST_DIR}/../..)

function(idf_component_register)
  cmake_parse_arguments(arg "" "" "SRCS;INCLUDE_DIRS;REQUIRES;PRIV_REQUIRES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SRCS)
    message(FATAL_ERROR "idf_component_register: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_library(${COMPONENT_NAME} STATIC ${arg_SRCS})
  target_compile_options(${COMPONENT_NAME} PRIVATE -Os -Wall -Wextra -Werror)
  target_include_directories(${COMPONENT_NAME} PUBLIC ${arg_INCLUDE_DIRS}
    PRIVATE ${CMAKE_BINARY_DIR}/config)
  target_link_libraries(${COMPONENT_NAME} PUBLIC ${arg_REQUIRES} ${arg_PRIV_REQUIRES})
endfunction()

macro(project name)
  _project(${name} LANGUAGES CXX)

  add_library(esp_driver_i2s INTERFACE)
  target_include_directories(esp_driver_i2s INTERFACE ${stubs}/include)

  set(COMPONENT_NAME main)
  add_subdirectory(main)

  # The component manager adds each dependency of a manifest to the component's requirements.
  file(STRINGS main/idf_component.yml manifest)
  foreach(line ${manifest})
    if(line MATCHES "^  ([a-z_]+):$")
      set(COMPONENT_NAME ${CMAKE_MATCH_1})
    elseif(line MATCHES "^    path: (.*)$")
      get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/main/${CMAKE_MATCH_1} ABSOLUTE)
      add_subdirectory(${folder} ${COMPONENT_NAME})
      target_link_libraries(main PUBLIC ${COMPONENT_NAME})
    endif()
  endforeach()

  add_executable(${name} ${stubs}/driver.cc)
  target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/config)
  target_link_libraries(${name} PRIVATE main)
endmacro()
