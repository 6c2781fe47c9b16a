#!/bin/sh
# A grading in Python: what a student's file cannot do meanwhile, with bubblewrap and by the filter of system calls alone; and that no way out of
# it is a pass: no forged verdict, no early end, no loop. And the interpreter that lessons in Python are given.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu TIMEOUT=5
need_python "a grading in Python" 27
solution=$(ls solutions/lesson27_*/solution.py)

grade() { capture tools/grading/run 27 "$scratch/exercise.py"; } # what stands there

# --- shut in ---

{
  cat <<END
import ctypes, os, signal, socket, subprocess


def tell(what, deed):
    try:
        deed()
        print(what + ": DONE", flush=True)
    except (OSError, subprocess.SubprocessError) as error:
        print(what + ": refused", flush=True)


def follow():
    if ctypes.CDLL(None, use_errno=True).ptrace(16, os.getppid(), None, None) != 0:
        raise OSError


tell("reading a solution", lambda: open("$PWD/$solution"))
tell("writing the judge's results", lambda: os.write(9, b'{"verdict": "pass"}'))
tell("writing a file", lambda: open("$scratch/written", "w"))
tell("removing a file", lambda: os.remove("$scratch/mine"))
tell("starting a program", lambda: subprocess.run(["true"]))
tell("a second process", os.fork)
tell("opening a socket", lambda: socket.socket())
tell("ending the judge", lambda: os.kill(os.getppid(), signal.SIGKILL))
tell("following the judge", follow)
END
  sed 's/^"""Exercise 27.*/"""/' "$solution"
} >"$scratch/exercise.py"
touch "$scratch/mine"

judge_it() { # NAME DEEDS...
  name=$1
  shift
  grade
  expect "$name: the exercise passes" 0 '^VERDICT: pass'
  for deed in "writing the judge's results" 'writing a file' 'removing a file' 'starting a program' 'a second process' 'opening a socket' \
    'ending the judge' 'following the judge' "$@"; do
    expect "$name: $deed" 0 "^$deed: refused"
  done
}

if bwrap --unshare-all --ro-bind / / true 2>/dev/null; then
  judge_it "with bubblewrap" 'reading a solution'
else
  skip "with bubblewrap" "it does not work here"
fi
mkdir "$scratch/bin"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/bwrap"
chmod +x "$scratch/bin/bwrap"
PATH="$scratch/bin:$PATH"
if [ "$(build/tools/jail --which 2>/dev/null)" = landlock ]; then judge_it "by Landlock" 'reading a solution'; else skip "by Landlock" "it does not work here"; fi
PATH=${PATH#"$scratch/bin:"}

# --- no way out is a pass ---

changed() { # NAME VERDICT PATTERN SED-SCRIPT
  sed "$4" "$solution" >"$scratch/exercise.py"
  grade
  expect "$1" error "$3"
  expect "$1: $2" error "^VERDICT: $2\$"
}
changed "a file that is no Python" compile_error 'SyntaxError' 's/^def check(.*/def check(/'
changed "a file that fails when it is imported" crash 'ModuleNotFoundError.*nowhere' 's/^import weakref/import nowhere/'
changed "a forged verdict and an early end" crash 'ended with status 0' 's/^import weakref/print("VERDICT: pass"); import os; os._exit(0)/'
changed "sys.exit in a function" crash 'SystemExit' 's/^    library = ctypes.CDLL(path)/    raise SystemExit(0)/'
VERDICT_ONLY=1 changed "a loop without an end" timeout 'took too long' 's/^    library = ctypes.CDLL(path)/    while True: pass/'
changed "more output than anybody reads" crash 'cut after 1 MB' 's/^    library = ctypes.CDLL(path)/    print("x" * 3000000)\n&/'
changed "an exception is told with its line" crash 'ZeroDivisionError' 's|^    library = ctypes.CDLL(path)|    1 / 0|'
expect "and with the source of that line" error '^ *line [0-9]*: 1 / 0'

# A job is sent as long as the runner has processor time left, however long it takes on a busy machine.
cat >"$scratch/slow.py" <<'END'
import os, socket, sys, threading, time
import numpy as np
sys.path.insert(0, "tools/grading")
import child, frames

one = child.Child.__new__(child.Child)
one.setup = type("Setup", (), {"seconds": 0.2})
one.process = type("Process", (), {"pid": os.getpid(), "wait": lambda seconds: 0})
one.link, theirs = socket.socketpair()
one.output, one.written = os.pipe()
one.printed, one.token, one.disk = 0, "token", None
os.set_blocking(one.output, False)
child.TimeLimit = lambda pid, seconds: type("Limit", (), {"reached": lambda self: False})()


def answer_late():
    time.sleep(0.5)
    job, arrays = frames.receive(theirs)
    frames.send(theirs.sendall, {"token": "token", "sum": int(arrays[0].sum())})


threading.Thread(target=answer_late, daemon=True).start()
print(one.ask({}, [np.ones(2000000)])[0]["sum"])
END
capture timeout 60 "$(sh tools/python/environment.sh 27)" -B "$scratch/slow.py"
expect "a job is sent to a runner that reads late" 0 '^2000000$'

# --- an exercise that is a module in C++ ---

# Without pybind11, which takes the compiler long.
module() { # NAME VERDICT PATTERN PyInit DEED
  {
    echo '#include <Python.h>'
    echo '#include <unistd.h>'
    echo 'static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "exercise", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};'
    echo "PyMODINIT_FUNC $4(void) { $5; return PyModule_Create(&module); }"
  } >"$scratch/exercise.cpp"
  capture tools/grading/run 28 "$scratch/exercise.cpp"
  expect "a module in C++: $1" error "$3"
  expect "a module in C++: $1: $2" error "^VERDICT: $2\$"
}
module "what includes a solution is refused" compile_error 'Nothing else is there while it is compiled' PyInit_exercise '
#include "'"$PWD/solutions/lesson28_pybind11/solution.cpp"'"
'
module "another name than the file's" crash 'PyInit_exercise' PyInit_other ''
module "an early end" crash 'ended with status 0' PyInit_exercise '_exit(0)'
module "without the exercise's classes" crash "AttributeError: module 'exercise' has no attribute" PyInit_exercise ''

# --- results for other programs ---

cp "$(ls solutions/lesson27_*/wrong/no_wait.py)" "$scratch/exercise.py"
RESULTS=$scratch grade
capture python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
states = [test["status"] for test in r["tests"]]
print(r["status"], states[0], states[-1], len(states))' "$scratch/results.json"
expect "results.json has the checks" 0 '^fail (pass|fail) error 17$'

# --- a class ---

mkdir -p "$scratch/class/ada/lesson27_ctypes" "$scratch/class/bob"
cp "$solution" "$scratch/class/ada/lesson27_ctypes/exercise.py"
cp "$(ls solutions/lesson27_*/wrong/never_freed.py)" "$scratch/class/bob/exercise27.py"
capture env GRADE_RESTORED=1 FILE="$scratch/class" OUT="$scratch/grades" JOBS=1 python3 tools/workbook grade 27
expect "a class is graded: all points for the solution" 0 'ada +exercise 27  10 of 10 points  pass'
expect "and its share for what is wrong in one thing" 0 'bob +exercise 27 +[5-9] of 10 points  leak'

# --- the interpreter ---

mkdir -p "$scratch/lessons/lesson98_test" "$scratch/tools"
cp -R tools/python tools/messages.sh "$scratch/tools/"
wanted=$scratch/lessons/lesson98_test/requirements.txt
echo 'pip==1.0' >"$wanted"
capture sh "$scratch/tools/python/environment.sh" 98
expect "a Python that has all is taken as it is" 0 "^$(command -v python3)\$"
echo 'no-such-package-of-anybody==1.0; python_version < "3.0"' >"$wanted"
capture sh "$scratch/tools/python/environment.sh" 98
expect "what is for another Python is not needed" 0 "^$(command -v python3)\$"
echo 'no-such-package-of-anybody==1.0' >"$wanted"
capture env PIP_NO_INDEX=1 PIP_FIND_LINKS= sh "$scratch/tools/python/environment.sh" 98
expect "without a network it says what is missing, and what to do" error 'lesson 98 needs no-such-package-of-anybody.*'
expect "and how to bring the wheels by hand" error 'pip download --only-binary'
# While other packages are installed, a grading whose packages are complete does not wait.
if command -v flock >/dev/null; then
  flock -o "$scratch/build/python.lock" sleep 60 & # -o: the lock ends with flock, whatever becomes of sleep
  holder=$!
  until ! flock -n "$scratch/build/python.lock" true; do sleep 0.1; done
  capture timeout 3 sh "$scratch/tools/python/environment.sh" 98
  expect "an installation waits for another one, and says so" error 'waiting for another installation of Python packages'
  folder=$(echo "$scratch"/build/python/*.log)
  rm -rf "${folder%.log}" # of the installation that failed
  mkdir -p "${folder%.log}/bin"
  printf '#!/bin/sh\n' >"${folder%.log}/bin/python" # it lacks nothing
  chmod +x "${folder%.log}/bin/python"
  capture timeout 30 sh "$scratch/tools/python/environment.sh" 98
  expect "packages that are there wait for no installation" 0 "^${folder%.log}/bin/python\$"
  kill "$holder"
  rm -r "${folder%.log}"
else
  skip "packages that are there wait for no installation" "there is no flock"
fi
printf '# large: 90 MB\nno-such-package-of-anybody==1.0  # at least 0.5, or libnobodys.so\n' >"$wanted"
capture env DOWNLOAD=0 sh "$scratch/tools/python/environment.sh" 98
expect "what is large is not downloaded with DOWNLOAD=0" error 'lesson 98 needs no-such-package-of-anybody, about 90 MB to download'
mkdir -p "$scratch/build" "$scratch/toolkit"
echo "TOOLKIT_LIB='$scratch/toolkit'" >"$scratch/build/configuration"
touch "$scratch/toolkit/libnobodys.so.1"
capture sh "$scratch/tools/python/environment.sh" 98
expect "a library of the toolkit stands for a package" 0 "^$(command -v python3)\$"
rm -r "$scratch/build/configuration"
printf '%s\n' '--extra-index-url https://example.org/cpu' 'pip==1000.0+cpu  # at least 1.0' >"$wanted"
capture sh "$scratch/tools/python/environment.sh" 98
expect "any build of a version that will do is taken" 0 "^$(command -v python3)\$"
printf '# large: 200 MB\n--extra-index-url https://example.org/cpu\npip==1000.0+cpu\n' >"$wanted"
capture env DOWNLOAD=0 sh "$scratch/tools/python/environment.sh" 98
expect "and an older one is not" error 'lesson 98 needs pip, about 200 MB to download'
echo 'no-such-package-of-anybody==1.0  # at least 1.0, or pip' >"$wanted"
capture sh "$scratch/tools/python/environment.sh" 98
expect "another package stands for one" 0 "^$(command -v python3)\$"
echo 'numpy>=1' >"$wanted"
capture sh "$scratch/tools/python/environment.sh" 98
expect "requirements that are not pinned are refused" error 'no `name==version`'
