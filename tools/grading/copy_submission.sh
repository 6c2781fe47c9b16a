#!/bin/sh
# copy_submission.sh FILE FOLDER NAME: makes FOLDER/NAME, a copy of what a student has handed in, and beside it copies of the student's own headers that
# it includes. Only these are compiled. Prints, if a link, a pipe or too large a file was asked for, why it was not copied; fails when that is FILE itself.
#
# Own headers: what `#include "name"` names in the folder of FILE or below it, and what these include in turn; plain files, not reached through
# a link, 64 at most, 1 MB together. Of this workbook's own folders only a lesson's counts, and there not the grader; for a solution, the headers
# of its lesson's solutions, so that wrong ones can share what is right in them.
set -eu
cd "$(dirname "$0")/../.."
most=1000000

here=$(pwd -P)
source=$(readlink -f "$1") target=$2 name=$3
folder=${source%/*} prefix=''
case $source in
"$here"/solutions/*/*/*) # .../wrong/x.cu: its folder stays, for "../wrong/right.h"
  prefix=$(basename "$folder")/
  folder=${folder%/*}
  ;;
esac

fail() {
  echo "$*"
  exit 1
}

# take PATH COPY: a plain file that is not too large. A pipe that has taken its place meanwhile cannot hold us up.
take() {
  [ -f "$1" ] || fail "it is no plain file."
  mkdir -p "$(dirname "$2")"
  timeout 10 head -c $((most + 1)) <"$1" >"$2" || fail "it cannot be read."
  [ "$(wc -c <"$2")" -le "$most" ] || fail "it has more than 1 MB."
}

# The names in #include "..." and __has_include("..."), one a line; no absolute ones, and none with characters that a shell or make would read.
included() {
  sed -e 's/__has_include/\n&/g' "$1" | sed -n -e 's/^[[:space:]]*#[[:space:]]*include\(_next\)\{0,1\}[[:space:]]*"\([A-Za-z0-9_.+-][A-Za-z0-9_./+-]*\)".*/\2/p' \
    -e 's/^__has_include[[:space:]]*([[:space:]]*"\([A-Za-z0-9_.+-][A-Za-z0-9_./+-]*\)".*/\1/p'
}

# Whether that file of the submission is the student's own. Links are not followed.
is_own() { # PATH
  [ -f "$1" ] && [ "$(readlink -f "$1")" = "$(realpath -s "$1")" ] || return 1
  case $(realpath -s "$1") in
  "$here"/solutions/*) case $source-$1 in "$here"/solutions/*-*.h) ;; *) return 1 ;; esac ;;
  "$here"/lessons/*/grader.* | "$here"/lessons/*/calls.py) return 1 ;;
  "$here"/lessons/*/* | "$here"/work/*) ;;
  "$here"/build/*) case $source in "$here"/build/*) ;; *) return 1 ;; esac ;;
  "$here"/*) return 1 ;;
  esac
  case $(realpath -s "$1") in "$folder"/*) ;; *) return 1 ;; esac
}

take "$source" "$target/$prefix$name"
echo "$prefix$name" >"$target.list"
count=0 total=0
while IFS= read -r current; do
  count=$((count + 1))
  below=$(dirname "$current")
  included "$target/$current" | sort -u >"$target.names"
  while IFS= read -r wanted; do
    path=$folder/$below/$wanted
    is_own "$path" || continue
    relative=$(realpath -s --relative-to="$folder" "$path")
    ! grep -qxF -e "$relative" "$target.list" || continue
    [ "$count" -le 64 ] || break
    (take "$path" "$target/$relative") || { rm -f "$target/$relative"; echo "$relative: not copied."; continue; }
    total=$((total + $(wc -c <"$target/$relative")))
    if [ "$total" -gt "$most" ]; then
      rm -f "$target/$relative"
      echo "the headers of this submission have more than 1 MB together."
      break
    fi
    echo "$relative" >>"$target.list"
  done <"$target.names"
done <"$target.list"
rm -f "$target.list" "$target.names"
