# nccl.sh: where NCCL is on this machine, and how a program with it is built; the scripts beside it source it in the root of the workbook.
for place in "${NCCL_HOME:-/nowhere}" /usr /usr/local /usr/local/cuda \
  "$(python3 -c 'import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])' 2>/dev/null)"; do
  [ ! -f "$place/include/nccl.h" ] || break
  place=
done
nccl_library=
[ -z "$place" ] || nccl_library=$(ls "$place"/lib/libnccl.so* "$place"/lib/*/libnccl.so* "$place"/lib64/libnccl.so* 2>/dev/null | head -n 1)

# build_race FOLDER NAME SOURCE OPTIONS...
build_race() {
  folder=$1 name=$2 source=$3
  shift 3
  nvcc -O3 -lineinfo -std=c++17 -cudart shared "$@" -I. -I"$place/include" -gencode arch=compute_90,code=sm_90 "$source" -o "$folder/$name" \
    -Xlinker "$nccl_library" -Xlinker -rpath -Xlinker "$(dirname "$nccl_library")" -ldl -lpthread
}
