#!/bin/sh
# Lesson 21: its calculator has the limits that ncu reported of the kernels that were profiled on an H200, and its page
# quotes what ptxas says.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
folder=lessons/lesson21_occupancy

# ---- the calculator and ncu: "registers threads limit-by-registers limit-by-warps limit-by-blocks" of each kernel ----

cat >"$scratch/compare.cpp" <<'END'
#include <initializer_list>
#include <stdio.h>
#include "lessons/lesson21_occupancy/calculator.h"
int main() {
    int registers, threads, of[LIMITERS], rows = 0, differ = 0;
    while (scanf("%d %d %d %d %d", &registers, &threads, &of[BY_REGISTERS], &of[BY_WARPS], &of[BY_BLOCKS]) == 5) {
        struct residents r = calculate(architecture("sm_90"), {registers, threads, 0});
        rows++;
        for (int l : {BY_REGISTERS, BY_WARPS, BY_BLOCKS}) {
            if (r.of[l] != of[l]) {
                printf("%d registers, %d threads, by %s: %d, ncu says %d\n", registers, threads, limiter_name((enum limiter)l), r.of[l], of[l]);
                differ++;
            }
        }
    }
    printf("%d kernels, %d numbers differ\n", rows, differ);
    return differ != 0;
}
END
# A field in quotes may have commas; of a block only those three numbers count.
rows_of() {
  awk '
    function split_fields(line,   n, inside, c, i) {
      n = 1; inside = 0; field[1] = ""
      for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") inside = !inside
        else if (c == "," && !inside) field[++n] = ""
        else field[n] = field[n] c
      }
      return n
    }
    { n = split_fields($0) }
    FNR == 1 { for (i = 1; i <= n; i++) column[field[i]] = i; next }
    field[column["launch__registers_per_thread"]] + 0 {
      split(field[column["block"]], side, /[^0-9]+/)
      print field[column["launch__registers_per_thread"]], side[2] * side[3] * side[4], field[column["launch__occupancy_limit_registers"]],
        field[column["launch__occupancy_limit_warps"]], field[column["launch__occupancy_limit_blocks"]]
    }' "$1"
}
"${HOST_COMPILER:-g++}" -std=c++17 -I. "$scratch/compare.cpp" -o "$scratch/compare"
for record in tests/lessons/counters/lessons.csv emulator/tests/counters/idioms.csv; do rows_of "$record"; done >"$scratch/rows"
capture sh -c "\"$scratch/compare\" <\"$scratch/rows\""
expect "lesson21's calculator has the limits that ncu reported on an H200" 0 'kernels, 0 numbers differ'
says=$(printf '%s\n' "$output" | tail -n 1 | sed 's/ kernels.*//')
if [ "${says:-0}" -gt 100 ] && grep -q "of $says kernels on an H200" $folder/README.md; then
  pass "lesson21's page says of how many kernels: $says"
else
  no "lesson21's page says of how many kernels: $says" "$folder/README.md does not"
fi

# ---- what ptxas says of the sorts ----

ptxas=$(sh tools/toolchain/find_tool.sh ptxas "$NVCC" "$TOOLKIT_LIB")
if [ "$CUDA_VERSION" != 13.0 ] || [ -z "$ptxas" ]; then
  skip "lesson21's page quotes ptxas" "it is that of CUDA 13.0"
  exit
fi
{
  cat $folder/lesson21.cu
  echo 'template <int B> static __global__ void __launch_bounds__(SORT_BLOCK, B) sort_bounds(const float *x, float *y, int n) { sort_thread(x, y, n); }'
  for blocks in 4 5 6; do echo "template __global__ void sort_bounds<$blocks>(const float *, float *, int);"; done
} >"$scratch/sorts.cu"
"$NVCC" -std=c++17 -I. -I$folder -arch=compute_75 -ptx -o "$scratch/sorts.ptx" "$scratch/sorts.cu"
for arch in sm_75 sm_90; do "$ptxas" -arch=$arch -v -o /dev/null "$scratch/sorts.ptx" >"$scratch/$arch" 2>&1; done
"$ptxas" -arch=sm_90 -maxrregcount=40 -v -o /dev/null "$scratch/sorts.ptx" >"$scratch/limited" 2>&1

# Registers and bytes of spill stores of the kernel with this in its name.
said_of() { # FILE NAME
  awk -v name="$2" '/Compiling entry/ { here = index($0, name) } here && /spill stores/ { spilled = $5 } here && /Used/ { print $5, spilled; exit }' "$scratch/$1"
}
# The same in a column of the page's table of bounds.
page_of() { # COLUMN
  awk -F ' *\\| *' -v column=$(($1 + 2)) '
    /^\| `__launch_bounds__` \|/ { inside = 1 }
    inside && $2 == "registers" { registers = $column }
    inside && /^\| spill stores/ { print registers, $column; exit }' $folder/README.md
}
column=0
for kernel in sort_kernel7 sort_kernel8 sort_boundsILi4E sort_boundsILi5E sort_boundsILi6E sort_kernel9; do
  column=$((column + 1)) found=$(said_of sm_90 $kernel) page=$(page_of $column)
  if [ -n "$found" ] && [ "$found" = "$page" ]; then
    pass "lesson21's page has what ptxas makes of $kernel: $found"
  else
    no "lesson21's page has what ptxas makes of $kernel" "the page has '$page', ptxas says '$found'"
  fi
done

quoted=$(sed -n '/^ptxas info  *:/p; /bytes stack frame/p' $folder/README.md)
if [ "$(printf '%s\n' "$quoted" | wc -l)" = 4 ] && [ "$(grep -cxF -e "$quoted" "$scratch/sm_90")" -ge 4 ]; then
  pass "lesson21's page quotes ptxas on version 9"
else
  no "lesson21's page quotes ptxas on version 9" "it quotes: $quoted"
fi
warning=$(sed -n '/^ptxas warning/p' $folder/README.md)
if [ -n "$warning" ] && grep -qxF -e "$warning" "$scratch/sm_75"; then
  pass "lesson21's page quotes ptxas on version 9 for sm_75"
else
  no "lesson21's page quotes ptxas on version 9 for sm_75" "it says: $(grep warning "$scratch/sm_75")"
fi
limited="$(said_of limited sort_kernel7), $(said_of limited sort_kernel8)"
if [ "$limited" = '40 44, 96 0' ] && grep -q 'Version 7 then has 40 registers, and 44 bytes of spill stores; version 8 keeps its 96' $folder/README.md; then
  pass "lesson21's page says what -maxrregcount=40 does"
else
  no "lesson21's page says what -maxrregcount=40 does" "$limited"
fi
