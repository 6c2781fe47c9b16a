#!/bin/sh
# build_python_exercise.sh 33 [FILE PROGRAM]: makes of exercise.py, or exercise.cpp, a program of its own, build/exercises/lesson33/exercise: a few lines of sh that
# start Python, which calls the exercise in each way once, as the grader does (tools/grading/call_exercise.py). With FILE, of another file, as PROGRAM.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. tools/exercise/exercises.sh
. build/configuration

absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }

number=$1
program=$(absolute "${3:-build/exercises/lesson$number/exercise}")
folder=$(exercise_folder "$number")
require_exercise_called "$number"
[ $# = 3 ] || require_exercise_file "$number"
require_writable "${program%/*}"
file=$(absolute "${2:-$(exercise_file "$number")}")
libraries=$PWD/build/lessons/$number
python=$(sh tools/python/environment.sh "$number")
built=$(QUIET=1 sh tools/python/device_code.sh "$folder/grader.py" "$libraries")

# A module in C++ is linked with the libraries of the exercise.
case $file in *.cpp)
  linked=$(echo "$built" | sed -n 's|.*/lib\(.*\)\.so$|-l\1|p')
  # shellcheck disable=SC2086 # several words
  sh tools/python/module.sh "$python" "$file" "$program.so" -g "-I$folder" -Werror=return-type "-L$libraries" $linked "-Wl,-rpath,$libraries"
  file=$program.so
  ;;
esac
"$python" -I -B "$folder/grader.py" --jobs "$program.jobs"

{
  echo '#!/bin/sh'
  echo "# Made by tools/exercise/build_python_exercise.sh: calls ${file#"$PWD/"}."
  echo "export CUDA_RUNTIME=libcudart.so.$CUDA_MAJOR EMULATOR_PYTHON=$(quote "$PWD/build/emulator/python") TRITON_CACHE_DIR=\"\${TRITON_CACHE_DIR:-$PWD/build/triton}\""
  # What libraries and the calls themselves keep until the end is no leak of the exercise; the grader counts objects.
  echo '[ "${EMULATOR_CHECK:-}" != all ] || export EMULATOR_CHECK=memcheck,racecheck,synccheck,initcheck'
  echo "exec $(quote "$python") -X utf8 -B $(quote "$PWD/tools/grading/call_exercise.py") $(quote "$file") $(quote "$program.jobs") $(quote "$libraries") \"\$@\""
} >"$program.new"
chmod +x "$program.new"
mv "$program.new" "$program"
