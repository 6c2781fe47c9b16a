#!/bin/sh
# What a hostile submission tries (SECURITY.md), with what is in attacks/: while it is compiled, while it runs, by its name, and by what it prints.
# In each jail that works here, and as another user where the tests run as root. A deed that is DONE, or a file that is left, is a failure.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

export BACKEND=cpu TIMEOUT=5 SECRET=of-the-teacher NO_COLOR=1
unset OTHERS UNSAFE JAIL_TEST_WITHOUT
scratch=$(mktemp -d)
chmod 755 "$scratch"
inside=$PWD/build/tests/attacks.$$
trap 'rm -rf "$scratch" "$inside" "$PWD/build/graders/planted.so"' EXIT
sources=tests/grading/attacks
solution=$PWD/solutions/lesson01_threads/solution.cu

# ---------------------------------------------------------------- what there is to steal and to spoil

mkdir -p "$scratch/class/other" "$scratch/class/eve/below" "$scratch/class/eve/folder.h" "$scratch/home/.ssh" "$scratch/home/.cache/cuda-emulator" \
  "$inside" build/graders
touch "$scratch/mine" "$scratch/home/.cache/cuda-emulator/kernel.so"
echo 'the key of-the-teacher' >"$scratch/home/.ssh/id_test"
cp "$solution" "$scratch/class/other/exercise01.cu"
echo 'int planted(void) { return 1; }' | "${CC:-cc}" -shared -fPIC -x c - -o build/graders/planted.so
ln -s "$solution" "$scratch/class/eve/a_link.h"
mkfifo "$scratch/class/eve/pipe.h"
head -c 2000000 /dev/zero | tr '\0' '\n' >"$scratch/class/eve/big.h"
printf '#pragma GCC system_header\n#include "%s"\n' "$solution" >"$scratch/class/eve/own.h"
echo '#include "twice.h"
#include "twice.h"' >"$scratch/class/eve/twice.h"
cp "$scratch/class/eve/own.h" "$scratch/class/eve/below/own.h"
chmod -R a+rX "$scratch"

# definitions CHECKOUT FILE: what the attacks have to know, before the attack.
definitions() {
  printf '#define %s "%s"\n' PROJECT "$1" SCRATCH "$scratch" HOME_OF_TEACHER "$scratch/home" KEY "$scratch/home/.ssh/id_test" \
    SOLUTION "$1/solutions/lesson01_threads/solution.cu" OTHER "$scratch/class/other/exercise01.cu"
  cat "$sources/$2"
}

# submit NAME [CHECKOUT]: $file is that attack.
submit() {
  file=$scratch/class/eve/$1.cu
  definitions "${2:-$PWD}" "$1.cu" >"$file"
}

# ---------------------------------------------------------------- how it is judged

# all_refused NAME FILE: each deed of that file was tried, and none succeeded.
all_refused() {
  printf '%s\n' "$output" >"$scratch/output"
  sed -n 's/^ *deed("\([^"]*\)".*/\1/p' "$sources/$2" | awk -v title="$1" -v tried="$scratch/output" -v root="$([ "$($as id -u)" != 0 ] || echo 1)" '
    BEGIN {
      while ((getline line < tried) > 0) {
        if (sub(/: refused$/, "", line)) refused[line] = 1
        else if (sub(/: DONE$/, "", line)) done[line] = 1
      }
    }
    root && $0 == "threads without end" { next }
    done[$0] { print "not ok " title ": " $0 ": DONE"; next }
    refused[$0] { print "ok " title ": " $0; next }
    { print "not ok " title ": " $0 ": it was not tried" }'
}

lacks() { # NAME PATTERN
  if printf '%s\n' "$output" | grep -Eq -- "$2"; then
    no "$1" "the output has '$2'"
    show_output
  else
    pass "$1"
  fi
}

# nothing_left NAME CHECKOUT
nothing_left() {
  left=$(find "$scratch" /tmp/pwned /dev/shm/pwned "$2/pwned" "$2/build/graders" "$2/build/tests/kernels" -maxdepth 6 -name 'pwned*' 2>/dev/null |
    head -n 3)
  if [ -z "$left" ] && [ -f "$scratch/mine" ] && [ ! -s "$scratch/mine" ]; then
    pass "$1: nothing was left behind"
  else
    no "$1: nothing was left behind" "$left"
  fi
}

grade() { capture $as tools/grading/run "$@"; }

# The same in a terminal, which is the grading's controlling one: there is something to type into. \r ends the lines of a terminal.
grade_in_terminal() { # NUMBER FILE
  if command -v script >/dev/null; then
    capture sh -c 'script -qec "$1" /dev/null | tr -d "\r"' sh "${as:+$as }tools/grading/run $1 '$2'"
  else
    grade "$@"
  fi
}

# refused_by_compiler NAME ATTACK PATTERN: no verdict but compile_error, and no line of what is not the student's.
refused_by_compiler() {
  submit "$2" "$checkout"
  grade 01 "$file"
  expect "$1" error "$3"
  expect "$1: it does not compile" error '^VERDICT: compile_error$'
  lacks "$1: nothing is shown" 'of-the-teacher|launch that fails is not|void saxpy\(float a|root:'
}

# attack NAME CHECKOUT: while it is compiled, and while it runs.
attack() {
  checkout=$2
  submit run_time "$2"
  case $1 in bubblewrap*) cat "$sources/elsewhere.cu" ;; esac >>"$file"
  cat "$solution" >>"$file"
  grade_in_terminal 01 "$file"
  expect "$1: the exercise passes" 0 '^VERDICT: pass$'
  expect "$1: all was tried" 0 '^all deeds tried$'
  expect "$1: its own headers are there" 0 '^own headers: there$'
  expect "$1: what was not copied is told" 0 '^big.h: not copied'
  expect "$1: four descriptors" 0 '^4 descriptors$'
  expect "$1: escape sequences are shown, not sent" 0 '^\^\[\]0;owned\^G\^\[\[2J\?A escape sequence$'
  lacks "$1: no command for a log on GitHub" '^ *::|##\['
  if [ "$(printf '%s\n' "$output" | grep -c '^VERDICT: ')" = 1 ]; then pass "$1: one verdict"; else no "$1: one verdict" "there are more"; fi
  all_refused "$1" run_time.cu
  case $1 in bubblewrap*) all_refused "$1" elsewhere.cu ;; esac
  refused_by_compiler "$1: a line marker" errors 'error: .*(No such file|Permission denied)'
  refused_by_compiler "$1: a header of the system's" system_header 'error: .*(No such file|Permission denied)'
  refused_by_compiler "$1: variables in an error" variables 'error'
  refused_by_compiler "$1: #embed" embed '#embed|embed.cu|end of the numbers'
  refused_by_compiler "$1: embedding" incbin 'file not found: lessons/lesson01_threads/grader.cpp'
  found=$(printf '%s\n' "$output" | grep -c 'file not found: ' || true)
  if [ "$found" = 9 ]; then pass "$1: nothing can be embedded"; else no "$1: nothing can be embedded" "of 9 files $found are not found"; show_output; fi
  lacks "$1: but common/ can" 'file not found: common'
  nothing_left "$1" "$2"
}

# backend NAME WITHOUT: whether that one works here without those.
works() {
  export JAIL_TEST_WITHOUT="$2"
  [ "$($as build/tools/jail --which 2>/dev/null)" = "$1" ] || {
    skip "$1${as:+ as another user}" "it does not work here"
    return 1
  }
}

sh tools/compile/build_tool.sh jail
as=''
! works bubblewrap '' || attack "bubblewrap" "$PWD"
! works landlock bubblewrap || attack "Landlock" "$PWD"

# ---------------------------------------------------------------- limits, names, ends: the same in every jail

JAIL_TEST_WITHOUT=''
checkout=$PWD
if [ "$(build/tools/jail --which 2>/dev/null)" = none ]; then
  skip "limits, names and ends" "no jail works here"
else
  # The compiler has 300 s for a file; a test has less.
  ends() { # NAME ATTACK
    submit "$2"
    capture sh -c 'ulimit -t 3; exec "$@"' sh tools/grading/run 01 "$file"
    expect "$1 ends by a limit" error '^VERDICT: compile_error$'
  }
  ends "a file without an end" zero
  ends "a header that includes itself" headers
  ends "2^40 templates" templates
  ends "an object of 100 GB" object

  submit options
  cat "$solution" >>"$file"
  grade 01 "$file"
  expect "options of the compiler" error 'is not a list of -gencode'

  submit forge
  grade 01 "$file"
  expect "a forged answer is none" error 'failed +saxpy'
  expect "waiting for ever ends" error 'failed +reverse|^VERDICT: timeout$'
  submit flood
  grade 01 "$file"
  expect "a closed socket is a failure" error 'failed +saxpy'
  expect "5 MB are cut" error 'cut after 1 MB'
  submit stdout
  cat solutions/lesson23_nvcc/solution.cu >>"$file"
  grade 23 "$file"
  expect "what was printed on stdout cannot be hidden" error 'It is one line, on stderr, where results'

  # The shell, make and the compiler have our name for the file. A student's is shown, and nothing else.
  odd=$scratch/class/'-odd $(touch pwned) `touch pwned`'"'"'"
end;|&'
  mkdir "$odd"
  echo '#error of the file' >"$odd/-x\$(touch pwned).cu"
  (cd "$odd" && "$OLDPWD/tools/grading/run" 01 "-x\$(touch pwned).cu") >"$scratch/output" 2>&1 || true
  output=$(cat "$scratch/output") status=0
  expect "a name that is a command" 0 '^VERDICT: compile_error$'
  expect "a name that is a command is shown" 0 '-x\$\(touch pwned\)\.cu.*of the file'
  cp "$solution" "$odd/exercise.cu"
  grade 01 "$odd/exercise.cu"
  expect "a folder that is a command, by its full path" 0 '^VERDICT: pass$'
  capture sh tools/compile/build.sh "$odd/exercise.cu" "$scratch/built.so"
  expect "the compiler is not called with such a name" error 'which nvcc would have a shell read'

  plain_only() { # NAME WHY
    capture timeout 60 tools/grading/run 01 "$scratch/class/eve/odd.cu"
    expect "$1" error "$2"
    rm -rf "$scratch/class/eve/odd.cu"
  }
  mkfifo "$scratch/class/eve/odd.cu"
  plain_only "a pipe for a file" 'there is no file'
  mkdir "$scratch/class/eve/odd.cu"
  plain_only "a folder for a file" 'there is no file'
  cp "$scratch/class/eve/big.h" "$scratch/class/eve/odd.cu"
  plain_only "2 MB" 'it has more than 1 MB'
  truncate -s 5G "$scratch/class/eve/odd.cu"
  plain_only "5 GB" 'it has more than 1 MB'
  nothing_left "limits, names and ends" "$PWD"
fi

# ---------------------------------------------------------------- on a GPU, with Landlock alone

# What tools/grading/run asks once it knows where the file is to run. JAIL_BACKEND is printed where it goes on.
on_gpu_by() { # BACKEND OTHERS UNSAFE
  capture env OTHERS="$2" UNSAFE="$3" PYTHONPATH=tools python3 -B -c '
import sys
from workbook import messages
from workbook.grading.jail import Jail
jail = Jail.__new__(Jail)
jail.file, jail.backend = "exercise.cu", sys.argv[1]
try:
    jail.leave_landlock("gpu")
except messages.Failure as failure:
    messages.report(failure)
    sys.exit(2)
print("jail:", jail.backend)' "$1"
}
on_gpu_by landlock 1 ''
expect "on a GPU, Landlock alone: somebody else's file is refused" error 'BACKEND=cpu grades it.*install bubblewrap'
on_gpu_by landlock 0 ''
expect "on a GPU, Landlock alone: one's own runs without" 0 'runs with your rights' '^jail: none'
on_gpu_by landlock 1 1
expect "on a GPU, Landlock alone: UNSAFE=1" 0 'jail: none'
on_gpu_by bubblewrap 1 ''
expect "on a GPU, bubblewrap" 0 '^jail: bubblewrap$'

# ---------------------------------------------------------------- without a jail

export JAIL_TEST_WITHOUT='bubblewrap landlock'
cp "$solution" "$scratch/class/eve/plain.cu"
cp "$solution" "$inside/exercise.cu"
capture tools/grading/run 01 "$scratch/class/eve/plain.cu"
expect "without a jail somebody else's file is refused" error 'would have your rights'
capture env OTHERS=1 tools/grading/run 01 "$inside/exercise.cu"
expect "also when it was copied into the workbook" error 'would have your rights'
capture env UNSAFE=1 tools/grading/run 01 "$scratch/class/eve/plain.cu"
expect "UNSAFE=1 grades it" 0 '^VERDICT: pass$'
expect "and says what that means" 0 'UNSAFE=1: .*your rights'
submit system_header
capture env UNSAFE=1 tools/grading/run 01 "$file"
expect "UNSAFE=1: what a header of the system's includes is seen" error 'it includes solutions/lesson01_threads/solution.cu'
# A toolkit in a home is no file of the teacher's; another file there is one.
first_foreign() { # VIEWS DEPENDENCIES
  capture env PYTHONPATH=tools python3 -B -c '
import pathlib, sys
from workbook.grading.foreign_files import first_foreign
print(first_foreign(pathlib.Path(sys.argv[1]).read_text().split("\n"), pathlib.Path(sys.argv[2])) or "")' "$@"
}
mkdir -p "$scratch/home/cuda/include"
printf '%s\n' "$scratch/home/cuda" "$PWD/common" >"$scratch/views"
printf 'x: %s /usr/include/math.h \\\n %s\n' "$scratch/home/cuda/include/a.h" common/check.h >"$scratch/included"
first_foreign "$scratch/views" "$scratch/included"
if [ "$output" = '' ]; then pass "a toolkit in a home is not foreign"; else no "a toolkit in a home is not foreign" "$output is"; fi
printf 'x: common/check.h %s\n' "$scratch/home/cuda/../a\\#b.h" >"$scratch/included"
first_foreign "$scratch/views" "$scratch/included"
expect "a file beside it is, whatever its name" 0 "^$scratch/home/a"
capture tools/grading/run 01 "$inside/exercise.cu"
expect "one's own file is graded" 0 '^VERDICT: pass$'
expect "and a line says that no jail works" 0 'No jail works on this machine'

# A bubblewrap that is there and does not start is told, whatever takes its place.
mkdir "$scratch/bin"
printf '#!/bin/sh\necho "bwrap: not allowed here" >&2\nexit 1\n' >"$scratch/bin/bwrap"
chmod +x "$scratch/bin/bwrap"
JAIL_TEST_WITHOUT=''
capture env PATH="$scratch/bin:$PATH" OTHERS=0 tools/grading/run 01 "$inside/exercise.cu"
expect "a bubblewrap that does not start is told" 0 'bubblewrap.*does not start.*not allowed here'
unset JAIL_TEST_WITHOUT

# ---------------------------------------------------------------- as another user, in a checkout of his

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  theirs=$scratch/workbook
  mkdir "$theirs"
  for part in Makefile common emulator lessons solutions tools build; do
    cp -al "$part" "$theirs/" 2>/dev/null || cp -a "$part" "$theirs/"
  done
  # What is written to there must not be ours.
  for part in build/graders build/tools $(find build -maxdepth 1 -type f); do
    rm -rf "${theirs:?}/$part"
    cp -a "$part" "$theirs/build/" 2>/dev/null || true # a grading beside this suite removes its folder
    chown -R 65534:65534 "$theirs/$part"
  done
  mkdir -p "$theirs/build/tests/kernels"
  find "$theirs" -type d -exec chown 65534:65534 {} +
  as="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=$scratch/nowhere EMULATOR_CACHE=$theirs/build/tests/kernels"
  cd "$theirs"
  sources=$OLDPWD/$sources
  ! works bubblewrap '' || attack "bubblewrap, not root" "$theirs"
  ! works landlock bubblewrap || attack "Landlock, not root" "$theirs"
  cd "$OLDPWD"
  sources=${sources#"$PWD/"} as=''
else
  skip "as another user" "the tests do not run as root"
fi

# ---------------------------------------------------------------- a file in Python

unset JAIL_TEST_WITHOUT
need_python "an attack in Python" 27
solution=$PWD/solutions/lesson27_ctypes/solution.py
file=$scratch/class/eve/exercise.py
{
  sed -n '1,/^$/p' "$sources/exercise.py"
  printf '%s = "%s"\n' PROJECT "$PWD" SCRATCH "$scratch" SOLUTION "$solution" OTHER "$scratch/class/other/exercise01.cu" KEY "$scratch/home/.ssh/id_test"
  sed '1,/^$/d' "$sources/exercise.py"
  sed 's/^"""Exercise 27.*/"""/' "$solution"
} >"$file"

# Modules beside the file, by names that an interpreter or the runner asks for.
for module in sitecustomize usercustomize numpy frames ctypes; do
  echo 'print("a module beside the file: DONE", flush=True)' >"$scratch/class/eve/$module.py"
done

attack_in_python() {
  grade 27 "$file"
  expect "$1, Python: the exercise passes" 0 '^VERDICT: pass$'
  expect "$1, Python: all was tried" 0 '^all deeds tried$'
  expect "$1, Python: escape sequences are shown, not sent" 0 '^\^\[\]0;owned\^G'
  lacks "$1, Python: no command for a log on GitHub" '^ *::|##\['
  lacks "$1, Python: no module beside the file" 'a module beside the file'
  all_refused "$1, Python" exercise.py
  nothing_left "$1, Python" "$PWD"
}
! works bubblewrap '' || attack_in_python "bubblewrap"
! works landlock bubblewrap || attack_in_python "Landlock"
