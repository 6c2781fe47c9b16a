# Sourced after build/configuration: decides who runs the kernels and makes the library search path say so. That path is
# the only difference: the executable is the same. tools/workbook/backend.py does the same for tools in Python.
#
# In: BACKEND (auto, gpu, cpu), TIMEOUT. Out: backend (gpu or cpu), and LD_LIBRARY_PATH, EMULATOR_TIMEOUT and EMULATOR_TIMEOUT_SETTING exported.

# The emulator asks it what kernels need: registers for profiles, stack for checks.
find_ptxas() {
  [ -z "${EMULATOR_PTXAS:-}" ] || return 0
  ptxas=$(sh tools/toolchain/find_tool.sh ptxas "$NVCC" "$TOOLKIT_LIB")
  [ -z "$ptxas" ] || export EMULATOR_PTXAS="$ptxas"
}

choose_backend() {
  case ${TIMEOUT:-0} in *[!0-9]*) fail "TIMEOUT=$TIMEOUT: it is a number of seconds, as in TIMEOUT=20; 0 is no limit." ;; esac
  case ${BACKEND:-auto} in
  gpu | cpu) backend=$BACKEND ;;
  auto) if [ -n "$GPU_NAME" ]; then backend=gpu; else backend=cpu; fi ;;
  *) fail "BACKEND=$BACKEND: it is auto, gpu or cpu." ;;
  esac
  if [ "$backend" = gpu ] && [ -z "$GPU_NAME" ]; then
    fail "BACKEND=gpu, but no GPU can be used: $GPU_REASON." "BACKEND=cpu runs on the emulator."
  fi
  if [ "$backend" = cpu ]; then
    sh tools/compile/emulator.sh
    library_path=$PWD/build/emulator
    find_ptxas
  else
    library_path=$TOOLKIT_LIB
  fi
  export LD_LIBRARY_PATH="$library_path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  if [ -n "${TIMEOUT:-}" ]; then
    export EMULATOR_TIMEOUT="$TIMEOUT"
  fi
  export EMULATOR_TIMEOUT_SETTING=TIMEOUT=seconds # as one types it here
}
