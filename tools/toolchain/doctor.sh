#!/bin/sh
# Looks at everything a lesson needs: one line each, and what to do where something is missing.
# FILE=a.out also looks at a program of your own. The exit status is 0 when nothing failed.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
failures=0

# line STATE WHAT DETAILS [REMEDY]
line() {
  case $1 in ok) colour=$green ;; warn) colour=$yellow ;; *) colour=$red failures=$((failures + 1)) ;; esac
  printf '%s%-4s%s  %-14s %s\n' "$colour" "$1" "$plain" "$2" "$3"
  [ -z "${4:-}" ] || printf '                      -> %s\n' "$4"
}
if ! [ -t 1 ]; then green='' yellow='' red='' plain=''; fi

check_make() {
  version=$("${MAKE:-make}" --version 2>/dev/null | sed -n '1s/.* //p')
  case $version in
  [4-9].*) line ok make "GNU make $version" ;;
  *) line fail make "GNU make 4 is needed, this is ${version:-unknown}" "sudo apt-get install make" ;;
  esac
}

check_python() {
  if command -v python3 >/dev/null; then
    line ok python "$(python3 --version 2>&1), used to install the toolkit where there is none"
  else
    line warn python "not found; only needed where nvcc is missing" "sudo apt-get install python3"
  fi
}

# Everything about the toolkit and the host compiler comes from the same script that every build uses.
check_toolkit() {
  if ! sh tools/toolchain/configure.sh 2>build/doctor.log; then
    line fail toolkit "$(sed -n 's/.*error:[^ ]* //p' build/doctor.log | head -n 1)"
    sed -e '0,/error:/d' -e 's/^ */                      -> /' build/doctor.log
    return 1
  fi
  . build/configuration
  line ok toolkit "CUDA $CUDA_VERSION, $NVCC (from $TOOLKIT_FROM)"
  compiler=$("${HOST_COMPILER:-${NVCC_CCBIN:-g++}}" --version 2>/dev/null | head -n 1)
  line ok "host compiler" "${compiler:-the default of nvcc}, accepted by nvcc"
  if [ -n "$TOOLKIT_LIB" ]; then
    line ok runtime "libcudart.so.$CUDA_MAJOR in $TOOLKIT_LIB"
  elif [ -n "$GPU_NAME" ]; then
    line warn runtime "libcudart.so.$CUDA_MAJOR is not in the toolkit's folder; a GPU needs it" "install the toolkit's cuda-cudart package"
  fi
}

check_gpu() {
  if [ -n "$GPU_NAME" ]; then
    line ok gpu "$GPU_NAME (sm_$(echo "$GPU_ARCHS" | sed 's/ /, sm_/g'))"
  elif [ "${BACKEND:-auto}" = gpu ]; then
    line fail gpu "$GPU_REASON" "BACKEND=cpu or nothing uses the emulator"
  else
    line ok gpu "none ($GPU_REASON): kernels run on the emulator"
  fi
}

# The emulator is built here where that is still to be done, so that one sees what takes so long.
check_launch() {
  program=build/tools/doctor
  case ${BACKEND:-auto}-$GPU_NAME in
  cpu-* | auto-)
    if ! sh tools/compile/emulator.sh; then
      line fail launch "the emulator does not build" "the compiler's messages are in build/emulator/build.log"
      return 0
    fi
    ;;
  esac
  if ! QUIET=1 sh tools/compile/build.sh tools/toolchain/doctor.cu "$program" >build/doctor.log 2>&1; then
    line fail launch "the test program does not compile" "its messages are in build/doctor.log"
  elif TIMEOUT=${TIMEOUT:-20} sh tools/actions/run.sh "$program" >build/doctor.log 2>&1; then
    line ok launch "1000 threads on '$(tail -n 1 build/doctor.log)' wrote what was expected"
  else
    line fail launch "$(tail -n 1 build/doctor.log)" "the whole output is in build/doctor.log"
  fi
}

# A program that was linked the usual way has NVIDIA's runtime inside and can never find the emulator.
check_program() {
  program=${FILE:-a.out}
  if [ ! -f "$program" ]; then
    [ -z "${FILE:-}" ] || line fail "$program" "there is no such file"
    return 0
  fi
  needed=$(readelf -d "$program" 2>/dev/null | sed -n 's/.*NEEDED.*\[\(libcudart\.so[^]]*\)\].*/\1/p')
  if [ -n "$needed" ]; then
    line ok "$program" "asks for $needed at run time: a GPU or the emulator can serve it"
    [ "$needed" = "libcudart.so.$CUDA_MAJOR" ] || line warn "$program" "was built by another CUDA than $CUDA_VERSION" "compile it again"
  elif grep -aq cudart_static "$program" || grep -aq cudaGetExportTable "$program" || grep -aq 'CUDA driver version is insufficient' "$program"; then
    line warn "$program" "has the CUDA runtime linked in statically: it cannot run on the emulator" \
      "compile with: nvcc -cudart shared ...   (or once per shell: . build/env)"
  else
    line warn "$program" "does not use the CUDA runtime"
  fi
}

# The jail in which graders compile and run a file; with neither, other people's files are refused.
check_jail() {
  sh tools/compile/build_tool.sh jail 2>build/doctor.log || { line fail jail "it does not build" "its messages are in build/doctor.log"; return 0; }
  works=$(build/tools/jail --which 2>build/doctor.log)
  broken=$(grep 'does not start' build/doctor.log || true)
  case $works in
  bubblewrap) line ok jail "bubblewrap: what is graded sees the toolkit, common/ and its own file" ;;
  landlock) line "$([ -z "$broken" ] && echo ok || echo warn)" jail "Landlock: what is graded sees the toolkit, common/ and its own file${broken:+; $broken}" ;;
  *) line warn jail "none works ($(paste -s -d ';' build/doctor.log)): only your own exercises are graded" \
    "sudo apt-get install bubblewrap, or Linux 5.13 with Landlock; SECURITY.md says more" ;;
  esac
}

mkdir -p build
check_make
check_python
if check_toolkit; then
  check_gpu
  check_launch
  check_program
  check_jail
  line ok "own programs" ". build/env makes plain nvcc work in this shell; make doctor FILE=a.out looks at a program"
fi
[ "$failures" = 0 ]
