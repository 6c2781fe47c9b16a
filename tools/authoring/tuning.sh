# tuning.sh: what the lessons' measured/tuning/tune.sh share; they source it in the root of the workbook. What is recorded has another way (make record).

# One C++ compiler for all: that of nvcc. The environment may name another one, with another C++ library.
CXX=${NVCC_CCBIN:-g++}
export CXX
unset CUDAHOSTCXX

# build FOLDER NAME SOURCE [SED-SCRIPT]: one executable holds the PTX that the emulator runs (for compute capability 7.5, or what $ptx says)
# and machine code for compute capability 9.0 (or $code); $more are further options for nvcc. A script that changes nothing, since the source has changed,
# makes no variant.
build() {
  sed "${4:-}" "$3" >"$1/$2.cu"
  if [ -n "${4:-}" ] && cmp -s "$3" "$1/$2.cu"; then
    echo "tune.sh: $2 is not another program than $3" >&2
    rm -f "$1/$2"
    return 1
  fi
  # shellcheck disable=SC2086
  nvcc -O3 -lineinfo -std=c++17 -cudart shared -I. -I"$(dirname "$3")" ${more:-} -gencode "arch=compute_${ptx:-75},code=compute_${ptx:-75}" \
    -gencode "arch=compute_${code:-90},code=sm_${code:-90}" "$1/$2.cu" -o "$1/$2" -ldl -lpthread
}

section() { printf '\n--- %s\n' "$*"; }

# The day and the machine.
describe_machine() {
  section machine
  date -u +%Y-%m-%d
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem --format=csv
}
