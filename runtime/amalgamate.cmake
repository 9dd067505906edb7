# Writes the runtime's core as one C file: cmake -DHEADERS=... -DSOURCES=... -DOUTPUT=... -P amalgamate.cmake
#
# Headers first, each once, in the order given; their includes of one another are dropped. Names of file-local functions are unique
# across the core for this: a test compiles the result.
set(text "/* The core of the Headrace runtime in one file, made by runtime/amalgamate.cmake. Needs no other file of the project. */\n")
foreach(file IN LISTS HEADERS SOURCES)
  file(READ ${file} content)
  string(REGEX REPLACE "#include \"[^\n]*" "" content "${content}")
  string(APPEND text "\n${content}")
endforeach()
file(WRITE ${OUTPUT} "${text}")
