#!/bin/sh
# join.sh OUTPUT SOURCE...: writes a program that holds all of these, each in a namespace of its own, so that the compiler reads the toolkit's
# headers once. The name by which it is started says which of them it is: there is a link to it for each.
#
# Headers come first, outside of the namespaces. A source's macros end with it.
set -eu
output=$1
shift

# In the order in which they are first included; those in quotes are found from the source's folder.
headers() {
  for source; do
    sed -n -e 's/^#include <.*>/&/p' -e "s|^#include \"\\(.*\\)\"|#include \"$(dirname "$source")/\\1\"|p" "$source"
  done | awk '!seen[$0]++'
}

{
  headers "$@"
  echo '#include <stdio.h>'
  echo '#include <string.h>'
  echo 'static int joined_call(int (*program)(), int, char **) { return program(); }'
  echo 'static int joined_call(int (*program)(int, char **), int count, char **arguments) { return program(count, arguments); }'
  for source; do
    echo '#define main joined_main'
    echo "namespace joined_$(basename "$source" .cu) {"
    echo "#include \"$source\""
    echo '}'
    echo '#undef main'
    sed -n 's/^# *define \([A-Za-z0-9_]*\).*/#undef \1/p' "$source" | sort -u
  done
  echo 'int main(int argc, char **argv) {'
  echo "    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];"
  for source; do
    name=$(basename "$source" .cu)
    echo "    if (!strcmp(name, \"$name\"))"
    echo "        return joined_call(joined_$name::joined_main, argc, argv);"
  done
  printf '%s\n' '    printf("not ok %s: it is none of the joined programs\n", name);'
  echo '    return 2;'
  echo '}'
} >"$output"
