# SPDX-License-Identifier: BSD-2-Clause
# Lets `cpack -G DEB` in the build folder make a package of what `cmake --install` would install.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME "${PROJECT_NAME}")
set(CPACK_PACKAGE_VENDOR "the Kostka authors")
if(NOT CPACK_PACKAGE_CONTACT)
    set(CPACK_PACKAGE_CONTACT "the Kostka authors <root@localhost>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "The command kostka, its manual and completion for shells, and the library with its headers.
JPEG gives the same bytes as libjpeg-turbo, on the CPU and, where there is one, on a GPU.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
# Our own libraries alone: CPack would name those of lib/kostka/compat, too, for which other packages must not depend on
# this one.
set(depend "kostka (>= ${PROJECT_VERSION})")
file(WRITE "${CMAKE_BINARY_DIR}/shlibs" "libkostka ${KOSTKA_SOVERSION} ${depend}\nlibkostka_filters ${KOSTKA_SOVERSION} ${depend}\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_BINARY_DIR}/shlibs")
# CPack finds the packages of the libraries to which the binaries are linked; our own script finds those of libraries
# that are loaded when they are needed. PNG, the most common lossless format, and JSON, which programs read, are
# required; the other formats are optional. libavformat, with which many packages come, and what expands bricks of Zarr
# are only suggested.
if(DPKG_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}")
    get_property(loaded GLOBAL PROPERTY KOSTKA_LOADED)
    set(KOSTKA_LOADED_DEPENDS)
    set(KOSTKA_LOADED_RECOMMENDS)
    set(KOSTKA_LOADED_SUGGESTS)
    foreach(library IN LISTS loaded)
        set(field RECOMMENDS)
        if(library MATCHES "^(deflate|json|png)$")
            set(field DEPENDS)
        elseif(library MATCHES "^(avformat|blosc|zstd)$")
            set(field SUGGESTS)
        endif()
        list(APPEND KOSTKA_LOADED_${field} "$<TARGET_FILE:kostka_loaded_${library}>")
    endforeach()
    configure_file("${CMAKE_CURRENT_LIST_DIR}/loaded.cmake.in" "${CMAKE_BINARY_DIR}/loaded.cmake.in" @ONLY)
    file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/loaded.cmake" INPUT "${CMAKE_BINARY_DIR}/loaded.cmake.in")
    set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_BINARY_DIR}/loaded.cmake")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ocl-icd-libopencl1 | libopencl1, bash-completion")
include(CPack)
