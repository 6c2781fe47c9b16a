#!/bin/sh
# run.sh [LESSON...]: measures every way in which the course calls a kernel from Python, in one run, and prints the record from which table.sh
# makes README.md's table of all bindings: cpu.txt without a GPU, h200.txt with one. Of the lessons named, or of all that have a measured/binding.py
# (measure.py says what is in such a file).
#     sh bench/bindings/run.sh >bench/bindings/cpu.txt
# Built is anew, without ccache. What needs packages that are not there is skipped with the reason; DOWNLOAD=1 fetches what is large, too.
# BUILT=1 takes what `make lessonNN` has built, and leaves that column out: for tests.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
[ -f build/configuration ] || sh tools/toolchain/configure.sh >&2
. build/configuration
. tools/actions/backend.sh
choose_backend
export DOWNLOAD="${DOWNLOAD:-0}" CCACHE_DISABLE=1 QUIET=1
rounds=${ROUNDS:-3}
scratch=build/bindings
mkdir -p "$scratch"

section() { printf '\n--- %s\n' "$*"; }

machine() {
  section machine
  date -u +%Y-%m-%d
  sed -n 's/^model name[^:]*: /CPU: /p' /proc/cpuinfo | head -n 1
  echo "cores: $(nproc)"
  [ -z "$GPU_NAME" ] || [ "$backend" = cpu ] || nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU: /'
  "${HOST_COMPILER:-g++}" --version | head -n 1
  "$NVCC" --version | sed -n 's/.*release \([0-9.]*\),.*/nvcc \1/p'
}

# Prints the seconds of the processor that a command and its children have taken: with others on this machine they stay the same.
spent() { # NAME COMMAND...
  name=$1
  shift
  python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:], stdout=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]} {used.ru_utime + used.ru_stime:.2f} s")
sys.exit(code)' "$name" "$@"
}

measure() { # LINES|SIZE|FIRST|CALLS
  (
    [ ! -d "$lesson/measured/numpy25" ] || PYTHONPATH=$PWD/$lesson/measured/numpy25:${PYTHONPATH:-}
    PYTHONPATH=$PWD/$folder/installed:$PWD:$PWD/$lesson:$PWD/build/emulator/python:${PYTHONPATH:-}
    LESSON_LIBRARIES=$PWD/$folder CUDA_RUNTIME=libcudart.so.$CUDA_MAJOR LESSON_FOLDER=$PWD/$lesson CUDA_PATH=$TOOLKIT
    TRITON_CACHE_DIR=$PWD/$scratch/triton
    export PYTHONPATH LESSON_LIBRARIES CUDA_RUNTIME LESSON_FOLDER NVCC CUDA_PATH TRITON_CACHE_DIR
    [ -z "$HOST_COMPILER" ] || export NVCC_CCBIN="$HOST_COMPILER"
    [ "$1" != first ] || rm -rf "$TRITON_CACHE_DIR"
    timeout 300 "$python" -X utf8 -B bench/bindings/measure.py "$lesson" "$folder" "$1"
  )
}

# Nothing is built for a binding that is compiled when it is called.
builds() { [ -n "$(measure lines | sed -n 's/^build //p')" ] || grep -Eq '^# (wheel|library):' "$program"; }

build_it() {
  command=$(measure lines | sed -n 's/^build //p')
  if [ -n "$command" ]; then
    FOLDER=$PWD/$folder PYTHON=$python sh -c "$command"
    return
  fi
  sh tools/python/device_code.sh "$program" "$folder"
  set -- $(sed -n 's/^# wheel: *\([^ ]*\).*/\1/p' "$program")
  [ $# = 0 ] || sh tools/python/wheel.sh "$python" "$lesson/$1" "$folder"
}

# What of that is the C++ compiler's work for the binding itself, where CMake has built: the rest is CMake, kernels, nanobind's own code and pip.
compile_binding() {
  [ -z "${BUILT:-}" ] && [ -f "$folder/cmake/build.ninja" ] || return 0
  (cd "$folder/cmake" && "$(dirname "$python")/ninja" -t commands) | grep -E ' -c .*src/binding\.cpp$' >"$scratch/$number.commands"
  (cd "$folder/cmake" && spent "compile" sh "../../$number.commands") 2>>"$scratch/$number.log"
}

name_it() {
  short=${lesson##*/lesson}
  number=${short%%_*}
  name="$number ${short#*_}"
  program=$lesson/lesson$number.py
  folder=$scratch/$number
  [ -z "${BUILT:-}" ] || folder=build/lessons/$number
}

# Sets python, or says why there is none.
find_python() {
  python=$(sh tools/python/environment.sh "$number" 2>"$scratch/said") || {
    echo "skipped: $(sed -n 's/^error: //p' "$scratch/said" | head -n 1)"
    return 1
  }
}

if [ "${1:-}" = build-one ]; then # this script itself, for the time of what follows
  lesson=$2 python=$3
  name_it
  build_it
  exit
fi

machine
lessons=''
for file in lessons/*/measured/binding.py; do
  lesson=${file%/measured/binding.py}
  name_it
  [ $# = 0 ] || case " $* " in *" $number "*) ;; *) continue ;; esac
  section "$name"
  find_python || continue
  echo "Python $("$python" -c 'import platform; print(platform.python_version())')"
  measure lines | grep '^lines'
  if [ -z "${BUILT:-}" ] && builds; then
    rm -rf "$folder"
    mkdir -p "$folder"
    spent build sh bench/bindings/run.sh build-one "$lesson" "$python" 2>"$scratch/$number.log" || {
      tail -n 15 "$scratch/$number.log" >&2
      echo "skipped: it does not build"
      continue
    }
  fi
  measure size
  compile_binding
  measure first
  lessons="$lessons $lesson"
done
# In turns: what changes on the machine meanwhile changes for all.
for round in $(seq "$rounds"); do
  for lesson in $lessons; do
    name_it
    find_python
    section "$name, calls $round"
    measure calls
  done
done
