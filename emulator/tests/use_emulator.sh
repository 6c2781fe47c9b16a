# Sourced after tests/configuration.sh: programs that run from here on find the emulator, this folder's or that of EMULATOR_DIR=folder.
. tests/build_emulator.sh
if [ -z "${EMULATOR_DIR:-}" ]; then
  ready_emulator
  # It reports the registers and the stack that kernels need.
  EMULATOR_PTXAS=${EMULATOR_PTXAS:-$(find_ptxas)}
  if [ -n "$EMULATOR_PTXAS" ]; then export EMULATOR_PTXAS; else unset EMULATOR_PTXAS; fi
fi
export LD_LIBRARY_PATH="${EMULATOR_DIR:-$PWD/$plain_emulator}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export NO_COLOR=1
