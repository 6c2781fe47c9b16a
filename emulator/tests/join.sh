#!/bin/sh
# join.sh OUTPUT SOURCE...: writes a source that holds all of these, each in a namespace of its own, so that the compiler
# reads headers once for all; that of folder/name.cu is joined_folder_name. Of programs it makes one program: the name by
# which that is started, that of a link to it, says which of them it is.
#
# A module for Python, PYBIND11_MODULE(exercise, m), becomes one of that name: PyInit_joined_folder_name begins it.
#
# Headers come first, outside of the namespaces, but for those without a guard, which are there for each source anew. A
# source's macros end with it. HEADERS is a folder in which they are looked for, too.
set -eu
output=$1
shift

namespace_of() { echo "joined_$(basename "$(dirname "$1")")_$(basename "${1%.*}")"; }

quoted() { sed -n 's/^# *include *"\(.*\)".*/\1/p' "$1"; } # SOURCE

# In the order in which they are first included.
headers() {
  for source; do
    sed -n 's/^# *include *\([<"][^>"]*[>"]\).*/\1/p' "$source" | while IFS= read -r header; do
      own=$(dirname "$source")/$(echo "$header" | tr -d '"')
      [ -f "$own" ] || own=${HEADERS:-.}/$(echo "$header" | tr -d '"')
      if [ -f "$own" ]; then header=\"$own\"; fi
      case $header in
      \"*) ! grep -Eqs '^#(ifndef|pragma once)' "$(echo "$header" | tr -d '"')" || echo "#include $header" ;;
      *) echo "#include $header" ;;
      esac
    done
  done | awk '!seen[$0]++'
}

# Messages name the source as if it were compiled alone.
in_namespaces() {
  for source; do
    echo "namespace $(namespace_of "$source") {"
    case $source in *.cpp) echo "#define exercise $(namespace_of "$source")" ;; esac
    echo "#line 1 \"$source\""
    quoted "$source" | while IFS= read -r header; do
      [ ! -f "$(dirname "$source")/$header" ] || echo "s|^# *include \"$header\"|#include \"$(dirname "$source")/$header\"|"
    done >"$output.sed"
    sed -f "$output.sed" "$source"
    rm "$output.sed"
    echo '}'
    case $source in *.cpp) echo '#undef exercise' ;; esac
    sed -n 's/^# *define \([A-Za-z0-9_]*\).*/#undef \1/p' "$source" | sort -u
  done
}

choose_program() {
  echo '[[maybe_unused]] static int joined_call(int (*program)(), int, char **) { return program(); }'
  echo '[[maybe_unused]] static int joined_call(int (*program)(int, char **), int count, char **arguments) {'
  echo '    return program(count, arguments);'
  echo '}'
  echo 'int main(int argc, char **argv) {'
  echo "    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];"
  for source; do
    echo "    if (!strcmp(name, \"$(basename "$source" .cu)\"))"
    echo "        return joined_call($(namespace_of "$source")::joined_main, argc, argv);"
  done
  printf '%s\n' '    printf("not ok %s: it is none of the joined programs\n", name);'
  echo '    return 2;'
  echo '}'
}

{
  headers "$@"
  if grep -q '^int main(' "$1"; then
    echo '#include <stdio.h>'
    echo '#include <string.h>'
    # A main without a return is no longer one.
    echo '#pragma nv_diag_error 940'
    echo '#define main joined_main'
    in_namespaces "$@"
    echo '#undef main'
    choose_program "$@"
  else
    in_namespaces "$@"
  fi
} >"$output"
