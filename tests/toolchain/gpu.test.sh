#!/bin/sh
# Which GPUs the toolkit's programs can run on, and what they are compiled for: with made-up drivers, GPUs and toolkits.
# quick
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tools/messages.sh
make_scratch
toolchain=tools/toolchain
. tools/toolchain/find_gpu.sh

# A toolkit that knows 7.5 to 9.0.
NVCC=$scratch/nvcc CUDA_VERSION=13.0
cat >"$NVCC" <<'END_OF_NVCC'
#!/bin/sh
case $1 in
--list-gpu-code) printf 'sm_75\nsm_80\nsm_90\n' ;;
--list-gpu-arch) printf 'compute_75\ncompute_80\ncompute_90\n' ;;
esac
END_OF_NVCC
chmod +x "$NVCC"

# found NAME EXPECTED GPU_QUERY'S LINES...: what is chosen of them, and for which architectures.
found() {
  name=$1 expected=$2
  shift 2
  printf '%s\n' "$@" >"$scratch/gpus"
  GPU_NAME='' GPU_ARCHS='' GPU_REASON='' ARCH=''
  judge_gpu
  made=$(sh tools/toolchain/gencode.sh "$NVCC" $(choose_architectures) | sed 's/-gencode arch=[a-z0-9_]*,code=//g')
  if [ "$GPU_NAME|$made|$GPU_REASON" = "$expected" ]; then pass "$name"; else no "$name" "$GPU_NAME|$made|$GPU_REASON"; fi
}

found "one GPU" "NVIDIA H200|sm_90 compute_90|" "driver 13000" "gpu 90 NVIDIA H200"
found "two kinds of GPU: machine code for both" "NVIDIA H200|sm_80 sm_90 compute_90|" "driver 13010" "gpu 90 NVIDIA H200" "gpu 80 NVIDIA A100" "gpu 90 NVIDIA H200"
found "a GPU newer than the toolkit: the newest PTX" "NVIDIA B200|compute_90|" "driver 13000" "gpu 100 NVIDIA B200"
found "a GPU older than the toolkit" "|compute_75|Tesla V100 is sm_70, but CUDA 13.0 begins at sm_75: use an older toolkit" "driver 13000" "gpu 70 Tesla V100"
found "a driver older than the toolkit" "|compute_75|the driver supports CUDA 12, the toolkit is 13.0: update the driver" "driver 12080" "gpu 90 NVIDIA H200"
capture sh tools/toolchain/gencode.sh "$NVCC" sm_60
expect "an architecture that the toolkit has forgotten" error 'sm_60: this toolkit knows compute_75'
capture sh tools/toolchain/gencode.sh "$NVCC" sm_80 sm_90a
expect "the newest is for one GPU alone: the PTX of an older one, too" 0 \
  'code=sm_90a -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=compute_90a'
capture sh tools/toolchain/gencode.sh "$NVCC" hopper
expect "a word that is no architecture" error 'ARCH=hopper: an architecture is sm_90'

# Where it is not the system's, pip has put it into the workbook's own folder.
mkdir -p "$scratch/workbook/.toolchain/nvdisasm/nvidia/cu13/bin" "$scratch/lib" "$scratch/bin"
script=$PWD/tools/toolchain/find_tool.sh
tool() { output=$(cd "$scratch/workbook" && sh "$script" nvdisasm "$NVCC" "$scratch/lib"); }
look_for() { # NAME PATH
  tool
  if [ "$output" = "$2" ]; then pass "$1"; else no "$1" "found '$output'"; fi
}
if command -v nvdisasm >/dev/null; then
  skip "where nvdisasm is looked for" "one is on the PATH"
  exit
fi
look_for "nvdisasm is nowhere" ''
for place in workbook/.toolchain/nvdisasm/nvidia/cu13/bin bin .; do
  printf '#!/bin/sh\n' >"$scratch/$place/nvdisasm"
  chmod +x "$scratch/$place/nvdisasm"
  case $place in
  workbook/*) look_for "nvdisasm in the workbook's own folder" .toolchain/nvdisasm/nvidia/cu13/bin/nvdisasm ;;
  bin) look_for "nvdisasm of the toolkit" "$scratch/bin/nvdisasm" ;;
  .) look_for "nvdisasm beside nvcc" "$scratch/nvdisasm" ;;
  esac
done
