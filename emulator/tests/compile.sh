#!/bin/sh
# compile.sh SOURCE PROGRAM [FLAGS...]: compiles a CUDA program. A source that needs an architecture names it in a line of its own,
# // arch: sm_90a; ARCH_OF=FILE takes that line from another file. Without a GPU the program holds PTX only, and ptxas checks that it is
# legal: the emulator accepting it proves nothing about a GPU.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

source=$1 program=$2
shift 2
architecture=$(sed -n 's|^// arch: *\([a-z0-9_]*\) *$|\1|p' "${ARCH_OF:-$source}" | head -n 1)
[ -z "$architecture" ] || GENCODE=$(architecture_options "$architecture")
unset NVCC_APPEND_FLAGS
# shellcheck disable=SC2086 # options, word by word
"$NVCC" $FLAGS $GENCODE "$@" --keep --keep-dir "$scratch" "$source" -o "$program" -ldl -lpthread
[ -z "$GPU_NAME" ] || exit 0

ptxas=$(find_ptxas)
[ -n "$ptxas" ] || exit 0
relocatable=''
case " $* " in *'rdc=true '* | *' -dc '*) relocatable=-c ;; esac
for ptx in "$scratch"/*.ptx; do
  target=$(sed -n 's/^\.target \(sm_[0-9a-z]*\).*/\1/p' "$ptx" | head -n 1)
  "$ptxas" -O0 $relocatable -arch="$target" "$ptx" -o /dev/null || { rm -f "$program" && exit 1; }
done
