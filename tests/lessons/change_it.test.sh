#!/bin/sh
# The answers to "Change it" are what happens. tests/lessons/change_it/lessonNN.sh makes each change that lesson NN's page proposes on a copy
# of its program, runs that on the emulator, and compares what is printed with the words and numbers of the page. It says, for each of them,
#     change 2 SED-SCRIPT     builds the program with change 2; a script that changes nothing is an error
#     together 2 SED-SCRIPT 3 SED-SCRIPT...   builds one program with these changes. Each is in code that only versions of its own run (V=),
#                             so that each version is what it is with its change alone: nvcc takes most of this suite's time
#     change 2                the change 2 of those that were made together
#     ran [VARIABLE=VALUE...]         runs it        (sanitized: looks for mistakes in its kernels as well)
#     ended STATUS            it ended so: a number, or "error" for any but 0
#     answers STATUS WORDS    it ended so, printed WORDS, and the page's answers say WORDS, too
#     says WORDS              the page's answers say WORDS, which were made from what was printed: printed AWK-SCRIPT picks from that
# Line ends, spaces, backquotes, stars, backslashes and the sanitizer's margin do not count in WORDS.
# runs for each lesson
# quick: 03
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
. build/configuration
make_scratch
export BACKEND=cpu QUIET=1 TIMEOUT=120
lesson=lesson$1
folder=$(ls -d lessons/"$lesson"_*)
page=$folder/README.md
suffix=cu
[ ! -f "$folder/$lesson.py" ] || suffix=py
[ "$suffix" = cu ] || need_python "$lesson, Change it" "$1"

plain_text() { sed 's/^=========//; s/\[\([^]]*\)\](\.[^)]*)/\1/g' | tr -d '`*\\' | tr -s ' \n' ' '; }
# The section and the answers, which end with it.
section=$(sed -n '/^## Change it/,/^<\/details>/p' "$page")
text=$(printf '%s\n' "$section" | plain_text)
made=''

# changed SED-SCRIPT FROM TO: whether the script has changed something, there and in the lesson's program as it is.
changed() {
  sed "$1" "$2" >"$3"
  if cmp -s "$2" "$3" || sed "$1" "$folder/$lesson.$suffix" | cmp -s - "$folder/$lesson.$suffix"; then
    no "$what" "the text to replace was not found"
    return 1
  fi
}

# Nothing that is only compared with on a GPU, and of several architectures the newest: the emulator takes that one. lessons.test.sh compiles all.
built() { # SOURCE PROGRAM
  rm -f "$2"
  NEWEST=1 sh tools/compile/build.sh "$1" "$2" -I"$folder" -DWITHOUT_GPU
}

change() {
  what="$lesson, change $1" program=$scratch/$1/$lesson
  case " $made " in *" $1 "*) ;; *) made="$made $1" ;; esac
  [ $# -gt 1 ] || return 0
  mkdir -p "$scratch/$1"
  ! changed "$2" "$folder/$lesson.$suffix" "$program.$suffix" || built "$program.$suffix" "$program"
}

together() {
  all=$scratch/together/$lesson numbers=''
  mkdir -p "$scratch/together"
  cp "$folder/$lesson.$suffix" "$all.$suffix"
  while [ $# -gt 1 ]; do
    numbers="$numbers $1" what="$lesson, change $1"
    changed "$2" "$all.$suffix" "$scratch/next" || true
    mv "$scratch/next" "$all.$suffix"
    shift 2
  done
  built "$all.$suffix" "$all"
  for number in $numbers; do
    mkdir -p "$scratch/$number"
    ln "$all" "$scratch/$number/$lesson"
  done
}

printed() { printf '%s\n' "$output" | awk "$1"; }
ran() { capture env "$@" sh tools/actions/run.sh "$program"; }
sanitized() { capture env "$@" sh tools/actions/sanitize.sh "$program"; }

says() {
  [ -n "$1" ] || { no "$what" "nothing to look for was printed" && show_output && return; }
  case $text in
  *"$(printf '%s' "$1" | plain_text)"*) pass "$what: $1" ;;
  *) no "$what: $1" "$page does not say so" && show_output ;;
  esac
}

ended() { expect "$what ends as its page says" "$1" ''; }

answers() {
  ended "$1"
  case $(printf '%s\n' "$output" | plain_text) in
  *"$(printf '%s' "$2" | plain_text)"*) says "$2" ;;
  *) no "$what: $2" "that is not what happens" && show_output ;;
  esac
}

if [ -z "$section" ]; then
  no "$page has a section 'Change it'" "there is none"
  exit
fi
. "tests/lessons/change_it/$lesson.sh"

# As many changes as the page has questions, and answers.
asked=$(printf '%s\n' "$section" | sed '/^<details>/,$d' | sed -n 's/^\([0-9]\)\. .*/\1/p' | tr '\n' ' ')
answered=$(printf '%s\n' "$section" | sed '1,/^<details>/d' | sed -n 's/^\([0-9]\)\. .*/\1/p' | tr '\n' ' ')
if [ -n "$asked" ] && [ "$asked" = "$answered" ] && [ "$asked" = "${made# } " ]; then
  pass "$lesson: each change of the page is made"
else
  no "$lesson: each change of the page is made" "asked: $asked· answered: $answered· made:$made"
fi
