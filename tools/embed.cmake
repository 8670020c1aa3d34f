# The files of FOLDER that every page has inside, as arrays of the C file OUT (src/report/web.h).
#   cmake -D FOLDER=report/web -D OUT=web.c -P tools/embed.cmake
set(text "/* Made from report/web by tools/embed.cmake. */\n#include \"report/web.h\"\n")
foreach(kind js css csp)
  file(READ ${FOLDER}/page.${kind} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "const unsigned char tsr__web_${kind}[] = {\n${bytes}0};\n"
         "const size_t tsr__web_${kind}_size = ${size};\n")
endforeach()
file(WRITE ${OUT} "${text}")
