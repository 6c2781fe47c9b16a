#!/bin/sh
# build.sh SOURCE EXECUTABLE [FLAGS...]: compiles one CUDA program and writes EXECUTABLE.d for make.
# A source that needs an architecture of its own says so in a line of its own: // arch: sm_90a; and one that is about images says which it
# holds: // nvcc: -gencode arch=compute_75,code=sm_75 -gencode ... (nothing else). ARCH_OF=FILE takes that line from another file.
# ALL_DEPENDENCIES=1 leaves EXECUTABLE.d.all instead, with all files, the system's and the toolkit's among them. WARNINGS=error makes warnings errors, as the tests do.
# SHARED=1 makes a shared object, all of whose functions are defined in it. NEWEST=1 takes only the last of the architectures that a source asks for, where only PTX is made.
# PTXAS=/path/to/ptxas saves the search for it; PTX_FOLDER=folder, beside EXECUTABLE, takes what nvcc leaves. HOST_OPTIMIZATION=3 has the host's code optimized so. A program in Python, SOURCE.py, is made ready by build_python.sh.
set -eu
cd "${0%/*}/../.."
. tools/messages.sh
. build/configuration

source=$1 executable=$2
# The folders without a process for each: a grading compiles one file, and a class has many.
case $source in */*) source_folder=${source%/*} ;; *) source_folder=. ;; esac
case $executable in */*) target_folder=${executable%/*} ;; *) target_folder=. ;; esac
case $source in *.py) exec sh tools/compile/build_python.sh "$source" "$executable" ;; esac
shift 2
# nvcc hands names to a shell, in double quotes.
case $source$executable in *[\"\`\$\\]* | *"
"*) fail "the name of $source or $executable has one of the characters \" \$ \` \\\\ or a line's end, which nvcc would have a shell read." ;; esac
asked=$*
own_arch=$(sed -n '\|^// arch: *\([a-z0-9_ ]*[a-z0-9_]\) *$|{s||\1|p;q;}' "${ARCH_OF:-$source}")
if [ -n "$own_arch" ]; then
  # Without a GPU the PTX is enough, and ptxas takes most of the time.
  if [ -z "$GPU_NAME" ] && [ -n "${NEWEST:-}" ]; then
    newest=compute_${own_arch##*_}
    GENCODE="-gencode arch=$newest,code=$newest"
  else
    [ -n "$GPU_NAME" ] || own_arch=$(echo "$own_arch" | sed 's/sm_/compute_/g')
    GENCODE=$(sh tools/toolchain/gencode.sh "$NVCC" $own_arch) || exit 1
  fi
fi
images=$(sed -n '\|^// nvcc: *\(.*[^ ]\) *$|{s||\1|p;q;}' "${ARCH_OF:-$source}")
if [ -n "$images" ]; then
  # A student's file says it, too: no other option may come in.
  printf '%s\n' "$images" | grep -Eqx '(-gencode(=| +)arch=compute_[0-9]+[af]?,code=\[?((sm|compute)_[0-9]+[af]?,?)+\]? *)+' ||
    fail "${ARCH_OF:-$source}: '// nvcc: $images' is not a list of -gencode arch=compute_N,code=sm_N."
  GENCODE=$images
fi
if [ "${WARNINGS:-}" = error ]; then
  set -- -Werror all-warnings -Xcompiler -Wall "$@"
  HOST_OPTIMIZATION=3 # a compiler that optimizes more sees more
elif [ -z "$GPU_NAME" ] && grep -qs 'defined(WITHOUT_GPU)' "$source" "$source_folder"/*.h; then
  set -- -DWITHOUT_GPU "$@" # what is only compared with on a GPU takes the compiler long; the tests compile it all the same
fi
[ -z "${HOST_OPTIMIZATION:-}" ] || FLAGS="-O$HOST_OPTIMIZATION ${FLAGS#-O1 }"
# ptxas has no say in PTX.
case " $FLAGS $* : $GENCODE" in
*-Xptxas*:*code=sm_* | *ptxas-options*:*code=sm_* | *res*-usage*:*code=sm_*) ;;
*-Xptxas* | *ptxas-options* | *res*-usage*)
  say "Without a GPU nvcc makes PTX only, and ptxas, which you ask for something, is not called. ARCH=sm_90 makes machine code as well."
  ;;
esac
[ -n "${PTX_FOLDER:-}" ] || require_writable "$target_folder"

[ "${QUIET:-}" = 1 ] || say "nvcc $FLAGS $GENCODE${asked:+ $asked} $source -o ${executable%.new}"
# The rules of a shell with . build/env must not come in twice.
unset NVCC_APPEND_FLAGS
# Where only PTX is made, ptxas looks at it all the same: what it refuses for any GPU must not be built here.
kept=''
ptxas=''
[ -n "$GPU_NAME" ] || ptxas=${PTXAS:-$(sh tools/toolchain/find_tool.sh ptxas "$NVCC" "$TOOLKIT_LIB")}
if [ -n "$ptxas" ]; then
  case " $* " in *'rdc=true '* | *' -dc '*) export RELOCATABLE=1 ;; esac
  kept=${PTX_FOLDER:-}
  if [ -z "$kept" ]; then
    kept=$(mktemp -d)
    trap 'rm -rf "$kept"' EXIT
  fi
  set -- --keep --keep-dir "$kept" "$@"
fi
# What is, or calls itself, a header of the system's is not in the list of -MMD.
list=$executable.d.$$
if [ -n "${ALL_DEPENDENCIES:-}" ]; then dependencies=-MD list=$executable.d.all; else dependencies=-MMD; fi
if [ -n "${SHARED:-}" ]; then
  # nvcc would link device code, too, of which there is none in other files: a tenth of its time, and nine processes.
  "$NVCC" $FLAGS $GENCODE "$@" -c -Xcompiler -fPIC "$dependencies" -MP -MF "$list" -MT "$executable" "$source" -o "$executable.o"
  linker=${NVCC_CCBIN:-${HOST_COMPILER:-g++}}
  [ ! -d "$linker" ] || linker=$linker/g++
  "$linker" -shared "$executable.o" ${TOOLKIT_LIB:+-L"$TOOLKIT_LIB"} -lcudart -Wl,-Bsymbolic -Wl,--no-undefined -ldl -lpthread -o "$executable"
else
  "$NVCC" $FLAGS $GENCODE "$@" "$dependencies" -MP -MF "$list" -MT "$executable" "$source" -o "$executable" -ldl -lpthread
fi
if [ -n "$kept" ] && ! sh tools/compile/ask_ptxas.sh "$ptxas" "$source" "$kept"/*.ptx; then
  rm -f "$executable"
  exit 1
fi

[ -z "${ALL_DEPENDENCIES:-}" ] || exit 0
# Two builds of one program at once must not take each other's list away. Of the dependencies keep the project's own: those of the toolkit have absolute paths or lie in .toolchain/.
awk '
  /^ *(\/|\.toolchain)/ || (/^$/ && blank) { next }
  { if (count++) print line; line = $0; blank = /^$/ }
  END { sub(/ *\\$/, "", line); if (count) print line }' "$list" >"$executable.d"
rm -f "$list"
