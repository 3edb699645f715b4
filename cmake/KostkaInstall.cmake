# SPDX-License-Identifier: BSD-2-Clause
# Defines what `cmake --install` installs where, and how other projects find it: pkg-config and find_package(kostka).
include(CMakePackageConfigHelpers)

install(TARGETS kostka kostka_static kostka_filters kostka_filters_static EXPORT kostkaTargets
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY include/kostka DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/man/*.[135]")
foreach(page IN LISTS pages)
    string(REGEX MATCH "[135]$" section "${page}")
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
endforeach()

set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/kostka")
install(EXPORT kostkaTargets NAMESPACE kostka:: DESTINATION "${folder}")
configure_package_config_file(cmake/kostkaConfig.cmake.in "${CMAKE_BINARY_DIR}/kostkaConfig.cmake" INSTALL_DESTINATION "${folder}")
# Before version 1 a new minor version may change the interface.
write_basic_package_version_file("${CMAKE_BINARY_DIR}/kostkaConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/kostkaConfig.cmake" "${CMAKE_BINARY_DIR}/kostkaConfigVersion.cmake" DESTINATION "${folder}")

# The prefix is derived from the file's own path, so that an installed tree can be moved.
file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" KOSTKA_PC_PREFIX "\${pcfiledir}/${up}")
foreach(library kostka kostka_filters)
    configure_file(cmake/${library}.pc.in "${CMAKE_BINARY_DIR}/${library}.pc" @ONLY)
endforeach()
install(FILES "${CMAKE_BINARY_DIR}/kostka.pc" "${CMAKE_BINARY_DIR}/kostka_filters.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
