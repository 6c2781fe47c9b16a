# Sourced after build/configuration and tools/messages.sh: what is run from here on finds the emulator, this checkout's or that of
# EMULATOR_DIR=folder.
if [ -n "${EMULATOR_DIR:-}" ]; then
  export LD_LIBRARY_PATH="$EMULATOR_DIR"
else
  BACKEND=cpu
  . tools/actions/backend.sh
  choose_backend
fi
export NO_COLOR=1
