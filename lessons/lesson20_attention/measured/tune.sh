#!/bin/sh
# tune.sh FOLDER: variants of lesson 20's versions 3 to 6, on the GPU of this machine: whether the sizes that the lesson has are the best. All of them
# and the kernels behind PyTorch's attention run in turns in one process (tune.py), with and without a mask, with 1024, 4096 and 16384 queries and keys.
# Then decode with chunks of other sizes (tune_decode.py). What it prints is kept as tuning.txt. First build:
#     sh lessons/lesson20_attention/measured/tune.sh build FOLDER
# Both in the root of the workbook. PYTHON names a Python 3 with PyTorch (python3 otherwise). Less than a minute.
set -u
. tools/authoring/measured.sh
here=lessons/lesson20_attention

# A line for each: its name, the versions to be timed, what sed changes.
variants() {
  cat <<'END'
as_it_is 3,4,5,6
two_stages 4,5,6 s/KEYS = 128, STAGES = 3/KEYS = 128, STAGES = 2/
no_turns 5 /^static __device__ void wait_for_turn/,/^}/s/named_barrier.*//;/^static __device__ void give_turn_to/,/^}/s/named_arrive.*//
all_heads_at_once 5 s/tile = tiles - 1 - number % tiles/all = a.batch * a.heads, tile = tiles - 1 - number \/ all/;s/b = number \/ tiles \/ a.heads, head = number \/ tiles % a.heads/b = number % all \/ a.heads, head = number % all % a.heads/
first_tile_first 5 s/tile = tiles - 1 - number % tiles/tile = number % tiles/
place_by_place 6 s/if (a.starts_q || places <= most)/if (true)/
queries_first 6 s/ask_for_keys(t, maps, w.p, w.tiles, 0, 1, first);//;s/ask_for_keys(t, maps, w.p, w.tiles, 1, w.tiles, first)/ask_for_keys(t, maps, w.p, w.tiles, 0, w.tiles, first)/
three_stages 3 s/(THREADS \/ WARP), STAGES = 2,/(THREADS \/ WARP), STAGES = 3,/
eight_warps 3 s/enum { KEYS = 64, THREADS = 128 }/enum { KEYS = 64, THREADS = 256 }/;s/(THREADS, 2) void attention_kernel3/(THREADS, 1) void attention_kernel3/
END
}

compile() { # FOLDER NAME CHANGE
  own=$1/$2/$here
  mkdir -p "$own/measured"
  sed "$3" $here/lesson20.cu >"$own/lesson20.cu"
  if [ -n "$3" ] && cmp -s "$own/lesson20.cu" $here/lesson20.cu; then
    echo "tune.sh: $2 changes nothing" >&2
    return 1
  fi
  cp $here/measured/parts.cu "$own/measured/"
  nvcc -O3 -std=c++17 -cudart shared -I$here -I$here/measured -gencode "arch=compute_90a,code=${CODE:-sm_90a}" -Xptxas -v \
    "$own/measured/parts.cu" -DLIBRARY --shared -Xcompiler -fPIC -o "$1/$2/lib.so" -ldl -lpthread 2>"$1/$2/log" || cat "$1/$2/log" >&2
}

if [ "$1" = build ]; then
  variants | {
    while read -r name versions change; do
      compile "$2" "$name" "$change" &
    done
    wait
  }
  exit
fi

CUDA_RUNTIME=${CUDA_RUNTIME:-$(ldd "$1/as_it_is/lib.so" | sed -n 's/.*=> \(.*libcudart[^ ]*\).*/\1/p' | head -n 1)}
export CUDA_RUNTIME
describe_machine
section "ptxas for sm_90a: whose registers are spilled"
variants | while read -r name versions change; do
  grep 'spill stores' "$1/$name/log" | grep -v '^ *0 bytes stack frame, 0 bytes spill' | sed "s/^/$name/"
done
section "tune"
# shellcheck disable=SC2046
PYTHONPATH=$PWD "${PYTHON:-python3}" -X utf8 -B $here/measured/tune.py "$1" $(variants | awk '{ print $1 "=" $2 }')
section "tune decode"
PYTHONPATH=$PWD "${PYTHON:-python3}" -X utf8 -B $here/measured/tune_decode.py "$1/as_it_is/lib.so"
