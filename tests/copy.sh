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

# copy_graders: the copy gets what all judges and the runner are made of as the project has compiled it, a minute of the processor's time; what is a
# lesson's own is compiled in the copy. student_copy.test.sh does without, and sees that a copy makes all of it, in a path with spaces.
copy_graders() {
  sh tools/toolchain/configure.sh
  for folder in "$project" .; do grep -E '^(NVCC|FLAGS|HOST_COMPILER)=' "$folder/build/configuration" | cksum; done | uniq -d | grep -q . || return 0
  (cd "$project" && python3 tools/workbook build_judge 01) || return 0 # it says why when it builds in the copy
  mkdir -p build/graders
  flock "$project/build/graders/bin.lock" cp -R "$project/build/graders/bin" build/graders/ # others may be building there
  (cd build/graders/bin && rm -f lesson* judge[0-9]* call_exercise.* ./*.jobs confine.so)
  : >build/graders/copied # all are of one time, newer than what they are made of
  find build/graders/bin -type f -exec touch -r build/graders/copied {} +
}
