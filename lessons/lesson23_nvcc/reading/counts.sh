#!/bin/sh
# counts.sh table|arithmetic: what nvcc makes of lesson23.cu for sm_90, plain and with -use_fast_math.
#   table        rows of a table: PTX instructions of each version, and machine instructions up to the end of the kernel, and behind that, where
#                what is rare is dealt with. Without nvdisasm only those of PTX, with "-" for the others
#   arithmetic   what versions 2 and 4 compute with, as PTX
set -eu
cd "$(dirname "$0")/../../.."
. build/configuration
source=lessons/lesson23_nvcc/lesson23.cu
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
nvdisasm=$(sh tools/toolchain/find_tool.sh nvdisasm "$NVCC" "$TOOLKIT_LIB")

compile() { # NAME OPTIONS...: $made/NAME.ptx and, if it can be had, $made/NAME.sass
  name=$1
  shift
  "$NVCC" $FLAGS -arch=compute_90 "$@" -ptx $source -o "$made/$name.ptx"
  [ -n "$nvdisasm" ] && [ "$what" = table ] || return 0
  "$NVCC" $FLAGS -arch=sm_90 "$@" -cubin $source -o "$made/$name.cubin"
  "$nvdisasm" -c "$made/$name.cubin" >"$made/$name.sass"
}

# Lines "KERNEL INSTRUCTION".
instructions_ptx() {
  awk '/\.entry / { match($0, /silu_kernel[0-9]/); kernel = RSTART ? substr($0, RSTART, RLENGTH) : "" }
       /^}/ { kernel = "" }
       kernel != "" && /^\t[@a-z{].*;/ { sub(/;$/, "", $1); print kernel, $1 ~ /^@/ ? $2 : $1 }' "$1"
}
instructions_sass() {
  awk '/^\.text\./ { match($0, /silu_kernel[0-9]/); kernel = RSTART ? substr($0, RSTART, RLENGTH) : "" }
       kernel != "" && /^ *\/\*[0-9a-f]+\*\// {
         sub(/^ *\/\*[0-9a-f]+\*\/ */, ""); sub(/ *;.*/, "")
         if (!/^(NOP|BRA `)/) print kernel, $0
       }' "$1"
}

# PTX, machine code up to the last EXIT, and behind it.
count() { # NAME KERNEL
  ptx=$(instructions_ptx "$made/$1.ptx" | grep -c "^$2 ")
  if [ -f "$made/$1.sass" ]; then
    instructions_sass "$made/$1.sass" | awk -v kernel="$2" -v ptx="$ptx" '
      $1 == kernel { all++; if ($2 == "EXIT") end = all }
      END { printf " %d | %d | %d |", ptx, end, all - end }'
  else
    printf ' %d | - | - |' "$ptx"
  fi
}

# Without what every version has, loads, stores and addresses; and without constants.
arithmetic() { # NAME KERNEL
  instructions_ptx "$made/$1.ptx" | awk -v kernel="$2" '
    $1 == kernel && $2 ~ /f32/ && $2 !~ /^(ld|st|mov)/ { line = line (line == "" ? "" : " ") $2 }
    END { print line }'
}

what=$1
compile plain
compile fast -use_fast_math
case $what in
table)
  for v in 1 2 3 4 5; do echo "| silu_kernel$v |$(count plain silu_kernel$v)$(count fast silu_kernel$v)"; done
  ;;
arithmetic)
  for v in 2 4; do
    echo "silu_kernel$v:"
    echo "    $(arithmetic plain silu_kernel$v)"
    echo "silu_kernel$v with -use_fast_math:"
    echo "    $(arithmetic fast silu_kernel$v)"
  done
  ;;
esac
