#!/bin/sh
# The notebooks in notebooks/ are what the lessons' pages, programs and exercises make of them, and nothing of these is lost.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch

python3 tests/notebooks/generator.py notebooks

# A student's own exercise.cu must not get into the notebook that everybody is given.
. tests/cli/copy.sh
copy_project
cp -Rp "$project/notebooks" .
echo '// mine' >>"$(ls lessons/lesson01_*/exercise.cu)"
capture python3 tools/notebooks/make.py made 01
if cmp -s made/lesson01_*.ipynb notebooks/lesson01_*.ipynb; then
  pass "the exercise comes from its master"
else
  no "the exercise comes from its master" "the notebook has changed with lessons/lesson01_*/exercise.cu"
  show_output
fi

# A program that has changed changes the notebook, so that the comparison above means something.
sed 's/float \*a, const float \*b, float \*c, int n) {/float *first, const float *b, float *c, int n) {/' \
  lessons/lesson01_*/lesson01.cu >changed.cu
cat changed.cu >"$(ls lessons/lesson01_*/lesson01.cu)"
capture python3 tests/notebooks/generator.py notebooks
expect "a notebook that its sources would not make is found" 0 \
  '^not ok lesson 01: the committed notebook is the one that its sources make: .*make it again'
