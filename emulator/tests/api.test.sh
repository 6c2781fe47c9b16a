#!/bin/sh
# What the runtime API answers: tests/api/*.cu print their own lines. A source may say how it is compiled
# (// flags: ...), what is set when it runs (// environment: ...) and what must appear on stderr (// message: ...). Most are
# compiled together; what would see the difference is not, nor what has flags of its own (// alone: why).
# EMULATOR_DIR=folder tests another build of the emulator.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh

# build_source NAME FLAGS...: builds tests/api/NAME.cu with tests/compile.sh, unless the source chooses its own images.
build_source() {
  source=tests/api/$1.cu program=$scratch/$1
  shift
  own_gencode=$(sed -n 's|^// flags: \(-gencode.*\)|\1|p' "$source")
  own_flags=$(sed -n 's|^// flags: \(--.*\)|\1|p' "$source")
  if [ -z "$own_gencode" ]; then
    sh tests/compile.sh "$source" "$program" $own_flags "$@"
  else
    "$NVCC" $FLAGS $own_gencode $own_flags "$@" "$source" -o "$program" -ldl -lpthread
  fi >"$scratch/build" 2>&1
}

# run_source NAME SUFFIX: runs what was built from tests/api/NAME.cu, and gives its lines the suffix.
run_source() {
  name=$1 source=tests/api/$1.cu program=$scratch/$1 suffix=$2
  status=0
  own_environment=$(sed -n 's|^// environment: ||p' "$source")
  env $own_environment timeout 60 "$program" >"$scratch/out" 2>"$scratch/err" || status=$?
  titled "api/$name$suffix" "$scratch/out"
  case $status in
  0 | 1) ;;
  124) no "api/$name$suffix ends" "stopped after 60 s" ;;
  *) no "api/$name$suffix ends" "ended with status $status: $(tail -n 1 "$scratch/err")" ;;
  esac
  sed -n 's|^// message: ||p' "$source" >"$scratch/messages"
  while IFS= read -r message; do
    if grep -qF -- "$message" "$scratch/err"; then
      pass "api/$name$suffix: it says '$message'"
    else
      no "api/$name$suffix: it says '$message'" "it says '$(head -n 2 "$scratch/err" | tr '\n' ' ')'"
    fi
  done <"$scratch/messages"
}

does_not_compile() { # NAME
  no "api/$1" "does not compile: $(grep -m 1 error "$scratch/build" || head -n 1 "$scratch/build")"
}

build_and_run() { # NAME SUFFIX FLAGS...
  built=$1 suffix=$2
  shift 2
  if build_source "$built" "$@"; then run_source "$built" "$suffix"; else does_not_compile "$built$suffix"; fi
}

alone=$(grep -lE '^// (flags|alone): ' tests/api/*.cu)
together=$(ls tests/api/*.cu | grep -vxF "$alone")
sh tests/join.sh "$scratch/joined.cu" $together
if sh tests/compile.sh "$scratch/joined.cu" "$scratch/joined" >"$scratch/build" 2>&1; then
  for source in $together; do
    name=$(basename "$source" .cu)
    ln "$scratch/joined" "$scratch/$name"
    run_source "$name" ''
  done
else
  does_not_compile joined
fi
for source in $alone; do
  build_and_run "$(basename "$source" .cu)" ''
done

# However the PTX is packed, and next to machine code.
for mode in none speed size balance; do
  build_and_run symbols ", -compress-mode=$mode" -compress-mode="$mode"
done

# ptxas is asked about a kernel with the PTX of that alone, and with all of it where that does not do. The stand-in notes how many
# kernels it is given each time. It has no version, so that nothing is kept of what it says.
cat >"$scratch/ptxas" <<'END_OF_PTXAS'
#!/bin/sh
[ "$1" != --version ] || exit 1
for file; do case $file in *.ptx) kernels=$(grep -c '\.entry ' "$file") ptx=$file ;; esac; done
echo "$kernels" >>"$0.given"
if [ -n "${NEWEST:-}" ] && ! grep -q "^\.version $NEWEST\$" "$ptx"; then
  echo "ptxas $ptx, line 1; fatal   : Unsupported .version 9.9; current version is '$NEWEST'"
  exit 255
fi
[ "$kernels" -ge "$LEAST" ] && exec "$PTXAS" "$@"
END_OF_PTXAS
chmod +x "$scratch/ptxas"
# Machine code says how many registers it has, and nobody has to be asked.
[ -z "$GPU_NAME" ] || "$NVCC" $FLAGS -gencode arch=compute_75,code=compute_75 tests/api/registers.cu -o "$scratch/registers"
ask_for_registers() { # LEAST KERNELS THAT PTXAS TAKES
  rm -f "$scratch/ptxas.given"
  capture env LEAST="$1" PTXAS="$(find_ptxas)" EMULATOR_PTXAS="$scratch/ptxas" \
    timeout 60 "$scratch/registers"
  given=$(sed 's/^[2-9]$\|^[0-9][0-9][0-9]*$/many/' "$scratch/ptxas.given" 2>/dev/null | tr '\n' ' ' || true)
}
check_given() { # NAME EXPECTED
  if [ "$status" = 0 ] && [ "$given" = "$2" ]; then pass "$1"; else no "$1" "status $status, kernels given to ptxas: $given" && show_output; fi
}
ask_for_registers 1
check_given "api/registers: ptxas is given one kernel" '1 1 '
ask_for_registers 2
check_given "api/registers: or all, where one does not do" '1 many 1 many '
export NEWEST=7.8
ask_for_registers 1
check_given "api/registers: PTX that is newer than ptxas is given as its newest version" '1 1 1 1 '
unset NEWEST

# The table of functions says what is so.
library=$(ls "${LD_LIBRARY_PATH%%:*}"/libcudart.so.13 2>/dev/null || :)
if [ -z "$library" ]; then
  skip "api: the table of functions" "it is about toolkit 13"
elif sh tests/api/table.sh "$library" | cmp -s - tests/api/README.md; then
  pass "api: the table of functions"
else
  no "api: the table of functions" "make it anew: tests/api/table.sh $library --update"
fi

# Silence on request: answers stay, explanations go.
EMULATOR_QUIET=1
export EMULATOR_QUIET
capture timeout 60 "$scratch/memory"
if printf '%s\n' "$output" | grep -q '^========='; then
  no "EMULATOR_QUIET=1" "it still says $(printf '%s\n' "$output" | grep -m 1 '^=========')"
else
  pass "EMULATOR_QUIET=1"
fi
unset EMULATOR_QUIET

# The same programs on the emulator with ASan and UBSan, whose runtime has to be there before anything else.
sanitizer=$("${CC:-gcc}" -print-file-name=libasan.so)
capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "emulator builds (sanitized)" "its compiler reports errors"
elif [ "${sanitizer#/}" = "$sanitizer" ]; then
  skip "api (sanitized)" "this compiler has no libasan.so"
else
  for name in errors launch memory streams symbols fault library memory_arrays memory_managed memory_pools mipmap graphs capture graph_conditions graph_samples; do
    status=0
    LD_PRELOAD=$sanitizer EMULATOR_TIER=0 ASAN_OPTIONS=detect_leaks=0 LD_LIBRARY_PATH=$PWD/$sanitized_emulator EMULATOR_QUIET=1 \
      timeout 200 "$scratch/$name" >"$scratch/out" 2>"$scratch/err" || status=$?
    if [ "$status" = 0 ]; then
      pass "api/$name (sanitized)"
    else
      no "api/$name (sanitized)" "ended with status $status: $(grep -m 1 -E 'ERROR: |runtime error|^not ok' "$scratch/err" "$scratch/out")"
    fi
  done
fi
