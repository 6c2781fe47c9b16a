#!/bin/sh
# The forms of a profile and the pictures: what a program's report, CSV, JSON and SVG say.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/build_emulator.sh
ready_emulator
library=$PWD/$build_root/emulator
unset NVCC_APPEND_FLAGS
mkdir "$scratch/a b"
program="$scratch/a b/program"
cp tests/counters/idioms.cu "$scratch/idioms.cu"
capture "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -I. -gencode arch=compute_90,code=compute_90 "$scratch/idioms.cu" -o "$program" -ldl
if [ "$status" != 0 ]; then
  no "profile/program" "does not compile"
  show_output
  exit 0
fi
line_of() { grep -n -- "$1" "$scratch/idioms.cu" | head -n 1 | cut -d: -f1; }
profiled() { capture env LD_LIBRARY_PATH="$library" EMULATOR_PTXAS=/nowhere/ptxas "$@" timeout 300 "$program"; }
says() { # NAME PATTERN: the output, its line breaks taken out, has it
  if printf '%s' "$output" | tr '\n' ' ' | tr -s ' ' | grep -Eq -- "$2"; then pass "$1"; else
    no "$1" "the output lacks '$2'"
    show_output
  fi
}
lacks() { if printf '%s\n' "$output" | grep -Eq -- "$2"; then no "$1" "the output has '$2'"; else pass "$1"; fi; }

# --- rules: what is wrong is said with its line and number, what is right is not blamed ---
rule() { # KERNEL LINE PATTERN
  profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL="$1("
  says "rules/$1" "line $(line_of "$2"): $3"
}
rule transpose_rows 'c\[x \* SIDE + y\] = a' '32.0 sectors per request, 4 would do: neighbouring threads write addresses 512 bytes apart.*-> let threadIdx.x'
rule array_of_structures 'p\[i\].x' '32.0 sectors per request, 4 would do: neighbouring threads read addresses 32 bytes apart.*-> the elements'
rule gather 'a\[keys\[' '17.9 sectors per request, 4 would do: threads read at irregular distances'
rule reduce_modulo 'threadIdx.x % (2 \* d)' 'threads of one warp diverge at 73 %'
rule histogram_global 'atomicAdd(&bins\[keys' 'on average 2.8 threads of a warp update the same address'
rule local_array 'count\[keys' '[0-9]+ requests for local memory'
rule gemm_naive 'sum += a\[y' 'a block loads each 128-byte line 16.0 times'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL='transpose_shared<0>'
says rules/bank_conflicts "32.0 wavefronts per shared load, 1 would do: neighbouring threads read addresses 128 bytes apart, all in the same bank.*tile\[32\]\[33\]"
for right in 'transpose_shared<1>' transpose_swizzled copy_float4 copy_shifted structure_of_arrays diverge_by_warp; do
  profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL="$right"
  lacks "rules/nothing about a line of $right" '^ *[0-9]\. line'
done

# --- the report ---
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL='gemm_tiled'
for section in 'What stands out' 'GPU Speed Of Light' 'Memory Workload Analysis' 'Warp State Statistics' 'Instruction Statistics' \
  'Launch Statistics' 'Occupancy' 'Source Counters'; do
  printf '%s\n' "$output" | grep -n "^  $section" | head -n 1 | cut -d: -f1
done >"$scratch/order"
if [ "$(wc -l <"$scratch/order")" = 8 ] && sort -nc "$scratch/order" 2>/dev/null; then pass "text/sections in ncu's order"; else no "text/sections in ncu's order" "$(tr '\n' ' ' <"$scratch/order")"; fi
says "text/no time is shown" 'Duration, cycles, throughput n/a \(needs a GPU\).*Achieved Occupancy % n/a \(needs a GPU\)'
if [ "$(printf '%s\n' "$output" | wc -L)" -le 130 ]; then pass "text/width"; else no "text/width" "$(printf '%s\n' "$output" | wc -L) columns"; fi
lacks "text/one kernel alone" '^copy_float\('
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=texture_array
says "text/textures" 'Texture Fetch [0-9,]+ [0-9,]+ [0-9.]+ [0-9,]+ Texture and surface instructions inst'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=no_such_kernel
says "text/no such kernel" "No kernel with 'no_such_kernel' in its name was launched\."
lacks "text/nothing is said of kernels that were not counted" 'Counted on the emulator'
capture env LD_LIBRARY_PATH="$library" "$program"
lacks "text/nothing without being asked" 'Workload'

# --- registers and occupancy ---
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=gemm_tiled EMULATOR_PTXAS=/nowhere/ptxas
says "registers/no ptxas" 'Registers Per Thread register n/a'
ptxas=$(dirname "$(readlink -f "$NVCC")")/ptxas
if [ -x "$ptxas" ]; then
  profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=gemm_tiled EMULATOR_PTXAS="$ptxas"
  says "registers/from ptxas" 'Registers Per Thread register [1-9][0-9]* \(sm_90, from ptxas\).*Theoretical Occupancy % 100.00, limited by: warps'
  capture "$NVCC" -O3 -std=c++17 -cudart shared -I. -gencode arch=compute_90,code=[compute_90,sm_90] "$scratch/idioms.cu" -o "$scratch/with_sass" -ldl
  program="$scratch/with_sass"
  profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=gemm_tiled EMULATOR_PTXAS=/nowhere/ptxas
  says "registers/from machine code" 'Registers Per Thread register [1-9][0-9]* \(sm_90, from the program\)'
  says "text/no lines without -lineinfo" 'compile with -lineinfo'
  # Machine code says how many registers there are, and not what had no room in them: that is asked of ptxas all the same.
  cat >"$scratch/spills.cu" <<'END'
__global__ void __launch_bounds__(1024, 2) spilling(float *x) { /* 64 words that are needed to the end, and 32 registers */
    float v[64];
    for (int k = 0; k < 64; k++) {
        v[k] = x[k * 1024 + threadIdx.x];
    }
    __syncthreads();
    for (int k = 0; k < 64; k++) {
        x[threadIdx.x * 64 + k] = v[k] * v[63 - k];
    }
}
int main(void) {
    float *x;
    cudaMalloc((void **)&x, 64 * 1024 * sizeof *x);
    spilling<<<1, 1024>>>(x);
    return cudaDeviceSynchronize();
}
END
  program="$scratch/spills"
  capture "$NVCC" -O3 -std=c++17 -cudart shared -gencode arch=compute_90,code=[compute_90,sm_90] "$scratch/spills.cu" -o "$program" -ldl
  profiled EMULATOR_PROFILE=text EMULATOR_PTXAS="$ptxas"
  says "registers/spills of machine code" \
    'register 32 \(sm_90, from the program\) Registers that did not fit: stored, loaded byte [1-9][0-9]*, [1-9][0-9]*'
  says "registers/spills stand out" '[1-3]\. ptxas has spilled registers: with 32 registers, each thread stores [1-9][0-9]* and loads [1-9]'
  program="$scratch/a b/program"
else
  skip registers/ptxas "there is none"
fi

# --- what ptxas said is kept ---
ours=$scratch/ours # with a ptxas that says what stands in files, and is counted
mkdir -m 700 "$ours" "$ours/answers"
cat >"$ours/ptxas" <<'END'
#!/bin/sh
cd "$(dirname "$0")"
[ "$1" != --version ] || exec cat version
echo call >>calls
echo "ptxas info    : Compiling entry function '_Z5smallPi' for 'sm_90'"
echo "ptxas info    : Used $(cat registers) registers, used 0 barriers"
exit "$(cat status)"
END
chmod +x "$ours/ptxas"
cat >"$ours/small.cu" <<'END'
__global__ void small(int *x) { *x = NUMBER; }
int main(void) {
    int *x;
    cudaMalloc((void **)&x, sizeof *x);
    small<<<1, 1>>>(x);
    return cudaDeviceSynchronize();
}
END
make_small() { "$NVCC" -DNUMBER="$1" -std=c++17 -cudart shared -gencode arch=compute_90,code=compute_90 "$ours/small.cu" -o "$ours/small$1" -ldl; }
# asked NAME PROGRAM REGISTERS CALLS: the program's profile says that there are so many registers, and ptxas was called so often in all.
asked() {
  program=$ours/$2
  profiled EMULATOR_PROFILE=text EMULATOR_PTXAS="$ours/ptxas" EMULATOR_CACHE="$ours/answers"
  calls=$(wc -l <"$ours/calls")
  if [ "$calls" = "$4" ]; then says "$1" "Registers Per Thread register $3 \\(sm_90, from ptxas\\)"; else no "$1" "ptxas was called $calls times, not $4"; fi
}
capture make_small 1
[ "$status" != 0 ] || capture make_small 2
: >"$ours/calls"
echo 1.0 >"$ours/version"
echo 1 >"$ours/status"
echo 21 >"$ours/registers"
asked "kept/ptxas is asked" small1 21 1
echo 0 >"$ours/status"
echo 22 >"$ours/registers"
asked "kept/not the answer of one that failed" small1 22 2
echo 23 >"$ours/registers"
asked "kept/its answer" small1 22 2
asked "kept/not for another text" small2 23 3
echo 24 >"$ours/registers"
echo 1.1 >"$ours/version"
asked "kept/not for another ptxas" small1 24 4
echo 25 >"$ours/registers"
for answer in "$ours/answers"/*.ptxas; do
  head -c -3 "$answer" >"$scratch/damaged"
  cp "$scratch/damaged" "$answer"
done
asked "kept/not what is damaged" small1 25 5
: >"$ours/version"
echo 26 >"$ours/registers"
asked "kept/not of one without a version" small1 26 6
echo 27 >"$ours/registers"
asked "kept/nor is it found again" small1 27 7
chmod 777 "$ours/answers"
echo 1.1 >"$ours/version"
asked "kept/not where others may write" small1 27 8
program="$scratch/a b/program"

# --- for tools ---
profiled EMULATOR_PROFILE=json EMULATOR_PROFILE_FILE="$scratch/profile.json" EMULATOR_PTXAS=/nowhere
cat >"$scratch/check.py" <<'END'
import json, sys
launches = json.load(open(sys.argv[1]))
assert len(launches) == 44, len(launches)
for p in launches:
    for metric in ("smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"):
        of_lines = sum(line["metrics"].get(metric, 0) for line in p["lines"])
        assert of_lines == p["metrics"][metric], (p["kernel"], metric, of_lines)
    classes = sum(v for k, v in p["metrics"].items() if k.startswith("emulator__inst_executed_class"))
    assert classes == p["metrics"]["smsp__inst_executed.sum"], (p["kernel"], classes)
    assert p["occupancy"]["registers_per_thread"] is None
rules = {r["rule"] for p in launches for r in p["rules"]}
assert {"uncoalesced", "bank_conflicts", "divergence", "atomic_contention", "local_memory", "reuse", "partial_warp"} <= rules, rules
print("good")
END
capture python3 "$scratch/check.py" "$scratch/profile.json"
expect "json/lines and classes add up to the launch" 0 '^good$'
profiled EMULATOR_PROFILE=csv EMULATOR_PROFILE_FILE="$scratch/profile.csv"
cat >"$scratch/check.py" <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len({r["ID"] for r in rows}) == 44 and all(None not in r and None not in r.values() for r in rows)
assert list(rows[0]) == ["ID", "Kernel Name", "Block Size", "Grid Size", "File", "Line", "Section Name", "Metric Name", "Metric Unit", "Metric Value"]
print("good")
END
capture python3 "$scratch/check.py" "$scratch/profile.csv"
expect "csv/every row is whole" 0 '^good$'
profiled EMULATOR_PROFILE=csv EMULATOR_PROFILE_FILE=/nowhere/profile.csv
expect "csv/a file that cannot be written" 0 'cannot write /nowhere/profile.csv'
profiled EMULATOR_PROFILE=csv EMULATOR_PROFILE_FILE="$scratch/one.csv" EMULATOR_THREADS=1
if cmp -s "$scratch/one.csv" "$scratch/profile.csv"; then pass "csv/the same with one host thread"; else
  no "csv/the same with one host thread" "$(diff "$scratch/one.csv" "$scratch/profile.csv" | head -n 4)"
fi

# --- pictures ---
profiled EMULATOR_VIEW="$scratch/a b/view"
says "view/sectors as text" "line $(line_of 'p\[i\].x'), global load: .*32 sectors of 32 bytes, where 4 would do.* byte 0 \| \. \. \. (0|\. \.)"
says "view/banks as text" '32 wavefronts, where 1 would do \(31 bank conflicts\).* wavefront 1 '
says "view/heat as text" 's \(shared\) of reduce_interleaved, by block \(0,0,0\) 256 threads: 511 loads and 511 stores of elements of 4 bytes, at most 18 of one element'
says "view/heat in rows" 'tile \(shared\) of [^:]*, by block \(0,0,0\) .* Rows start every 33 elements \(132 bytes\): rows 0 to 31, columns 0 to 31 of the buffer.'
says "view/divergence as text" '16 #\.#\.#\.#\.#\.#\.#\.#\.#\.#\.#\.#\.#\.#\.#\.#\.'
cat >"$scratch/check.py" <<'END'
import glob, sys, xml.etree.ElementTree as tree
files = glob.glob(sys.argv[1] + "/*.svg")
assert len(files) > 200, len(files)
name = "{http://www.w3.org/2000/svg}"
for f in files:
    root = tree.parse(f).getroot()
    assert root.get("role") == "img" and root.find(name + "title").text and len(root.find(name + "desc").text) > 80, f
    width, height = float(root.get("width")), float(root.get("height"))
    for box in root.iter(name + "rect"):
        if box.get("x"):
            assert float(box.get("x")) + float(box.get("width")) <= width and float(box.get("y")) + float(box.get("height")) <= height, f
    assert "prefers-color-scheme: dark" in open(f).read(), f
print("good")
END
capture python3 "$scratch/check.py" "$scratch/a b/view"
expect "view/every picture is whole and says what it shows" 0 '^good$'
profiled EMULATOR_VIEW="$scratch/line" EMULATOR_VIEW_LINE="$(line_of 'p\[i\].x')" EMULATOR_PROFILE_KERNEL=structures
if [ "$(ls "$scratch/line")" = "array_of_structures_line$(line_of 'p\[i\].x')_global_load.svg
array_of_structures_line$(line_of 'p\[i\].x')_global_store.svg" ]; then pass "view/one line alone"; else no "view/one line alone" "$(ls "$scratch/line")"; fi
profiled EMULATOR_VIEW="$scratch/line" EMULATOR_VIEW_LINE=1 EMULATOR_PROFILE_KERNEL=copy_float4
says "view/a line without accesses" "No kernel accesses memory in line 1. These lines do: $(line_of 'GLOBAL_INDEX < N / 4' | awk '{ print $1 + 1 }')"

# --- a helper that is called from several places, demonstrations, and programs of many kernels ---
whole=$program program=$scratch/calls
cat >"$scratch/calls.cu" <<'END'
#include <cuda_runtime.h>
static __device__ float load(const float *p, int i) {
    return p[i];
}
__global__ void helpers(const float *a, const float *b, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = load(a, i);
    float w = load(b, 32 * i);
    y[i] = v + w;
}
__global__ void hello(int *p) {
    if (p)
        *p = 1;
}
__global__ void third(float *y) {
    y[threadIdx.x] = 1;
}
int main() {
    float *x;
    cudaMalloc(&x, 1 << 24);
    cudaMemset(x, 0, 1 << 24);
    helpers<<<200, 256>>>(x, x + (1 << 18), x);
    hello<<<3, 4>>>(NULL);
    third<<<1, 1024>>>(x);
    return cudaDeviceSynchronize();
}
END
capture "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75 "$scratch/calls.cu" -o "$program"
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=helpers
says "calls/the rule is about one of them" 'line 3: \(called in line 8\) 32.0 sectors per request, 4 would do: neighbouring threads read addresses 128 bytes apart'
lacks "calls/the other one is not blamed" 'called in line 7'
says "calls/the lines are told apart" '3 [0-9,]+ 32.0 global load 1,600 4.0 4.0 return p\[i\]; <- line 7 3 [0-9,]+ 32.0 global load 1,600 32.0 4.0 return p\[i\]; <- line 8'
profiled EMULATOR_PROFILE=csv
[ "$(printf '%s\n' "$output" | grep -c '"helpers.*","3",.*"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"')" = 1 ] &&
  pass "calls/one row for a line in CSV" || no "calls/one row for a line in CSV" "$(printf '%s\n' "$output" | grep -c '"3",.*op_ld.sum')"
profiled EMULATOR_PROFILE=text
says "brief/not unless asked for" 'Nothing: this launch is too small to judge \(few threads, few instructions\)\. .*Memory Workload'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BRIEF=WORD=name
says "brief/a summary" 'helpers\(.* 1\. line 3: .*hello\(int \*\) =+ grid \(3, 1, 1\), block \(4, 1, 1\) a demonstration third.*This is a summary: WORD=name shows one kernel'
lacks "brief/no sections" 'Memory Workload'
profiled EMULATOR_VIEW="$scratch/brief" EMULATOR_PROFILE_BRIEF=WORD=name
says "brief/pictures by name" 'helpers\(.*/brief/helpers_line3_global_load.svg line 3, global load: return p\[i\];.*This is a summary: WORD=name shows one'
lacks "brief/no pictures as text" 'byte  *0'
if [ -s "$scratch/brief/helpers_line3_global_load.svg" ]; then pass "brief/the pictures are drawn"; else no "brief/the pictures are drawn" "$(ls "$scratch/brief")"; fi
profiled EMULATOR_VIEW="$scratch/brief" EMULATOR_PROFILE_KERNEL=nosuch
says "view/no such kernel" "No kernel with 'nosuch' in its name was launched. These were: helpers\(.* hello\(int \*\) third"
lacks "view/no such kernel, and no line 0" 'line 0'
program=$whole

# --- two runs compared: lines are found again by their text ---
cat >"$scratch/before.cu" <<'END'
#include <cuda_runtime.h>
enum { N = 1 << 16, MANY = 32 };
__global__ void same_kernel(float *y) {
    y[threadIdx.x] = 1;
}
__global__ void sum_kernel(float *sum) {
    if (threadIdx.x < MANY) atomicAdd(sum, 1);
}
__global__ void turn_kernel1(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    y[i * 32 % N + i / 2048] = v;
    y[i] += 1;
}
__global__ void chase_kernel(const int *next, int *out) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < 64; s++)
        at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
static void __attribute__((noinline)) run_rounds(float *x, float *y) {
    float first;
    for (int r = 0; r < 12; r++) {
        turn_kernel1<<<N / 256, 256>>>(x, y);
        cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost);
    }
}
int main() {
    float *x;
    cudaMalloc(&x, 8 * N);
    cudaMemset(x, 0, 8 * N);
    run_rounds(x, x + N);
    cudaMemset(x, 0, 8 * N);
    chase_kernel<<<132, 64>>>((int *)x, (int *)x + N);
    same_kernel<<<1, 256>>>(x);
    sum_kernel<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
END
sed -e 's|MANY = 32|MANY = 1|' -e 's|^enum { N.*|&\n// a line more\n// and another one|' -e 's|turn_kernel1|turn_kernel2|' -e 's|y\[i \* 32 % N + i / 2048\] = v|y[i] = v|' \
  -e '/y\[i\] += 1/d' -e 's|cudaMemcpy(&first.*|(void)first;|' "$scratch/before.cu" >"$scratch/after.cu"
for which in before after; do
  capture "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -gencode arch=compute_75,code=compute_75 "$scratch/$which.cu" -o "$scratch/$which"
done
at() { grep -nF -- "$2" "$scratch/$1.cu" | head -n 1 | cut -d: -f1; }
program=$scratch/before
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_SAVE="$scratch/a b/before.profile"
says "host/the loop that waits" 'The host =+ 1\. the host waits for the device 12 times in a row \(cudaMemcpy in run_rounds\), after 1\.0 launches on average'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=chase
says "in flight/one load that waits for another" "line $(at before 'at = next[at]'): too few bytes in flight: 2 warps on an SM, each with 1\.0 independent loads"
lacks "host/not where one kernel is looked at" '^The host'
capture head -n 2 "$scratch/a b/before.profile"
expect "compare/the file says what it is" 0 '^cuda-emulator profile 1'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BASE="$scratch/a b/before.profile"
says "compare/the same program asks for the same" 'Compared with .*4 kernels made the same requests as before'
lacks "compare/and nothing else is said" ' (better|worse)$|line by line'
program=$scratch/after
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BASE="$scratch/a b/before.profile"
says "compare/the host" 'The host =+ Launches 15 15 1\.00 the same Calls that wait for the device 13 1 0\.08 better'
says "compare/a kernel with another digit" 'turn_kernel2\([a-z *,]*\) =+ was: turn_kernel1\('
says "compare/a line that was edited, at its new place" \
  "$(at before 'y[i * 32') -> *$(at after 'y[i] = v') y\[i\] = v; was: y\[i \* 32 % N \+ i / 2048\] = v; .*Global Store Sectors 786432 98304 0\.12 better"
says "compare/a line that is gone" "$(at before 'y[i] += 1') -> *- y\[i\] \+= 1; \(gone\) .*Global Load Sectors 98304 0 0\.00 better"
lacks "compare/a line that only moved is not told" 'float v = x'
says "compare/atomics that meet less often" 'Threads at the Busiest Address 32 1 0\.03 better'
says "compare/kernels that are the same" '2 kernels made the same requests as before'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BASE="$scratch/a b/before.profile" EMULATOR_PROFILE_KERNEL=turn_kernel2
says "compare/one kernel alone" 'was: turn_kernel1\('
lacks "compare/the others of the run before are not gone" 'gone; grid'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_SAVE="$scratch/after.profile"
program=$scratch/before
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BASE="$scratch/after.profile"
says "compare/worse is called worse" 'Global Store Sectors 98304 786432 8\.00 worse'
says "compare/a new line" "- -> *$(at before 'y[i] += 1') y\[i\] \+= 1; \(new\)"
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BASE="$scratch/before.cu"
expect "compare/with a file that is none" 0 'is not compared with: it is not a saved profile'
program=$whole
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BASE="$scratch/after.profile"
says "compare/kernels that this run did not start" 'Not run this time: .*turn_kernel2\([a-z *,]*\); grid \([0-9, ]*\), block \([0-9, ]*\), [0-9]+ launch'
lacks "compare/they are not gone" 'gone; grid'
program=$scratch/before
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_BASE="$scratch/nowhere"
expect "compare/with no file" 0 'is not compared with: it cannot be read'
program=$whole

# --- loads in flight: what waits for another load, or for a store that might change it, is not in flight beside it ---
program=$scratch/in_flight
cat >"$scratch/in_flight.cu" <<'END'
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#define I (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void four_kernel(const float *x, float *y) {
    float a = x[I], b = x[I + 1024], c = x[I + 2048], d = x[I + 3072];
    y[I] = a * b + c * d;
}
__global__ void behind_stores_kernel(const float *x, float *y) {
    y[I] = x[I];
    y[I + 1024] = x[I + 1024];
}
__global__ void restrict_kernel(const float *__restrict__ x, float *__restrict__ y) {
    y[I] = x[I];
    y[I + 1024] = x[I + 1024];
}
__global__ void barrier_kernel(const float *x, float *y) {
    float a = x[I];
    __syncthreads();
    y[I] = a + x[I + 1024];
}
__global__ void pointer_kernel(const int *at, const float *x, float *y) {
    y[I] = x[at[I]] + x[at[I + 1024]];
}
__global__ void guards_kernel(const float *x, float *y, int n) {
    float e[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        e[k] = I + k * 1024 < n ? x[I + k * 1024] : 0;
    y[I] = e[0] * e[1] + e[2] * e[3];
}
__global__ void decided_kernel(const float *x, float *y) {
    float a = x[I], b = 0;
    if (a > 0)
        b = x[I + 1024];
    y[I] = a + b;
}
__global__ void loop_kernel(const float *x, float *y, int n) {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k += 1024)
        sum += x[I + k];
    y[I] = sum;
}
__global__ void copies_kernel(const float4 *x, float4 *y) {
    __shared__ float4 tile[4][32];
    for (int s = 0; s < 64; s += 4) {
        for (int k = 0; k < 4; k++)
            __pipeline_memcpy_async(&tile[k][threadIdx.x], &x[(s + k) * 32 + threadIdx.x], sizeof *x);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        y[s / 4 * 32 + threadIdx.x] = tile[s / 4 % 4][threadIdx.x];
    }
}
/* The last block waits for the first one, which works for a while before it sets the flag. */
__global__ void polls_kernel(const float *x, float *y, volatile int *flag) {
    if (blockIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < 2000; k++)
            sum = sum * 0.5f + y[threadIdx.x];
        y[I] = sum;
        __threadfence();
        if (threadIdx.x == 0)
            *flag = 1;
    } else if (threadIdx.x == 0) {
        while (!*flag)
            ;
    }
    __syncthreads();
    y[I] += x[I];
}
static void __attribute__((noinline)) copy_rounds(float *x) {
    static float part[256];
    for (int r = 0; r < 9; r++) {
        cudaMemcpy(x, part, sizeof part, cudaMemcpyHostToDevice);
        loop_kernel<<<1, 256>>>(x, x + 8192, 1024);
        cudaMemcpy(part, x + 8192, sizeof part, cudaMemcpyDeviceToHost);
    }
}
int main() {
    float *x;
    cudaMalloc(&x, 1 << 17);
    cudaMemset(x, 0, 1 << 17);
    copy_rounds(x);
    polls_kernel<<<2, 256>>>(x, x + 8192, (int *)x + 20000);
    copies_kernel<<<132, 32>>>((float4 *)x, (float4 *)x + 2048);
    four_kernel<<<4, 256>>>(x, x + 8192);
    behind_stores_kernel<<<4, 256>>>(x, x + 8192);
    restrict_kernel<<<4, 256>>>(x, x + 8192);
    barrier_kernel<<<4, 256>>>(x, x + 8192);
    pointer_kernel<<<4, 256>>>((int *)x, x, x + 8192);
    guards_kernel<<<4, 256>>>(x, x + 8192, 4000);
    decided_kernel<<<4, 256>>>(x, x + 8192);
    loop_kernel<<<4, 256>>>(x, x + 8192, 4096);
    return cudaDeviceSynchronize();
}
END
capture "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -gencode arch=compute_80,code=compute_80 "$scratch/in_flight.cu" -o "$program"
profiled EMULATOR_PROFILE=csv
in_flight=$(printf '%s\n' "$output" | awk -F'","' '
  { kernel = $2; sub(/_kernel.*/, "", kernel) }
  $6 == "" && $8 ~ /^l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum/ { requests[kernel] = $NF + 0 }
  $6 == "" && $8 ~ /^emulator__loads_together/ { together[kernel] = $NF + 0 }
  END { n = split("four behind_stores restrict barrier pointer guards decided loop", names, " "); for (k = 1; k <= n; k++) printf "%s %s ", names[k], together[names[k]] / requests[names[k]] }')
if [ "$in_flight" = 'four 4 behind_stores 1 restrict 2 barrier 1 pointer 2 guards 4 decided 1 loop 1 ' ]; then pass "in flight/loads together"; else no "in flight/loads together" "$in_flight"; fi
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=copies
says "in flight/copies are counted" 'Asynchronous copies to shared memory inst 8,448'
lacks "in flight/of copies nothing is said" 'bytes in flight'
profiled EMULATOR_PROFILE=text
says "host/rounds of copies" 'The host =+ 1\. 9 times in a row the host copies in, launches loop_kernel and copies out \(cudaMemcpy in copy_rounds\)'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=polls
lacks "in flight/a load that polls is no load of data" 'loads of [0-9]* bytes'
lacks "barriers/a warp that polls is not busy" 'unequal work before this barrier'
program=$whole

# --- products on tensor cores by shape, and bulk copies by direction: counted by hand, in both tiers ---
program="$scratch/by_hand"
capture "$NVCC" -O3 -lineinfo -std=c++17 -cudart shared -gencode arch=compute_90a,code=compute_90a tests/counters/by_hand.cu -o "$program"
# 2 blocks of 4 warps: 8 warps with 3 by wmma, 4 with 2 by mma; 3 blocks of 2 warpgroups with 5. 2 clusters of 2 blocks: the one that waits
# first knows of 384 bytes, and 384 of the other's are ahead, of which a cluster counts half: 192 * 384 / 1024.
cat >"$scratch/by_hand.wanted" <<'END'
copies emulator__bulk_bytes.sum 1504
copies emulator__bulk_bytes_ahead.sum 144
copies emulator__bulk_bytes_mem_global_op_ld.sum 1024
copies emulator__bulk_bytes_mem_global_op_red.sum 128
copies emulator__bulk_bytes_mem_global_op_st.sum 384
copies emulator__bulk_bytes_mem_shared_op_st.sum 1536
copies emulator__bulk_bytes_shared_to_shared.sum 96
copies emulator__bulk_copies.sum 16
copies emulator__bulk_copies_op_ld.sum 6
copies emulator__bulk_copies_op_red.sum 4
copies emulator__bulk_copies_op_st.sum 4
copies emulator__bulk_copies_shared_to_shared.sum 2
copies emulator__bulk_multicast_bytes_mem_global_op_ld.sum 512
copies emulator__bulk_multicast_bytes_mem_shared_op_st.sum 1024
copies emulator__bulk_multicasts.sum 2
warpgroups emulator__tensor_products.sum 30
warpgroups emulator__wgmma_m64n8k16_f32_bf16_bf16.sum 30
warps emulator__mma_m16n8k16_f32_bf16_bf16_f32.sum 8
warps emulator__tensor_products.sum 32
warps emulator__wmma_m16n16k16_f32_f32.sum 24
END
for tier in 0 2; do
  for of in launch lines; do
    profiled EMULATOR_PROFILE=csv EMULATOR_TIER=$tier
    printf '%s\n' "$output" | awk -F'","' -v of=$of '($6 == "") == (of == "launch") && $8 ~ /^emulator__(bulk_[bcm]|tensor|mma|wmma|wgmma)/ {
      kernel = $2; sub(/\(.*/, "", kernel); sub(/.* /, "", kernel); sum[kernel " " $8] += $NF }
      END { for (s in sum) if (sum[s]) print s, sum[s] }' | LC_ALL=C sort >"$scratch/by_hand.counted"
    if cmp -s "$scratch/by_hand.wanted" "$scratch/by_hand.counted"; then pass "by hand/tier $tier, $of"; else
      no "by hand/tier $tier, $of" "$(diff "$scratch/by_hand.wanted" "$scratch/by_hand.counted" | tr '\n' ' ')"
    fi
  done
done
profiled EMULATOR_PROFILE=json
if printf '%s\n' "$output" | sed -n '/^\[/,$p' | python3 -c '
import json, sys
counted = {p["kernel"].split("(")[0]: p["metrics"] for p in json.load(sys.stdin)}
assert counted["warps"]["emulator__mma_m16n8k16_f32_bf16_bf16_f32.sum"] == 8
assert counted["warpgroups"]["emulator__wgmma_m64n8k16_f32_bf16_bf16.sum"] == 30
assert counted["copies"]["emulator__bulk_multicast_bytes_mem_shared_op_st.sum"] == 1024'; then pass "by hand/json"; else no "by hand/json" "other numbers"; fi
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=copies
says "by hand/bulk copies in the text" 'Bulk loads into shared memory 6, 1,024 bytes read, 1,536 bytes filled Of these by multicast 2, 512 bytes read once, 1,024 delivered Bulk stores from shared to global memory 4, 256 bytes Bulk reductions from shared to global memory 4, 128 bytes Bulk copies between shared memories 2, 96 bytes'
says "by hand/what no GPU's counters were compared with" 'the bytes of bulk copies follow from PTX, and were not compared with'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=warps
says "by hand/products of warps in the text" 'wmma m16n16k16 f32.f32 warp 24 mma m16n8k16 f32.bf16.bf16.f32 warp 8'
says "by hand/few warps stand out" 'theoretical occupancy is 12 %: 2 blocks of 4 warps fit on an SM, limited by shared memory'
profiled EMULATOR_PROFILE=text EMULATOR_PROFILE_KERNEL=warpgroups
says "by hand/products of warpgroups in the text" 'wgmma m64n8k16 f32.bf16.bf16 warpgroup 30'
says "by hand/few warps that use wgmma" 'Theoretical Occupancy % 25\.00 or less \(registers unknown\), limited by: shared memory'
lacks "by hand/few warps that use wgmma are no fault" 'theoretical occupancy is'
program=$whole
