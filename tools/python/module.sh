#!/bin/sh
# module.sh PYTHON SOURCE.cpp OUTPUT [FLAGS...]: compiles one file of C++ to a module for that Python, with the binding library that it includes
# (pybind11). No CMake, no optimization: for exercises, which a teacher's machine builds by the dozen. OUTPUT.d lists what was included.
# An OUTPUT.o is an object file; a SOURCE.o is linked. FLAGS go to the compiler.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration
python=$1 source=$2 output=$3
shift 3
python_headers=$("$python" -I -c 'import sysconfig; print(sysconfig.get_path("include"))')
binding_headers=$("$python" -I -c 'import pybind11; print(pybind11.get_include())')
compiler=${HOST_COMPILER:-g++}
launcher=''
if command -v ccache >/dev/null; then launcher=ccache; fi
kind=-shared
case $output in *.o) kind=-c ;; esac
case $source in
*.o) ;;
*) set -- -MMD -MF "$output.d" "$@" ;;
esac
$launcher "$compiler" -O0 -std=c++17 -Wall -fPIC -fvisibility=hidden "-I$binding_headers" "-I$python_headers" $kind "$source" -o "$output" "$@"
