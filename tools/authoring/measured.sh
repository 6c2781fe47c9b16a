# measured.sh: what the lessons' measured/record.sh share; they source it in the root of the workbook.

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
    echo "record.sh: $2 is not another program than $3" >&2
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

# count PROGRAM KERNELS LAUNCHES METRIC...: ncu's numbers, a line for each kernel and metric. KERNELS is a regular expression.
count() {
  program=$1 kernels=$2 launches=$3
  shift 3
  metrics=$(echo "$*" | tr ' ' ',')
  timeout 60 ncu --clock-control none --print-units base --kernel-name "regex:$kernels" --launch-count "$launches" --kill yes --csv \
    --page raw --metrics "$metrics" "$program" 2>&1 | awk -F'","' -v metrics="$metrics" '
    BEGIN { wanted_count = split(metrics, wanted, ",") }
    /^==.*(ERROR|error)/ { print }
    /^"ID",/ { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i }; next }
    ("Kernel Name" in column) && /^"[0-9]/ {
      name = $column["Kernel Name"]
      sub(/\(.*/, "", name)
      for (i = 1; i <= wanted_count; i++) {
        value = $column[wanted[i]]
        gsub(/[",]/, "", value)
        print name, wanted[i], value
      }
    }'
}

# sanitize PROGRAM [OPTION...]: what compute-sanitizer finds, with the SIZE of the environment. The tools run at the same time.
sanitize() {
  program=$1
  shift
  for tool in memcheck racecheck synccheck initcheck; do
    timeout 60 compute-sanitizer --tool $tool --error-exitcode 9 "$@" "$program" >"$program.$tool" 2>&1 &
  done
  wait
  for tool in memcheck racecheck synccheck initcheck; do
    section "compute-sanitizer --tool $tool, SIZE=$SIZE"
    grep -e '=========' -e ^PASS -e ^FAIL -e ': wrong' "$program.$tool" | head -n 12
  done
}
