# Sourced by the suites of the commands: makes a copy of the project in a path with spaces, without what was built except
# the emulator, and goes there. In: scratch.

copy_project() {
  project=$PWD
  copy="$scratch/a path with spaces"
  mkdir -p "$copy/build"
  for item in Makefile tools common emulator lessons solutions tests README.md; do
    [ ! -e "$item" ] || cp -Rp "$item" "$copy/"
  done
  [ ! -d build/emulator ] || cp -Rp build/emulator "$copy/build/"
  cd "$copy"
  # As on a machine without a GPU.
  export CUDA_VISIBLE_DEVICES=-1
}

# The exercise as it was given, whatever somebody has made of it in the checkout.
restore_exercise() { # NUMBER
  sh tools/build_generator.sh
  folder=$(ls -d lessons/lesson"$1"_*)
  build/tools/make_exercise "solutions/$(basename "$folder")/exercise.cu" >"$folder/exercise.cu"
}
