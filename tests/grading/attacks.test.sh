#!/bin/sh
# What a submission tries while it is compiled and while it runs, by each jail that works here, as root and as somebody else. tests/grading/attacks/ has the
# files; SECURITY.md says what is promised. Only refusals by name count, and the exercise passes all the same.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu TIMEOUT=10
sh tools/compile/build_tool.sh jail

filled() { # NAME: the attack with this machine's paths
  sed -e "s|PROJECT|$PWD|g" -e "s|SCRATCH|$scratch|g" -e "s|HOMEFOLDER|${HOME:-/root}|g" -e "s|JUDGE|$$|g" -e "s|FILE|$PWD/solutions/lesson01_threads/solution.cu|g" \
    "tests/grading/attacks/$1.cu"
}
echo 'int other;' >"$scratch/other.cu"
mkdir "$scratch/class" "$scratch/bin"
printf '#!/bin/sh\necho "bwrap: it may not" >&2\nexit 1\n' >"$scratch/bin/bwrap"
chmod +x "$scratch/bin/bwrap"
{ filled reaches; cat solutions/lesson01_threads/solution.cu; } >"$scratch/class/exercise.cu"
deeds=$(sed -n 's/^ *tell("\([^"]*\)".*/\1/p' tests/grading/attacks/reaches.cu)

while_it_runs() { # JAIL
  capture env OTHERS=1 tools/grading/run 01 "$scratch/class/exercise.cu"
  expect "$1: the exercise passes" 0 '^VERDICT: pass'
  said=$output
  echo "$deeds" | while IFS= read -r deed; do
    output=$(printf '%s\n' "$said" | grep -F "$deed: " || true)
    expect "$1: $deed" 0 "^$deed: refused"
  done
  output=$said
  expect "$1: four descriptors" 0 '^4 descriptors'
  if printf '%s' "$said" | grep -q "$(printf '\033')"; then no "$1: no escape sequence is sent" "there is one"; else pass "$1: no escape sequence is sent"; fi
}

while_it_is_compiled() { # JAIL
  for attack in embeds marker error endless_header itself bomb; do
    filled "$attack" >"$scratch/class/exercise01.cu"
    capture env OTHERS=1 tools/grading/run 01 "$scratch/class/exercise01.cu"
    expect "$1, compiled: $attack" error '^VERDICT: compile_error'
    if printf '%s' "$output" | grep -Eq 'root:|saxpy_kernel'; then no "$1, compiled: $attack shows nothing" "it shows a file"; else pass "$1, compiled: $attack shows nothing"; fi
  done
}

full=$PATH
works=$(build/tools/jail --which 2>/dev/null)
if [ "$works" = bubblewrap ]; then
  while_it_runs bubblewrap
  while_it_is_compiled bubblewrap
else
  skip bubblewrap "it does not work here"
fi
PATH=$scratch/bin:$full
works=$(build/tools/jail --which 2>/dev/null)
if [ "$works" = landlock ]; then
  while_it_runs Landlock
  expect "Landlock: that bubblewrap does not start is said" 0 'bubblewrap is installed and does not start .bwrap: it may not.; Landlock'
  while_it_is_compiled Landlock
else
  skip Landlock "it does not work here"
fi
PATH=$full

# --- names ---

mkdir "$scratch/\$(touch pwned)"
cp solutions/lesson01_threads/solution.cu "$scratch/\$(touch pwned)/exercise01.cu"
capture tools/grading/run 01 "$scratch/\$(touch pwned)/exercise01.cu"
expect "a folder that is a command is a name" 0 '^VERDICT: pass'
if [ -e pwned ]; then no "and is not run" "it was"; rm -f pwned; else pass "and is not run"; fi
capture sh tools/compile/build.sh "$scratch/\$(touch pwned)/exercise01.cu" "$scratch/x.so"
expect "nor does the compiler take it" error 'which nvcc would have a shell read'
mkfifo "$scratch/pipe.cu"
capture tools/grading/run 01 "$scratch/pipe.cu"
expect "a pipe is no submission" error 'there is no file'
truncate -s 5G "$scratch/large.cu"
capture tools/grading/run 01 "$scratch/large.cu"
expect "nor is what is too large" error 'more than 1 MB'
ln -s /etc/passwd "$scratch/class/own.h"
printf '#include "own.h"\n' >"$scratch/class/exercise01.cu"
capture tools/grading/run 01 "$scratch/class/exercise01.cu"
expect "a header that is a link is not copied" error 'own.h: No such file'
