# cmake --install: the programs, the runtime's public headers, and the package file for find_package(Headrace).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
foreach(program headrace headrace-compile headrace-lsp-server headrace-opt)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(FILES ${HR_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headrace)
set(packageDir ${CMAKE_INSTALL_LIBDIR}/cmake/Headrace)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/HeadraceConfig.cmake.in ${CMAKE_BINARY_DIR}/HeadraceConfig.cmake
                              INSTALL_DESTINATION ${packageDir} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/HeadraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/HeadraceConfig.cmake ${CMAKE_BINARY_DIR}/HeadraceConfigVersion.cmake DESTINATION ${packageDir})
