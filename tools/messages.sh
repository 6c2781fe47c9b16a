# Sourced by the other scripts: how they speak. Colours only on a terminal, and not with NO_COLOR.
# Everything a script says about its own work goes to stderr; stdout belongs to the program that runs.

bold='' red='' yellow='' green='' plain=''
if [ -z "${NO_COLOR:-}" ] && [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then
  bold=$(printf '\033[1m') red=$(printf '\033[31m') yellow=$(printf '\033[33m')
  green=$(printf '\033[32m') plain=$(printf '\033[0m')
fi

say() { printf '%s\n' "$*" >&2; }

warn() { printf '%s\n' "${yellow}warning:${plain} $*" >&2; }

# fail MESSAGE [FURTHER LINES...]: the first line says what is wrong, the others what to do.
fail() {
  printf '%s\n' "${red}error:${plain} $1" >&2
  shift
  for line in "$@"; do printf '       %s\n' "$line" >&2; done
  exit 1
}

# quote WORD: WORD as one word of the shell, for files that are sourced later.
quote() { printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"; }

# print_variables NAME...: a line NAME='value' for each, to be sourced later.
print_variables() {
  for variable in "$@"; do eval "echo \"$variable=\$(quote \"\$$variable\")\""; done
}

# can_write FOLDER: whether a file can be made there; false where the disk is full, too.
can_write() {
  can=1
  { { [ -d "$1" ] || mkdir -p "$1"; } && echo x >"$1/.write.$$" && [ -s "$1/.write.$$" ]; } 2>/dev/null || can=0
  rm -f "$1/.write.$$" 2>/dev/null || true
  [ "$can" = 1 ]
}

require_writable() { # FOLDER
  can_write "$1" || fail "the folder $PWD/$1 cannot be written: it belongs to another user, or the disk is full." \
    "The workbook builds its programs there. Take a copy of it that is yours: cp -R $PWD ~/workbook"
}
