#!/bin/sh
# module.sh PYTHON SOURCE.cpp OUTPUT [FLAGS...]: compiles one file of C++ to a module for that Python or, if OUTPUT ends in .o, to an object file. It
# may include pybind11, where that is installed. Without CMake and without optimization: for exercises, of which a teacher's machine builds dozens. FLAGS go to the
# compiler; OUTPUT.d lists what was included.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

python=$1 source=$2 output=$3
shift 3
python_headers=$("$python" -I -c 'import sysconfig; print(sysconfig.get_path("include"))')
pybind11_headers=$("$python" -I -c 'import pybind11; print(pybind11.get_include())' 2>/dev/null || :)
launcher=''
if command -v ccache >/dev/null; then launcher=ccache; fi
kind=-shared
case $output in *.o) kind=-c ;; esac
$launcher "${HOST_COMPILER:-g++}" -O0 -std=c++17 -Wall -fPIC -fvisibility=hidden ${pybind11_headers:+"-I$pybind11_headers"} "-I$python_headers" -MMD -MF "$output.d" \
  $kind "$source" -o "$output" "$@"
