# Sourced by the suites in sh, the emulator's and the workbook's: one line per check, as the runner counts them.

# pass NAME · no NAME WHY · skip NAME REASON
pass() { echo "ok $1"; }
no() { echo "not ok $1: $2"; }
skip() { echo "skip $1: $2"; }

# Runs a command: its output (both streams) in $output, its exit status in $status.
capture() {
  status=0
  output=$("$@" 2>&1 </dev/null) || status=$?
}

# The output so far, indented, where a failed check wants to show it.
show_output() { printf '%s\n' "$output" | head -n 30 | sed 's/^/    | /'; }

# expect NAME STATUS PATTERN: what `capture` saw. STATUS is a number, or "error" for any but 0; PATTERN is for grep -E.
expect() {
  case $2-$status in
  "$status-$status" | error-[1-9]*) ;;
  *)
    no "$1" "ended with status $status, expected $2"
    show_output
    return 0
    ;;
  esac
  if [ -n "$3" ] && ! printf '%s\n' "$output" | grep -Eq -- "$3"; then
    no "$1" "the output lacks '$3'"
    show_output
    return 0
  fi
  pass "$1"
}

# titled TITLE FILE: the lines that a program printed to that file, its checks with the title before their names.
titled() { sed "s#^\(not \)\{0,1\}ok #&$1: #" "$2"; }

# A fresh folder for a suite's files, removed when the suite ends.
make_scratch() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
}

# What is larger than 60 MB is downloaded in CI, or with DOWNLOAD=1.
[ "${CI:-}" = true ] || DOWNLOAD=${DOWNLOAD:-0}
export DOWNLOAD

# What pip says where there is no network, for grep -E. Of a package that a build needs it says "No matching distribution" instead.
no_network='NewConnectionError|NameResolutionError|ConnectTimeout|Temporary failure in name resolution|Network is unreachable'

# need_packages NAME WHAT FOLDER VENV: afterwards VENV is a virtual environment with what FOLDER/requirements.txt asks for. Where WHAT cannot be
# installed since there is no network, or no such package, the suite ends with a skip.
need_packages() {
  ! cmp -s "$3/requirements.txt" "$4/installed.txt" || return 0
  rm -rf "$4"
  capture sh -c "python3 -m venv '$4' && '$4/bin/pip' install -q --only-binary=:all: -r '$3/requirements.txt'"
  if [ "$status" = 0 ]; then
    cp "$3/requirements.txt" "$4/installed.txt"
    return
  fi
  if printf '%s\n' "$output" | grep -Eq "$no_network|No matching distribution"; then
    skip "$1" "$2 cannot be installed here (no network, or none for this Python)"
  else
    no "$1" "$2 cannot be installed"
    show_output
  fi
  exit 0
}
