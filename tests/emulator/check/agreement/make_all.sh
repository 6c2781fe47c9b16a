#!/bin/sh
# make_all.sh OUTPUT: writes a program that holds all programs of this folder, each in a namespace of its own, so that one
# compilation does for all: OUTPUT NAME runs one of them.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
{
  echo '#include <cstring>'
  # Headers may not be included in a namespace first.
  sed -n 's/^#include <.*>/&/p' "$folder"/*.cu "$folder"/agreement.h | sort -u
  echo '#pragma nv_diag_suppress static_var_with_dynamic_init'
  echo "#include \"$folder/agreement.h\""
  echo '#define main run'
  for source in "$folder"/*.cu; do
    name=$(basename "$source" .cu)
    echo "namespace program_$name {"
    echo "#include \"$source\""
    echo '}'
  done
  echo '#undef main'
  echo 'int main(int argc, char **argv) {'
  echo '    const char *name = argc > 1 ? argv[1] : "";'
  for source in "$folder"/*.cu; do
    name=$(basename "$source" .cu)
    echo "    if (!strcmp(name, \"$name\"))"
    echo "        return program_$name::run();"
  done
  printf '%s\n' '    printf("there is no program %s\n", name);'
  echo '    return 2;'
  echo '}'
} >"$1"
