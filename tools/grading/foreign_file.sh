#!/bin/sh
# foreign_file.sh VIEWS DEPENDENCIES: the first file that went into an object and that the compiler's jail does not show; nothing, if there is none. Where no jail
# keeps such files away, this does. VIEWS has what the jail shows of this machine beside the system (tools/jail/view.c), one path a line; DEPENDENCIES is
# what the compiler has written for make.
set -eu
here=$(pwd -P)

# All files of the object, one a line, as real paths.
included_files() {
  sed -e 's/\\$//' "$1" | tr '\n' ' ' | sed -e 's/^[^:]*: *//' -e 's/\\ /\t/g' -e 's/ \{1,\}/\n/g' |
    sed -e 's/\t/ /g' -e '/^$/d' -e '/:$/d' | sort -u | tr '\n' '\0' | xargs -0 realpath -m | sort -u
}

sed '/^$/d' "$1" | tr '\n' '\0' | xargs -0 realpath -m | sort -u >"$1.real"
included_files "$2" | awk -v here="$here" -v shown="$1.real" '
  BEGIN { while ((getline view < shown) > 0) if (view != "/") views[view] = 1 }
  function is_shown(path) {
    for (; path != ""; sub(/\/[^\/]*$/, "", path)) if (path in views) return 1
    return 0
  }
  index($0, here "/") != 1 && /^\/(usr|opt|nix|lib[^\/]*)\// { next }
  !is_shown($0) { print; exit }'
