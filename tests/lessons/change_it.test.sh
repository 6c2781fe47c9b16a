#!/bin/sh
# The answers to "Change it" are what happens. tests/lessons/change_it/lessonNN.sh makes each change that lesson NN's page proposes on a copy
# of its program, runs that on the emulator, and compares what is printed with the words and numbers of the page. It says, for each of them,
#     change 2 SED-SCRIPT     builds the program with change 2; a script that changes nothing is an error
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

change() {
  number=$1 program=$scratch/$1/$lesson
  what="$lesson, change $number"
  case " $made " in *" $number "*) ;; *) made="$made $number" ;; esac
  mkdir -p "$scratch/$number"
  sed "$2" "$folder/$lesson.$suffix" >"$program.$suffix"
  rm -f "$program"
  if cmp -s "$program.$suffix" "$folder/$lesson.$suffix"; then
    no "$what" "the text to replace was not found"
  else
    sh tools/compile/build.sh "$program.$suffix" "$program" -I"$folder" -DWITHOUT_GPU # nothing that is only compared with on a GPU
  fi
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
