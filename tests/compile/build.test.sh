#!/bin/sh
# Building and running a lesson in a path with spaces: what is rebuilt and when, -j, the order of words, build/env.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project

# An nvcc that notes each call.
mkdir "$scratch/bin"
printf '#!/bin/sh\necho call >>"%s/calls"\nexec "%s" "$@"\n' "$scratch" "$real_nvcc" >"$scratch/bin/nvcc"
chmod +x "$scratch/bin/nvcc"
ln -s "$(dirname "$real_nvcc")/ptxas" "$scratch/bin/ptxas"
export PATH="$scratch/bin:$PATH" SIZE=1000

capture make lesson01
expect "make lesson01" 0 'make lesson01 run'
capture make lesson01 run
expect "make lesson01 run" 0 '^PASS'
: >"$scratch/calls"
capture make lesson01 run
expect "make lesson01 run once more" 0 '^PASS'
if [ -s "$scratch/calls" ]; then no "a warm run does not call nvcc" "it did"; else pass "a warm run does not call nvcc"; fi
capture make run lesson01
expect "make run lesson01" 0 '^PASS'
capture make -j8 lesson01 run
expect "make -j8 lesson01 run" 0 '^PASS'
case $output in *jobserver*) no "make -j8 without a complaint of make" "$output" ;; *) pass "make -j8 without a complaint of make" ;; esac

touch common/check.h
: >"$scratch/calls"
capture make lesson01
if [ -s "$scratch/calls" ]; then pass "a changed header rebuilds"; else no "a changed header rebuilds" "nvcc was not called"; fi
: >"$scratch/calls"
capture make lesson01 NVCCFLAGS=-DSOMETHING
if [ -s "$scratch/calls" ]; then pass "other flags rebuild"; else no "other flags rebuild" "nvcc was not called"; fi
capture make -j4 clean lesson01
expect "make -j4 clean lesson01 cleans first, then builds" 0 'built build/lessons/lesson01'
if [ -x build/lessons/lesson01 ] && ! [ -e build/emulator ]; then pass "make clean removes what was built"; else no "make clean removes what was built" "$(ls build)"; fi
cp -Rp "$project/build/emulator" build/

printf 'int main() { return undeclared; }\n' >lessons/lesson01_threads/lesson01.cu
capture make lesson01 run
expect "a compile error names file and line" error 'lesson01_threads/lesson01\.cu\(1\): error'
printf '__global__ void k(int *x) { __shared__ int s[20000]; s[*x] = 1; __syncthreads(); *x = s[*x + 1]; }\nint main() {}\n' \
  >lessons/lesson01_threads/lesson01.cu
capture make lesson01
expect "what ptxas refuses is not built, with a GPU or without" error "'_Z1kPi' uses too much shared data \(0x13880 bytes, 0xc000 max\)"
printf '__global__ void k(float *x) {\n  asm("mov.b64 %%0, %%1;" : "=f"(x[0]) : "f"(x[1]));\n}\nint main() {}\n' >lessons/lesson01_threads/lesson01.cu
capture make lesson01
expect "what ptxas says of inline PTX names its line" error 'lesson01\.cu\(2\): error .*mov'
printf '#include <cstdlib>\nint main() { abort(); }\n' >lessons/lesson01_threads/lesson01.cu
capture make lesson01 run
expect "a crash is named" error 'ended by abort'
printf 'int main() { for (;;) { volatile int x = 0; (void)x; } }\n' >lessons/lesson01_threads/lesson01.cu
capture make lesson01 run TIMEOUT=1
expect "a program that hangs on the host is stopped" error 'stopped after'

printf 'int main() { return 0; }\n' >lessons/lesson01_threads/lesson01.cu
capture make lesson01 NVCCFLAGS='-Xptxas -v'
expect "-Xptxas without a GPU says that ptxas is not called" 0 'ptxas, which you ask for something, is not called. ARCH=sm_90'
capture make lesson01 NVCCFLAGS='-Xptxas -v' ARCH=sm_90
case $output in *'is not called'*) no "and does not where it is" "$output" ;; *) pass "and does not where it is" ;; esac

capture sh -c 'for i in 1 2; do sh tools/compile/build.sh lessons/lesson02_*/lesson02.cu build/lessons/lesson02 & done; wait'
case $output in *"can't read"* | *'No such'*) no "two builds of one program at once" "$output" ;; *) expect "two builds of one program at once" 0 '' ;; esac
capture make lesson02 ptx
expect "make lesson02 ptx lists the kernels" 0 'instructions  kernel'
capture sh tools/actions/disassemble.sh lesson31 ptx # without what its program needs, which is large
expect "make lesson31 ptx lists those that its program compiles when it runs" 0 ' gelu_backward$'

cat >"$scratch/hello.cu" <<'END'
#include <cstdio>
__global__ void hello() { printf("hello from thread %d\n", threadIdx.x); }
int main() { hello<<<1, 4>>>(); return cudaDeviceSynchronize() != cudaSuccess; }
END
capture sh -c '. build/env && cd "$1" && nvcc hello.cu && ./a.out' sh "$scratch"
expect ". build/env makes plain nvcc and ./a.out work" 0 'hello from thread 3'

# PyTorch's extensions get nvcc by a variable that ninja and a shell read. The stand-in for Python does what those do.
odd="$scratch/it is \$1"
mkdir "$odd"
printf '#!/bin/sh\necho this nvcc\n' >"$odd/nvcc"
printf '#!/bin/sh\ncase $* in *" wheel "*) sh -c "$(printf %%s "$PYTORCH_NVCC" | sed "s/[$][$]/$/g") --version" ;; esac\n' >"$odd/python"
chmod +x "$odd/nvcc" "$odd/python"
echo "NVCC='$odd/nvcc'" >>build/configuration
capture sh tools/python/wheel.sh "$odd/python" lessons/lesson30_pytorch/package build/wheel
expect "a wheel is built in paths with spaces" 0 ''
capture cat build/wheel/wheel.log
expect "by an nvcc whose path has spaces and a dollar" 0 '^this nvcc'

# What is ready for one Python is not for another; for the same one it is left as it is.
asked() { make build/lessons/python.asked PYTHON="$1" >/dev/null && ls -l --time-style=full-iso build/lessons/python.asked; }
first=$(asked one)
again=$(asked one)
capture cat build/lessons/python.asked
expect "which Python was asked for is kept" 0 '^one$'
if [ "$first" = "$again" ]; then pass "and left alone while it is the same"; else no "and left alone while it is the same" "$first, $again"; fi
asked "a two" >/dev/null
capture cat build/lessons/python.asked
expect "another one is written there" 0 '^a two$'
