#!/bin/sh
# disassemble.sh lesson03|exercise03 ptx|sass: writes what the compiler made of a lesson, or of the student's file, next to its executable and
# lists its kernels; KERNEL=part of a name prints that kernel. A program in Python that names no library and no kernels compiles them itself, and
# prints their PTX: build/lessons/lesson34 --ptx.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

# An exercise in Python has kernels of its own where its calls.py can show their PTX; elsewhere it calls the lesson's.
require_own_kernels() {
  grep -qs '^def ptx_of' "$(dirname "$source")/calls.py" ||
    fail "the kernels that $lesson calls are the lesson's: make lesson${lesson#exercise} $kind."
}

lesson=$1 kind=$2
program=build/lessons/$lesson
output=build/lessons/$lesson.$kind
source=$(ls "lessons/$lesson"_*/"$lesson".cu 2>/dev/null || true)
states_architecture=$source
case $lesson in
exercise*)
  source=$(python3 tools/workbook exercises "${lesson#exercise}")
  states_architecture=$(dirname "$source")/grader.cpp
  program=build/exercises/lesson${lesson#exercise}/exercise
  output=$program.$kind
  case $source in *.cu) ;; *) require_own_kernels && states_architecture=$source ;; esac
  ;;
esac
if [ -z "$source" ]; then # a program in Python: its library, or what it says that its kernels are (# kernels: gelu.cu -DWIDTH=4)
  python=$(ls "lessons/$lesson"_*/"$lesson".py)
  words=$(sed -n -e 's/^# kernels: *\([a-zA-Z0-9_./= -]*\)$/\1/p' -e 's/^# library: *\([a-z0-9_.]*\).*/\1/p' "$python" | head -n 1)
  source=$(dirname "$python")/${words%% *}
  [ -n "$words" ] || source=$python
  case $words in *' '*) FLAGS="$FLAGS ${words#* }" ;; esac
  states_architecture=$source
fi
mkdir -p "${output%/*}"

# The newest PTX architecture that the lesson is built for, and the real one that belongs to it.
own=$(sed -n 's|^// arch: *\([a-z0-9_ ]*\).*|\1|p' "$states_architecture" | head -n 1)
architecture=$(echo "${own:-$GENCODE}" | tr ' ,=' '\n' | sed -n 's/^\(compute\|sm\)_\([0-9]*[af]*\)$/\2/p' | tail -n 1)

write_ptx() {
  case $source in *.py)
    case $lesson in
    exercise*) python3 tools/workbook build_exercise "${lesson#exercise}" ;;
    *) sh tools/compile/build.sh "$source" "$program" ;;
    esac
    say "$program --ptx >$output"
    sh tools/actions/run.sh "$program" --ptx >"$output"
    return
    ;;
  esac
  say "nvcc -ptx -arch=compute_$architecture $FLAGS $source -o $output"
  "$NVCC" $FLAGS -arch="compute_$architecture" -ptx "$source" -o "$output"
}

write_sass() {
  case $source in *.py) fail "$lesson compiles its kernels itself, and shows PTX: make $lesson ptx." ;; esac
  nvdisasm=$(sh tools/toolchain/find_tool.sh nvdisasm "$NVCC" "$TOOLKIT_LIB")
  [ -n "$nvdisasm" ] || fail "SASS needs NVIDIA's nvdisasm, which this toolkit does not have." \
    "It comes with the full CUDA toolkit; this puts it (5 MB) into this folder alone:" \
    "python3 -m pip install --target .toolchain/nvdisasm nvidia-cuda-nvdisasm"
  # With no GPU here, show the machine code of the H100 and H200.
  real=${ARCH:-}
  case $real in sm_*) ;; *) real=sm_${own##*_}; [ -n "$own" ] || real=sm_${GPU_ARCHS##* } ;; esac
  [ "$real" != sm_ ] || real=sm_90
  say "nvcc -cubin -arch=$real $FLAGS $source -o ${output%.*}.cubin; nvdisasm -c -g"
  "$NVCC" $FLAGS -arch="$real" -cubin "$source" -o "${output%.*}.cubin"
  "$nvdisasm" -c -g "${output%.*}.cubin" >"$output"
}

# One line per kernel: the line it begins at and how many instructions it has.
list_kernels() {
  names() { if command -v c++filt >/dev/null; then c++filt; else cat; fi | sed 's/\[abi:[^]]*\]//g'; } # Numba's numbers
  case $kind in
  ptx)
    awk '/^\.visible \.entry|^\.entry/ { name = $0; sub(/.*\.entry /, "", name); sub(/\(.*/, "", name); line = NR; count = 0 }
         name != "" && /^\t[@a-z{].*;/ { count++ }
         /^}/ && name != "" { printf "%7d %13d  %s\n", line, count, name; name = "" }' "$output"
    ;;
  sass)
    awk '/^\.text\./ { name = $1; sub(/^\.text\./, "", name); sub(/:$/, "", name); line = NR; count = 0; order[++n] = name; at[name] = line }
         name != "" && /\/\*[0-9a-f]+\*\// { total[name]++ }
         END { for (i = 1; i <= n; i++) printf "%7d %13d  %s\n", at[order[i]], total[order[i]], order[i] }' "$output"
    ;;
  esac | names
}

# The kernels whose names have KERNEL in them, each below the lines of the source that it was made from.
print_kernel() {
  listed=$(list_kernels)
  chosen=$(printf '%s\n' "$listed" | awk -v wanted="$KERNEL" '{ name = $0; sub(/^ *[0-9]+ +[0-9]+  /, "", name) } index(name, wanted) { print $1 }')
  if [ -z "$chosen" ]; then
    say "${red}error:${plain} KERNEL=$KERNEL: no such kernel. The kernels are:"
    printf '%s\n' "${listed:-none}" | sed 's/^ *[0-9]* *[0-9]* */       /' >&2
    exit 1
  fi
  for first in $chosen; do awk -v first="$first" -v source="$source" -f tools/actions/one_kernel.awk "$output" "$output"; done
}

"write_$kind"
if [ -n "${KERNEL:-}" ]; then
  print_kernel
  exit
fi
echo "$output:"
echo "   line  instructions  kernel"
list_kernels
say "KERNEL=part of a name prints that kernel."
