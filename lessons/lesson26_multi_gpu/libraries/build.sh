#!/bin/sh
# build.sh: builds what needs more than CUDA, each program only where its headers are: nccl and ranks need nccl.h, ranks_mpi mpi.h, too.
# NCCL_HOME and MPI_HOME name folders with include/ and lib/; else the system's, the toolkit's and the wheel nvidia-nccl-cu13 (or cu12) are
# looked through, and mpicc is asked. What is missing is said, and no error.
set -eu
cd "$(dirname "$0")/../../.."
[ -f build/configuration ] || sh tools/toolchain/configure.sh
. build/configuration
folder=lessons/lesson26_multi_gpu/libraries out=build/lessons/libraries26
mkdir -p "$out"

first_with() { # FILE FOLDER...
  file=$1
  shift
  for place; do
    [ ! -f "$place/$file" ] || { echo "$place" && return; }
  done
}
wheel=$(python3 -c 'import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])' 2>/dev/null || true)
nccl=$(first_with include/nccl.h "${NCCL_HOME:-/nowhere}" "$(dirname "$TOOLKIT_LIB")" /usr /usr/local ${wheel:+"$wheel"})
mpi_include=$(mpicc -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p' | head -n 1)
mpi=$(first_with mpi.h ${MPI_HOME:+"$MPI_HOME/include"} ${mpi_include:+"$mpi_include"} /usr/include)

# NAME SOURCE OPTIONS...: links with the library's file, since the wheel has no libnccl.so.
make_program() {
  name=$1 source=$2
  shift 2
  if "$NVCC" $FLAGS $GENCODE "$folder/$source" -o "$out/$name" "$@" -ldl -lpthread; then
    echo "built $out/$name"
  else
    echo "$name does not build." >&2
    return 1
  fi
}
status=0
if [ -n "$nccl" ]; then
  library=$(ls "$nccl"/lib/libnccl.so* "$nccl"/lib/*/libnccl.so* "$nccl"/lib64/libnccl.so* 2>/dev/null | head -n 1)
  set -- -I"$nccl/include" -Xlinker "$library" -Xlinker -rpath -Xlinker "$(dirname "$library")"
  make_program nccl nccl.cu "$@" || status=1
  make_program ranks ranks.cu "$@" || status=1
  if [ -n "$mpi" ]; then
    mpi_library=$(mpicc -show 2>/dev/null | tr ' ' '\n' | sed -n 's/^-L//p' | head -n 1)
    [ -z "${MPI_HOME:-}" ] || mpi_library=$MPI_HOME/lib
    make_program ranks_mpi ranks.cu "$@" -DWITH_MPI -I"$mpi" ${mpi_library:+-L"$mpi_library" -Xlinker -rpath -Xlinker "$mpi_library"} \
      ${MPI_LIBS:--lmpi} || status=1
  else
    echo "ranks_mpi is not built: there is no mpi.h (apt: libopenmpi-dev or libmpich-dev; or set MPI_HOME)."
  fi
else
  echo "nccl, ranks and ranks_mpi are not built: there is no nccl.h (apt: libnccl-dev; pip: nvidia-nccl-cu13; or set NCCL_HOME)."
fi
exit $status
