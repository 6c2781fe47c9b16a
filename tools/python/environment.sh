#!/bin/sh
# environment.sh 27: prints the path of a Python 3 that has what lesson 27's requirements.txt asks for: $PYTHON, or else python3, if that has
# all of it (as on a GPU server without a network), or a virtual environment in build/python/, made once for all lessons with the same needs.
# What is large says so in a line of its own, `# large: 90 MB`; with DOWNLOAD=0 it is not downloaded.
set -eu
cd "$(dirname "$0")/../.."
. tools/messages.sh
[ ! -f build/configuration ] || . build/configuration

number=$1
wanted=$(find lessons -path "lessons/lesson${number}_*/requirements.txt")
[ -f "$wanted" ] || fail "there is no lessons/lesson${number}_*/requirements.txt."
python=$(command -v "${PYTHON:-python3}") || fail "lesson $number needs Python 3, and there is no ${PYTHON:-python3}." \
  "sudo apt-get install python3 python3-venv     (Debian, Ubuntu)"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "lesson $number needs Python 3.10 or newer; $python is older." \
  "PYTHON=/path/to/python3 make ...     (another Python)"

# -I: without what lies in the working folder or in somebody's home, as a grading runs it.
has_all() { # PYTHON
  missing=$("$1" -I tools/python/missing.py "$wanted" "${TOOLKIT_LIB:-}") || {
    [ $? != 3 ] || exit 1 # it has told what is wrong with the list
    return 1
  }
  [ -z "$missing" ]
}

key=$({ grep -v '^#' "$wanted"; "$python" -c 'import sys; print(sys.version, sys.prefix)'; } | cksum | tr ' ' '-')
folder=build/python/$key
log=$folder.log

explain_network() {
  grep -E 'ERROR|error' "$log" | tail -n 3 >&2
  fail "lesson $number needs$(printf ' %s' $needed), which $python has not, and pip could not install it into $folder (its words: $log)." \
    "With a network, try again. Without one: PYTHON=/path/to/python3 with these packages, or, from a machine with a network," \
    "  python3 -m pip download --only-binary :all: -r $wanted -d wheels" \
    "then copy that folder here, and: PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels make ..."
}

make_it() {
  needed=$missing
  size=$(sed -n 's/^# large: *//p' "$wanted")
  [ -z "$size" ] || [ "${DOWNLOAD:-}" != 0 ] ||
    fail "lesson $number needs$(printf ' %s' $needed), about $size to download, and DOWNLOAD=0 forbids large downloads."
  say "installing$(printf ' %s' $needed) into $folder (once${size:+; about $size})"
  rm -rf "$folder"
  "$python" -m venv "$folder" >"$log" 2>&1 || {
    cat "$log" >&2
    fail "lesson $number needs Python's venv module: sudo apt-get install python3-venv (Debian, Ubuntu)"
  }
  "$folder/bin/python" -m pip install --quiet --retries 2 --disable-pip-version-check --only-binary :all: -r "$wanted" >>"$log" 2>&1 ||
    explain_network
  has_all "$folder/bin/python" || fail "$folder lacks$(printf ' %s' $missing) though pip has installed it; see $log."
}

# Two installations at once: the second waits for the first. What is complete waits for none.
if ! has_all "$python"; then
  mkdir -p build/python
  if ! (has_all "$folder/bin/python" 2>/dev/null); then # in a shell of its own: what is missing here, the message wants
    if command -v flock >/dev/null; then
      exec 9>build/python.lock
      flock -n 9 || { say "waiting for another installation of Python packages to end"; flock 9; }
    fi
    (has_all "$folder/bin/python" 2>/dev/null) || make_it
  fi
  python=$PWD/$folder/bin/python
fi
echo "$python"
