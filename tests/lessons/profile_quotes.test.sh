#!/bin/sh
# What lesson 16's page quotes of `make lesson16 profile V=4 SIZE=256` is what that says: and it is about the product of the page's tables,
# with beta = 0, which does not read C.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu QUIET=1
folder=$(ls -d lessons/lesson16_*)
source=$folder/lesson16.cu

one_line() { tr -s ' \n' ' '; }
sh tests/lessons/built.sh 16 "$scratch/lesson16" >"$scratch/log"
capture env V=4 SIZE=256 sh tools/actions/profile.sh "$scratch/lesson16"
said=$(printf '%s\n' "$output" | one_line)
quoted=$(sed -n '/^make lesson16 profile V=4 SIZE=256$/,/^(/p' "$folder/README.md" | sed -n '/^[0-9]\. /,/^```/p' | sed '/^```/d')
missing=$(printf '%s\n' "$quoted" | awk '/^[0-9]\. / && text { print text; text = "" } { sub(/^ +/, ""); text = text (text ? " " : "") $0 } END { print text }' |
  while IFS= read -r rule; do
    case $said in *"$rule"*) ;; *) printf '    | %s\n' "$rule" ;; esac
  done)
if [ "$(printf '%s\n' "$quoted" | grep -c '^[0-9]\. ')" = 2 ] && [ -z "$missing" ]; then
  pass "lesson16's page quotes its profile"
else
  no "lesson16's page quotes its profile" "this is not what it says:" && printf '%s\n' "$missing" && show_output
fi

reads_C=$(grep -n 'beta \* \*c;' "$source" | cut -d: -f1)
case $said in
*"line $reads_C:"*) no "lesson16's profile shows the product of its tables" "line $reads_C reads C" ;;
*) pass "lesson16's profile shows the product of its tables" ;;
esac
