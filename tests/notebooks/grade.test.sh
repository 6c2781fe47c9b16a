#!/bin/sh
# A teacher grades the exercise in notebooks that were handed in, also those that nbgrader has collected.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. tests/copy.sh
make_scratch
need_markdown "an exercise in a notebook is graded"
copy_project
copy_graders
export TIMEOUT=10

hand_in() { # FOLDER [OPTIONS OF make.py]
  folder=$1
  shift
  python3 tools/notebooks/make.py "$@" "$scratch/all/$folder" 01 >/dev/null
}
given=$(ls lessons/lesson01_*/exercise.cu)
hand_in ada/assignment1 --solved
hand_in bob/assignment1
# A checkout: the notebook counts while exercise.cu is as it was given, and no longer when it is not.
restore_exercise 01
hand_in carla/notebooks --solved
mkdir -p "$scratch/all/carla/lessons/lesson01_threads" "$scratch/all/dan/lessons/lesson01_threads"
cp "$given" "$scratch/all/carla/lessons/lesson01_threads/exercise.cu"
hand_in dan/notebooks
# Whoever has several copies of a notebook has solved the exercise in one of them.
hand_in fay/notebooks --solved
hand_in fay/work
cp solutions/lesson01_*/solution.cu "$scratch/all/dan/lessons/lesson01_threads/exercise.cu"
mkdir -p "$scratch/all/eve"
echo 'no notebook' >"$scratch/all/eve/lesson01_threads.ipynb"

sed 's/%%nvcc --grade 01/%%nvcc --exercise 01 --profile/' "$scratch/all/ada/assignment1/lesson01_threads.ipynb" >"$scratch/profiled.ipynb"
capture python3 tools/notebooks/exercise_of.py "$scratch/profiled.ipynb" 01
expect "a notebook whose exercise was profiled last has it all the same" 0 '^// %%nvcc$'
capture make exercise01 grade OUT="$scratch/grades" FILE="$scratch/all"
expect "a notebook that nbgrader collected is graded" 0 'ada +exercise 01 +10 of 10 points  pass'
expect "one as it was given gets no points" 0 'bob +exercise 01 +0 of 10 points  stale_output'
expect "a checkout with the notebook solved passes" 0 'carla +exercise 01 +10 of 10 points  pass'
expect "a checkout with the file solved passes" 0 'dan +exercise 01 +10 of 10 points  pass'
expect "of several copies the one that was worked in is graded" 0 'fay +exercise 01 +10 of 10 points  pass'
expect "what is no notebook counts as not submitted" 0 'eve +exercise 01 +0 of 10 points  not_submitted'
