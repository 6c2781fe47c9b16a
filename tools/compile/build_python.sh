#!/bin/sh
# build_python.sh SOURCE.py EXECUTABLE: makes a lesson's Python program ready to run. Its device code becomes a library (or several) in
# build/lessons/NN/, and EXECUTABLE a few lines of sh that start Python with it: run, sanitize, profile and view take that as any program.
# Of a line `# wheel: package NAME=VALUE...` the Python package in that folder is built, and installed to build/lessons/NN/installed/.
# SOURCE may be a changed copy: it is called as the lesson's program, lessonNN.py.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

source=$1 executable=$2
number=$(basename "$source" .py)
number=${number#lesson}
folder=$(ls -d lessons/lesson"$number"_*/)
folder=${folder%/}
case $source in /*) absolute=$source ;; *) absolute=$PWD/$source ;; esac
require_writable "$(dirname "$executable")"
python=$(sh tools/python/environment.sh "$number")
LESSON_FOLDER=$folder sh tools/python/device_code.sh "$source" "build/lessons/$number" >/dev/null

installed=''
set -- $(sed -n 's/^# wheel: *//p' "$source" | head -n 1)
if [ $# -gt 0 ]; then
  package=$folder/$1
  shift
  sh tools/python/wheel.sh "$python" "$package" "build/lessons/$number" "$@"
  installed=$PWD/build/lessons/$number/installed:
fi

{
  echo '#!/bin/sh'
  echo "# Made by tools/compile/build_python.sh: runs $source."
  echo "export PYTHONPATH=$(quote "$installed$PWD:$PWD/$folder:$PWD/build/emulator/python") CUDA_RUNTIME=libcudart.so.$CUDA_MAJOR LESSON_LIBRARIES=$(quote "$PWD/build/lessons/$number")"
  echo "export TRITON_CACHE_DIR=\"\${TRITON_CACHE_DIR:-$PWD/build/triton}\""
  # For a program that compiles what lies beside the lesson's.
  echo "export LESSON_FOLDER=$(quote "$PWD/$folder") NVCC=$(quote "$NVCC") CUDA_PATH=$(quote "$TOOLKIT") CXX=$(quote "${HOST_COMPILER:-g++}")${HOST_COMPILER:+ NVCC_CCBIN=$(quote "$HOST_COMPILER")}"
  echo "exec $(quote "$python") -X utf8 -B $(quote "$absolute") \"\$@\""
} >"$executable.new"
chmod +x "$executable.new"
mv "$executable.new" "$executable"
