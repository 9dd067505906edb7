# The lit suites, one ctest each, so that ctest's filter and parallelism reach them: lit_dialects, lit_passes ...
configure_file(${CMAKE_CURRENT_LIST_DIR}/lit.site.cfg.py.in ${CMAKE_BINARY_DIR}/test/lit/lit.site.cfg.py @ONLY)
foreach(SUITE dialects passes targets tools)
  file(GLOB_RECURSE HR_LIT_FILES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/${SUITE}/*.mlir ${CMAKE_CURRENT_LIST_DIR}/${SUITE}/*.test)
  if(HR_LIT_FILES)
    add_test(NAME lit_${SUITE} COMMAND ${LLVM_TOOLS_BINARY_DIR}/lit -sv ${CMAKE_BINARY_DIR}/test/lit/${SUITE})
  endif()
endforeach()
