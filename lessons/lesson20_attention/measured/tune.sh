#!/bin/sh
# tune.sh FOLDER: variants of lesson 20's versions 3 and 5, with 16384 queries and keys and with 1024, on the GPU of this machine: whether the sizes that
# the lesson has are the best. First build:
#     sh lessons/lesson20_attention/measured/tune.sh build FOLDER
# Both in the root of the workbook. Each variant is a program of its own and runs alone, so compare within one call only. About 3 minutes.
set -u
. tools/authoring/measured.sh
here=lessons/lesson20_attention

# A line for each: its name, the version that it is about, what is changed.
variants() {
  cat <<'END'
as_it_is 5 s/^x$//
three_stages 5 s/KEYS = 128, STAGES = 2/KEYS = 128, STAGES = 3/
no_turns 5 /^static __device__ void wait_for_turn/,/^}/s/named_barrier.*//;/^static __device__ void give_turn_to/,/^}/s/named_arrive.*//
one_head_at_a_time 5 s/together = !a.causal || fit < 1 ? 1/together = true ? 1/
all_heads_at_once 5 s/together = !a.causal || fit < 1 ? 1/together = true ? all/
as_it_is 3 s/^x$//
one_block 3 s/__launch_bounds__(THREADS, 2) void attention_kernel3/__launch_bounds__(THREADS, 1) void attention_kernel3/
three_stages 3 s/(THREADS \/ WARP), STAGES = 2,/(THREADS \/ WARP), STAGES = 3,/
eight_warps 3 s/enum { KEYS = 64, THREADS = 128 }/enum { KEYS = 64, THREADS = 256 }/;s/(THREADS, 2) void attention_kernel3/(THREADS, 1) void attention_kernel3/
END
}

if [ "$1" = build ]; then
  mkdir -p "$2"
  variants | while read -r name version change; do
    sed "$change" $here/lesson20.cu >"$2/$name$version.cu"
    [ "$name" = as_it_is ] || ! cmp -s "$2/$name$version.cu" $here/lesson20.cu || echo "tune.sh: $name is not another program" >&2
    nvcc -O3 -std=c++17 -cudart shared -I. -gencode "arch=compute_90a,code=${CODE:-sm_90a}" "$2/$name$version.cu" -o "$2/$name$version" -ldl -lpthread
  done
  exit
fi

describe_machine
for size in ${SIZES:-16384 1024}; do
  variants | while read -r name version change; do
    section "$name, version $version, SIZE=$size"
    V=$version SIZE=$size timeout 120 "$1/$name$version" | grep -e ^attention_kernel -e heads -e ^FAIL -e ^PASS
  done
done
