#!/bin/sh
# make_all.sh OUTPUT [NAMES...]: writes a program that holds all programs of this folder (or those), each in a namespace of its
# own, so that one compilation does for all: OUTPUT NAME runs one of them.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
output=$1
shift
if [ "$#" = 0 ]; then
  for source in "$folder"/*.cu; do set -- "$@" "$(basename "$source" .cu)"; done
fi
{
  echo '#include <cstring>'
  # Headers may not be included in a namespace first.
  sed -n 's/^#include <.*>/&/p' "$folder"/*.cu "$folder"/agreement.h | sort -u
  echo '#pragma nv_diag_suppress static_var_with_dynamic_init'
  echo "#include \"$folder/agreement.h\""
  echo '#define main run'
  for name in "$@"; do
    echo "namespace program_$name {"
    echo "#include \"$folder/$name.cu\""
    echo '}'
  done
  echo '#undef main'
  echo 'int main(int argc, char **argv) {'
  echo '    const char *name = argc > 1 ? argv[1] : "";'
  for name in "$@"; do
    echo "    if (!strcmp(name, \"$name\"))"
    echo "        return program_$name::run();"
  done
  printf '%s\n' '    printf("there is no program %s\n", name);'
  echo '    return 2;'
  echo '}'
} >"$output"
