#!/bin/sh
# Writes build/env, for a shell in which plain nvcc and the programs it makes work without a GPU.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
. build/configuration

bin=$(cd "$(dirname "$NVCC")" && pwd)
case ${BACKEND:-auto}-$GPU_NAME in
cpu-* | auto-) library=$PWD/build/emulator who="the emulator" ;;
*) library=$TOOLKIT_LIB who="$GPU_NAME" ;;
esac
cat >build/env.$$ <<END
# For a shell in which plain nvcc works, and so do the programs that it makes:
#     . build/env
#     nvcc hello.cu && ./a.out
# The kernels run on: $who. Written by tools/toolchain/write_env.sh; the shell forgets it when it ends.
case ":\$PATH:" in *:$(quote "$bin"):*) ;; *) PATH=$(quote "$bin"):\$PATH ;; esac
LD_LIBRARY_PATH=$(quote "$library")\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
# nvcc links the runtime statically by default; such a program could never find the emulator.
NVCC_APPEND_FLAGS='-cudart shared${HOST_COMPILER:+ -ccbin $HOST_COMPILER}'
export PATH LD_LIBRARY_PATH NVCC_APPEND_FLAGS
export PYTHONPATH=$(quote "$library/python")\${PYTHONPATH:+:\$PYTHONPATH} # Triton's way to the emulator
END
mv build/env.$$ build/env
