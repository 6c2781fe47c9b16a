#!/bin/sh
# What a student's code cannot do while it is graded: with bubblewrap, where that works, and by the filter of system calls alone.
set -eu
cd "$(dirname "$0")/../.."
. tests/check.sh

export BACKEND=cpu TIMEOUT=20
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{
  cat <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(const char *what, bool done) {
    printf("%s: %s\n", what, done ? "DONE" : "refused");
}

static int descriptors() {
    int open = 0;
    for (int fd = 0; fd < 256; fd++) {
        open += fcntl(fd, F_GETFD) >= 0;
    }
    return open;
}

static int before = [] {
    FILE *solution = fopen(PROJECT "/solutions/lesson01_threads/solution.cu", "r");
    tell("reading a solution", solution != NULL);
    if (solution) {
        fclose(solution);
    }
    tell("writing a file", open(SCRATCH "/written", O_WRONLY | O_CREAT, 0600) >= 0);
    tell("removing a file", unlink(SCRATCH "/mine") == 0);
    tell("starting a program", system("true") == 0);
    tell("opening a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    tell("ending the judge", kill(getppid(), SIGKILL) == 0);
    tell("following the judge", ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0);
    printf("%d descriptors\n", descriptors());
    return 0;
}();
END
  cat solutions/lesson01_threads/solution.cu
} | sed -e "s|PROJECT|\"$PWD\"|" -e "s|SCRATCH|\"$scratch\"|" >"$scratch/exercise.cu"
touch "$scratch/mine"

# judge_it NAME: none of it is done, and the exercise passes all the same.
judge_it() {
  capture tools/grading/run 01 "$scratch/exercise.cu"
  expect "$1: the exercise passes" 0 '^VERDICT: pass'
  for deed in 'writing a file' 'removing a file' 'starting a program' 'opening a socket' 'ending the judge' 'following the judge'; do
    expect "$1: $deed" 0 "^$deed: refused"
  done
  expect "$1: four descriptors" 0 '^4 descriptors'
}

# A bubblewrap that does not work is as good as none.
mkdir "$scratch/bin"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/bwrap"
chmod +x "$scratch/bin/bwrap"
full=$PATH
PATH=$scratch/bin:$full
judge_it "by the filter alone"
PATH=$full

if bwrap --ro-bind / / --unshare-all true 2>/dev/null; then
  judge_it "in bubblewrap"
  expect "in bubblewrap: reading a solution" 0 '^reading a solution: refused'
else
  skip "in bubblewrap" "it is not there, or this machine does not allow it"
fi
