#!/bin/sh
# The grading of an exercise whose kernels are compiled in the runner, by a C compiler and ptxas (lesson 33): they may be started, and what else
# a student's file tries ends at bubblewrap's walls. Where that does not work, only one's own file is graded.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh
make_scratch
export BACKEND=cpu TIMEOUT=10
need_python "a grading with compilers" 33
solution=$(ls solutions/lesson33_*/solution.py)

{
  cat <<END
import os, signal, socket, subprocess


def tell(what, deed):
    try:
        deed()
        print(what + ": DONE", flush=True)
    except (OSError, subprocess.SubprocessError) as error:
        print(what + ": refused", flush=True)


tell("starting a program", lambda: subprocess.run(["true"], check=True))
tell("reading a solution", lambda: open("$PWD/$solution"))
tell("reading it by another program", lambda: subprocess.run(["cat", "$PWD/$solution"], check=True, stderr=subprocess.DEVNULL))
tell("writing a file", lambda: open("$scratch/written", "w"))
tell("removing a file", lambda: os.remove("$scratch/mine"))
tell("opening a socket", lambda: socket.socket())
tell("ending the judge", lambda: os.kill(os.getppid(), signal.SIGKILL))
END
  sed 's/^"""Exercise 33.*/"""/' "$solution"
} >"$scratch/exercise.py"
touch "$scratch/mine"

if bwrap --unshare-all --ro-bind / / true 2>/dev/null; then
  capture tools/grading/run 33 "$scratch/exercise.py"
  expect "with bubblewrap the exercise passes" 0 '^VERDICT: pass'
  expect "compilers can be started" 0 '^starting a program: DONE'
  for deed in 'reading a solution' 'reading it by another program' 'writing a file' 'removing a file' 'opening a socket' 'ending the judge'; do
    expect "$deed" 0 "^$deed: refused"
  done
  {
    cat <<END
import os, tempfile, time

for number in range(6):
    file = open(os.path.join(tempfile.gettempdir(), str(number)), "wb")
    os.posix_fallocate(file.fileno(), 0, 200 << 20)
    if number % 2:
        os.remove(file.name)
        os.dup(file.fileno())  # stays open
time.sleep(60)
END
    sed 's/^"""Exercise 33.*/"""/' "$solution"
  } >"$scratch/exercise.py"
  capture tools/grading/run 33 "$scratch/exercise.py"
  expect "1.2 GB in files end it, though half of them were removed" error 'it wrote more than 1 GiB to files'
else
  skip "with bubblewrap" "it does not work here"
fi

mkdir "$scratch/bin"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/bwrap"
chmod +x "$scratch/bin/bwrap"
export PATH="$scratch/bin:$PATH"
if [ "$(build/tools/jail --which 2>/dev/null)" = landlock ]; then
  capture env OTHERS=1 tools/grading/run 33 "$solution"
  expect "by Landlock the exercise passes" 0 '^VERDICT: pass'
else
  skip "by Landlock" "it does not work here"
fi
