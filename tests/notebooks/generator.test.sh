#!/bin/sh
# The notebooks in notebooks/ are what the lessons' pages, programs and exercises make of them, and nothing of these is lost.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
need_markdown "notebooks are what their sources make"

python3 tests/notebooks/generator.py notebooks

# A student's own exercise.cu must not get into the notebook that everybody is given.
. tests/copy.sh
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

# The workbook's address, for notebooks on their own.
capture python3 tools/notebooks/make.py made 01
mv tools/notebooks/repository.txt repository.txt
echo 'https://github.com/some-org/some-workbook.git main' | cat - repository.txt >tools/notebooks/repository.txt
capture python3 tools/notebooks/make.py addressed 01
mv repository.txt tools/notebooks/repository.txt
found=$(grep -c 'REPOSITORY = ..https://github.com/some-org/some-workbook.git' addressed/lesson01_threads.ipynb || true)
if [ "$found" = 1 ]; then pass "an address is filled in"; else no "an address is filled in" "it is not there"; fi
link='colab.research.google.com/github/some-org/some-workbook/blob/main/notebooks/lesson01_threads.ipynb'
if grep -q "$link" addressed/lesson01_threads.ipynb; then pass "and a link opens it in Colab"; else no "and a link opens it in Colab" "there is none"; fi
if grep -q colab made/lesson01_threads.ipynb; then no "no link without an address" "there is one"; else pass "no link without an address"; fi

# --- a student's copies ---

copies() { capture python3 tools/notebooks/copies.py work; }
file=work/lesson01_threads.ipynb
change() { # FILE PYTHON: `book` is the notebook
  python3 -c "import json, sys
book = json.load(open(sys.argv[1]))
$2
json.dump(book, open(sys.argv[1], 'w'))" "$1"
}
same() { # NAME FILE FILE
  if cmp -s "$2" "$3"; then pass "$1"; else no "$1" "$2 is not $3"; fi
}
copies
same "make lab opens copies" notebooks/lesson01_threads.ipynb "$file"
change "$file" "book['metadata']['saved'] = 1"
change notebooks/lesson01_threads.ipynb "book['cells'][0]['source'] = ['a newer one']"
copies
expect "a copy that was only saved gives way to a newer original" 0 'you had not worked in it'
same "and is the newer one" notebooks/lesson01_threads.ipynb "$file"
change "$file" "book['cells'][2]['source'] = ['my words']"
cp "$file" mine.ipynb
copies
same "work stays" mine.ipynb "$file"
change notebooks/lesson01_threads.ipynb "book['cells'][0]['source'] = ['the newest one']"
copies
expect "a newer original is put beside it" 0 'Yours stays as it is; the new one is lesson01_threads\.new\.ipynb'
same "and the work stays" mine.ipynb "$file"
same "and the newer one is there" notebooks/lesson01_threads.ipynb work/lesson01_threads.new.ipynb
copies
expect "which is said once" 0 ''
if [ -z "$output" ]; then pass "and then no more"; else no "and then no more" "$output"; fi
change work/lesson01_threads.new.ipynb "book['cells'][0]['source'] = ['mine as well']"
cp work/lesson01_threads.new.ipynb mine2.ipynb
change notebooks/lesson01_threads.ipynb "book['cells'][0]['source'] = ['one more']"
copies
same "work in that one stays, too" mine2.ipynb work/lesson01_threads.new.ipynb
echo broken >"$file"
change notebooks/lesson01_threads.ipynb "book['cells'][0]['source'] = ['and another']"
copies
expect "a broken file is not touched" 0 'new3'
cp "$project"/notebooks/*.ipynb notebooks/

# A program that has changed changes the notebook, so that the comparison above means something.
sed 's/float \*a, const float \*b, float \*c, int n) {/float *first, const float *b, float *c, int n) {/' \
  lessons/lesson01_*/lesson01.cu >changed.cu
cat changed.cu >"$(ls lessons/lesson01_*/lesson01.cu)"
capture python3 tests/notebooks/generator.py notebooks
expect "a notebook that its sources would not make is found" 0 \
  '^not ok lesson 01: the committed notebook is the one that its sources make: .*make it again'
