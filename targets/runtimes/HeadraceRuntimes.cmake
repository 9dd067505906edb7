# hr_runtime_objects(OUT_DIR triple level cflags reference_cflags): commands that build core.o, reference.o, run.o and libhr_port_posix.a of one
# triple into OUT_DIR. Everything is compiled from the top folder by relative paths: no path of this machine gets into an object.

find_program(HEADRACE_CLANG NAMES clang-22 REQUIRED)
find_program(HEADRACE_LLD NAMES ld.lld-22 ld.lld PATHS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
find_program(HEADRACE_OBJCOPY NAMES llvm-objcopy-22 llvm-objcopy PATHS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
find_program(HEADRACE_AR NAMES llvm-ar-22 llvm-ar PATHS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

# No stack protector, no unwind tables, no outline atomics: nothing that would call a library. Floats as written.
set(HR_FREESTANDING_FLAGS -std=c11 -ffreestanding -fno-builtin -ffp-contract=off -fPIC -ffunction-sections -fdata-sections
    -fno-stack-protector -fno-asynchronous-unwind-tables -fomit-frame-pointer -fno-ident -Wall -Wextra -Wno-unused-parameter)
include(${CMAKE_SOURCE_DIR}/runtime/sources.cmake)
foreach(list HR_REFERENCE_SOURCES HR_REFERENCE_FLAGS)
  get_directory_property(${list} DIRECTORY ${CMAKE_SOURCE_DIR}/targets/reference DEFINITION ${list})
  if(NOT ${list})
    message(FATAL_ERROR "targets/reference/CMakeLists.txt: expected ${list}, found none")
  endif()
endforeach()
set(HR_RUNTIME_INCLUDE_FLAGS -I.)
foreach(folder IN LISTS HR_RUNTIME_INCLUDES)
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
  list(APPEND HR_RUNTIME_INCLUDE_FLAGS -I${folder})
endforeach()

# Compiles SOURCES with FLAGS to DIR/GROUP/*.o; the list of objects goes to OUT.
function(hr_compile_for OUT DIR GROUP TRIPLE SOURCES FLAGS)
  set(objects "")
  set(_launcher "") # none where there is no ccache
  if(HEADRACE_CCACHE)
    set(_launcher ${HEADRACE_CCACHE})
  endif()
  list(REMOVE_ITEM SOURCES "")
  foreach(source IN LISTS SOURCES)
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${source})
    get_filename_component(name ${source} NAME_WE)
    set(object ${DIR}/${GROUP}/${name}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${_launcher} ${HEADRACE_CLANG} --target=${TRIPLE} ${FLAGS} ${HR_RUNTIME_INCLUDE_FLAGS} -MD -MT ${object} -MF
              ${object}.d -c ${relative} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} VERBATIM
      COMMENT "Compiling ${relative} for ${TRIPLE}")
    file(MAKE_DIRECTORY ${DIR}/${GROUP})
    list(APPEND objects ${object})
  endforeach()
  set(${OUT} ${objects} PARENT_SCOPE)
endfunction()

# Joins OBJECTS into OUTPUT; with LOCALIZE hidden symbols become local.
function(hr_join OUTPUT OBJECTS LOCALIZE)
  set(localize "")
  if(LOCALIZE)
    set(localize COMMAND ${HEADRACE_OBJCOPY} --localize-hidden ${OUTPUT})
  endif()
  add_custom_command(OUTPUT ${OUTPUT} COMMAND ${HEADRACE_LLD} -r -o ${OUTPUT} ${OBJECTS} ${localize}
                     DEPENDS ${OBJECTS} VERBATIM)
endfunction()

function(hr_runtime_objects OUT_DIR TRIPLE LEVEL CFLAGS REFERENCE_CFLAGS)
  set(flags ${HR_FREESTANDING_FLAGS} ${LEVEL} ${CFLAGS})
  hr_compile_for(core ${OUT_DIR} core ${TRIPLE} "${HR_CORE_SOURCES};${HR_SUPPORT_SOURCES}" "${flags};-fvisibility=hidden")
  hr_join(${OUT_DIR}/core.o "${core}" ON)
  hr_compile_for(reference ${OUT_DIR} reference ${TRIPLE} "${HR_REFERENCE_SOURCES};${HR_SUPPORT_SOURCES}" "${flags};${HR_REFERENCE_FLAGS};${REFERENCE_CFLAGS}")
  hr_join(${OUT_DIR}/reference.o "${reference}" OFF)
  hr_compile_for(run ${OUT_DIR} run ${TRIPLE} "${HR_PORT_RAW_SOURCES};${HR_RUN_SOURCES};${HR_SUPPORT_SOURCES}"
                 "${flags};-fvisibility=hidden")
  hr_join(${OUT_DIR}/run.o "${run}" OFF)
  # The posix port uses libc, whose headers come from the cross packages.
  set(hosted ${flags})
  list(REMOVE_ITEM hosted -ffreestanding -fno-builtin)
  if(EXISTS /usr/${TRIPLE}/include) # clang finds them by itself only where a cross gcc is installed too
    list(APPEND hosted -isystem /usr/${TRIPLE}/include)
  endif()
  hr_compile_for(posix ${OUT_DIR} posix ${TRIPLE} "${HR_PORT_POSIX_SOURCES}" "${hosted}")
  add_custom_command(OUTPUT ${OUT_DIR}/libhr_port_posix.a
    COMMAND ${CMAKE_COMMAND} -E rm -f ${OUT_DIR}/libhr_port_posix.a
    COMMAND ${HEADRACE_AR} rcsD ${OUT_DIR}/libhr_port_posix.a ${posix} DEPENDS ${posix} VERBATIM)
endfunction()
