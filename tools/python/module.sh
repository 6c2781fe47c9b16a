#!/bin/sh
# module.sh PYTHON SOURCE.cpp OUTPUT [FLAGS...]: compiles one file of C++ to a module for that Python or, if OUTPUT ends in .o, to an object file. It
# may include nanobind or pybind11, where they are installed. Without CMake and without optimization: for exercises, of which a teacher's machine
# builds dozens. FLAGS go to the compiler; OUTPUT.d lists what was included. module.sh PYTHON nanobind prints the flags with which an object file with nanobind is linked.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

python=$1 source=$2
python_headers=$("$python" -I -c 'import sysconfig; print(sysconfig.get_path("include"))')
launcher=''
if command -v ccache >/dev/null; then launcher=ccache; fi
compile() { $launcher "${HOST_COMPILER:-g++}" -O0 -std=c++17 -fPIC -fvisibility=hidden "-I$python_headers" "$@"; }

# nanobind is no headers alone: the rest of it is compiled once for each Python, to build/python/nanobind-VERSION.o. NANOBIND_OBJECT names it
# where nothing can be written there.
nanobind_object() {
  if [ -n "${NANOBIND_OBJECT:-}" ]; then
    echo "$NANOBIND_OBJECT"
    return
  fi
  folder=$("$python" -I -c 'import nanobind, os; print(os.path.dirname(nanobind.__file__))')
  object=$PWD/build/python/nanobind-$("$python" -I -c 'import nanobind, sys; print(nanobind.__version__, sys.version, nanobind.__file__)' | cksum | tr ' ' '-').o
  mkdir -p build/python
  if command -v flock >/dev/null; then
    exec 8>"build/nanobind.lock"
    flock 8
  fi
  if ! [ -f "$object" ]; then
    compile -fno-strict-aliasing -DNB_BUILD "-I$folder/include" "-I$folder/ext/robin_map/include" -c "$folder/src/nb_combined.cpp" -o "$object.new" >&2
    mv "$object.new" "$object"
  fi
  echo "$object"
}

if [ "$source" = nanobind ]; then
  nanobind_object
  exit
fi
output=$3
shift 3
kind=-shared
case $output in *.o) kind=-c ;; esac
if grep -q '^# *include *<nanobind/' "$source"; then
  [ "$kind" = -c ] || set -- "$(nanobind_object)" "$@"
  headers=$("$python" -I -c 'import nanobind; print(nanobind.include_dir())')
else
  headers=$("$python" -I -c 'import pybind11; print(pybind11.get_include())' 2>/dev/null || :)
fi
if [ -n "${ALL_DEPENDENCIES:-}" ]; then dependencies=-MD; else dependencies=-MMD; fi # as in build.sh
compile -Wall ${headers:+"-I$headers"} "$dependencies" -MF "$output.d" $kind "$source" -o "$output" "$@"
