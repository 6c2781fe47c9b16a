#!/bin/sh
# Finding and installing the toolkit, and make doctor.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
copy_project

# A PATH on which everything is but nvcc, and no mirror that pip may be configured for.
mkdir "$scratch/bin"
for folder in $(echo "$PATH" | tr ':' ' '); do
  for program in "$folder"/*; do
    name=${program##*/}
    [ "$name" = nvcc ] || [ -e "$scratch/bin/$name" ] || ln -s "$program" "$scratch/bin/$name" 2>/dev/null || true
  done
done
without_nvcc() {
  env PATH="$scratch/bin" CUDA_ROOTS= CUDA_HOME= "$@"
}
without_network() {
  without_nvcc PIP_CONFIG_FILE=/dev/null PIP_FIND_LINKS= PIP_EXTRA_INDEX_URL= PIP_INDEX_URL=http://127.0.0.1:9/simple \
    HTTP_PROXY= HTTPS_PROXY= "$@"
}

for downloader in pip python; do
  capture without_network TOOLKIT_DOWNLOADER=$downloader make lesson01
  expect "no nvcc and no network, with $downloader" error 'Two ways to get it'
  expect "it says what it wanted to download, with $downloader" error 'downloading .* into \.toolchain/.*about [0-9]+ MB'
  if ls -d .toolchain/cuda-* >/dev/null 2>&1; then no "no half toolchain, with $downloader" "$(ls .toolchain)"; else pass "no half toolchain, with $downloader"; fi
done

mkdir "$scratch/wheels"
head -c 1000 /dev/zero >"$scratch/wheels/nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl"
capture without_network make lesson01 WHEELS="$scratch/wheels"
expect "a damaged wheel is refused" error 'no genuine nvidia-cuda-nvcc'

mkdir -p "$scratch/old/bin"
printf '#!/bin/sh\necho "Cuda compilation tools, release 11.8, V11.8.89"\n' >"$scratch/old/bin/nvcc"
chmod +x "$scratch/old/bin/nvcc"
capture without_network CUDA_ROOTS="$scratch/old" make lesson01
expect "an nvcc that is too old is named" error 'old/bin/nvcc is CUDA 11.8, but CUDA 12.0 or newer is needed'

# The real thing: 105 MB from the network, so only where it was asked for.
if [ "${CI:-}" = true ] || [ "${DOWNLOAD:-}" = 1 ]; then
  capture without_nvcc SIZE=1000 make lesson01 run
  case $output in
  *'ways to get it'*) skip "without nvcc the toolkit is installed and lesson01 passes" "no network here" ;;
  *) expect "without nvcc the toolkit is installed and lesson01 passes" 0 '^PASS' ;;
  esac
  rm -rf .toolchain
else
  skip "without nvcc the toolkit is installed and lesson01 passes" "downloads 105 MB; DOWNLOAD=1 make test does it"
fi

# As NVIDIA installs it: lib64 and include are links into targets/. PyTorch and Numba look for bin/nvcc and nvvm/ in CUDA_HOME and CUDA_PATH.
real=$("$real_nvcc" --dryrun -c -x cu /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
usual=$scratch/usual target=targets/$(uname -m)-linux
mkdir -p "$usual/bin" "$usual/$target"
cp "$real/bin/nvcc" "$real/bin/nvcc.profile" "$usual/bin"
ln -s "$real"/bin/* "$usual/bin" 2>/dev/null || true
ln -s "$(cd "$real/lib64" && pwd -P)" "$usual/$target/lib"
ln -s "$real/include" "$usual/$target/include"
ln -s "$target/lib" "$usual/lib64"
ln -s "$target/include" "$usual/include"
ln -s "$real/nvvm" "$usual/nvvm"
capture sh -c "NVCC='$usual/bin/nvcc' sh tools/toolchain/configure.sh && . build/configuration && echo \"\$TOOLKIT\" && ls \"\$TOOLKIT/bin/nvcc\" \"\$TOOLKIT_LIB\""
expect "the folder of a toolkit is the one with bin/nvcc" 0 "^$usual\$" 'libcudart\.so'

capture make doctor NVCC="$real_nvcc"
expect "make doctor is content" 0 'ok +launch'
touch emulator/base/text.c
capture env EMULATOR_READY= make doctor NVCC="$real_nvcc"
expect "make doctor says that it builds the emulator, and how much" 0 '^building the emulator: 1 file '
printf 'int main() { void *p; return cudaMalloc(&p, 4); }\n' >"$scratch/static.cu"
"$real_nvcc" "$scratch/static.cu" -o "$scratch/static"
capture make doctor NVCC="$real_nvcc" FILE="$scratch/static"
expect "make doctor recognises a static runtime" 0 'linked in statically'
"$real_nvcc" -cudart shared "$scratch/static.cu" -o "$scratch/shared"
capture make doctor NVCC="$real_nvcc" FILE="$scratch/shared"
expect "make doctor is content with a shared runtime" 0 'shared .*loads libcudart'
