#!/bin/sh
# Programs of several files: linked with -rdc=true, from objects, a static library and for several architectures; modules
# without -rdc; a shared library that is opened and closed; and a file or a library that comes without PTX. The sources are in
# tests/link/.
set -eu
cd "$(dirname "$0")/.."
. tests/check.sh
. tests/configuration.sh
make_scratch

. tests/use_emulator.sh
unset NVCC_APPEND_FLAGS

here=tests/link
flags="-O1 -lineinfo -std=c++17 -cudart shared"

# compile NAME ARGUMENTS...: what nvcc says is shown when it fails.
compile() {
  compiled=$1
  shift
  capture "$NVCC" "$@"
  [ "$status" = 0 ] && return 0
  no "$compiled" "does not compile"
  show_output
  return 1
}

# check_program NAME PROGRAM ARGUMENTS...: gives the program's lines this name.
check_program() {
  name=$1
  shift
  status=0
  timeout 60 "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
  sed -n "s/^\(ok\|not ok\) /\1 $name: /p" "$scratch/out"
  if [ "$status" != 0 ] && ! grep -q '^not ok ' "$scratch/out"; then
    no "$name" "ended with status $status"
    status=1
  fi
  [ "$status" = 0 ] || sed 's/^/    | /' "$scratch/err" | head -n 20
}

says() { # NAME WORDS
  sed 's|^=*||' "$scratch/err" | tr -s '\n ' ' ' >"$scratch/words"
  if grep -qF -- "$2" "$scratch/words"; then
    pass "$1"
  else
    no "$1" "it does not say '$2' but:"
    sed 's/^/    | /' "$scratch/err" | head -n 20
  fi
}

linked() { # NAME GENCODE...: across.cu and across_device.cu in one call of nvcc
  name=$1
  shift
  compile "$name" $flags -rdc=true "$@" "$here/across.cu" "$here/across_device.cu" -o "$scratch/across" || return 0
  check_program "$name" "$scratch/across"
}

linked "-rdc=true" $GENCODE
linked "-rdc=true for sm_90" -arch=sm_90
linked "-rdc=true at -G" $GENCODE -G

# As a Makefile does it: objects, a static library, a device link, and the host's linker.
name="objects and a static library"
if compile "$name" $flags $GENCODE -rdc=true -c "$here/across.cu" -o "$scratch/across.o" &&
  compile "$name" $flags $GENCODE -rdc=true -c "$here/across_device.cu" -o "$scratch/device.o" &&
  compile "$name" $flags $GENCODE -lib "$scratch/device.o" -o "$scratch/libdevice.a" &&
  compile "$name" $flags $GENCODE "$scratch/across.o" -L"$scratch" -ldevice -o "$scratch/program"; then
  check_program "$name" "$scratch/program"
fi

name="modules without -rdc"
if compile "$name" $flags $GENCODE "$here/modules.cu" "$here/modules_other.cu" -o "$scratch/modules"; then
  check_program "$name" "$scratch/modules"
fi

for rdc in false true; do
  name="shared library, -rdc=$rdc"
  if compile "$name" $flags $GENCODE "$here/library.cu" -o "$scratch/library" -ldl &&
    compile "$name" $flags $GENCODE -rdc=$rdc -Xcompiler -fPIC -shared "$here/library_kernels.cu" -o "$scratch/library.so"; then
    check_program "$name" "$scratch/library" "$scratch/library.so"
    says "$name: the message names the variable" 'the variable state of a library that is closed'
  fi
done

# The same programs on the emulator with ASan and UBSan, whose runtime has to be there before anything else.
sanitizer=$("${CC:-gcc}" -print-file-name=libasan.so)
capture build_emulator "$sanitized_emulator" SANITIZE=1
if [ "$status" != 0 ]; then
  no "emulator builds (sanitized)" "its compiler reports errors"
elif [ "${sanitizer#/}" = "$sanitizer" ]; then
  skip "link (sanitized)" "this compiler has no libasan.so"
else
  for program in across modules "library $scratch/library.so"; do
    check_program "${program%% *} (sanitized)" env LD_PRELOAD="$sanitizer" ASAN_OPTIONS=detect_leaks=0 \
      LD_LIBRARY_PATH="$PWD/$sanitized_emulator" "$scratch/"$program
  done
fi

# Machine code for one GPU only, in a program that has PTX for the rest.
name="a file without PTX"
sass='-gencode arch=compute_90,code=sm_90'
if compile "$name" $flags -arch=sm_90 -rdc=true -c "$here/missing.cu" -o "$scratch/missing.o" &&
  compile "$name" $flags $sass -rdc=true -c "$here/missing_machine_code.cu" -o "$scratch/code.o" &&
  compile "$name" $flags -arch=sm_90 "$scratch/missing.o" "$scratch/code.o" -o "$scratch/missing"; then
  check_program "$name" "$scratch/missing"
  says "$name: the message names the function" "only_machine_code"
  says "$name: the message names the remedy" "-arch=sm_90"
  check_program "$name" "$scratch/missing" variable
  says "$name: the message names the variable" "variable_of_machine_code"
fi

name="a library of machine code alone"
if compile "$name" $flags $sass -Xcompiler -fPIC -shared "$here/library_kernels.cu" -o "$scratch/libother.so"; then
  timeout 60 "$scratch/library" "$scratch/libother.so" >"$scratch/out" 2>"$scratch/err" </dev/null || true
  says "$name: the message names it" "libother.so contains machine code (sm_90) but no PTX, and the emulator executes PTX: compile with"
fi
