#!/bin/sh
# disassemble.sh lesson03 ptx|sass: writes what the compiler made of a lesson next to its executable and lists its kernels.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

lesson=$1 kind=$2
source=$(ls "lessons/$lesson"_*/"$lesson".cu 2>/dev/null || true)
if [ -z "$source" ]; then # a program in Python: its library, or what it says that its kernels are (# kernels: gelu.cu -DWIDTH=4)
  program=$(ls "lessons/$lesson"_*/"$lesson".py)
  words=$(sed -n -e 's/^# kernels: *\([a-zA-Z0-9_./= -]*\)$/\1/p' -e 's/^# library: *\([a-z0-9_.]*\).*/\1/p' "$program" | head -n 1)
  source=$(dirname "$program")/${words%% *}
  case $words in *' '*) FLAGS="$FLAGS ${words#* }" ;; esac
fi
output=build/lessons/$lesson.$kind
mkdir -p build/lessons

# The newest PTX architecture that the lesson is built for, and the real one that belongs to it.
own=$(sed -n 's|^// arch: *\([a-z0-9_ ]*\).*|\1|p' "$source" | head -n 1)
architecture=$(echo "${own:-$GENCODE}" | tr ' ,=' '\n' | sed -n 's/^\(compute\|sm\)_\([0-9]*[af]*\)$/\2/p' | tail -n 1)

write_ptx() {
  say "nvcc -ptx -arch=compute_$architecture $FLAGS $source -o $output"
  "$NVCC" $FLAGS -arch="compute_$architecture" -ptx "$source" -o "$output"
}

write_sass() {
  nvdisasm=$(sh tools/toolchain/find_tool.sh nvdisasm "$NVCC" "$TOOLKIT_LIB")
  [ -n "$nvdisasm" ] || fail "SASS needs NVIDIA's nvdisasm, which this toolkit does not have." \
    "It comes with the full CUDA toolkit; this puts it (5 MB) into this folder alone:" \
    "python3 -m pip install --target .toolchain/nvdisasm nvidia-cuda-nvdisasm"
  # With no GPU here, show the machine code of the H100 and H200.
  real=${ARCH:-}
  case $real in sm_*) ;; *) real=sm_${own##*_}; [ -n "$own" ] || real=sm_${GPU_ARCHS##* } ;; esac
  [ "$real" != sm_ ] || real=sm_90
  say "nvcc -cubin -arch=$real $FLAGS $source -o build/lessons/$lesson.cubin; nvdisasm -c -g"
  "$NVCC" $FLAGS -arch="$real" -cubin "$source" -o "build/lessons/$lesson.cubin"
  "$nvdisasm" -c -g "build/lessons/$lesson.cubin" >"$output"
}

# One line per kernel: the line it begins at and how many instructions it has.
list_kernels() {
  names() { if command -v c++filt >/dev/null; then c++filt; else cat; fi; }
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

"write_$kind"
echo "$output:"
echo "   line  instructions  kernel"
list_kernels
