# Sourced after find_toolkit.sh: which GPUs the toolkit's programs can run on. Sets GPU_NAME and GPU_ARCHS ("80 90"),
# or leaves them empty and says in GPU_REASON why.
#
# In: toolchain (the folder of these files), scratch (a folder for what is built to find out), NVCC, CUDA_VERSION.

find_gpu() {
  GPU_NAME='' GPU_ARCHS='' GPU_REASON=''
  case $(echo /dev/nvidia[0-9]* /dev/dxg) in
  '/dev/nvidia[0-9]* /dev/dxg')
    if ! [ -e /dev/dxg ]; then
      GPU_REASON='this machine has no NVIDIA device (/dev/nvidia*)'
      return
    fi
    ;;
  esac
  if ! "${CC:-cc}" -O1 "$toolchain/gpu_query.c" -o "$scratch/gpu_query" -ldl 2>"$scratch/gpu_query.log"; then
    GPU_REASON="${CC:-cc} could not build $toolchain/gpu_query.c (see $scratch/gpu_query.log)"
    return
  fi
  if ! "$scratch/gpu_query" >"$scratch/gpus" 2>"$scratch/gpu_query.log"; then
    GPU_REASON=$(cat "$scratch/gpu_query.log")
    return
  fi
  judge_gpu
}

# Can this toolkit's programs run on the GPUs that were found?
judge_gpu() {
  driver=$(sed -n 's/^driver //p' "$scratch/gpus")
  if [ "$((driver / 1000))" -lt "${CUDA_VERSION%%.*}" ]; then
    GPU_REASON="the driver supports CUDA $((driver / 1000)), the toolkit is $CUDA_VERSION: update the driver"
    return
  fi
  GPU_ARCHS=$(sed -n 's/^gpu \([0-9]*\) .*/\1/p' "$scratch/gpus" | sort -nu | tr '\n' ' ' | sed 's/ $//')
  GPU_NAME=$(sed -n 's/^gpu [0-9]* //p' "$scratch/gpus" | head -n 1)
  oldest=$("$NVCC" --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$/\1/p' | sort -n | head -n 1)
  if [ "${GPU_ARCHS%% *}" -lt "$oldest" ]; then
    GPU_REASON="$GPU_NAME is sm_${GPU_ARCHS%% *}, but CUDA $CUDA_VERSION begins at sm_$oldest: use an older toolkit"
    GPU_NAME='' GPU_ARCHS=''
  fi
}

# What ARCH=... asks for; without it the SASS of each GPU that is here, or PTX that runs on any.
choose_architectures() {
  if [ -n "${ARCH:-}" ]; then
    echo "$ARCH"
  elif [ -n "$GPU_ARCHS" ]; then
    for arch in $GPU_ARCHS; do printf 'sm_%s ' "$arch"; done
  else
    echo compute_75
  fi
}
