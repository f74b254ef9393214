# SPDX-License-Identifier: Apache-2.0
# The part of find_package(Zephyr) that a module and a sample need: prj.conf's options, the target
# app, and the modules of EXTRA_ZEPHYR_MODULES. The library is compiled for size.
set(stubs ${CMAKE_CURRENT_LIST_DIR}/../../..)
project(Zephyr-Kernel LANGUAGES CXX)

add_library(zephyr_interface INTERFACE)
target_include_directories(zephyr_interface INTERFACE ${stubs}/include)
target_compile_options(zephyr_interface INTERFACE -Os -Wall -Wextra -Werror)

add_executable(app ${stubs}/driver.cc)
target_link_libraries(app PRIVATE zephyr_interface)

file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/prj.conf lines REGEX "^CONFIG_")
foreach(line ${lines})
  string(REGEX MATCH "^([A-Z0-9_]+)=(.*)$" matched ${line})
  set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

macro(zephyr_library_named name)
  set(ZEPHYR_CURRENT_LIBRARY ${name})
  add_library(${name} STATIC)
  target_link_libraries(${name} PRIVATE zephyr_interface)
  target_link_libraries(app PRIVATE ${name})
endmacro()

function(zephyr_library_sources)
  foreach(source ${ARGN})
    if(NOT EXISTS ${source})
      message(FATAL_ERROR "${source} does not exist")
    endif()
  endforeach()
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()

function(zephyr_include_directories)
  target_include_directories(zephyr_interface INTERFACE ${ARGN})
endfunction()

foreach(module ${EXTRA_ZEPHYR_MODULES})
  file(STRINGS ${module}/zephyr/module.yml lines REGEX "^  cmake: ")
  string(REGEX REPLACE "^  cmake: " "" folder "${lines}")
  add_subdirectory(${module}/${folder} module)
endforeach()
