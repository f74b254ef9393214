# SPDX-License-Identifier: Apache-2.0
# For MicroPython's ports with CMake. KWS_EXPORT, a CMake or environment variable: a folder that
# `kws export cmake` wrote.
if(NOT KWS_EXPORT)
  set(KWS_EXPORT $ENV{KWS_EXPORT})
endif()
file(GLOB kws_header ${KWS_EXPORT}/src/kws_*.h)
if(NOT KWS_EXPORT OR NOT kws_header)
  message(FATAL_ERROR "set KWS_EXPORT to a folder that `kws export cmake` wrote")
endif()
get_filename_component(kws_name ${kws_header} NAME_WE)
string(REGEX REPLACE "^kws_" "" kws_name ${kws_name})
add_subdirectory(${KWS_EXPORT} kws_core)

add_library(usermod_kws INTERFACE)
target_sources(usermod_kws INTERFACE ${CMAKE_CURRENT_LIST_DIR}/modkws.c)
target_compile_definitions(usermod_kws INTERFACE
  KWS_HEADER="kws_${kws_name}.h" KWS_BUNDLE=kws_bundle_${kws_name})
target_link_libraries(usermod_kws INTERFACE kws::${kws_name})
target_link_libraries(usermod INTERFACE usermod_kws)
