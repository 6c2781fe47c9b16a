# Sourced by the suites of the commands: makes a copy of the project in a path with spaces, without what was built except
# the emulator and what reads pages, and goes there. In: scratch. Out: project, copy, real_nvcc (nvcc is on the PATH too).

copy_project() {
  project=$PWD
  real_nvcc=$(. build/configuration && readlink -f "$NVCC")
  command -v nvcc >/dev/null || PATH="$PATH:$(dirname "$real_nvcc")"
  unset NVCC
  copy="$scratch/a path with spaces"
  mkdir -p "$copy/build"
  for item in Makefile tools common emulator lessons solutions tests README.md; do
    [ ! -e "$item" ] || cp -Rp "$item" "$copy/"
  done
  for item in emulator markdown; do
    [ ! -d build/$item ] || cp -Rp build/$item "$copy/build/"
  done
  cd "$copy"
  # As on a machine without a GPU.
  export CUDA_VISIBLE_DEVICES=-1
}

# The exercise as it was given, whatever somebody has made of it in the checkout.
restore_exercise() { # NUMBER
  folder=$(ls -d lessons/lesson"$1"_*)
  python3 tools/workbook make_exercise "solutions/$(basename "$folder")/solution.cu" >"$folder/exercise.cu"
}
